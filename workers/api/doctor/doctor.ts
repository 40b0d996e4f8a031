// POST /v1/doctor: checks what the deployment consists of, by using each part once. One check-up at a time, because it costs model calls.
import { createRoute } from "@hono/zod-openapi";
import { DoctorReport } from "../../../core/schemas/doctor.ts";
import { OPERATOR_OR_KEY } from "../auth/guard-route.ts";
import { VERSION } from "../health.ts";
import { createRouter, describeResponses, refuses } from "../router.ts";
import { runAlone } from "./run-alone.ts";

export const doctor = createRouter();

/** Between two check-ups of one isolate. */
const REST_MS = 5_000;

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
    const report = await runAlone(c.env.SKILLS, REST_MS, async () => {
      const { runDoctor } = await import("./run-doctor.ts");
      return runDoctor(c.env, VERSION, c.var.principal?.profile);
    });
    return c.json(report, 200);
  },
);
