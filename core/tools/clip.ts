// Cuts text to a limit in characters of JSON, the form in which a model reads a result: a table full of quotes and newlines
// is longer there than on disk. Used by the tools. Pure.

/** Characters the text takes between the quotes of a JSON string. */
export function jsonChars(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** Whether the text takes at most `maxJsonChars`. Does not read all of a long text. */
export function fitsIn(text: string, maxJsonChars: number): boolean {
  return text.length <= maxJsonChars && jsonChars(text) <= maxJsonChars;
}

/** The longest start that takes at most `maxJsonChars`. Never splits a character. */
export function takeStart(text: string, maxJsonChars: number): string {
  let cost = 0;
  for (let i = 0; i < text.length; i++) {
    cost += unitCost(text.charCodeAt(i));
    if (cost > maxJsonChars) return text.slice(0, isLowSurrogate(text.charCodeAt(i)) ? i - 1 : i);
  }
  return text;
}

/** The longest end that takes at most `maxJsonChars`. Never splits a character. */
export function takeEnd(text: string, maxJsonChars: number): string {
  let cost = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    cost += unitCost(text.charCodeAt(i));
    if (cost > maxJsonChars) return text.slice(isLowSurrogate(text.charCodeAt(i + 1)) ? i + 2 : i + 1);
  }
  return text;
}

/** Keeps the start and the end of a text that is too long, with a line between them that says how much is missing. */
export function headAndTail(text: string, maxJsonChars: number): { text: string; cut: boolean } {
  if (fitsIn(text, maxJsonChars)) return { text, cut: false };
  const room = Math.max(0, maxJsonChars - MARKER_CHARS);
  const head = takeStart(text, Math.ceil(room * HEAD_SHARE));
  const tail = takeEnd(text, room - Math.ceil(room * HEAD_SHARE));
  const left = text.length - head.length - tail.length;
  return { text: `${head}\n[... ${left} characters left out ...]\n${tail}`, cut: true };
}

/** Room for the marker with any number in it. */
const MARKER_CHARS = 60;
/** The start of an output says what was done; its end holds totals and errors. */
const HEAD_SHARE = 0.6;

function unitCost(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit >= 0x20) return 1;
  return unit === 0x0a || unit === 0x0d || unit === 0x09 || unit === 0x08 || unit === 0x0c ? 2 : 6;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
