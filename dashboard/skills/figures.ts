// The figures of a skill: its success rate with a range, the curve of its evidence, and which skills the index shows. Pure.
import type { Answer } from "../data/api.ts";
import { type Line, STATES, shownState } from "./words.ts";

export type Evidence = Answer<"GET /v1/skills/{name}/evidence">;
export type Used = Evidence["uses"][number];

/** 90 % of the normal distribution lie within so many standard deviations. */
const Z = 1.645;

export interface Rate {
  rate: number;
  low: number;
  high: number;
}

/** A share of judged uses, and the range that the true one lies in nine times of ten (Wilson). `null`: none was judged. */
export function toRate(successes: number, failures: number): Rate | null {
  const n = successes + failures;
  if (n === 0) return null;
  const rate = successes / n;
  const middle = (rate + Z ** 2 / (2 * n)) / (1 + Z ** 2 / n);
  const half = (Z * Math.sqrt((rate * (1 - rate)) / n + Z ** 2 / (4 * n ** 2))) / (1 + Z ** 2 / n);
  return { rate, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

export interface Curve {
  times: number[];
  /** Of the text in use then. `null`: not known at that time. */
  rates: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  without: (number | null)[];
  marks: { at: number; text: string }[];
}

const VERDICTS = { trial: "on trial", active: "active", withdrawn: "withdrawn" };

/**
 * Success over time, with and without the skill, and a mark wherever the verdict changed or another text was used. Two uses of one
 * millisecond are one point: the later counts.
 */
export function toCurve(uses: readonly Used[]): Curve {
  const points = new Map(uses.map((use) => [use.at, use]));
  const shown = [...points.values()].toSorted((a, b) => a.at - b.at);
  const marks: Curve["marks"] = [];
  const verdicts = new Map<string, string>();
  let text: string | undefined;
  for (const use of uses) {
    if (text !== undefined && use.text !== text && !verdicts.has(use.text))
      marks.push({ at: use.at, text: "a new text was used" });
    text = use.text;
    const verdict = use.standing?.verdict;
    if (verdict === undefined) continue;
    const before = verdicts.get(use.text) ?? "trial";
    if (verdict !== before) marks.push({ at: use.at, text: `the verdict became: ${VERDICTS[verdict]}` });
    verdicts.set(use.text, verdict);
  }
  return {
    times: shown.map(({ at }) => at),
    rates: shown.map(({ standing }) => standing?.success.rate ?? null),
    low: shown.map(({ standing }) => standing?.success.low ?? null),
    high: shown.map(({ standing }) => standing?.success.high ?? null),
    without: shown.map(({ standing }) => standing?.without?.rate ?? null),
    marks,
  };
}

export interface Wanted {
  words: string;
  /** Empty: all. */
  state: string;
  category: string;
}

/** Skills that have all words in their name, description or category, and the wanted state and category. */
export function filterSkills(skills: readonly Line[], { words, state, category }: Wanted): Line[] {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return skills.filter((skill) => {
    if (state !== "" && shownState(skill) !== state) return false;
    if (category !== "" && skill.category !== category) return false;
    const text = `${skill.name} ${skill.description} ${skill.category}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
}

export type Row =
  | { kind: "group"; key: string; title: string; count: number }
  | { kind: "skill"; key: string; skill: Line };

/** Skills below the names of their states, in the order of STATES. */
export function toRows(skills: readonly Line[]): Row[] {
  return STATES.flatMap(({ state, title }): Row[] => {
    const own = skills.filter((skill) => shownState(skill) === state);
    if (own.length === 0) return [];
    return [
      { kind: "group", key: `state ${state}`, title, count: own.length },
      ...own.map((skill): Row => ({ kind: "skill", key: skill.name, skill })),
    ];
  });
}

/** Each value with how often it occurs, by name. */
export function countBy(skills: readonly Line[], of: (skill: Line) => string): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const skill of skills) counts.set(of(skill), (counts.get(of(skill)) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
