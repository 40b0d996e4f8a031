// Removes recalled memory that a model repeats in its answer while the answer streams: everything from an opening fence
// to its end, wherever the chunks are cut. The session's journal calls it for each chunk and once for the whole answer.
// Pure.

export interface Scrubber {
  /** The part of this chunk, and of what was held back before it, that may be shown. */
  push(chunk: string): string;
  /** The rest. If a fence was never closed, everything after it is dropped. */
  end(): string;
}

const FENCE_NAME = "memory-context";
/** A tag, or the beginning of one. Blanks are bounded, so that no text is held back for long. */
const TAG = /<\s{0,4}(\/?)\s{0,4}([a-z-]{0,14})(\s{0,4})(\/?>?)/iy;

/** In Markdown a tag in a code span is quoted: a tag right after a backtick is text. */
const QUOTE = "`";

export function createScrubber(): Scrubber {
  let held = "";
  let inside = false;
  /** The character before `held`. */
  let previous = "";

  function push(chunk: string, isLast = false): string {
    const text = held + chunk;
    held = "";
    let shown = "";
    let from = 0;
    for (;;) {
      const at = text.indexOf("<", from);
      if (at < 0) {
        if (!inside) shown += text.slice(from);
        break;
      }
      if (!inside) shown += text.slice(from, at);
      const tag = readTag(text, at);
      if (tag.kind === "unfinished" && !isLast) {
        held = text.slice(at);
        previous = at > 0 ? text[at - 1]! : previous;
        return shown;
      }
      const isQuoted = (at > 0 ? text[at - 1] : previous) === QUOTE;
      if (tag.kind === "none" || tag.kind === "unfinished" || (isQuoted && !inside)) {
        if (!inside) shown += "<";
        from = at + 1;
        continue;
      }
      inside = tag.kind === "open";
      from = tag.end;
    }
    if (text !== "") previous = text.at(-1)!;
    return shown;
  }

  return { push: (chunk) => push(chunk), end: () => push("", true) };
}

export function scrub(text: string): string {
  if (!text.includes("<")) return text;
  const scrubber = createScrubber();
  return scrubber.push(text) + scrubber.end();
}

type Tag = { kind: "open" | "close"; end: number } | { kind: "none" } | { kind: "unfinished" };

function readTag(text: string, at: number): Tag {
  TAG.lastIndex = at;
  const [whole, slash, name, blanks, closing] = TAG.exec(text)! as unknown as string[];
  const end = at + whole!.length;
  const isWhole = name!.toLowerCase() === FENCE_NAME;
  // A self-closing tag has nothing inside.
  if (isWhole && closing!.endsWith(">")) return { kind: slash === "/" || closing === "/>" ? "close" : "open", end };
  // The tag may continue only if it reaches the end of the text and is a valid beginning so far.
  const mayContinue =
    end === text.length && (isWhole || (FENCE_NAME.startsWith(name!.toLowerCase()) && blanks + closing! === ""));
  return mayContinue ? { kind: "unfinished" } : { kind: "none" };
}
