// A rule about sentences, and how tables of them are written and looked up. Used by agent-rules.ts, world-rules.ts and
// scanner.ts.
import { COMMON_WORDS } from "./common-words.ts";
import type { ScanCategory, Severity } from "./finding.ts";
import { LEXICON, type WordClass } from "./lexicon.ts";
import { type Shape, toShape } from "./match.ts";

export interface WordRule {
  pattern: string;
  category: ScanCategory;
  severity: Severity;
  /** In a short text: a remembered fact has no use for an order that an installation guide may well hold. */
  inNote: Severity;
  reason: string;
  shapes: Shape[];
}

export type Row = [pattern: string, severity: Severity, inNote: Severity, reason: string, ...shapes: string[]];

export function toRules(category: ScanCategory, table: Row[]): WordRule[] {
  return table.map(([pattern, severity, inNote, reason, ...shapes]) => ({
    pattern,
    category,
    severity,
    inNote,
    reason,
    shapes: shapes.map(toShape),
  }));
}

/** A shape that a sentence with a certain class may have. */
export interface Candidate {
  rule: WordRule;
  shape: Shape;
}

/**
 * Each shape under the classes of its rarest need, so that a sentence is compared only with shapes that it may have. Most
 * sentences hold no more than the commonest classes.
 */
export function indexRules(rules: readonly WordRule[]): ReadonlyMap<WordClass, readonly Candidate[]> {
  const weights = weighClasses();
  const index = new Map<WordClass, Candidate[]>();
  for (const rule of rules) {
    for (const shape of rule.shapes) {
      const weighed = shape.needs.map(({ classes }) => ({
        classes,
        weight: classes.reduce((sum, name) => sum + (weights.get(name) ?? 1), 0),
      }));
      const rarest = weighed.reduce((a, b) => (b.weight < a.weight ? b : a));
      for (const name of rarest.classes) index.set(name, [...(index.get(name) ?? []), { rule, shape }]);
    }
  }
  return index;
}

/** How often a class may be met: a common word counts as much as fifty others. */
function weighClasses(): Map<WordClass, number> {
  const weights = new Map<WordClass, number>();
  for (const [word, names] of LEXICON) {
    for (const name of names) weights.set(name, (weights.get(name) ?? 0) + (COMMON_WORDS.has(word) ? 50 : 1));
  }
  return weights;
}
