// Shortens old calls: a long result becomes one line that says what was called and how it ended; long arguments keep their
// beginning. Called by core/session/compaction/shorten.ts on the messages between the first and the newest ones. Pure and
// idempotent.
import { clip, toOneLine } from "../../clip.ts";
import { renderUnseen, withTexts } from "../../images/sentence.ts";
import type { JsonObject, ToolCall } from "../../schemas/entry.ts";
import type { Message } from "../contract.ts";

/** A result up to this long stays as it is, and no line is longer (Hermes Agent). */
const MAX_LINE_CHARS = 200;
const ARGS_CHARS = 80;
/** Arguments longer than this keep their beginning (Hermes Agent: 200). */
const MAX_ARG_CHARS = 400;
const ARG_HEAD_CHARS = 200;

/** Replaces the rest of a long argument. A new call that contains this mark was copied from a shortened conversation. */
export const SHORTENED = /\[shortened: \d+ characters\]/;

/** `kept`: entries of messages that keep their images, because they are the person's current requests. */
export function pruneMessages(messages: Message[], kept: readonly number[] = []): Message[] {
  const calls = new Map<string, ToolCall>();
  const seen = new Set<string>();
  return messages.map((message) => {
    if (message.role === "assistant") {
      for (const call of message.calls) calls.set(call.id, call);
      return pruneArguments(message);
    }
    if (message.role === "user") return kept.includes(message.entry ?? 0) ? message : pruneImages(message);
    if (message.text.length <= MAX_LINE_CHARS) return message;
    const isRepeat = seen.has(message.text);
    seen.add(message.text);
    return { ...message, text: toLine(message, calls.get(message.call), isRepeat) };
  });
}

/** Also used where a summary shows the message to a model. */
export function pruneImages({ images, ...message }: Extract<Message, { role: "user" }>): Message {
  if (!images) return message;
  return {
    ...message,
    text: withTexts(
      message.text,
      images.map((image) => renderUnseen(image, DROPPED)),
    ),
  };
}

const DROPPED = "It was sent earlier and is no longer shown.";

function toLine(message: Extract<Message, { role: "tool" }>, call: ToolCall | undefined, isRepeat: boolean): string {
  const { name, failed, text } = message;
  if (name === "skill_view" && !failed) {
    const skill = typeof call?.args.name === "string" ? call.args.name : "";
    return clip(
      `[shortened] skill_view ${skill}: no longer in view. Load it again with skill_view before you follow it.`,
      MAX_LINE_CHARS,
    );
  }
  const what =
    `[shortened] ${clip(toOneLine(name), 60)} ${clip(call ? JSON.stringify(call.args) : "", ARGS_CHARS)}`.trim();
  const outcome = isRepeat
    ? "the same result as an earlier call"
    : `${failed ? "failed" : "ok"}, ${text.length} characters: ${text.split("\n", 1)[0]}`;
  return clip(toOneLine(`${what} -> ${outcome}`), MAX_LINE_CHARS);
}

/** Drops the native form too, because it repeats the arguments; for old answers no provider requires it. */
function pruneArguments({ native: _native, ...message }: Extract<Message, { role: "assistant" }>): Message {
  return { ...message, calls: message.calls.map((call) => ({ ...call, args: cutStrings(call.args) as JsonObject })) };
}

function cutStrings(value: unknown): unknown {
  if (typeof value === "string" && value.length > MAX_ARG_CHARS) {
    return `${value.slice(0, ARG_HEAD_CHARS).toWellFormed()} [shortened: ${value.length} characters]`;
  }
  if (Array.isArray(value)) return value.map(cutStrings);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutStrings(item)]));
}
