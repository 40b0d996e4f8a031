// Reads `\n`, `\t`, `\"` that a model wrote as two characters each, and says when what it meant by one is unclear. Called by
// patch.ts. Pure.

export interface Meaning {
  oldString: string;
  newString: string;
  /** An escape of the replacement that may mean itself or what it stands for; then nothing may be replaced. */
  drift: string | null;
}

/** All of them, as JSON has them; and only those for blanks, in a passage that holds others of its own. */
const ALL = /\\([nrt"'\\])/g;
const BLANKS = /\\([nrt])/g;
const STANDS_FOR: Record<string, string> = { n: "\n", r: "\r", t: "\t" };

/** What a passage and its replacement may mean when their escapes are read; empty without any. */
export function readEscapes(oldString: string, newString: string): Meaning[] {
  const readings = [ALL, BLANKS].map((form) => {
    const read = (text: string) => text.replace(form, (_escape, sign: string) => STANDS_FOR[sign] ?? sign);
    const old = escapesIn(oldString, form);
    const drift = [...escapesIn(newString, form)].find((escape) => !old.has(escape)) ?? null;
    return { oldString: read(oldString), newString: read(newString), drift };
  });
  const [all, blanks] = readings as [Meaning, Meaning];
  const different = all.oldString === blanks.oldString ? [all] : [all, blanks];
  return different.filter((meaning) => meaning.oldString !== oldString && meaning.oldString.trim() !== "");
}

/**
 * An escape that a passage and its replacement hold and the places where it was found do not: it was made on the way here,
 * and would be planted in the file.
 */
export function strayEscape(oldString: string, newString: string, places: string[]): string | null {
  const old = escapesIn(oldString, ALL);
  const strays = [...escapesIn(newString, ALL)].filter((escape) => old.has(escape));
  return strays.find((escape) => !places.some((place) => place.includes(escape))) ?? null;
}

function escapesIn(text: string, form: RegExp): Set<string> {
  return new Set(Array.from(text.matchAll(form), (escape) => escape[0]));
}
