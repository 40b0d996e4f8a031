// What `POST /v1/doctor` answers, and the messages and marks that its checks leave for each other. Forms only.
import * as z from "zod";

/** `warn`: it works, and something needs attention. */
export const CheckState = z.enum(["ok", "warn", "fail"]);
export type CheckState = z.infer<typeof CheckState>;

/** `found`: what is so. `fix`: one sentence; set unless it is `ok`. */
export const DoctorLine = z.object({
  check: z.string(),
  state: CheckState,
  found: z.string(),
  fix: z.string().optional(),
});
export type DoctorLine = z.infer<typeof DoctorLine>;

/** `at`: the server's clock. `spent`: what the model calls of the checks used; `usd` of those with a known price. */
export const DoctorReport = z.object({
  version: z.string(),
  at: z.int(),
  ms: z.int(),
  lines: z.array(DoctorLine),
  spent: z.object({ modelCalls: z.int(), tokens: z.int(), usd: z.number() }),
});
export type DoctorReport = z.infer<typeof DoctorReport>;

/** 26 letters and digits, new for each check. */
export const PingId = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);

/** A message in the queue of the reviews. The review Worker answers it with a mark in R2, until `until` and never later. */
export const DoctorPing = z.strictObject({ v: z.literal(1), kind: z.literal("ping"), ping: PingId, until: z.int() });
export type DoctorPing = z.infer<typeof DoctorPing>;

/** What a Worker writes of itself: the review Worker for a ping, the curator Worker at each run of its cron trigger. */
export const WorkerMark = z.object({ v: z.literal(1), version: z.string(), at: z.int(), model: z.string() });
export type WorkerMark = z.infer<typeof WorkerMark>;
