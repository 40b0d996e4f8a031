// What a turn shows, and how an entry of the log becomes an item. Used by conversation.ts. Pure.
// An item that the log has given (`stored`) is final but for a tool call that has no result yet.
import type {
  AskedQuestion,
  CompactionEntry,
  Cost,
  Entry,
  JsonObject,
  Part,
  Usage,
} from "../../../core/schemas/entry.ts";
import type { ImageRef } from "../../../core/schemas/media/image.ts";

interface ItemBase {
  /** The number of the entry in the log. */
  entry: number;
  /** The log has given it, not the stream. */
  stored: boolean;
  /** Milliseconds; absent while only the stream has given it. */
  at?: number;
}

/** `text` `null`: not read yet. `joined`: it arrived while the turn ran. */
export interface PersonItem extends ItemBase {
  kind: "person";
  text: string | null;
  images: ImageRef[];
  joined: boolean;
  /** The harness wrote it, so that work at a goal goes on. */
  isGoal: boolean;
}

/** Text and reasoning of one model call. `cost` and `usage` come with the stored entry. */
export interface AnswerItem extends ItemBase {
  kind: "answer";
  text: string;
  reasoning: string;
  model?: string;
  usage?: Usage;
  cost?: Cost;
}

/** `result`: JSON as text, `null` while the call runs. */
export interface ToolItem extends ItemBase {
  kind: "tool";
  name: string;
  args: JsonObject;
  failed: boolean;
  result: string | null;
}

export interface NoticeItem extends ItemBase {
  kind: "notice";
  code: string;
  text: string;
}

/** What a parked turn waits for. `text` says how a person answers. */
export interface QuestionItem extends ItemBase {
  kind: "question";
  question: AskedQuestion;
  text: string;
}

export type Item = PersonItem | AnswerItem | ToolItem | NoticeItem | QuestionItem;

export function toItem(entry: Entry): Item {
  const base = { entry: entry.n, stored: true, at: entry.at };
  switch (entry.kind) {
    case "user": {
      const { images = [], steer, told = 0, goal } = entry;
      const text = joinParts(steer ? entry.parts : entry.parts.slice(told));
      return { ...base, kind: "person", text, images, joined: steer !== undefined, isGoal: goal !== undefined };
    }
    case "assistant": {
      const { model, usage, cost, reasoning = "" } = entry.answer;
      return { ...base, kind: "answer", text: joinParts(entry.parts), reasoning, model, usage, ...(cost && { cost }) };
    }
    case "tool": {
      const { call, failed, state } = entry;
      const result = state === "done" ? mergeParts(entry.parts) : null;
      return { ...base, kind: "tool", name: call.name, args: call.args, failed: result !== null && failed, result };
    }
    case "note": {
      const text = entry.skills
        ? `Loaded: ${entry.skills.map(({ skill }) => skill).join(", ")}.`
        : joinParts(entry.parts);
      return { ...base, kind: "notice", code: entry.code, text };
    }
    case "compaction":
      return { ...base, kind: "notice", code: "compacted", text: describeCompaction(entry) };
    case "notice": {
      const text = joinParts(entry.parts);
      if (entry.asked) return { ...base, kind: "question", question: entry.asked, text };
      if (entry.said) return { ...base, kind: "person", text, images: [], joined: true, isGoal: false };
      return { ...base, kind: "notice", code: entry.code, text };
    }
  }
}

function joinParts(parts: Part[]): string {
  return parts.map(({ text }) => text).join("");
}

/** The same text as the event of the compaction has. */
function describeCompaction({ tokensBefore, tokensAfter }: CompactionEntry): string {
  return `The conversation was made shorter for the model: from about ${tokensBefore} to ${tokensAfter} tokens.`;
}

/** The same text as the event `tool_end` has: one JSON object with the keys of all parts. */
function mergeParts(parts: Part[]): string {
  const [only] = parts;
  if (only && parts.length === 1 && !only.text.includes("\n")) return only.text;
  try {
    return JSON.stringify(Object.assign({}, ...parts.map(({ text }) => JSON.parse(text) as JsonObject)));
  } catch {
    return joinParts(parts); // a log of another version
  }
}
