// What a chat is shown of a running turn: a pure function of its events. Called by durable-objects/channels/follow.ts.
import { clip, toOneLine } from "../../clip.ts";
import type { AgentEvent, JsonObject } from "../../schemas/entry.ts";
import { FILE_MARK, withoutBullet } from "../delivery/find-files.ts";
import { mayBeSilence } from "../delivery/silence.ts";

/** [own] The newest calls; earlier ones are counted. */
const MAX_CALLS = 8;
const MAX_ARGUMENT_CHARS = 60;

export interface Shown {
  /** `waiting`: for a person, so nothing is shown to work. */
  state: "queued" | "working" | "waiting" | "over";
  /** A line for each tool call. */
  calls: string[];
  /** The answer as it grows; "" while there is none. */
  text: string;
}

export function beginShown(): Shown {
  return { state: "queued", calls: [], text: "" };
}

export function showEvent(shown: Shown, event: AgentEvent): Shown {
  switch (event.type) {
    case "turn_start":
    case "steer_add":
      return { ...shown, state: "working" };
    case "entry_start":
    case "entry_restart":
      return { ...shown, state: "working", text: "" };
    case "text_delta":
      return { ...shown, text: shown.text.slice(0, event.offset) + event.text };
    case "tool_start":
      return { ...shown, state: "working", text: "", calls: [...shown.calls, toLine(event.name, event.args)] };
    case "turn_park":
      return { ...(asksPerson(event) ? beginShown() : shown), state: "waiting" };
    case "turn_end":
      return { ...shown, state: "over" };
    default:
      return shown;
  }
}

/** Whether a question to a person comes now, which stands below what was shown before. */
export function asksPerson(event: AgentEvent): boolean {
  return event.type === "turn_park" && (event.question.for === "approval" || event.question.for === "clarify");
}

/** Markdown; "" while there is nothing to show. */
export function toProgressText({ calls, text }: Shown, withAnswer: boolean): string {
  const words = withoutFileLines(text);
  if (withAnswer && words !== "" && !mayBeSilence(words)) return `${words} …`;
  if (calls.length === 0) return "";
  const earlier = calls.length - MAX_CALLS;
  return [...(earlier > 0 ? [`- ${earlier} earlier`] : []), ...calls.slice(-MAX_CALLS)].join("\n");
}

/** The lines that name files to send, and a last line that may become one: no words of the answer. */
function withoutFileLines(text: string): string {
  const lines = text.split("\n");
  const isFile = (words: string, at: number) =>
    words.startsWith(FILE_MARK) || (words !== "" && at === lines.length - 1 && FILE_MARK.startsWith(words));
  return lines
    .filter((line, at) => !isFile(withoutBullet(line), at))
    .join("\n")
    .trim();
}

function toLine(name: string, args: JsonObject): string {
  const first = Object.values(args).find((value) => typeof value === "string" && value.trim() !== "");
  const shown = typeof first === "string" ? clip(toOneLine(first), MAX_ARGUMENT_CHARS).replaceAll("`", "'") : "";
  return shown === "" ? `- ${name}` : `- ${name}: \`${shown}\``;
}
