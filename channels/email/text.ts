// The words of an e-mail: what its author wrote, without what the mail program quoted below. Called by channels/email.ts. Pure, linear.

/** [own] A message of somebody is not longer. */
const MAX_CHARS = 100_000;

/** What programs put above the message that they quote. */
const QUOTE_HEADS = [
  /^On .{1,300} wrote:$/,
  /^Am .{1,300} schrieb .{0,300}:$/,
  /^Le .{1,300} a écrit ?:$/,
  /^El .{1,300} escribió:$/,
  /^-{2,10} ?(?:Original Message|Forwarded message|Ursprüngliche Nachricht) ?-{2,10}$/i,
  /^_{20,80}$/,
];

export function toWords(text: string): { text: string; quoted: string } {
  const lines = text.slice(0, MAX_CHARS).replaceAll("\r\n", "\n").split("\n");
  const end = findQuote(lines);
  const body = lines.slice(0, end);
  const signature = body.lastIndexOf("-- ");
  const words = signature < 0 ? body : body.slice(0, signature);
  const quoted = lines.slice(end).filter((line) => line.startsWith(">"));
  return {
    text: words.join("\n").trim(),
    quoted: quoted
      .map((line) => line.replace(/^> ?/, ""))
      .join("\n")
      .trim(),
  };
}

/** Where the quotation at the end begins. Quotations between the author's lines stay: the lines answer them. */
function findQuote(lines: readonly string[]): number {
  for (const [at, line] of lines.entries()) {
    const isHead = QUOTE_HEADS.some((head) => head.test(line.trim()));
    // A head may be broken over two lines.
    const joined = `${line.trim()} ${lines[at + 1]?.trim() ?? ""}`;
    const isBroken = !isHead && QUOTE_HEADS.slice(0, 4).some((head) => head.test(joined));
    if (!isHead && !isBroken) continue;
    const rest = lines.slice(at + (isBroken ? 2 : 1));
    if (rest.every((each) => each.trim() === "" || each.startsWith(">"))) return at;
    if (isHead && /^[-_]{2}/.test(line)) return at;
  }
  let end = lines.length;
  while (end > 0 && (lines[end - 1]!.startsWith(">") || lines[end - 1]!.trim() === "")) end--;
  return lines.slice(end).some((line) => line.startsWith(">")) && end > 0 ? end : lines.length;
}

const BREAKS = /^(?:br|\/p|\/div|\/li|\/h[1-6]|\/pre|\/blockquote|\/tr)\b/;
/** Elements whose content nobody sees. */
const SKIPPED = /^(?:script|style|head|title)\b/;
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&", nbsp: " " };

/** For a message that has no plain text. */
export function htmlToWords(html: string): string {
  const parts: string[] = [];
  let skipped: string | null = null;
  for (let at = 0; at < html.length;) {
    const open = html.indexOf("<", at);
    if (skipped === null) parts.push(html.slice(at, open < 0 ? undefined : open).replace(/\s/g, " "));
    const close = open < 0 ? -1 : html.indexOf(">", open);
    if (close < 0) break;
    const tag = html.slice(open + 1, Math.min(close, open + 40)).toLowerCase();
    if (skipped !== null) skipped = tag.startsWith(skipped) ? null : skipped;
    else if (SKIPPED.test(tag)) skipped = `/${SKIPPED.exec(tag)![0]}`;
    else if (BREAKS.test(tag)) parts.push("\n");
    at = close + 1;
  }
  const text = parts.join("").replace(/&(lt|gt|quot|#39|amp|nbsp);/g, (_, name: string) => ENTITIES[name]!);
  const lines = text.split("\n").map((line) => line.split(" ").filter(Boolean).join(" "));
  return lines.join("\n").trim();
}
