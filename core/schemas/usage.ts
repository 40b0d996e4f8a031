// What model calls used and cost, summed into lines: what a session books with its profile's Account, what a review's result
// reports, what GET /v1/usage returns. Every number of the ledger has its form here. Pure.
import * as z from "zod";
import { type Answer, Cost, NO_USAGE, Usage, addUsage, promptTokens } from "./entry.ts";
import { Day, ReviewId, SessionId } from "./ids.ts";

/**
 * What a call was made for: the model slots of core/agent/contract.ts, which a test compares. Calls of the slot `judge` are
 * booked as `review`, or as `replay` in an experiment. Not slots: `image`, images that a provider made, and `voice`, voice messages that a provider turned into text.
 */
export const UsageKind = z.enum([
  "turn",
  "review",
  "curation",
  "compaction",
  "title",
  "approval",
  "vision",
  "goal",
  "plan",
  "replay",
  "image",
  "voice",
]);
export type UsageKind = z.infer<typeof UsageKind>;

export const CostSource = Cost.shape.source;
export type CostSource = z.infer<typeof CostSource>;

/** Calls of one kind, one model and one price source. `none`: the price is unknown, and `usdMicros` is 0. */
export const UsageLine = z.object({
  kind: UsageKind,
  model: z.string(),
  source: CostSource,
  calls: z.int().min(0),
  usage: Usage,
  /** Millionths of a US dollar. */
  usdMicros: z.int().min(0),
});
export type UsageLine = z.infer<typeof UsageLine>;

/** One model call as stored in entries, scripts and results. Without a cost its price is unknown. */
export const SpentCall = z.object({ model: z.string(), usage: Usage, cost: Cost.optional() });
export type SpentCall = z.infer<typeof SpentCall>;

export function toSpentCall({ model, usage, cost }: Pick<Answer, "model" | "usage" | "cost">): SpentCall {
  return { model, usage, ...(cost ? { cost } : {}) };
}

/** One line for each kind, model and price source, in that order. */
export function toUsageLines(calls: (SpentCall & { kind: UsageKind; calls?: number })[]): UsageLine[] {
  const lines = new Map<string, UsageLine>();
  for (const { kind, model, usage, cost, calls: count = 1 } of calls) {
    const source = cost?.source ?? "none";
    const key = JSON.stringify([kind, model, source]);
    const line = lines.get(key) ?? { kind, model, source, calls: 0, usage: NO_USAGE, usdMicros: 0 };
    lines.set(key, {
      ...line,
      calls: line.calls + count,
      usage: addUsage(line.usage, usage),
      usdMicros: line.usdMicros + (cost?.usdMicros ?? 0),
    });
  }
  return [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

/** What budgets and grants count: every token that a provider read or wrote for a call. `reasoning` is part of `output`. */
export function countTokens(usage: Usage): number {
  return promptTokens(usage) + usage.output;
}

/** A limit in dollars, as millionths. A limit that is set never rounds to 0, which would mean no limit. */
export function toUsdMicros(usd: number): number {
  return usd > 0 ? Math.max(1, Math.round(usd * 1_000_000)) : 0;
}

export interface Spending {
  tokens: number;
  usdMicros: number;
}
export const NOTHING_SPENT: Spending = { tokens: 0, usdMicros: 0 };

export function sumUsageLines(lines: UsageLine[]): Spending {
  return lines.reduce(
    (sum, line) => ({ tokens: sum.tokens + countTokens(line.usage), usdMicros: sum.usdMicros + line.usdMicros }),
    NOTHING_SPENT,
  );
}

/** Limits of tokens and money. 0: no limit. */
export interface Budget {
  tokens: number;
  usdMicros: number;
}

/** Nothing is left of the month's budget, which is renewed at this time (ms). */
export interface MonthSpent {
  monthUntil: number;
}

/** From the settings' `budget`: what a whole profile may spend on one UTC day. */
export function toDayBudget({ profileDayTokens, profileDayUsd }: DayLimits): Budget {
  return { tokens: profileDayTokens, usdMicros: toUsdMicros(profileDayUsd) };
}
interface DayLimits {
  profileDayTokens: number;
  profileDayUsd: number;
}

export function isLimited(budget: Budget): boolean {
  return budget.tokens > 0 || budget.usdMicros > 0;
}

/** Whether the next call must not be made. A running call is never cut off, so the last one may exceed the limit. */
export function isSpent(spent: Spending, budget: Budget): boolean {
  return (
    (budget.tokens > 0 && spent.tokens >= budget.tokens) ||
    (budget.usdMicros > 0 && spent.usdMicros >= budget.usdMicros)
  );
}

/** What a session books with its profile's Account: once under its id (a turn, a review, its title), on the day of `at`. */
export interface Booking {
  id: string;
  session: SessionId;
  at: number;
  lines: UsageLine[];
  /** The session's title from this call, for the Account's list. */
  title?: string;
}

// ---- GET /v1/usage ----

export const UsageBy = z.enum(["day", "session", "kind", "model"]);
export type UsageBy = z.infer<typeof UsageBy>;

/** What each line is divided by. */
export const UsageSplit = z.enum(["kind", "model"]);
export type UsageSplit = z.infer<typeof UsageSplit>;

/** Both days included. `after`: the last key of the previous page. `limit`: the most lines. */
export interface UsageAsked {
  from: Day;
  to: Day;
  by: UsageBy;
  split?: UsageSplit | undefined;
  after?: string | undefined;
  limit?: number;
}

/** `tokens`: everything that providers read and wrote. `usd`: US dollars to the millionth, for the calls with a known price. */
export const UsageSum = z.object({
  calls: z.int(),
  tokens: z.int(),
  input: z.int(),
  output: z.int(),
  cacheRead: z.int(),
  cacheWrite: z.int(),
  reasoning: z.int(),
  usd: z.number(),
  /** The sources of the prices. Calls under `none` count in `calls` and `tokens`, and cost 0 here. */
  sources: z.partialRecord(CostSource, z.object({ calls: z.int(), usd: z.number() })),
});
export type UsageSum = z.infer<typeof UsageSum>;

/** What a review may spend and has not reported yet. `unsettled`: its time is over, so all of it counts. */
export const OpenGrant = z.object({
  review: ReviewId,
  session: SessionId,
  state: z.enum(["open", "unsettled"]),
  tokens: z.int(),
  /** Absent: no limit in money. */
  usd: z.number().optional(),
  reservedAt: z.int(),
  expiresAt: z.int(),
});
export type OpenGrant = z.infer<typeof OpenGrant>;

const UsageLineSum = UsageSum.extend({ key: z.string() });

export const UsageReport = z.object({
  /** Both included. */
  from: Day,
  to: Day,
  by: UsageBy,
  /** Over all lines, including unsettled grants, which are booked on the day of the grant under the model `unsettled`. */
  totals: UsageSum,
  /** Sorted by `key`: a day, a session (`older` for old ones), a kind, or a model. `parts`: of the kinds or models, if they were asked for. */
  lines: z.array(UsageLineSum.extend({ parts: z.array(UsageLineSum).optional() })),
  /** The hundred longest unsettled ones, longest first. */
  grants: z.array(OpenGrant),
  /** Pass it as `after` to get the next lines; absent on the last page. Totals are over all pages. */
  next: z.string().optional(),
});
export type UsageReport = z.infer<typeof UsageReport>;

/** Usage of one session, its reviews included. */
export const SessionUsage = z.object({ calls: z.int(), tokens: z.int(), usd: z.number() });
export type SessionUsage = z.infer<typeof SessionUsage>;
