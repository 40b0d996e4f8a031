// What a session's model calls used and cost. The entries are the record. This file sums them when a turn or a review ends,
// books the sums with the profile's Account through the outbox, and checks the budgets before each call. Called by the driver
// and the outbox. A running call is never cut off for money; the next one is refused.
import { type Failure, err } from "../errors.ts";
import { minLimit } from "../quota.ts";
import type { DelegatedSpending, Entry, NoticeEntry } from "../schemas/entry.ts";
import { DAY_MS, dayOf, toTurnId } from "../schemas/ids.ts";
import type { Settings } from "../schemas/settings.ts";
import {
  type Booking,
  type Budget,
  NOTHING_SPENT,
  type SessionUsage,
  type SpentCall,
  type Spending,
  type UsageKind,
  type UsageLine,
  isLimited,
  isSpent,
  sumUsageLines,
  toSpentCall,
  toUsageLines,
  toUsdMicros,
} from "../schemas/usage.ts";
import type { EngineContext } from "./context.ts";
import type { TurnRow } from "./log-turns.ts";

/** Meta key `usage`: everything this session has booked, and what the sessions that it began have booked. */
interface SessionTotals extends Spending {
  v: 1;
  calls: number;
}
const NO_TOTALS: SessionTotals = { v: 1, calls: 0, ...NOTHING_SPENT };

export interface TurnBudget {
  /**
   * Call before each model call of the turn, of any kind. Failures: `turn_budget_spent`, `session_budget_spent`,
   * `profile_budget_spent`. Throws when the Account cannot be reached: without its consent nothing may be spent.
   */
  findRefusal(): Promise<Failure | null>;
}

/** `soFar`: by this turn alone, and by the sessions that it began. Asks the Account only if a daily limit is set. */
export function openBudget(
  context: EngineContext,
  turn: Pick<TurnRow, "n">,
  soFar: { spent(): Spending; delegated(): Spending },
): TurnBudget {
  const { host, log } = context;
  const { account, clock, session, settings } = host;
  const turnBudget = limitOfTurn(context);
  const sessionBudget = toBudget(settings.budget.sessionTokens, settings.budget.sessionUsd);
  const profileDayBudget = dayBudget(settings);
  if (![turnBudget, sessionBudget, profileDayBudget].some(isLimited)) return { findRefusal: async () => null };

  /** What the Account has reserved for this turn. It is not asked again until this is spent. */
  let reserved: Budget | null = null;

  return {
    async findRefusal() {
      const spent = soFar.spent();
      const withChildren = addSpending(spent, soFar.delegated());
      if (isSpent(withChildren, turnBudget)) return turnBudgetSpent(withChildren, turnBudget);
      if (isSpent(addSpending(sessionTotals(log), spent), sessionBudget)) return sessionBudgetSpent(sessionBudget);
      if (!isLimited(profileDayBudget) || (reserved && !isSpent(spent, reserved))) return null;
      const now = clock.now();
      const asked = { turn: toTurnId(session, turn.n), session, now, spent, day: profileDayBudget };
      const answer = await account.reserveTurn(asked);
      if (answer && "monthUntil" in answer) return monthBudgetSpent(answer.monthUntil);
      reserved = answer;
      return reserved ? null : profileBudgetSpent(profileDayBudget, now);
    },
  };
}

/** A turn's limits: the operator's, and those that the session was begun with. */
function limitOfTurn({ host, meta }: EngineContext): Budget {
  const { maxTokens, maxUsd } = host.settings.turn;
  const own = toBudget(maxTokens, maxUsd);
  const { delegated, budget } = meta();
  const given = delegated?.budget ?? budget;
  return given
    ? { tokens: minLimit(own.tokens, given.tokens), usdMicros: minLimit(own.usdMicros, given.usdMicros) }
    : own;
}

/** An equal part for each of `parts` sessions of what turn `n` and its session have left. */
export function shareBudget(context: EngineContext, turn: Pick<TurnRow, "n" | "input">, parts: number): Budget {
  const { host, log } = context;
  const entries = log.entries(turn.input!).filter((entry) => entry.turn === turn.n);
  const spent = sumSpent(entries);
  const ofTurn = leftOf(limitOfTurn(context), addSpending(spent, sumDelegated(entries)));
  const { sessionTokens, sessionUsd } = host.settings.budget;
  const ofSession = leftOf(toBudget(sessionTokens, sessionUsd), addSpending(sessionTotals(log), spent));
  const share = (a: number, b: number) => {
    const left = minLimit(a, b);
    return left === 0 ? 0 : Math.max(1, Math.floor(left / parts));
  };
  return { tokens: share(ofTurn.tokens, ofSession.tokens), usdMicros: share(ofTurn.usdMicros, ofSession.usdMicros) };
}

