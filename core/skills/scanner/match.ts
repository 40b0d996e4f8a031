// Matches word rules against sentences. A rule says which classes a sentence must contain, in which order and how
// close. The lexicon says how they are worded. Called by scanner.ts. Pure; bounded by the length of a sentence.
import type { WordClass } from "./lexicon.ts";
import type { ClassRange, Sentence } from "./tokens.ts";

/** One of these classes must occur here, at most `gap` words after the one before. */
interface ClassNeed {
  classes: WordClass[];
  gap: number;
}

export interface Shape {
  needs: ClassNeed[];
  inOrder: boolean;
  /** The shape includes a negation, so a negation inside does not reverse it. */
  isNegative: boolean;
  /** Classes that the sentence must not contain. */
  without: WordClass[];
}

/** Default distance in words between two classes; for rules without order, the default span. */
const DEFAULT_GAP = 6;
const DEFAULT_SPAN = 28;

/**
 * Parses a shape. `A ..3 B|C .. D`: in this order, with at most that many words between. `A + B|C`: in any order within a
 * span of words (`A + B /12`). `! E|F` at the end: must not occur in the sentence.
 */
export function toShape(text: string): Shape {
  const [wanted = "", unwanted = ""] = text.split("!");
  const [body = "", span] = wanted.split("/");
  const without = toClasses(unwanted);
  const isNegative = /\b(?:NEG|NO_ASK|MUSTNT)\b/.test(wanted);
  if (body.includes("+")) {
    const gap = span ? Number(span) : DEFAULT_SPAN;
    return {
      needs: body.split("+").map((part) => ({ classes: toClasses(part), gap })),
      inOrder: false,
      without,
      isNegative,
    };
  }
  const parts = body.trim().split(/\s+/);
  const needs: ClassNeed[] = [];
  let gap = 0;
  for (const part of parts) {
    if (part.startsWith("..")) gap = part === ".." ? DEFAULT_GAP : Number(part.slice(2));
    else needs.push({ classes: toClasses(part), gap });
  }
  return { needs, inOrder: true, without, isNegative };
}

function toClasses(text: string): WordClass[] {
  return text
    .split("|")
    .map((name) => name.trim())
    .filter((name) => name !== "") as WordClass[];
}

/** The place of a shape, and the places of its classes after the first. */
export interface FoundShape extends ClassRange {
  parts: ClassRange[];
}

/** The first place that matches; `null` for none. */
export function findShape({ needs, inOrder, without }: Shape, sentence: Sentence): FoundShape | null {
  const { hits } = sentence;
  for (const { classes } of needs) if (!classes.some((name) => hits.has(name))) return null;
  if (without.some((name) => hits.has(name))) return null;
  for (const first of hitsOf(needs[0]!, sentence)) {
    const parts = inOrder ? followOrder(needs, 1, first, sentence) : gatherNear(needs, first, sentence);
    if (!parts) continue;
    const ends = [first, ...parts];
    return { from: Math.min(...ends.map(({ from }) => from)), to: Math.max(...ends.map(({ to }) => to)), parts };
  }
  return null;
}

function followOrder(needs: ClassNeed[], next: number, before: ClassRange, sentence: Sentence): ClassRange[] | null {
  const need = needs[next];
  if (!need) return [];
  for (const hit of hitsOf(need, sentence)) {
    if (hit.from <= before.to || hit.from - before.to - 1 > need.gap) continue;
    const rest = followOrder(needs, next + 1, hit, sentence);
    if (rest) return [hit, ...rest];
  }
  return null;
}

function gatherNear(needs: ClassNeed[], first: ClassRange, sentence: Sentence): ClassRange[] | null {
  const taken = [first];
  for (const need of needs.slice(1)) {
    const hit = hitsOf(need, sentence).find(
      ({ from, to }) =>
        Math.abs(from - first.from) <= need.gap && taken.every((other) => from > other.to || to < other.from),
    );
    if (!hit) return null;
    taken.push(hit);
  }
  return taken.slice(1);
}

function hitsOf({ classes }: ClassNeed, { hits }: Sentence): ClassRange[] {
  if (classes.length === 1) return hits.get(classes[0]!) ?? [];
  return classes.flatMap((name) => hits.get(name) ?? []).sort((a, b) => a.from - b.from);
}
