// Words by which a sentence says the opposite when there is one more or less of them. Most are too common to count as words that
// carry meaning. Used where two texts are compared by their words. Pure.
import { foldCase } from "./words.ts";

const TURNING = new Set(
  (
    "no not never none neither nor cannot without only except unless before after under over until " +
    "nicht kein keine keinen keinem keiner nie niemals ohne nur außer vor nach pas ne jamais sans sauf avant après " +
    "nunca sin solo antes después non mai senza solo prima dopo não nem sem só depois"
  ).split(" "),
);

/** In their order, each as often as it stands there. */
export function polarityWordsOf(text: string): string[] {
  const words =
    foldCase(text)
      .replace(/n['\u2019]t\b/g, " not ")
      .match(/\p{L}+/gu) ?? [];
  return words.map((word) => (word === "cannot" ? "not" : word)).filter((word) => TURNING.has(word));
}

/** Whether two texts are turned by the same words, however often. */
export function haveSamePolarity(a: string, b: string): boolean {
  const [one, other] = [new Set(polarityWordsOf(a)), new Set(polarityWordsOf(b))];
  return one.size === other.size && [...one].every((word) => other.has(word));
}
