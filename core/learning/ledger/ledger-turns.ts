// The turns in the ledger of learning: their figures over time, learning curves, kinds of work, and whether they used learned skills.
// Called by ledger.ts. Pure. Turns are given in the order in which they ended.
import { DAY_MS, dayOf } from "../../schemas/ids.ts";
import type { TurnSignature } from "../../schemas/learning/learning.ts";
import type { Curves, LearningLedger, TurnCounts, TurnFigures } from "../../schemas/learning/ledger.ts";
import type { HeadMirror } from "../../schemas/skill.ts";
import { findFirstReach, fitPower, fitShare } from "./curve.ts";
import { areSimilarKinds } from "../kinds.ts";
import { areSimilarWords, contentWords } from "../requests.ts";

/** The longest period shown by day. A longer one is shown by week, so that the chart stays readable. */
const MAX_DAYS = 56;
/** Maximum number of points: as many as fit a chart in a terminal. */
const MAX_STRETCHES = 20;
/** Kinds of work that are shown, and the minimum number of turns of each. */
const MAX_KINDS = 10;
const MIN_OF_KIND = 3;
const MAX_REQUEST_CHARS = 100;
/** The success rate from which a kind of work counts as learned. */
const LEARNED_RATE = 0.8;

interface LearnedSkill {
  name: string;
  mirror: HeadMirror;
}

export function describeTurns(
  turns: TurnSignature[],
  learned: LearnedSkill[],
  { by: asked, moreTurns }: { by?: "day" | "week"; moreTurns: boolean },
): LearningLedger["turns"] {
  const [first, last] = [turns[0]?.at, turns.at(-1)?.at];
  const by = asked ?? ((last ?? 0) - (first ?? 0) > MAX_DAYS * DAY_MS ? "week" : "day");
  const length = Math.max(1, Math.ceil(turns.length / MAX_STRETCHES));
  const names = new Set(learned.map(({ name }) => name));
  const made = learned.map(({ mirror }) => Number(mirror.createdAt));
  /** A skill is made after the turn it was learned from, so a group counts skills made until the next group begins. */
  const describe = (groups: TurnSignature[][]) =>
    groups.map((group, i) => {
      const endsAt = groups[i + 1]?.[0]?.at ?? Infinity;
      return { ...toFigures(group), skills: made.filter((at) => at < endsAt).length };
    });
  const periods = [...Map.groupBy(turns, ({ at }) => periodOf(at, by))];
  const stretches = Array.from({ length: Math.ceil(turns.length / length) }, (_, i) =>
    turns.slice(i * length, (i + 1) * length),
  );
  return {
    seen: turns.length,
    more: moreTurns,
    since: first ?? null,
    all: toFigures(turns),
    by,
    periods: describe(periods.map(([, group]) => group)).map((figures, i) => {
      const [key, group] = periods[i]!;
      return { key, ...figures, loaded: toCounts(group.filter((turn) => hasLoaded(turn, names))) };
    }),
    stretches: describe(stretches).map((figures, i) => ({
      from: i * length + 1,
      to: i * length + figures.turns,
      ...figures,
    })),
  };
}

export function periodOf(at: number, by: "day" | "week"): string {
  return by === "day" ? dayOf(at) : weekOf(at);
}

/** The ISO 8601 week of a UTC day, such as `2026-W47`. A week belongs to the year of its Thursday. */
export function weekOf(at: number): string {
  const day = new Date(Math.floor(at / DAY_MS) * DAY_MS);
  const thursday = new Date(day.getTime() + (3 - ((day.getUTCDay() + 6) % 7)) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS));
  return `${year}-W${String(week).padStart(2, "0")}`;
}

