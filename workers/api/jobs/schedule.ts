// How a schedule is understood and when it would run, before a job is made of it. Reads nothing that is stored.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { nextSlot } from "../../../core/jobs/next-slot.ts";
import { readSchedule } from "../../../core/jobs/schedule.ts";
import { MAX_SCHEDULE_CHARS, TimeZone } from "../../../core/schemas/agenda/job.ts";
import { ScheduleInfo } from "../../../core/schemas/agenda/job-api.ts";
import { parseEnvSettings } from "../env.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, refuses } from "../router.ts";

export const schedule = createRouter();

const SHOWN_SLOTS = 5;
/** As of a job. */
const DEFAULT_ZONE = "UTC";

schedule.openapi(
  createRoute({
    method: "get",
    path: "/v1/schedule",
    operationId: "readSchedule",
    ...refuses("schedule_past", "schedule_too_often", "time_zone_unknown", "schedule_unreadable"),
    description: "Says how a schedule is understood, and its next five times. Nothing is made.",
    request: {
      query: z.strictObject({
        schedule: z.string().min(1).max(MAX_SCHEDULE_CHARS).meta({ description: "As in a job" }),
        timeZone: TimeZone.optional().meta({ description: "Where the schedule names none. Default: UTC" }),
      }),
    },
    responses: describeResponses(200, "The schedule", ScheduleInfo),
  }),
  (c) => {
    const { schedule: text, timeZone = DEFAULT_ZONE } = c.req.valid("query");
    const { minEveryMs } = parseEnvSettings(c.env).jobs;
    const { plan, zone, understood, nextAt } = unwrap(
      readSchedule(text, { now: Date.now(), zone: timeZone, minEveryMs }),
    );
    const next = [nextAt];
    while (next.length < SHOWN_SLOTS) {
      const slot = nextSlot(plan, zone, next.at(-1)!);
      if (slot === null) break;
      next.push(slot);
    }
    return c.json({ understood, timeZone: zone, next }, 200);
  },
);
