// Separates thoughts from the text of an answer. On a server without a reasoning parser, models write `<think>…</think>` before
// the answer. Some chat templates open the thought themselves, so that only `</think>` arrives. Used by openai-chat-stream.ts.
// Only a thought at the beginning of an answer counts; tags elsewhere are text.

const OPEN = "<think>";
const CLOSE = "</think>";

export interface SortedDelta {
  text: string;
  reasoning: string;
  /** The text so far was a thought: `reasoning` holds all of it, and `text` starts over. */
  retracts?: true;
}

/** Accepts text cut anywhere, even inside a tag. */
export function createThoughtFilter() {
  let state: "start" | "thought" | "afterThought" | "text" = "start";
  /** Text that may be the beginning of a tag. */
  let held = "";
  /** Text emitted so far, as long as a later `</think>` could make it a thought; then `null`. */
  let emitted: string | null = "";
  /** The last characters of `emitted`. Searching only these keeps a long text from taking quadratic time. */
  let tail = "";

  return {
    push(delta: string): SortedDelta {
      switch (state) {
        case "start":
          return readStart(held + delta);
        case "thought":
          return readThought(held + delta);
        case "afterThought":
          return readAnswer(delta);
        case "text":
          return readText(delta);
      }
    },
    /** Releases the held text at the end of the stream. */
    end(): SortedDelta {
      const rest = held;
      held = "";
      return state === "thought" ? { text: "", reasoning: rest } : { text: rest, reasoning: "" };
    },
  };

  function readStart(all: string): SortedDelta {
    const first = all.trimStart();
    held = "";
    if (first.startsWith(OPEN)) {
      state = "thought";
      return readThought(first.slice(OPEN.length));
    }
    if (OPEN.startsWith(first)) {
      held = all;
      return NOTHING;
    }
    state = "text";
    return readText(all);
  }

  function readThought(all: string): SortedDelta {
    held = "";
    const end = all.indexOf(CLOSE);
    if (end >= 0) {
      state = "afterThought";
      return { ...readAnswer(all.slice(end + CLOSE.length)), reasoning: all.slice(0, end) };
    }
    const open = countOpenChars(CLOSE, all);
    held = all.slice(all.length - open);
    return { text: "", reasoning: all.slice(0, all.length - open) };
  }

  /** Drops the blank lines after a thought. */
  function readAnswer(delta: string): SortedDelta {
    const text = delta.trimStart();
    if (text !== "") state = "text";
    emitted = null; // a second thought is text
    return { text, reasoning: "" };
  }

  function readText(delta: string): SortedDelta {
    if (emitted === null) return { text: delta, reasoning: "" };
    const searched = tail + delta;
    const searchedFrom = emitted.length - tail.length;
    emitted += delta;
    tail = searched.slice(-(CLOSE.length - 1));
    if (!searched.includes(CLOSE)) return { text: delta, reasoning: "" };
    const closeAt = searchedFrom + searched.indexOf(CLOSE);
    const thought = emitted.slice(0, closeAt);
    if (!closesThought(thought)) {
      emitted = null;
      return { text: delta, reasoning: "" };
    }
    state = "afterThought";
    return { ...readAnswer(emitted.slice(closeAt + CLOSE.length)), reasoning: thought, retracts: true };
  }
}

const NOTHING: SortedDelta = { text: "", reasoning: "" };

/** Whether `</think>` after `before` ends a thought: not in code, not quoted, and not paired with an earlier `<think>`. */
function closesThought(before: string): boolean {
  const isInFence = (before.match(/```/g)?.length ?? 0) % 2 === 1;
  return !isInFence && !before.includes(OPEN) && !/[`"'\\]$/.test(before);
}

/** The number of characters at the end of `text` that could begin `tag`. */
function countOpenChars(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
