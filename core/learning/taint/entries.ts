// What each entry of a session says, and whose words it counts as, for session-record.ts. Pure.
import type { Entry, Part } from "../../schemas/entry.ts";
import type { Source } from "../../schemas/ids.ts";
import type { SentMessage } from "../../schemas/learning/review.ts";

/**
 * `known`: the principal's, whenever they say it, and what was kept under the model's own label. `own`: what the model and
 * the harness say, which counts only for what comes after it. Once content was read, they may only be repeating it.
 */
type Stream = "known" | "own" | "content";

export interface SaidPiece {
  stream: Stream;
  text: string;
  /** What a call that failed answered. */
  failed?: boolean;
}

/** They give back what they were asked to write. */
export const WRITING = new Set(["skill_manage", "memory", "write_file"]);

export function piecesOf(entry: Entry): SaidPiece[] {
  switch (entry.kind) {
    case "assistant":
      return [
        ...entry.parts.map(({ text }) => own(text)),
        ...entry.answer.calls.map(({ args, malformed }) => own(malformed ?? stringsIn(args))),
      ];
    case "tool":
      return entry.parts.map((part) => {
        const isEcho = part.source === "own" && WRITING.has(entry.call.name);
        return { stream: isEcho ? "own" : streamOf(part.source), text: readPart(part), failed: entry.failed };
      });
    // A summary says again what was said before, in the model's words.
    case "compaction":
      return entry.parts.map(({ source, text }) => ({ stream: source === "content" ? "content" : "own", text }));
    case "user":
    case "note":
    case "notice":
      // A notice that the agent's own change waits shows that very change.
      if (entry.kind === "notice" && entry.code === "pending") return [];
      return entry.parts.map(({ source, text }) => ({ stream: streamOf(source), text }));
  }
}

/** Whether anything of it was only read. */
export function holdsContent(entry: Entry): boolean {
  return entry.kind !== "assistant" && entry.parts.some(({ source }) => source === "content");
}

/** Of a message as it was sent, which has no labels but the fence around what was read. */
export function piecesOfMessage(message: SentMessage): SaidPiece[] {
  switch (message.role) {
    case "assistant":
      return [own([message.text, ...message.calls.map(({ args }) => stringsIn(args))].join("\n"))];
    case "tool": {
      const at = message.text.indexOf(FENCE);
      const isWhole = message.text.startsWith("{");
      const read = isWhole ? message.text.slice(at < 0 ? message.text.length : at) : message.text;
      return [
        ...(at > 0 && isWhole ? [own(message.text.slice(0, at))] : []),
        { stream: "content", text: toPlain(read), failed: message.failed },
      ];
    }
    case "user":
      // Of the range, the entries say whose it is.
      return [FENCED.test(message.text) ? { stream: "content", text: message.text } : own(message.text)];
  }
}

function own(text: string): SaidPiece {
  return { stream: "own", text };
}

/** Of what is no answer of the model: its own words there carry the label under which they were kept. */
function streamOf(source: Source): Stream {
  return source === "content" ? "content" : source === "outcome" ? "own" : "known";
}

/** As a result has it around what was read. */
const FENCE = "\n<content>\n";

/** A summary, and what an external memory remembers. */
const FENCED = /^<earlier_conversation>|^<note>\s*<memory-context>/;

/** A result that was rendered, as lines. */
export function toPlain(rendered: string): string {
  const [, body = rendered] = rendered.split(FENCE);
  return readPart({ source: "content", text: body.replace(/\n<\/content>\s*$/, "") });
}

/** All that a value of plain data says, keys included: they come from wherever the value does. */
export function stringsIn(value: unknown): string {
  const texts: string[] = [];
  // Content may be nested deeper than calls may be.
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

/** Parts of results are JSON. */
function readPart({ text }: Part): string {
  try {
    return stringsIn(JSON.parse(text));
  } catch {
    return text; // plain text, or JSON that was cut
  }
}
