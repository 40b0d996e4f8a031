// Checks an answer's text against the figure computed from the original rows. Pure.

export interface ExpectedAnswer {
  answer: number;
  /** Requested digits after the decimal mark. */
  places: number;
}

/** Whether the text states the figure, rounded as asked or finer. Text in backticks does not count. */
export function isCorrect(text: string, { answer, places }: ExpectedAnswer): boolean {
  const plain = text.replace(/`[^`]*`/g, " ").replace(/−/g, "-");
  const figures = plain.match(/-?\d(?:[\d.,'\u00a0\u202f]*\d)?/g) ?? [];
  return figures.flatMap(parseReadings).some((value) => Math.abs(value - answer) <= 0.501 * 10 ** -places);
}

/** The values of a figure read in English and in continental notation. */
function parseReadings(figure: string): number[] {
  const digits = figure.replace(/['\u00a0\u202f]/g, "");
  return [digits.replaceAll(",", ""), digits.replaceAll(".", "").replace(",", ".")].map(Number).filter(Number.isFinite);
}
