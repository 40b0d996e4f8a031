// Checks an answer in words against the figure computed from the original rows. Pure.

export interface Expected {
  answer: number;
  /** Digits after the decimal mark that were asked for. */
  places: number;
}

/** Whether the text gives the figure, rounded as asked or finer. Quoted names and their numbers do not count. */
export function isCorrect(text: string, { answer, places }: Expected): boolean {
  const plain = text.replace(/`[^`]*`/g, " ").replace(/−/g, "-");
  const figures = plain.match(/-?\d(?:[\d.,'\u00a0\u202f]*\d)?/g) ?? [];
  return figures.flatMap(readings).some((value) => Math.abs(value - answer) <= 0.501 * 10 ** -places);
}

/** A figure as English and as continental hands write it. */
function readings(figure: string): number[] {
  const digits = figure.replace(/['\u00a0\u202f]/g, "");
  return [digits.replaceAll(",", ""), digits.replaceAll(".", "").replace(",", ".")].map(Number).filter(Number.isFinite);
}
