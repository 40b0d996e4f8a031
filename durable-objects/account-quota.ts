// The month of a profile's quota, by its ledger: narrows the day's budget before anything is reserved. Called by the Account.
import type { Sql } from "../core/ports.ts";
import { limitByMonth } from "../core/quota.ts";
import { dayOf } from "../core/schemas/ids.ts";
import { QUOTA_KEY } from "../core/schemas/profile/quota.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { type Budget, type MonthSpent, toDayBudget } from "../core/schemas/usage.ts";
import type { ReviewAdmission, ReviewRequest, TurnRequest } from "../core/session/context.ts";
import type { AccountLedger } from "./account-ledger.ts";
import type { AccountSettings } from "./account-settings.ts";
import { spentFrom } from "./ledger-lines.ts";
import type { ReplayRequest } from "./ledger-replays.ts";

export function openMonth(
  sql: Sql,
  settings: Pick<AccountSettings, "rev" | "read">,
  ledger: Pick<AccountLedger, "reserveTurn" | "reserveReview" | "reserveReplay">,
) {
  /** `day` as far as the month allows. Asks the ledger only if a month has a limit. */
  function limitDay(day: Budget, now: number): Budget | MonthSpent {
    const quota = settings.rev() === 0 ? undefined : settings.read().sections.quota[QUOTA_KEY];
    if (quota?.monthTokens === undefined && quota?.monthUsd === undefined) return day;
    const at = new Date(now);
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
    const before = spentFrom(sql, dayOf(Date.UTC(year, month, 1)), dayOf(now));
    return limitByMonth(day, quota, before) ?? { monthUntil: Date.UTC(year, month + 1, 1) };
  }

  return {
    reserveTurn(request: TurnRequest): Budget | MonthSpent | null {
      const day = limitDay(request.day, request.now);
      return "monthUntil" in day ? day : ledger.reserveTurn({ ...request, day });
    },
    reserveReview(request: ReviewRequest): ReviewAdmission {
      const day = limitDay(request.day, request.now);
      if ("monthUntil" in day) return { granted: false, retryAt: day.monthUntil };
      return ledger.reserveReview({ ...request, day });
    },
    reserveReplay(request: ReplayRequest): Budget | null {
      const day = limitDay(request.day, request.now);
      return "monthUntil" in day ? null : ledger.reserveReplay({ ...request, day });
    },
    /** For curations, which take their limit from the settings. When nothing is left, the limit is 1: 0 would be no limit. */
    limit(inForce: Settings, now: number): Settings {
      const known = toDayBudget(inForce.budget);
      const day = limitDay(known, now);
      if (day === known) return inForce;
      const { tokens, usdMicros } = "monthUntil" in day ? { tokens: 1, usdMicros: 1 } : day;
      const budget = { ...inForce.budget, profileDayTokens: tokens, profileDayUsd: usdMicros / 1_000_000 };
      return { ...inForce, budget };
    },
  };
}
