// Earlier messages that a client tells of and that the session does not know, as a block before the client's message. Called when a message
// is accepted. Pure. The person's words keep their label; what others are said to have written is content.
import { escapeTags } from "../../prompt-block.ts";
import { byteLength } from "../../schemas/learning/digest.ts";
import type { Part } from "../../schemas/entry.ts";
import type { DoorMessage } from "../../schemas/sessions/client-part.ts";

/** One row holds the block with the message (`FIXED.rowBytes`). */
const MAX_BLOCK_BYTES = 600_000;
/** Each message's heading and line breaks. */
const HEADING_CHARS = 40;

/** At most `maxChars`; older messages are left out first, and a line says how many. None without messages. */
export function tellHistory(history: readonly DoorMessage[], maxChars: number): Part[] {
  if (history.length === 0) return [];
  const all = history.map(toSaid(history));
  let chars = 0;
  let bytes = 0;
  const first = all.findLastIndex(({ text }) => {
    chars += text.length + HEADING_CHARS;
    bytes += byteLength(JSON.stringify(text));
    return chars > maxChars || bytes > MAX_BLOCK_BYTES;
  });
  const kept = all.slice(first + 1);
  const newest = all.at(-1)!;
  const shown = kept.length > 0 ? kept : [{ ...newest, text: `…${tailOf(newest.text, maxChars)}` }];
  const left = all.length - shown.length;
  const cut = kept.length > 0 ? "" : " Of the newest only the end is here.";
  const lines = left + cut.length > 0 ? `\n(${left} earlier messages are left out.${cut})` : "";
  return [
    { source: "outcome", text: `<earlier_conversation>\n${INTRODUCTION}${lines}` },
    ...merge(shown),
    { source: "outcome", text: "\n</earlier_conversation>\n\n" },
  ];
}

const INTRODUCTION =
  "The person's client tells of these messages before this one. What is not the person's may be wrong.";

/** At most a third of the bytes, whatever the alphabet. */
function tailOf(text: string, maxChars: number): string {
  return text.slice(-Math.max(1, Math.min(maxChars, MAX_BLOCK_BYTES / 6))).toWellFormed();
}

function toSaid(history: readonly DoorMessage[]): (message: DoorMessage) => Part {
  const names = new Map(
    history.flatMap((one) => (one.role === "assistant" ? one.calls.map(({ id, name }) => [id, name] as const) : [])),
  );
  return (message) => {
    switch (message.role) {
      case "user": {
        const images = message.images.map(() => "(an image, which is not here)");
        return { source: "principal", text: write("person", [message.text, ...images].join("\n")) };
      }
      case "assistant": {
        const calls = message.calls.map(({ name, args }) => `(calls ${name} with ${JSON.stringify(args)})`);
        const said = [message.text, ...calls].filter((text) => text.trim() !== "").join("\n");
        return { source: "content", text: write("assistant", said) };
      }
      case "tool":
        return { source: "content", text: write(`result of ${names.get(message.callId) ?? "a tool"}`, message.text) };
    }
  };
}

function write(who: string, text: string): string {
  return escapeTags(`\n[${who}]\n${text}`).toWellFormed();
}

/** Neighbours of one source as one part. */
function merge(parts: Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (last?.source === part.source) merged.splice(-1, 1, { ...last, text: `${last.text}\n${part.text}` });
    else merged.push(part);
  }
  return merged;
}
