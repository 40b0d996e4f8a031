// A conversation as Markdown text. Pure. Control characters of foreign texts are removed.
import type { SessionInfo } from "../../core/schemas/api.ts";
import type { Entry } from "../../core/schemas/entry.ts";
import { summarise, toOneLine, toPlain } from "./plain-text.ts";
import { formatTime } from "./times.ts";

export function renderTranscript({ session, title, createdAt }: SessionInfo, entries: readonly Entry[]): string {
  const head = `# ${toOneLine(title) || "(no title)"}\n\nSession ${session}, begun ${formatTime(createdAt)}`;
  return `${[head, ...entries.flatMap(renderEntry)].join("\n\n")}\n`;
}

/** Nothing for what only the model reads: notes, compactions. */
function renderEntry(entry: Entry): string[] {
  const text = toPlain(entry.parts.map((part) => part.text).join("")).trim();
  switch (entry.kind) {
    case "user":
      return [`## You\n\n${text}${renderImages(entry.images?.length ?? 0)}`];
    case "assistant":
      return text === "" ? [] : [`## Talaria\n\n${text}`];
    case "tool": {
      const mark = entry.state === "open" ? "…" : entry.failed ? "✗" : "✓";
      return [`- ${mark} ${toOneLine(entry.call.name)} ${summarise(entry.call.args).slice(0, MAX_CALL_CHARS)}`];
    }
    case "notice":
      return [`> ${text.replaceAll("\n", "\n> ")}`];
    default:
      return [];
  }
}

const MAX_CALL_CHARS = 200;

function renderImages(n: number): string {
  return n === 0 ? "" : `\n\n(with ${n} image${n === 1 ? "" : "s"})`;
}
