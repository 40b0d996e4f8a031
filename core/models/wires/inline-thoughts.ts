// Takes thoughts out of the text of an answer: models that run behind a server without a parser for them write
// `<think>…</think>` before what they say, and some chat templates open the thought themselves, so that only its end comes. Used
// by openai-chat-stream.ts. A thought is one at the beginning of an answer; anywhere else the tags are text.

const OPEN = "<think>";
const CLOSE = "</think>";

export interface Sorted {
  text: string;
  reasoning: string;
  /** All that was text so far was a thought: `reasoning` has it, and `text` begins again. */
  retracts?: true;
}

/** Pieces come as they were cut, inside a tag too. */
export function createThoughtFilter() {
  let state: "start" | "thought" | "behind" | "text" = "start";
  /** What may be the beginning of a tag. */
  let held = "";
  /** Told as text so far, while its end may still show it to be a thought; `null` once it cannot. */
  let told: string | null = "";
  /** The end of it, so that a text without end does not cost its square. */
  let tail = "";

  return {
    push(delta: string): Sorted {
      switch (state) {
        case "start":
          return begin(held + delta);
        case "thought":
          return think(held + delta);
        case "behind":
          return answer(delta);
        case "text":
          return say(delta);
      }
    },
    /** What was held at the end of the stream. */
    end(): Sorted {
      const rest = held;
      held = "";
      return state === "thought" ? { text: "", reasoning: rest } : { text: rest, reasoning: "" };
    },
  };

  function begin(all: string): Sorted {
    const first = all.trimStart();
    held = "";
    if (first.startsWith(OPEN)) {
      state = "thought";
      return think(first.slice(OPEN.length));
    }
    if (OPEN.startsWith(first)) {
      held = all;
      return NOTHING;
    }
    state = "text";
    return say(all);
  }

  function think(all: string): Sorted {
    held = "";
    const end = all.indexOf(CLOSE);
    if (end >= 0) {
      state = "behind";
      return { ...answer(all.slice(end + CLOSE.length)), reasoning: all.slice(0, end) };
    }
    const open = beginningOf(CLOSE, all);
    held = all.slice(all.length - open);
    return { text: "", reasoning: all.slice(0, all.length - open) };
  }

  /** The blank lines behind a thought are nobody's. */
  function answer(delta: string): Sorted {
    const text = delta.trimStart();
    if (text !== "") state = "text";
    told = null; // no other thought comes
    return { text, reasoning: "" };
  }

  function say(delta: string): Sorted {
    if (told === null) return { text: delta, reasoning: "" };
    const fresh = tail + delta;
    const at = told.length - tail.length + fresh.indexOf(CLOSE);
    told += delta;
    tail = fresh.slice(-(CLOSE.length - 1));
    if (!fresh.includes(CLOSE)) return { text: delta, reasoning: "" };
    if (!closesThought(told.slice(0, at))) {
      told = null;
      return { text: delta, reasoning: "" };
    }
    const thought = told.slice(0, at);
    const rest = told.slice(at + CLOSE.length);
    state = "behind";
    return { ...answer(rest), reasoning: thought, retracts: true };
  }
}

const NOTHING: Sorted = { text: "", reasoning: "" };

/** Not in code, not quoted, and with no tag before it that it could belong to. */
function closesThought(before: string): boolean {
  const isInFence = (before.match(/```/g)?.length ?? 0) % 2 === 1;
  return !isInFence && !before.includes(OPEN) && !/[`"'\\]$/.test(before);
}

/** How many characters at the end of a text are the beginning of a tag. */
function beginningOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
