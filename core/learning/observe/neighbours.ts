// Compares a turn with similar earlier ones: how many there were, how they ended, and what they cost with and without the skills it
// loaded. The Archive calls it over the whole profile. A session calls it over its own turns when the Archive does not answer. Pure.
import { medianOf } from "../../median.ts";
import type { Neighbourhood, TurnSignature } from "../../schemas/learning/learning.ts";
import type { Baseline } from "../../schemas/skill.ts";
import { areSimilarKinds } from "../kinds.ts";
import { areSimilarWords, contentWords } from "../requests.ts";

/** A lower threshold for requests, which is enough when the same tools worked in the same proportion. */
const SIMILAR_WITH_TOOLS = 0.4;
const SAME_TOOLS = 0.9;

/** A turn with its words split once. */
export interface ComparedTurn {
  signature: TurnSignature;
  words: Set<string>;
  /** The words of its kind of work; `null` if no model has named one. */
  kind: Set<string> | null;
}

export function toComparedTurn(signature: TurnSignature, words = contentWords(signature.request)): ComparedTurn {
  return { signature, words, kind: signature.kind ? contentWords(signature.kind.text) : null };
}

/** Necessary for two turns to be similar by the words of their requests. */
export function mayBeSimilar(a: Set<string>, b: Set<string>): boolean {
  return areSimilarWords(a, b, SIMILAR_WITH_TOOLS);
}

/**
 * If a model has named the kinds of work of both turns: similar kinds make the turns similar, and kinds without a common word make
 * them different. Otherwise compares the words of the requests, and also the tools when the words alone are not similar enough.
 */
export function isSimilarTurn(a: ComparedTurn, b: ComparedTurn): boolean {
  if (a.kind && b.kind) {
    if (areSimilarKinds(a.kind, b.kind)) return true;
    const { kind } = b;
    if (![...a.kind].some((word) => kind.has(word))) return false;
  }
  if (areSimilarWords(a.words, b.words)) return true;
  return (
    areSimilarWords(a.words, b.words, SIMILAR_WITH_TOOLS) &&
    cosineOf(a.signature.tools, b.signature.tools) >= SAME_TOOLS
  );
}

/**
 * `others` may hold any turns: the turn itself, later and unrelated ones are ignored. `discount`: multiplies the weight of a turn
 * once for each newer judged turn.
 */
export function toNeighbourhood(compared: ComparedTurn, others: ComparedTurn[], discount: number): Neighbourhood {
  const turn = compared.signature;
  const similar = others
    .filter((other) => isEarlier(other.signature, turn) && isSimilarTurn(compared, other))
    .map(({ signature }) => signature)
    .toSorted((a, b) => (isEarlier(a, b) ? 1 : -1));
  const skills = turn.loaded.map(({ skill, text }) => {
    const without = similar.filter(({ loaded }) => loaded.every((one) => one.skill !== skill));
    const withText = similar.filter(({ loaded }) => loaded.some((one) => one.skill === skill && one.text === text));
    return [skill, { without: toBaseline(without, discount), best: cheapestOf(withText) }] as const;
  });
  return {
    similar: similar.length,
    successes: similar.filter(({ outcome }) => outcome === "success").length,
    best: cheapestOf(similar),
    skills: Object.fromEntries(skills),
  };
}

/** Orders turns of one session by their numbers, others by the clock. */
function isEarlier(a: TurnSignature, b: TurnSignature): boolean {
  if (a.session === b.session) return numberOf(a) < numberOf(b);
  return a.at < b.at || (a.at === b.at && a.session < b.session);
}

function numberOf({ turn }: TurnSignature): number {
  return Number(turn.slice(turn.indexOf("-") + 1));
}

/** `turns`: newest first. */
function toBaseline(turns: TurnSignature[], discount: number): Baseline {
  const judged = turns.filter(({ outcome }) => outcome !== "unknown");
  const weigh = (outcome: TurnSignature["outcome"]) =>
    judged.reduce((sum, turn, i) => sum + (turn.outcome === outcome ? discount ** i : 0), 0);
  return {
    turns: turns.length,
    successes: weigh("success"),
    failures: weigh("failure"),
    calls: medianOf(judged.map(({ effort }) => effort.calls)),
  };
}

function cheapestOf(turns: TurnSignature[]): Neighbourhood["best"] {
  const successes = turns.filter(({ outcome }) => outcome === "success");
  const [best] = successes.toSorted((a, b) => a.effort.calls - b.effort.calls || a.effort.tokens - b.effort.tokens);
  return best ? { ...best.effort, turn: best.turn } : null;
}

/** Cosine of two counts by name: 1 for the same proportions, 0 for nothing in common. */
function cosineOf(a: Record<string, number>, b: Record<string, number>): number {
  const lengthOf = (counts: Record<string, number>) => Math.hypot(...Object.values(counts));
  const product = Object.entries(a).reduce((sum, [name, n]) => sum + n * (Object.hasOwn(b, name) ? b[name]! : 0), 0);
  return product === 0 ? 0 : product / (lengthOf(a) * lengthOf(b));
}
