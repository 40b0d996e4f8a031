// What the profile's model calls used and cost, from its own ledger. Read only.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { DAY_MS, type Day, type ProfileId, dayOf } from "../../../core/schemas/ids.ts";
import { type UsageAsked, UsageBy, UsageReport, UsageSplit } from "../../../core/schemas/usage.ts";
import type { Env } from "../env.ts";
import { pageQuery } from "../pages.ts";
import { AppError } from "../problems.ts";
import { CalendarDay, describeResponses, createRouter } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const usage = createRouter();

const DEFAULT_DAYS = 30;
/** How long the ledger keeps sessions, which also bounds one response. */
const MAX_DAYS = 400;

usage.openapi(
  createRoute({
    method: "get",
    path: "/v1/usage",
    operationId: "readUsage",
    description:
      "Reports usage and cost from `from` to `to`, both included, in UTC. Default: the last 30 days. With `split` each line also has its parts.",
    request: {
      query: z.strictObject({
        from: CalendarDay.optional(),
        to: CalendarDay.optional(),
        by: UsageBy.optional(),
        split: UsageSplit.optional(),
        ...pageQuery(1_000),
      }),
    },
    responses: describeResponses(200, "Totals, lines, and what reviews may still spend", UsageReport),
  }),
  async (c) => {
    const { from, to = dayOf(Date.now()), by = "day", split, after, limit } = c.req.valid("query");
    const asked = { from: from ?? daysBefore(to, DEFAULT_DAYS - 1), to, by, split };
    if (asked.from > asked.to) {
      throw new AppError("query_invalid", `\`from\` (${asked.from}) is after \`to\` (${asked.to}). Swap them.`);
    }
    if (asked.from < daysBefore(asked.to, MAX_DAYS - 1)) {
      throw new AppError("query_invalid", `A report covers at most ${MAX_DAYS} days. Request a shorter period.`);
    }
    return c.json(await fetchUsage(c.env, c.var.profile, { ...asked, after, limit }), 200);
  },
);

function daysBefore(day: Day, days: number): Day {
  return dayOf(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS);
}

/** A key may still be accepted for half a minute after its profile was deleted. */
export async function fetchUsage(env: Env, profile: ProfileId, asked: UsageAsked): Promise<UsageReport> {
  const report = await openAccount(env, profile).usage(asked);
  if (!report) throw new AppError("profile_gone", "This profile has been deleted. Ask the operator for a new one.");
  return report;
}
