// Reads escapes such as `\n`, `\t` and `\"` that a model wrote as two characters, and reports when their meaning is
// unclear. Called by patch.ts. Pure.

export interface DecodedPassage {
  oldString: string;
  newString: string;
  /** An escape in the replacement that could be literal or decoded. Then nothing may be replaced. */
  drift: string | null;
}

/** `ALL`: the escapes of JSON. `BLANKS`: white space only, for passages that contain other escapes literally. */
const ALL = /\\([nrt"'\\])/g;
const BLANKS = /\\([nrt])/g;
const DECODED: Record<string, string> = { n: "\n", r: "\r", t: "\t" };

/** Possible readings of a passage and its replacement with their escapes decoded; empty when there are none. */
export function readEscapes(oldString: string, newString: string): DecodedPassage[] {
  const readings = [ALL, BLANKS].map((form) => {
    const read = (text: string) => text.replace(form, (_escape, sign: string) => DECODED[sign] ?? sign);
    const old = escapesIn(oldString, form);
    const drift = [...escapesIn(newString, form)].find((escape) => !old.has(escape)) ?? null;
    return { oldString: read(oldString), newString: read(newString), drift };
  });
  const [all, blanks] = readings as [DecodedPassage, DecodedPassage];
  const different = all.oldString === blanks.oldString ? [all] : [all, blanks];
  return different.filter((meaning) => meaning.oldString !== oldString && meaning.oldString.trim() !== "");
}

/**
 * Finds an escape that passage and replacement contain but the matched places do not. Such an escape was added in
 * transport and would end up in the file.
 */
export function strayEscape(oldString: string, newString: string, places: string[]): string | null {
  const old = escapesIn(oldString, ALL);
  const strays = [...escapesIn(newString, ALL)].filter((escape) => old.has(escape));
  return strays.find((escape) => !places.some((place) => place.includes(escape))) ?? null;
}

function escapesIn(text: string, form: RegExp): Set<string> {
  return new Set(Array.from(text.matchAll(form), (escape) => escape[0]));
}
