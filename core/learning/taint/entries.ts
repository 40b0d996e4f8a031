// Splits the entries of a session into pieces of text, each labelled with whose words it counts as. Called by session-record.ts. Pure.
import type { Entry, Part } from "../../schemas/entry.ts";
import type { Source } from "../../schemas/ids.ts";
import type { SentMessage } from "../../schemas/learning/review.ts";

/**
 * `trusted`: the principal's words, and what was stored under the model's own label. They count for the whole session.
 * `own`: words of the model and the harness. They count only for later text, since a model may repeat content it has read.
 * `content`: text from outside.
 */
type Stream = "trusted" | "own" | "content";

export interface SaidPiece {
  stream: Stream;
  text: string;
  /** The piece is the result of a failed call. */
  failed?: boolean;
}

/** Tools whose results repeat the arguments of the call. */
export const ECHOING_TOOLS = new Set(["skill_manage", "memory", "write_file", "patch"]);

const DELEGATING = "delegate_task";

export function piecesOf(entry: Entry): SaidPiece[] {
  switch (entry.kind) {
    case "assistant":
      return [
        ...entry.parts.map(({ text }) => toOwnPiece(text)),
        ...entry.answer.calls.map(({ args, malformed }) => toOwnPiece(malformed ?? stringsIn(args))),
      ];
    case "tool":
      return entry.parts.map((part) => {
        // What a session that the agent began answers is a model's words too.
        const isEcho = part.source === "own" && (ECHOING_TOOLS.has(entry.call.name) || entry.call.name === DELEGATING);
        return { stream: isEcho ? "own" : streamOf(part.source), text: readPart(part), failed: entry.failed };
      });
    // A summary repeats earlier text in the model's words.
    case "compaction":
      return entry.parts.map(({ source, text }) => ({ stream: source === "content" ? "content" : "own", text }));
    case "user":
    case "note":
    case "notice":
      // The notice of a pending change shows the change itself.
      if (entry.kind === "notice" && entry.code === "pending") return [];
      return entry.parts.map(({ source, text }) => ({ stream: streamOf(source), text }));
  }
}

/** Whether the entry has a part that came from outside. */
export function holdsContent(entry: Entry): boolean {
  return entry.kind !== "assistant" && entry.parts.some(({ source }) => source === "content");
}

/** The pieces of a message as it was sent. Messages have no labels; only the fence around content tells it apart. */
export function piecesOfMessage(message: SentMessage): SaidPiece[] {
  switch (message.role) {
    case "assistant":
      return [toOwnPiece([message.text, ...message.calls.map(({ args }) => stringsIn(args))].join("\n"))];
    case "tool": {
      const at = message.text.indexOf(FENCE);
      const isWhole = message.text.startsWith("{");
      const read = isWhole ? message.text.slice(at < 0 ? message.text.length : at) : message.text;
      return [
        ...(at > 0 && isWhole ? [toOwnPiece(message.text.slice(0, at))] : []),
        { stream: "content", text: toPlainText(read), failed: message.failed },
      ];
    }
    case "user":
      // The entries under review are labelled: for those this message is not needed.
      return [FENCED.test(message.text) ? { stream: "content", text: message.text } : toOwnPiece(message.text)];
  }
}

function toOwnPiece(text: string): SaidPiece {
  return { stream: "own", text };
}

/** For entries other than the model's answers. There `own` marks what the model stored itself. */
function streamOf(source: Source): Stream {
  if (source === "content") return "content";
  return source === "outcome" ? "own" : "trusted";
}

/** How a rendered result begins its content. */
const FENCE = "\n<content>\n";

/** Messages that hold a summary, or the text of an external memory. */
const FENCED = /^<earlier_conversation>|^<note>\s*<memory-context>/;

/** The content of a rendered result, as lines. */
export function toPlainText(rendered: string): string {
  const [, body = rendered] = rendered.split(FENCE);
  return readPart({ source: "content", text: body.replace(/\n<\/content>\s*$/, "") });
}

/** All strings and numbers of a JSON value, one per line. Keys are included: they have the same source as the value. */
export function stringsIn(value: unknown): string {
  const texts: string[] = [];
  // A stack, not recursion: content may be nested deeper than the call stack allows.
  const left = [value];
  while (left.length > 0) {
    const item = left.pop();
    if (typeof item === "string") texts.push(item);
    else if (typeof item === "number") texts.push(String(item));
    else if (Array.isArray(item)) for (let at = item.length - 1; at >= 0; at--) left.push(item[at]);
    else if (item !== null && typeof item === "object") {
      for (const [key, one] of Object.entries(item).toReversed()) left.push(one, key);
    }
  }
  return texts.join("\n");
}

/** Parts of tool results are JSON. */
function readPart({ text }: Part): string {
  try {
    return stringsIn(JSON.parse(text));
  } catch {
    return text; // plain text, or JSON that was cut
  }
}
