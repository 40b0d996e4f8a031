// GET /health: whether the Worker runs, its version and its model. Open to everyone, so it reports nothing else.
import { createRoute } from "@hono/zod-openapi";
import { readModelName } from "../../core/models/routing.ts";
import { Health } from "../../core/schemas/api.ts";
import packageJson from "../../package.json" with { type: "json" };
import { describeResponses, createRouter } from "./router.ts";

export const VERSION = packageJson.version;

export const health = createRouter();

health.openapi(
  createRoute({
    method: "get",
    path: "/health",
    operationId: "health",
    description: "Reports that the Worker runs, its version and its model.",
    security: [],
    responses: describeResponses(200, "It runs", Health),
  }),
  (c) => c.json({ ok: true as const, version: VERSION, model: readModelName(c.env) }, 200),
);
