// Rules about sentences, and how their tables are written and looked up. Used by agent-rules.ts, world-rules.ts and
// scanner.ts.
import { COMMON_WORDS } from "./common-words.ts";
import type { ScanCategory, Severity } from "./finding.ts";
import { LEXICON, type WordClass } from "./lexicon.ts";
import { type Shape, toShape } from "./match.ts";

export interface WordRule {
  pattern: string;
  category: ScanCategory;
  severity: Severity;
  /** Severity in a note: a remembered fact has no need for an order that an installation guide may give. */
  inNote: Severity;
  reason: string;
  shapes: Shape[];
}

export type RuleRow = [pattern: string, severity: Severity, inNote: Severity, reason: string, ...shapes: string[]];

export function toRules(category: ScanCategory, table: RuleRow[]): WordRule[] {
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
export interface RuleCandidate {
  rule: WordRule;
  shape: Shape;
}

/**
 * Indexes each shape by the classes of its rarest need, so that a sentence is compared only with shapes it may have.
 * Most sentences contain only the commonest classes.
 */
export function indexRules(rules: readonly WordRule[]): ReadonlyMap<WordClass, readonly RuleCandidate[]> {
  const weights = weighClasses();
  const index = new Map<WordClass, RuleCandidate[]>();
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

/** Estimated frequency of each class. A common word counts as much as fifty others. */
function weighClasses(): Map<WordClass, number> {
  const weights = new Map<WordClass, number>();
  for (const [word, names] of LEXICON) {
    for (const name of names) weights.set(name, (weights.get(name) ?? 0) + (COMMON_WORDS.has(word) ? 50 : 1));
  }
  return weights;
}
