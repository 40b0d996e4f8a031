// Puts the operator's quota of a profile in force: for sessions as the limit of a day, for the Account's ledger also as that of a month.
// Called by the session, the Account and the API. Pure.
import type { Quota } from "./schemas/profile/quota.ts";
import type { Settings } from "./schemas/settings.ts";
import { type Budget, type Spending, toUsdMicros } from "./schemas/usage.ts";

/** The same object without a quota. A month's limit is also that of a day, so that every session asks before it spends. */
export function applyQuota(settings: Settings, quota: Quota | undefined): Settings {
  if (!quota) return settings;
  const { dayTokens = 0, dayUsd = 0, monthTokens = 0, monthUsd = 0 } = quota;
  const { budget } = settings;
  const profileDayTokens = minLimit(budget.profileDayTokens, minLimit(dayTokens, monthTokens));
  const profileDayUsd = minLimit(budget.profileDayUsd, minLimit(dayUsd, monthUsd));
  return { ...settings, budget: { ...budget, profileDayTokens, profileDayUsd } };
}

/** What is left of the month for this day, if that is less than `day`. `before`: spent in the month before today. `null`: nothing. */
export function limitByMonth(day: Budget, quota: Quota, before: Spending): Budget | null {
  const tokens = leftOf(quota.monthTokens ?? 0, before.tokens);
  const usdMicros = leftOf(toUsdMicros(quota.monthUsd ?? 0), before.usdMicros);
  if (tokens === null || usdMicros === null) return null;
  return { tokens: minLimit(day.tokens, tokens), usdMicros: minLimit(day.usdMicros, usdMicros) };
}

/** 0 is no limit. */
export function minLimit(a: number, b: number): number {
  return a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b);
}

function leftOf(limit: number, spent: number): number | null {
  if (limit === 0) return 0;
  return limit > spent ? limit - spent : null;
}
