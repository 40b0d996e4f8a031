// What model calls used and cost, summed into lines: what a session books with its profile's Account, what a review's
// result brings back, what GET /v1/usage answers. Every number of the ledger has its form here. Pure.
import * as z from "zod";
import { type Answer, Cost, NO_USAGE, Usage, addUsage, promptTokens } from "./entry.ts";
import { Day, ReviewId, SessionId } from "./ids.ts";

/** What a call was made for: the model slots of core/agent/contract.ts; a test compares. What the slot `judge` uses is a review's. */
export const UsageKind = z.enum(["turn", "review", "curation", "compaction", "title", "approval"]);
export type UsageKind = z.infer<typeof UsageKind>;

export const CostSource = Cost.shape.source;
export type CostSource = z.infer<typeof CostSource>;

/** Calls of one kind, one model and one source of their price. `none`: their price is not known, and `usdMicros` is 0. */
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

/** One model call as entries, scripts and results hold it; one without a cost has no known price. */
export const SpentCall = z.object({ model: z.string(), usage: Usage, cost: Cost.optional() });
export type SpentCall = z.infer<typeof SpentCall>;

export function toSpentCall({ model, usage, cost }: Pick<Answer, "model" | "usage" | "cost">): SpentCall {
  return { model, usage, ...(cost ? { cost } : {}) };
}

/** One line for each kind, model and source, in that order. */
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

/** What budgets and grants count: every token a provider read or wrote for a call. `reasoning` is part of `output`. */
export function tokensOf(usage: Usage): number {
  return promptTokens(usage) + usage.output;
}

/** A limit in dollars as millionths; one that is set is never rounded to 0, which would be none. */
export function toUsdMicros(usd: number): number {
  return usd > 0 ? Math.max(1, Math.round(usd * 1_000_000)) : 0;
}

export interface Spending {
  tokens: number;
  usdMicros: number;
}
export const NOTHING_SPENT: Spending = { tokens: 0, usdMicros: 0 };

export function spendingOf(lines: UsageLine[]): Spending {
  return lines.reduce(
    (sum, line) => ({ tokens: sum.tokens + tokensOf(line.usage), usdMicros: sum.usdMicros + line.usdMicros }),
    NOTHING_SPENT,
  );
}

/** Limits of tokens and money; 0: none. */
export interface Budget {
  tokens: number;
  usdMicros: number;
}

/** Of the settings' `budget`: what all of a profile may spend on one UTC day. */
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

/** Whether the next call must not be made. A call that runs is never cut off, so the last one may go beyond. */
export function isSpent(spent: Spending, budget: Budget): boolean {
  return (
    (budget.tokens > 0 && spent.tokens >= budget.tokens) ||
    (budget.usdMicros > 0 && spent.usdMicros >= budget.usdMicros)
  );
}

/** What a session hands to its profile's Account: counted once under its id (a turn, a review, its title), on the day of `at`. */
export interface Booking {
  id: string;
  session: SessionId;
  at: number;
  lines: UsageLine[];
  /** The name the session got by this call: the Account lists it. */
  title?: string;
}

// ---- GET /v1/usage ----

export const UsageBy = z.enum(["day", "session", "kind", "model"]);
export type UsageBy = z.infer<typeof UsageBy>;

/** Both days included; `after`: the last key of the page before; `limit`: lines at most. */
export interface UsageAsked {
  from: Day;
  to: Day;
  by: UsageBy;
  after?: string | undefined;
  limit?: number;
}

/** `tokens`: all that providers read and wrote. `usd`: US dollars to the millionth, of the calls whose price is known. */
export const UsageSum = z.object({
  calls: z.int(),
  tokens: z.int(),
  input: z.int(),
  output: z.int(),
  cacheRead: z.int(),
  cacheWrite: z.int(),
  reasoning: z.int(),
  usd: z.number(),
  /** Who says what the calls cost; those under `none` are counted in `calls` and `tokens`, and cost nothing here. */
  sources: z.partialRecord(CostSource, z.object({ calls: z.int(), usd: z.number() })),
});
export type UsageSum = z.infer<typeof UsageSum>;

/** What a review may spend and has not told of yet. `unsettled`: for longer than it may, so that all of it counts. */
export const OpenGrant = z.object({
  review: ReviewId,
  session: SessionId,
  state: z.enum(["open", "unsettled"]),
  tokens: z.int(),
  /** Absent: without a limit in money. */
  usd: z.number().optional(),
  reservedAt: z.int(),
  expiresAt: z.int(),
});
export type OpenGrant = z.infer<typeof OpenGrant>;

export const UsageReport = z.object({
  /** Both included. */
  from: Day,
  to: Day,
  by: UsageBy,
  /** Of all lines; unsettled grants are in them, under the day they were given and the model `unsettled`. */
  totals: UsageSum,
  /** In the order of `key`: a day, a session (`older` for those of long ago), a kind, or a model. */
  lines: z.array(UsageSum.extend({ key: z.string() })),
  /** Those not settled longest first, the first hundred. */
  grants: z.array(OpenGrant),
  /** Ask with `after` of this value for the next lines; absent on the last page. Totals are of all pages. */
  next: z.string().optional(),
});
export type UsageReport = z.infer<typeof UsageReport>;

/** Of one session, its reviews included. */
export const SessionUsage = z.object({ calls: z.int(), tokens: z.int(), usd: z.number() });
export type SessionUsage = z.infer<typeof SessionUsage>;
