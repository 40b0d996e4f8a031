// What the headers of a compatible request say: the session, whether it learns, and whether the request repeats another one.
import type { Context } from "hono";
import { SessionId } from "../../../core/schemas/ids.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { AppError } from "../problems.ts";
import { IdempotencyKey } from "../sessions/messages.ts";
import type { DoorRequest } from "./contract.ts";

type HeaderFields = Pick<DoorRequest, "session" | "conversation" | "learning" | "isRetry" | "key" | "bodyHash">;

/** `body`: as it was sent. Throws `bad_session_id`, `bad_idempotency_key`, `body_invalid`. */
export function readDoorHeaders(c: Context<ApiEnv>, body: string): HeaderFields {
  const session = c.req.header("x-talaria-session");
  const conversation = c.req.header("x-talaria-conversation");
  const learning = c.req.header("x-talaria-learning");
  const key = c.req.header("idempotency-key");
  if (session !== undefined && !SessionId.safeParse(session).success) {
    throw new AppError("bad_session_id", "X-Talaria-Session is not the id of a session. GET /v1/sessions lists them.");
  }
  if (conversation !== undefined && !/^.{1,200}$/.test(conversation)) {
    throw new AppError("body_invalid", "X-Talaria-Conversation has 1 to 200 characters.");
  }
  if (learning !== undefined && learning !== "on" && learning !== "off") {
    throw new AppError("body_invalid", "X-Talaria-Learning is neither `on` nor `off`.");
  }
  if (key !== undefined && !IdempotencyKey.safeParse(key).success) {
    throw new AppError("bad_idempotency_key", "An Idempotency-Key has 1 to 255 visible ASCII characters.");
  }
  return {
    ...(session !== undefined && { session }),
    ...(conversation !== undefined && { conversation }),
    ...(learning !== undefined && { learning }),
    isRetry: Number(c.req.header("x-stainless-retry-count") ?? 0) > 0,
    ...(key !== undefined && { key }),
    bodyHash: sha256Hex(JSON.stringify([c.req.path, session, conversation, learning, body])),
  };
}
