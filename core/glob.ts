// Matches names and texts against simple patterns: `*` for any characters, also none; `?` for one. Pure.

/** Case counts. Time: the text's length for each piece between stars. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text.length === first.length && isAt(first, text, 0);
  if (!isAt(first, text, 0)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = find(piece, text, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && isAt(last, text, text.length - last.length);
}

function isAt(piece: string, text: string, at: number): boolean {
  if (!piece.includes("?")) return text.startsWith(piece, at);
  if (at + piece.length > text.length) return false;
  return piece.split("").every((char, i) => char === "?" || char === text[at + i]);
}

function find(piece: string, text: string, from: number): number {
  if (!piece.includes("?")) return text.indexOf(piece, from);
  for (let at = from; at + piece.length <= text.length; at++) if (isAt(piece, text, at)) return at;
  return -1;
}
