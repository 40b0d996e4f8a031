// Takes recalled text that a model repeats out of its answer while the answer streams: all from an opening fence to its
// end, wherever the chunks are cut. Called by the session's journal for each piece and once for the whole. Pure.

export interface Scrubber {
  /** What of this chunk, and of what was held back before it, may be shown. */
  push(chunk: string): string;
  /** The rest. A fence that was never closed is dropped with all behind it. */
  end(): string;
}

const NAME = "memory-context";
/** A tag, or as much of one as has come. Blanks are bounded, so that no text is held back for long. */
const TAG = /<\s{0,4}(\/?)\s{0,4}([a-z-]{0,14})(\s{0,4})(\/?>?)/iy;

/** In Markdown a tag that is only spoken of stands in a code span: one behind a backtick is a word. */
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
  const isWhole = name!.toLowerCase() === NAME;
  // One that closes itself has nothing inside.
  if (isWhole && closing!.endsWith(">")) return { kind: slash === "/" || closing === "/>" ? "close" : "open", end };
  // It may go on only where the text ends, and only as what it has begun to be.
  const mayBe = end === text.length && (isWhole || (NAME.startsWith(name!.toLowerCase()) && blanks + closing! === ""));
  return mayBe ? { kind: "unfinished" } : { kind: "none" };
}
