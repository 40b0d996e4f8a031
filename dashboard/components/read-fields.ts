// Lists that people type into one field.

/** Names with commas between them. */
export function readNames(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
}

/** `Name: value`, one a line; empty lines do not count. `bad` is the first line that is neither. */
export function readLines(text: string): { pairs: Record<string, string>; bad?: string } {
  const pairs: Record<string, string> = {};
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim();
    if (name === "") return { pairs, bad: line.trim() };
    pairs[name] = line.slice(colon + 1).trim();
  }
  return { pairs };
}
