// What a message may order the session itself to do, instead of the model. Read by the driver at the start of a turn. Pure.

export type Command = { name: "compress"; focus: string } | { name: "refresh" };

/** Null for everything that is not exactly a command: it is for the model. */
export function parseCommand(text: string): Command | null {
  const match = /^\/(compress|refresh)(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (!match) return null;
  const rest = match[2]?.trim() ?? "";
  if (match[1] === "compress") return { name: "compress", focus: rest };
  return rest === "" ? { name: "refresh" } : null;
}
