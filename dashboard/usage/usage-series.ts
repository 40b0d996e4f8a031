// The figures of the page Usage: days, the parts of a sum over time, and what budgets have left. Pure.
import type { Series } from "../components/plot.tsx";
import type { Answer } from "../data/api.ts";

export type UsageReport = Answer<"GET /v1/usage">;
export type UsageSum = UsageReport["totals"];
type Line = UsageReport["lines"][number];
export type Measure = "tokens" | "usd";

export const KIND_NAMES: Record<string, string> = {
  turn: "Conversations",
  review: "Reviews",
  curation: "Curation",
  compaction: "Compaction",
  title: "Titles",
  approval: "Approvals",
  vision: "Images read",
  goal: "Goals",
  plan: "Plans",
  replay: "Skills tried",
  image: "Images made",
  voice: "Voice messages",
};

const DAY_MS = 24 * 60 * 60_000;
/** Parts with a colour of their own. All others are one part. */
const MAX_PARTS = 4;
const TONES = ["accent", "good", "warn", "bad"] as const;

/** A UTC day such as 2026-11-27. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The beginning of a UTC day, in ms. */
export function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** The first day of the last `days` days, today included. */
export function firstDay(now: number, days: number): string {
  return dayOf(now - (days - 1) * DAY_MS);
}

/** Both included. */
export function listDays(from: string, to: string): string[] {
  const count = Math.round((startOf(to) - startOf(from)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, i) => dayOf(startOf(from) + i * DAY_MS));
}

/** One series for each of the largest parts, the largest first, and one for all others. A day without a line has 0. */
export function toSeries(lines: Line[], days: string[], measure: Measure, nameOf: (key: string) => string): Series[] {
  const byDay = new Map(lines.map(({ key, parts = [] }) => [key, new Map(parts.map((part) => [part.key, part]))]));
  const valuesOf = (key: string) => days.map((day) => byDay.get(day)?.get(key)?.[measure] ?? 0);
  const all = sumParts(lines)
    .filter((part) => part[measure] > 0)
    .toSorted((a, b) => b[measure] - a[measure]);
  const large = all.length <= MAX_PARTS + 1 ? all : all.slice(0, MAX_PARTS);
  const rest = all.slice(large.length).map(({ key }) => valuesOf(key));
  const series: Series[] = large.map(({ key }, i) => ({
    name: nameOf(key),
    values: valuesOf(key),
    shape: "bars",
    tone: TONES[i] ?? "muted",
  }));
  if (rest.length === 0) return series;
  const values = days.map((_, at) => rest.reduce((sum, of) => sum + of[at]!, 0));
  return [...series, { name: `${rest.length} others`, values, shape: "bars", tone: "muted" }];
}

export interface PartSum {
  key: string;
  calls: number;
  tokens: number;
  usd: number;
  /** Share of the prompts that came from the provider's cache; `null` without prompts. */
  cached: number | null;
  /** Calls without a known price. */
  unpriced: number;
}

/** The parts of all lines, added up, the most tokens first. */
export function sumParts(lines: Line[]): PartSum[] {
  const parts = Map.groupBy(
    lines.flatMap((line) => line.parts ?? []),
    ({ key }) => key,
  );
  return [...parts].map(([key, of]) => ({ key, ...sumUp(of) })).toSorted((a, b) => b.tokens - a.tokens);
}

function sumUp(sums: UsageSum[]): Omit<PartSum, "key"> {
  const total = (read: (sum: UsageSum) => number) => sums.reduce((all, sum) => all + read(sum), 0);
  return {
    calls: total(({ calls }) => calls),
    tokens: total(({ tokens }) => tokens),
    usd: total(({ usd }) => usd),
    cached: shareOfCache({
      input: total(({ input }) => input),
      cacheRead: total(({ cacheRead }) => cacheRead),
      cacheWrite: total(({ cacheWrite }) => cacheWrite),
    }),
    unpriced: total(({ sources }) => sources.none?.calls ?? 0),
  };
}

/** Of what providers read, the share that was in their cache. */
export function shareOfCache({ input, cacheRead, cacheWrite }: Pick<UsageSum, "input" | "cacheRead" | "cacheWrite">) {
  const read = input + cacheRead + cacheWrite;
  return read === 0 ? null : cacheRead / read;
}

export interface BudgetLine {
  name: string;
  unit: Measure;
  spent: number;
  /** Above 0. */
  limit: number;
  /** When it begins again, in ms. */
  renewsAt: number;
}

interface Limits {
  /** In force: the strictest of what the deployment, the quota and the person have set. 0: none. */
  dayTokens: number;
  dayUsd: number;
  /** Of the operator's quota. */
  monthTokens?: number | undefined;
  monthUsd?: number | undefined;
}

/** The budgets that are limited. Days and months are UTC's. */
export function listBudgets(limits: Limits, today: UsageSum, month: UsageSum, now: number): BudgetLine[] {
  const tomorrow = startOf(dayOf(now)) + DAY_MS;
  const date = new Date(now);
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const lines: BudgetLine[] = [
    { name: "Today", unit: "tokens", spent: today.tokens, limit: limits.dayTokens, renewsAt: tomorrow },
    { name: "Today", unit: "usd", spent: today.usd, limit: limits.dayUsd, renewsAt: tomorrow },
    { name: "This month", unit: "tokens", spent: month.tokens, limit: limits.monthTokens ?? 0, renewsAt: nextMonth },
    { name: "This month", unit: "usd", spent: month.usd, limit: limits.monthUsd ?? 0, renewsAt: nextMonth },
  ];
  return lines.filter(({ limit }) => limit > 0);
}
