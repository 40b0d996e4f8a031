// What a profile does again and again, and which blueprint would do it: three rules over the owner's own requests. Each proposal has its
// sources and says what was counted. Called by suggest.ts. Pure.
import { clip, headOf, toOneLine } from "../../clip.ts";
import { areSimilarWords, contentWords } from "../../learning/requests.ts";
import type { BlueprintId, SlotValues, Suggestion } from "../../schemas/agenda/blueprint.ts";
import { DAY_MS } from "../../schemas/ids.ts";
import type { TurnSignature } from "../../schemas/learning/learning.ts";

export interface Proposal {
  blueprint: BlueprintId;
  title: string;
  why: string;
  slots: SlotValues;
  /** Stems, or another name of what it is about: by them the same proposal is known again. */
  words: string[];
  /** The turns it rests on, oldest first. */
  turns: TurnSignature[];
}

/** A turn with its request's words. */
export interface OwnTurn {
  turn: TurnSignature;
  words: Set<string>;
}

/** [own] Days on which something was asked for until it counts as a habit. */
const MIN_DAYS = 3;
/** [own] Minutes of a day that the times of a habit may span. */
const WINDOW_MINUTES = 120;
/** [own] Of its turns, the part that must be in that window. */
const MIN_SHARE = 0.6;
/** [own] Days of use until a review of the week is worth it. */
const MIN_ACTIVE_DAYS = 8;
const MAX_WORDS = 20;
/** [own] Of a request that may be a habit: a longer one holds a text of its own. */
const MAX_REQUEST_WORDS = 60;
const MAX_REQUEST_CHARS = 2_000;
const DAY_MINUTES = 1_440;
const DAY_NAMES = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Similar requests at a similar time of several days. `turns`: oldest first. */
export function findRoutines(turns: OwnTurn[]): Proposal[] {
  const groups: OwnTurn[][] = [];
  for (const own of turns) {
    if (own.words.size < 2 || own.words.size > MAX_REQUEST_WORDS) continue;
    const group = groups.find(([first]) => areSimilarWords(first!.words, own.words));
    if (group) group.push(own);
    else groups.push([own]);
  }
  return groups.flatMap((group) => {
    const window = findWindow(group);
    if (!window || countDays(window.turns) < MIN_DAYS || window.turns.length < group.length * MIN_SHARE) return [];
    const { request } = window.turns.at(-1)!;
    const [first, last] = [toClock(window.from), toClock(window.to)];
    return [
      {
        blueprint: "routine",
        title: `Do this by itself: ${clip(toOneLine(request), 80)}`,
        why: `You asked for this on ${countDays(window.turns)} days, each time between ${first} and ${last} UTC.`,
        slots: {
          request: headOf(request.trim(), MAX_REQUEST_CHARS),
          ...{ time: toClock(Math.floor(window.from / 15) * 15), days: toDays(window.turns), timeZone: "UTC" },
        },
        words: commonWords(group),
        turns: window.turns,
      },
    ];
  });
}

/** The address of a page in requests of several days. */
export function findPages(turns: OwnTurn[]): Proposal[] {
  const byPage = new Map<string, TurnSignature[]>();
  for (const { turn } of turns) {
    for (const page of new Set(readPages(turn.request))) byPage.set(page, [...(byPage.get(page) ?? []), turn]);
  }
  return [...byPage].flatMap(([url, asked]) => {
    if (countDays(asked) < MIN_DAYS) return [];
    return [
      {
        ...{ blueprint: "page-watch", title: `Watch ${clip(url, 80)}`, slots: { url }, words: [url], turns: asked },
        why: `You asked about this page on ${countDays(asked)} days. A watch looks at it without a model until it changes.`,
      },
    ];
  });
}

/** A profile that is used on many days. The caller knows that it has no job. */
export function findReview(turns: OwnTurn[], days: number): Proposal[] {
  const asked = turns.map(({ turn }) => turn);
  const active = countDays(asked);
  if (active < MIN_ACTIVE_DAYS) return [];
  const newestOfDays = new Map(asked.map((turn) => [dayOf(turn), turn]));
  return [
    {
      ...{ blueprint: "weekly-review", title: "Look back on each week", slots: {}, words: ["weekly-review"] },
      why: `You worked on ${active} of the last ${days} days, and no job of this profile runs by the clock.`,
      turns: [...newestOfDays.values()],
    },
  ];
}

export function toOwnTurn(turn: TurnSignature): OwnTurn {
  return { turn, words: contentWords(turn.request) };
}

export function toSource({ session, turn, at, request }: TurnSignature): Suggestion["sources"][number] {
  return { session, turn, at, request: clip(toOneLine(request), 200) };
}

/** The two hours of a day that hold most of the turns. `from`, `to`: minutes of the day; `to` may be past midnight. */
function findWindow(group: OwnTurn[]): { from: number; to: number; turns: TurnSignature[] } | null {
  let best: { from: number; to: number; turns: TurnSignature[] } | null = null;
  for (const { turn } of group) {
    const from = minuteOf(turn);
    const after = ({ turn: other }: OwnTurn) => (minuteOf(other) - from + DAY_MINUTES) % DAY_MINUTES;
    const inside = group.filter((other) => after(other) <= WINDOW_MINUTES);
    if (best && inside.length <= best.turns.length) continue;
    best = { from, to: from + Math.max(...inside.map(after)), turns: inside.map((other) => other.turn) };
  }
  return best;
}

function toDays(turns: TurnSignature[]): string {
  const names = new Set(turns.map(({ at }) => new Date(at).getUTCDay()));
  if (names.size === 1) return DAY_NAMES[[...names][0]!]!;
  return names.has(0) || names.has(6) ? "every day" : "weekdays";
}

/** The stems of at least half of the requests. */
function commonWords(group: OwnTurn[]): string[] {
  const counts = Map.groupBy(
    group.flatMap(({ words }) => [...words]),
    (word) => word,
  );
  const common = [...counts].filter(([, found]) => 2 * found.length >= group.length);
  return common
    .toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
    .slice(0, MAX_WORDS)
    .map(([word]) => word);
}

/** Without the part after `#`, which names a place in the same page. */
function readPages(request: string): string[] {
  return [...request.matchAll(/https?:\/\/[^\s<>"'`)\]}]{3,500}/g)].flatMap(([found]) => {
    const url = URL.parse(found.replace(/(?<![.,;:!?])[.,;:!?]+$/, ""));
    if (!url) return [];
    url.hash = "";
    return url.username === "" && url.password === "" ? [url.href] : [];
  });
}

function countDays(turns: TurnSignature[]): number {
  return new Set(turns.map(dayOf)).size;
}
function dayOf({ at }: TurnSignature): number {
  return Math.floor(at / DAY_MS);
}
function minuteOf({ at }: TurnSignature): number {
  return Math.floor((at % DAY_MS) / 60_000);
}
function toClock(minute: number): string {
  const of = minute % DAY_MINUTES;
  return `${String(Math.floor(of / 60)).padStart(2, "0")}:${String(of % 60).padStart(2, "0")}`;
}
