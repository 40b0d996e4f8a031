// What all resources share: the router with its handling of invalid input, the forms of parameters, and the parts of a route's
// contract.
import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import { Problem } from "../../core/schemas/api.ts";
import type { Scope } from "../../core/schemas/keys/scope.ts";
import { Day, dayOf } from "../../core/schemas/ids.ts";
import { guardRoute } from "./auth/guard-route.ts";
import { noteActs } from "./auth/note-act.ts";
import type { ApiEnv } from "./auth/principal.ts";
import { AppError, type ProblemCode } from "./problems.ts";

/**
 * Every route refuses callers without its scope, unknown query fields and a missing body. `scope` of a route: `guardRoute` says
 * the default.
 */
export function createRouter(): OpenAPIHono<ApiEnv> {
  const router = new OpenAPIHono<ApiEnv>({
    defaultHook(result) {
      if (!result.success) throw toInvalid(result.target, result.error.issues);
    },
  });
  const { openapi } = router;
  router.openapi = (({ scope, ...route }: RouteConfig & { scope?: Scope }, ...rest: [never]) => {
    const { body, query = NO_QUERY } = route.request ?? {};
    const { guard, security } = guardRoute({ ...route, scope });
    const middleware = [
      guard,
      noteActs(route.operationId),
      route.middleware ?? [],
      checkQuery(query),
      body ? [takeBody(body)] : [],
    ].flat();
    return openapi({ ...route, security, request: { ...route.request, query }, middleware } as never, ...rest);
  }) as typeof openapi;
  return router;
}

const NO_QUERY = z.strictObject({});

/** Checks the query before the body is read. */
function checkQuery(query: unknown): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const twice = Object.entries(c.req.queries()).find(([, values]) => values.length > 1)?.[0];
    if (twice !== undefined)
      throw new AppError("query_invalid", `The query field \`${twice}\` is given more than once. Give it once.`);
    const parsed = (query as z.ZodType).safeParse(c.req.query());
    if (!parsed.success) throw toInvalid("query", parsed.error.issues);
    await next();
  };
}

/** For routes that are not declared with `openapi`. */
export const refuseQuery: MiddlewareHandler<ApiEnv> = checkQuery(NO_QUERY);

/** A missing body has its own problem code. If the body is optional, an empty one of any content type is accepted. */
function takeBody({ required, content }: RequestBody): MiddlewareHandler<ApiEnv> {
  const isOptionalJson = !required && Object.hasOwn(content, "application/json");
  return async (c, next) => {
    if ((required || isOptionalJson) && (await c.req.arrayBuffer()).byteLength === 0) {
      if (required)
        throw new AppError("body_missing", `The body is missing. Send one as ${Object.keys(content).join(" or ")}.`);
      const headers = new Headers(c.req.raw.headers);
      headers.delete("content-length");
      headers.set("content-type", "application/json");
      // The schema then fills in its defaults.
      c.req.raw = new Request(c.req.raw.url, { method: c.req.method, headers, body: "{}" });
      c.req.bodyCache = {};
    }
    await next();
  };
}

type RequestBody = NonNullable<NonNullable<RouteConfig["request"]>["body"]>;

/** A JSON response, and problem documents for every failure. */
export function describeResponses<Status extends number, Schema extends z.ZodType>(
  status: Status,
  description: string,
  schema: Schema,
) {
  const good = { description, content: { "application/json": { schema } } };
  return { [status]: good, default: PROBLEM_RESPONSE } as Record<Status, typeof good> & {
    default: typeof PROBLEM_RESPONSE;
  };
}

/** In a route's declaration: the codes that it may answer with beside those that every route of its kind has (openapi/document.ts). */
export function refuses(...codes: ProblemCode[]): { [REFUSED]: ProblemCode[] } {
  return { [REFUSED]: codes };
}
export const REFUSED = "x-problems";

/** After the name of a parameter: it takes the rest of the path, with slashes and line breaks. */
export const ANY_PATH = "{[^]+}";

