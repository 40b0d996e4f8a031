// Gives a refusal of a compatible route the form that its clients read: OpenAI's or Anthropic's error object in place of a problem document.
// Called by index.ts for every refusal, also of routes that do not exist.
import type { Context } from "hono";
import { ulid } from "ulid";
import { MODEL_FAILURES, type ModelFailureCode } from "../../../core/models/failures/failure-codes.ts";
import type { Problem } from "../../../core/schemas/api.ts";

const OPENAI_ROUTE = /^\/v1\/(?:chat\/completions|responses)(?:\/|$)/;
const ANTHROPIC_ROUTE = /^\/v1\/messages(?:\/|$)/;
/** Shared by both. The header says whose client asks. */
const MODELS_ROUTE = /^\/v1\/models(?:\/|$)/;

export type DoorShape = "openai" | "anthropic";

export interface DoorError {
  status: number;
  code: string;
  message: string;
  /** Path of the field at fault. */
  param?: string | undefined;
}

/** The forms that refusals of a route may have. `null`: a problem document. */
export function listShapes(path: string): (DoorShape | null)[] {
  if (ANTHROPIC_ROUTE.test(path)) return ["anthropic"];
  if (OPENAI_ROUTE.test(path)) return ["openai"];
  return MODELS_ROUTE.test(path) ? [null, "anthropic"] : [null];
}

/** The form that this client reads. */
export function shapeOf(c: Context): DoorShape | null {
  const [first, other] = listShapes(c.req.path);
  return other && c.req.header("anthropic-version") !== undefined ? other : first!;
}

/** The answer itself, unless it is a problem of a compatible route. */
export async function shapeProblem(answer: Response, c: Context): Promise<Response> {
  const shape = shapeOf(c);
  if (answer.headers.get("content-type") !== "application/problem+json") return answer;
  // Our own clients and OpenAI's send the same request: the answer has both forms.
  const isShared = !shape && MODELS_ROUTE.test(c.req.path);
  if (!shape && !isShared) return answer;
  const problem = await answer.json<Problem>();
  const { status, code, detail, errors, id } = problem;
  const refusal = { status, code, message: detail, param: errors?.[0]?.path };
  if (!shape) {
    const both = { ...problem, ...toErrorBody("openai", refusal, "") };
    return new Response(JSON.stringify(both), { status, headers: answer.headers });
  }
  const shaped = toErrorAnswer(shape, refusal, id);
  for (const name of ["www-authenticate", "retry-after"]) {
    const value = answer.headers.get(name);
    if (value !== null) shaped.headers.set(name, value);
  }
  return shaped;
}

export function toErrorAnswer(shape: DoorShape, error: DoorError, id: string = ulid()): Response {
  const status = toStatus(shape, error);
  const body = toErrorBody(shape, error, id);
  // A repetition would be refused again, so official clients must not repeat it by themselves.
  const isFinal = status === 409 || FINAL_CODES.test(error.code);
  const headers = {
    ...{ "content-type": "application/json", [shape === "openai" ? "x-request-id" : "request-id"]: id },
    ...(isFinal && { "x-should-retry": "false" }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

const FINAL_CODES = /_budget_spent$|^bad_settings$|^state_newer$/;

/** The body of a refusal, and of the event `error` in a stream. */
export function toErrorBody(shape: DoorShape, error: DoorError, id: string): object {
  const { code, message, param } = error;
  const status = toStatus(shape, error);
  if (shape === "anthropic")
    return { type: "error", error: { type: toAnthropicType(status), message }, request_id: id };
  return { error: { message, type: toOpenAiType(status), param: param || null, code } };
}

/** Statuses that these clients know. A model that nobody offers is a missing one. */
export function toStatus(shape: DoorShape, { status, code }: DoorError): number {
  if (code === "unknown_model") return 404;
  if (status === 410) return 404;
  if (status === 415 || status === 422 || status === 507) return 400;
  return shape === "anthropic" && status === 503 ? 529 : status;
}

const ANTHROPIC_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function toAnthropicType(status: number): string {
  return ANTHROPIC_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

function toOpenAiType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** Of turns that failed. */
export const TURN_STATUSES: readonly number[] = [400, 413, 429, 502, 503];

/** How a turn that failed is reported, by the code of its end. */
export function toTurnError({ code, message }: { code: string; message: string }): DoorError {
  return {
    status: TURN_STATUS[code] ?? (code.endsWith("_budget_spent") ? 429 : isTemporary(code) ? 503 : 502),
    code,
    message,
  };
}

/** The same call of the provider may succeed later. */
function isTemporary(code: string): boolean {
  return Object.hasOwn(MODEL_FAILURES, code) && MODEL_FAILURES[code as ModelFailureCode].retry;
}

const TURN_STATUS: Record<string, number> = {
  rate_limit: 429,
  context_overflow: 400,
  payload_too_large: 413,
  content_refused: 400,
  tool_collides: 400,
};
