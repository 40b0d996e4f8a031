// The signs of Markdown that the rules of learning look for, and which files are prose. Pure.

/** Matches one line; blanks may come before it. */
export const CODE_FENCE = /^\s*(?:`{3,}|~{3,})/;

export const CODE_SPAN = /`[^`\n]+`/g;

/** A file that is read rather than run. */
export function isProse(path: string): boolean {
  return /\.(?:md|txt|markdown)$/i.test(path);
}

export function splitLines(text: string): string[] {
  return text.split(/\r\n?|\n/);
}
