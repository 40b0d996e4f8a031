// Polarity words: words whose presence or absence reverses or reorders what a sentence says, such as "not" and
// "before". Most are too common to count as meaningful words. Used where two texts are compared by their words. Pure.
import { foldCase } from "./words.ts";

const POLARITY_WORDS = new Set(
  (
    "no not never none neither nor cannot without only except unless before after under over until " +
    "nicht kein keine keinen keinem keiner nie niemals ohne nur außer vor nach pas ne jamais sans sauf avant après " +
    "nunca sin solo antes después non mai senza solo prima dopo não nem sem só depois"
  ).split(" "),
);

/** The polarity words of a text in order, with repetitions. */
export function polarityWordsOf(text: string): string[] {
  const words =
    foldCase(text)
      .replace(/n['\u2019]t\b/g, " not ")
      .match(/\p{L}+/gu) ?? [];
  return words.map((word) => (word === "cannot" ? "not" : word)).filter((word) => POLARITY_WORDS.has(word));
}

/** Whether two texts contain the same polarity words, regardless of how often. */
export function haveSamePolarity(a: string, b: string): boolean {
  const [one, other] = [new Set(polarityWordsOf(a)), new Set(polarityWordsOf(b))];
  return one.size === other.size && [...one].every((word) => other.has(word));
}
