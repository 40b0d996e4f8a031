// Texts of others, so that nothing in them is hidden and none of them passes for the page's own words. Pure.

/**
 * Signs that show nothing or turn the text around: control characters other than tab and line feed, overrides and isolates of the direction,
 * blanks without width, tags, fillers. Joiners, marks of a direction and forms of emoji belong to ordinary texts and stay.
 */
const HIDDEN =
  /(?![\t\n])[\p{Cc}\u00AD\u115F\u1160\u17B4\u17B5\u180E\u200B\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const MAX_NAME = 120;

/** The same text with hidden signs as their codes: `⟨U+202E⟩`. */
export function showHidden(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(HIDDEN, toCode);
}

function toCode(sign: string): string {
  return `⟨U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** A name inside a sentence of the page: in quotation marks that it cannot close, on one line, not longer than a sentence can bear. */
export function quote(name: string): string {
  const line = showHidden(name)
    .replaceAll(/["“”„]/g, "'")
    .replaceAll(/\s+/g, " ")
    .trim();
  const signs = [...line];
  const short = signs.length > MAX_NAME ? `${signs.slice(0, MAX_NAME).join("")}…` : line;
  // What is written from right to left must not move the words beside it.
  return `“${RIGHT_TO_LEFT.test(short) ? `\u2068${short}\u2069` : short}”`;
}
