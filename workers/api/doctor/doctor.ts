// POST /v1/doctor: checks what the deployment consists of, by using each part once. One check-up at a time, because it costs model calls.
import { createRoute } from "@hono/zod-openapi";
import { DoctorReport } from "../../../core/schemas/doctor.ts";
import { keyOf } from "../../../stores/keys.ts";
import { OPERATOR_OR_KEY } from "../auth/guard-route.ts";
import { VERSION } from "../health.ts";
import { AppError } from "../problems.ts";
import { createRouter, describeResponses, refuses } from "../router.ts";

export const doctor = createRouter();

/** A check-up that was cut off holds its lease no longer than this. Its checks end within 30 seconds. */
const LEASE_MS = 120_000;
/** Between two check-ups of one isolate. */
const REST_MS = 5_000;

let nextAt = 0;

doctor.openapi(
  createRoute({
    method: "post",
    path: "/v1/doctor",
    operationId: "runDoctor",
    ...refuses("doctor_busy", "bad_settings"),
    security: OPERATOR_OR_KEY,
    scope: "admin",
    description:
      "Checks the deployment by using each part once: models and their keys (at most 12 short calls), R2, KV, the queue to the review Worker " +
      "and back, the last run of cron, versions, the exec host; with a profile's key also its objects, MCP servers, channels, webhooks, jobs, goals and boards. Takes up to 30 seconds. " +
      "Removes what it wrote. Each line says what was found and, unless it is `ok`, how to fix it.",
    responses: describeResponses(200, "What was found", DoctorReport),
  }),
  async (c) => {
    const now = Date.now();
    if (now < nextAt) throw busy(nextAt - now);
    nextAt = now + LEASE_MS;
    const release = await takeLease(c.env.SKILLS, now);
    try {
      const { runDoctor } = await import("./run-doctor.ts");
      return c.json(await runDoctor(c.env, VERSION, c.var.principal?.profile), 200);
    } finally {
      nextAt = Date.now() + REST_MS;
      await release();
    }
  },
);

/** Over all isolates. A bucket that does not work refuses nobody: it is what the check-up will tell. */
async function takeLease(bucket: R2Bucket, now: number): Promise<() => Promise<void>> {
  const key = keyOf("doctorLease", {});
  const take = () => bucket.put(key, String(now), { onlyIf: { etagDoesNotMatch: "*" } });
  try {
    if (!(await take())) {
      const since = Number(await (await bucket.get(key))?.text());
      const left = since + LEASE_MS - now;
      if (left > 0) throw busy(left);
      await bucket.delete(key);
      await take();
    }
  } catch (error) {
    if (error instanceof AppError) {
      nextAt = 0;
      throw error;
    }
    return async () => {};
  }
  return async () => bucket.delete(key).catch(() => {}); // it expires
}

function busy(leftMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(Math.min(leftMs, 30_000) / 1_000));
  const detail = `Another check-up is running, or has just ended. Try again in ${retryAfterSeconds} seconds.`;
  return new AppError("doctor_busy", detail, { facts: { retryAfterSeconds } });
}