/** Success covers judged turns, calls those that called a tool, and time those whose time is known. */
export function toCurves(turns: TurnSignature[]): Curves {
  const judged = turns.filter(isJudged).map(({ outcome }) => (outcome === "success" ? 1 : 0));
  return {
    success: fitShare(judged),
    calls: fitPower(turns.map(({ effort }) => effort.calls).filter((calls) => calls > 0)),
    time: fitPower(turns.map(({ effort }) => effort.ms ?? 0).filter((ms) => ms > 0)),
    to80: findFirstReach(judged, LEARNED_RATE),
  };
}

/**
 * Kinds of work with at least three turns, the most frequent first. A turn joins the first kind whose first turn has a similar name,
 * else the first whose first request is similar. A turn without words belongs to no kind.
 */
export function kindsOf(turns: TurnSignature[]): LearningLedger["kinds"] {
  const kinds: { named: Set<string>; words: Set<string>; turns: TurnSignature[] }[] = [];
  for (const turn of turns) {
    const words = contentWords(turn.request);
    const named = contentWords(turn.kind?.text ?? "");
    if (words.size + named.size === 0) continue;
    const kind =
      kinds.find((known) => areSimilarKinds(known.named, named)) ??
      kinds.find((known) => words.size > 0 && areSimilarWords(known.words, words));
    if (kind) kind.turns.push(turn);
    else kinds.push({ named, words, turns: [turn] });
  }
  return kinds
    .filter((kind) => kind.turns.length >= MIN_OF_KIND)
    .toSorted((a, b) => b.turns.length - a.turns.length)
    .slice(0, MAX_KINDS)
    .map((kind) => ({
      kind: kind.turns.findLast((turn) => turn.kind)?.kind?.text ?? null,
      request: kind.turns.at(-1)!.request.slice(0, MAX_REQUEST_CHARS).toWellFormed(),
      ...toFigures(kind.turns),
      curves: toCurves(kind.turns),
    }));
}

function toFigures(turns: TurnSignature[]): TurnFigures {
  const counts = toCounts(turns);
  const stumbled = turns.filter(({ effort }) => effort.failedCalls > 0);
  return {
    ...counts,
    success: shareOf(counts.successes, counts.judged),
    calls: meanOf(turns.map(({ effort }) => effort.calls)),
    failedCalls: meanOf(turns.map(({ effort }) => effort.failedCalls)),
    tokens: meanOf(turns.map(({ effort }) => effort.tokens)),
    ms: meanOf(turns.flatMap(({ effort }) => effort.ms ?? [])),
    recovery: shareOf(stumbled.filter(({ recovered }) => recovered).length, stumbled.length),
  };
}

function toCounts(turns: TurnSignature[]): TurnCounts {
  const judged = turns.filter(isJudged);
  const successes = judged.filter(({ outcome }) => outcome === "success").length;
  return { turns: turns.length, judged: judged.length, successes };
}

function hasLoaded({ loaded }: TurnSignature, names: Set<string>): boolean {
  return loaded.some(({ skill }) => names.has(skill));
}

function isJudged({ outcome }: Pick<TurnSignature, "outcome">): boolean {
  return outcome !== "unknown";
}

/**
 * How many turns loaded a learned skill, of those that could (`had`). A turn could if its session was not held out and a skill
 * existed that is still offered today. Whether the skill fits the turn's work is not considered.
 */
export function countReuse(turns: TurnSignature[], learned: LearnedSkill[]): LearningLedger["reuse"] {
  const names = new Set(learned.map(({ name }) => name));
  const offered = learned.filter(({ mirror }) => mirror.state !== "pending" && mirror.state !== "archived");
  const firstAt = Math.min(...offered.map(({ mirror }) => Number(mirror.createdAt)));
  const isLoaded = (turn: TurnSignature) => hasLoaded(turn, names);
  const had = turns.filter((turn) => isLoaded(turn) || (!turn.heldOut && turn.at > firstAt));
  const loaded = had.filter(isLoaded).length;
  return { had: had.length, loaded, rate: shareOf(loaded, had.length) };
}

/** `null` if `whole` is 0. */
export function shareOf(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}

/** `null` for an empty list. */
export function meanOf(values: number[]): number | null {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}