export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true as const, content: { "application/json": { schema } } };
}

/** The body is optional; one that is sent must be valid. */
export function optionalJsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: false as const, content: { "application/json": { schema } } };
}

export const PROBLEM_RESPONSE = {
  description: "Refused; `code` says why",
  content: { "application/problem+json": { schema: Problem } },
};

/** A number in a query or a path. */
export function numeric(min: number, max: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

/** A real calendar day: not the 30th of February. */
export const CalendarDay = Day.refine((day) => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isFinite(time) && dayOf(time) === day;
}, "there is no such day");

/** A flag in a query: `1` or `true`; absent is false. */
export const Flag = z
  .enum(["0", "1", "true", "false"])
  .optional()
  .transform((value) => value === "1" || value === "true");

/** The parts of a zod issue that are read. */
type Issue = Pick<z.core.$ZodIssue, "code" | "path" | "message">;

/** A code for each invalid field, so that programs can tell them apart. */
export const CODE_BY_FIELD: Record<string, ProblemCode> = {
  "param.id": "bad_key_id",
  "param.profile": "bad_profile_id",
  "param.signIn": "bad_sign_in_id",
  "param.session": "bad_session_id",
  "param.goal": "bad_goal_id",
  "param.n": "bad_turn",
  "param.personality": "bad_personality",
  "param.name": "bad_skill_name",
  "param.rev": "bad_revision",
  "param.experiment": "bad_experiment_id",
  "param.replay": "bad_replay_id",
  "param.store": "bad_memory_store",
  "param.memory": "bad_memory_id",
  "param.review": "bad_review_id",
  "param.run": "bad_run_id",
  "param.approval": "bad_approval_id",
  "param.allowance": "bad_approval_id",
  "param.server": "bad_mcp_server",
  "param.tap": "bad_tap",
  "param.checkpoint": "bad_checkpoint",
  "param.pending": "bad_pending_id",
  "param.policy": "bad_policy_id",
  "param.hook": "bad_hook_id",
  "param.invitation": "bad_invitation_id",
  "param.platform": "bad_platform",
  "param.role": "bad_role",
  "param.job": "bad_job",
  "param.board": "bad_board",
  "param.blueprint": "bad_blueprint",
  "param.suggestion": "bad_suggestion",
  "param.training": "bad_training_job",
  "param.card": "bad_card_id",
  "param.parent": "bad_card_id",
  "param.attachment": "bad_attachment",
  "param.webhook": "bad_webhook_name",
  "param.path": "bad_path",
  "param.image": "bad_image_id",
  "param.export": "bad_export_id",
  "param.part": "bad_part_id",
  "query.session": "bad_session_id",
  "query.store": "bad_memory_store",
  "query.skill": "bad_skill_name",
  "header.idempotency-key": "bad_idempotency_key",
  "header.last-event-id": "bad_event_id",
  "json.profile": "bad_profile_id",
};

export function toInvalid(target: string, issues: Issue[]): AppError {
  const unknown = issues.find(({ code }) => code === "unrecognized_keys");
  // A misspelt field of a query is also a missing one: its name says more.
  const first = (target === "query" && unknown) || issues[0]!;
  const field = first.path.join(".");
  const errors = issues.map((issue) => ({ in: target, path: issue.path.join("."), message: issue.message }));
  const whole = target === "json" ? "the body" : `the ${target}`;
  const where = field ? `\`${field}\`` : whole;
  return new AppError(chooseProblemCode(target, field, first), `Invalid value in ${where}: ${first.message}.`, {
    errors,
  });
}

function chooseProblemCode(target: string, field: string, issue: Issue): ProblemCode {
  if (issue.code === "unrecognized_keys") return target === "json" ? "field_unknown" : "query_invalid";
  return CODE_BY_FIELD[`${target}.${field}`] ?? (target === "json" ? "body_invalid" : "query_invalid");
}
