// Keeps the lexer within bounds: parts of it take time that grows with the square of the length, or recurse with each nested marker. Pure.

/** [own] Characters of one part of a long text: a part ends at the next blank line, at the latest after twice as many. */
const PART = 16_000;
/** [own] Characters of text whose marks are read at once. */
const INLINE = 2_000;
/** [own] Quotes and items within one another, in one line. */
const MAX_NESTED = 30;

/** Parts that can be read one by one. A code block that spans two is closed and opened again. */
export function cutSource(markdown: string): string[] {
  const parts: string[] = [];
  let lines: string[] = [];
  let size = 0;
  let fence: { line: string; mark: string } | null = null;
  const end = () => {
    parts.push(lines.join("\n") + (fence ? `\n${fence.mark}` : ""));
    lines = fence ? [fence.line] : [];
    size = 0;
  };
  for (const line of markdown.split("\n")) {
    if (size > 2 * PART || (size > PART && !fence && line.trim() === "")) end();
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = { line, mark };
    else if (mark && fence && mark[0] === fence.mark[0] && mark.length >= fence.mark.length) fence = null;
    lines.push(line);
    size += line.length + 1;
  }
  fence = null;
  if (lines.length > 0) end();
  return parts;
}

/** Parts of a paragraph, cut at a line's end or at a space where there is one. */
export function cutInline(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > INLINE) {
    const window = text.slice(from, from + INLINE);
    const space = Math.max(window.lastIndexOf("\n"), window.lastIndexOf(" "));
    let to = from + (space > 0 ? space + 1 : INLINE);
    if (/[\uD800-\uDBFF]/.test(text[to - 1]!)) to -= 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  parts.push(text.slice(from));
  return parts;
}

/** Whether a line begins with more quotes and items than anybody writes. */
export function nestsTooDeep(markdown: string): boolean {
  return markdown.split("\n").some((line) => countMarkers(line) > MAX_NESTED);
}

function countMarkers(line: string): number {
  let count = 0;
  let at = 0;
  while (at < line.length && count <= MAX_NESTED) {
    const marker = /^[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$))/.exec(line.slice(at, at + 200));
    if (!marker) return count;
    at += marker[0].length;
    count += 1;
  }
  return count;
}