/** At least 1 of what is limited: 0 would be no limit. */
function leftOf(limit: Budget, spent: Spending): Budget {
  const left = (most: number, used: number) => (most === 0 ? 0 : Math.max(1, most - used));
  return { tokens: left(limit.tokens, spent.tokens), usdMicros: left(limit.usdMicros, spent.usdMicros) };
}

/** The operator's limits for all sessions of a profile together in one UTC day. */
export function dayBudget({ budget }: Settings): Budget {
  return toBudget(budget.profileDayTokens, budget.profileDayUsd);
}

/**
 * `entries`: those of the turn, including the final one. `booking`: what the Account is to book, or `null`. `write` runs inside
 * the caller's transaction; `isCarried`: another job's row holds the booking.
 */
export function settleLedger(
  context: EngineContext,
  turn: Pick<TurnRow, "n">,
  entries: Entry[],
): { booking: Booking | null; write(isCarried: boolean): void } {
  const { clock, session, settings } = context.host;
  const booking = { id: toTurnId(session, turn.n), session, at: clock.now(), lines: toTurnLines(entries) };
  // A booking also releases the turn's reservation, so one is due even if nothing was spent.
  const isDue = booking.lines.length > 0 || isLimited(dayBudget(settings));
  return {
    booking: isDue ? booking : null,
    write(isCarried) {
      if (!isDue) return;
      if (isCarried) addTotals(context, booking);
      else putBooking(context, booking);
    },
  };
}

/**
 * Books calls that were charged although their turn ended while they ran. No entry records them, and the turn's own booking was
 * already sent. Call at most once per turn.
 */
export function bookLate(
  context: EngineContext,
  turn: number,
  calls: (SpentCall & { kind: UsageKind; calls?: number })[],
): void {
  if (calls.length === 0) return;
  const { session, clock, sql } = context.host;
  const id = `${toTurnId(session, turn)}+late`;
  sql.transaction(() => putBooking(context, { id, session, at: clock.now(), lines: toUsageLines(calls) }));
}

/**
 * Inside the caller's transaction: adds to the session's totals, and puts a row into the outbox that leaves when the Account has
 * booked it. The outbox is drained right after; the row's due time matters only if the object dies first.
 */
export function putBooking(context: EngineContext, booking: Booking): void {
  addTotals(context, booking);
  putBookingRow(context, booking);
}

/** As `putBooking`, for a booking that the session's totals already include. */
export function putBookingRow({ host, jobs }: EngineContext, booking: Booking): void {
  jobs.put(bookingRow(booking.id), host.clock.now() + host.settings.turn.leaseMs, { kind: "usage", booking });
}

function addTotals(context: EngineContext, { lines }: Booking): void {
  if (lines.length === 0) return;
  const calls = lines.reduce((sum, line) => sum + line.calls, 0);
  addDelegated(context, { calls, ...sumUsageLines(lines) });
}

/** Adds what a session that this one began has spent and booked. Inside the caller's transaction. */
export function addDelegated({ log }: EngineContext, spent: DelegatedSpending): void {
  const before = sessionTotals(log);
  const totals: SessionTotals = { v: 1, calls: before.calls + spent.calls, ...addSpending(before, spent) };
  log.setMeta("usage", totals);
}

/** Everything that the session has booked, and what the sessions that it began have reported. */
export function sessionTotals({ meta }: Pick<EngineContext["log"], "meta">): SessionTotals {
  return meta<SessionTotals>("usage") ?? NO_TOTALS;
}

/** The id of a booking's row in the outbox. */
export function bookingRow(id: string): string {
  return `usage:${id}`;
}

/**
 * Whether a model call outside any turn may be made. `id`: the id of its future booking, which `bookOutsideTurn` makes: it also releases what the
 * Account has reserved.
 */
export async function hasBudgetOutsideTurn({ host, log, jobs }: EngineContext, id: string): Promise<boolean> {
  const { account, clock, session, settings } = host;
  const ofSession = toBudget(settings.budget.sessionTokens, settings.budget.sessionUsd);
  if (isSpent(sessionTotals(log), ofSession)) return false;
  const day = dayBudget(settings);
  if (!isLimited(day)) return true;
  // Bookings that wait in `observe` jobs must count now. Booking them again later changes nothing.
  for (const { job } of jobs.all()) if (job.kind === "observe" && job.booking) await account.book(job.booking);
  const answer = await account.reserveTurn({ turn: id, session, now: clock.now(), spent: NOTHING_SPENT, day });
  return answer !== null && !("monthUntil" in answer);
}

