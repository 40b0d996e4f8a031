// Shows a path from an archive in a sentence. Pure.

/** Quotes any path for use in a sentence. */
export function quotePath(path: string): string {
  const shown = path.length > 80 ? `${path.slice(0, 80)}…` : path;
  return JSON.stringify(shown.toWellFormed().replace(HIDDEN, "\uFFFD"));
}

/** Control characters, and characters that change text direction or break lines. */
export const HIDDEN = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
