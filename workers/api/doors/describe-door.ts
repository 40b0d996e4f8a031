// What the declarations of compatible routes share: their refusals and the form of these.
import * as z from "zod";
import type { ProblemCode } from "../problems.ts";

/** Of `openTurn`. */
export const DOOR_REFUSALS = [
  "model_not_found",
  "bad_session_id",
  "bad_idempotency_key",
  "bad_text",
  "session_not_found",
  "session_delegated",
  "profile_gone",
  "idempotency_conflict",
  "learning_differs",
  "message_too_long",
  "too_many_queued",
  "too_many_readers",
  "tool_collides",
  "call_unknown",
  "call_missing",
  "call_answered",
  "call_over",
  "results_too_long",
  "turn_not_found",
  "turn_not_ended",
  "branch_outdated",
  "image_type_refused",
  "image_too_large",
  "too_many_images",
  "images_full",
] as const satisfies ProblemCode[];

/** Clients send fields of their own, such as `?beta=true`. */
export const ANY_QUERY = z.looseObject({});

export const AnthropicError = z.object({
  type: z.literal("error"),
  error: z.object({ type: z.string(), message: z.string() }),
  request_id: z.string(),
});

export const OpenAiError = z.object({
  error: z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }),
});

export const ANTHROPIC_ERROR_RESPONSE = {
  description: "Refused; `error.type` says why",
  content: { "application/json": { schema: AnthropicError } },
};

export const OPENAI_ERROR_RESPONSE = {
  description: "Refused; `error.code` says why",
  content: { "application/json": { schema: OpenAiError } },
};