/**
 * Inside the caller's transaction: books the calls for which `hasBudgetOutsideTurn` was asked, and releases what was reserved for them, also if
 * none was charged. False: there is nothing to book or to release.
 */
export function bookOutsideTurn(context: EngineContext, booking: Booking): boolean {
  const isDue = booking.lines.length > 0 || isLimited(dayBudget(context.host.settings));
  if (isDue) putBooking(context, booking);
  return isDue;
}

export function sessionUsage({ log }: Pick<EngineContext, "log">): SessionUsage {
  const { calls, tokens, usdMicros } = sessionTotals(log);
  return { calls, tokens, usd: usdMicros / 1_000_000 };
}

/** Every model call recorded in a turn's entries: answers, summaries, and failed calls that were charged. */
export function toTurnLines(entries: Entry[]): UsageLine[] {
  return toUsageLines(
    entries.flatMap((entry): (SpentCall & { kind: UsageKind })[] => {
      switch (entry.kind) {
        case "assistant":
          return [{ kind: "turn", ...toSpentCall(entry.answer) }];
        case "compaction":
          return entry.calls.map((call) => ({ kind: "compaction", ...call }));
        case "notice":
          return [
            ...(entry.spent ? [{ kind: classifyNotice(entry), ...entry.spent }] : []),
            ...(entry.approval ?? []).map((call) => ({ kind: "approval" as const, ...call })),
            ...(entry.compaction ?? []).map((call) => ({ kind: "compaction" as const, ...call })),
          ];
        case "tool":
          return entry.spent ?? [];
        case "user":
        case "note":
          return [];
      }
    }),
  );
}

/** What the calls recorded in these entries used and cost. */
export function sumSpent(entries: Entry[]): Spending {
  return sumUsageLines(toTurnLines(entries));
}

/** What the sessions that these calls began have spent. They book it themselves. */
export function sumDelegated(entries: Entry[]): Spending {
  return entries.reduce(
    (sum, entry) => (entry.kind === "tool" && entry.delegated ? addSpending(sum, entry.delegated) : sum),
    NOTHING_SPENT,
  );
}

/** A failed summary leaves a notice for each of its calls, and so does the description of an image. All others belong to the turn. */
function classifyNotice({ code }: NoticeEntry): UsageKind {
  if (code === "image_described") return "vision";
  return code === "compaction_failed" ? "compaction" : "turn";
}

function toBudget(tokens: number, usd: number): Budget {
  return { tokens, usdMicros: toUsdMicros(usd) };
}

export function addSpending(a: Spending, b: Spending): Spending {
  return { tokens: a.tokens + b.tokens, usdMicros: a.usdMicros + b.usdMicros };
}

function turnBudgetSpent(spent: Spending, budget: Budget): Failure {
  const message = `This turn's budget of ${describe(budget)} is spent (${describe(spent)}). The next message has its own budget; turn.maxTokens and turn.maxUsd set it.`;
  return err("turn_budget_spent", message).failure;
}

function sessionBudgetSpent(budget: Budget): Failure {
  const message = `This session's budget of ${describe(budget)} is spent and is not renewed. Go on in a new session.`;
  return err("session_budget_spent", message).failure;
}

function profileBudgetSpent(budget: Budget, now: number): Failure {
  const resets = `${dayOf(now + DAY_MS)}T00:00Z`;
  const message = `Today's budget of ${describe(budget)} for this profile is spent, or reserved for what is running. It is renewed at ${resets}.`;
  return err("profile_budget_spent", message, { resetsAt: resets }).failure;
}

function monthBudgetSpent(until: number): Failure {
  const resets = `${dayOf(until)}T00:00Z`;
  const message = `This month's budget for this profile is spent. It is renewed at ${resets}; the operator can raise it before.`;
  return err("profile_budget_spent", message, { resetsAt: resets }).failure;
}

function describe({ tokens, usdMicros }: Budget): string {
  const parts = [tokens > 0 ? [`${tokens} tokens`] : [], usdMicros > 0 ? [`$${usdMicros / 1_000_000}`] : []].flat();
  return parts.join(" and ") || "nothing";
}
