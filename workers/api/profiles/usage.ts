// What the profile's model calls used and cost: its own ledger, and nobody else's. Read only.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { DAY_MS, Day, type ProfileId, dayOf } from "../../../core/schemas/ids.ts";
import { type UsageAsked, UsageBy, UsageReport } from "../../../core/schemas/usage.ts";
import type { Env } from "../env.ts";
import { pageQuery } from "../pages.ts";
import { AppError } from "../problems.ts";
import { answers, createRouter } from "../router.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const usage = createRouter();

const DEFAULT_DAYS = 30;
/** As far back as the ledger knows sessions; and what one answer may hold. */
const MAX_DAYS = 400;

/** A day that the calendar has: not the 30th of February. */
const CalendarDay = Day.refine((day) => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isFinite(time) && dayOf(time) === day;
}, "there is no such day");

usage.openapi(
  createRoute({
    method: "get",
    path: "/v1/usage",
    operationId: "readUsage",
    description: "From `from` to `to`, both included, UTC; without them the last 30 days.",
    request: {
      query: z.strictObject({
        ...{ from: CalendarDay.optional(), to: CalendarDay.optional(), by: UsageBy.optional() },
        ...pageQuery(1_000),
      }),
    },
    responses: answers(200, "Totals, lines, and what reviews may still spend", UsageReport),
  }),
  async (c) => {
    const { from, to = dayOf(Date.now()), by = "day", after, limit } = c.req.valid("query");
    const asked = { from: from ?? daysBefore(to, DEFAULT_DAYS - 1), to, by };
    if (asked.from > asked.to) {
      throw new AppError("query_invalid", `\`from\` (${asked.from}) is after \`to\` (${asked.to}).`);
    }
    if (asked.from < daysBefore(asked.to, MAX_DAYS - 1)) {
      throw new AppError("query_invalid", `One answer holds at most ${MAX_DAYS} days: ask for fewer at a time.`);
    }
    return c.json(await usageOf(c.env, c.var.profile, { ...asked, after, limit }), 200);
  },
);

function daysBefore(day: Day, days: number): Day {
  return dayOf(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS);
}

/** A key may be honoured for half a minute after its profile was deleted. */
export async function usageOf(env: Env, profile: ProfileId, asked: UsageAsked): Promise<UsageReport> {
  const report = await openAccount(env, profile).usage(asked);
  if (!report) throw new AppError("profile_gone", "This profile has been deleted.");
  return report;
}
