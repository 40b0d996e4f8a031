// What the declarations of compatible routes share.
import * as z from "zod";
import type { ProblemCode } from "../problems.ts";

/** Clients send fields of their own, such as `?beta=true`. */
export const ANY_QUERY = z.looseObject({});

/** What `openTurn` may refuse. */
export const DOOR_REFUSALS: ProblemCode[] = [
  ...(["bad_session_id", "bad_idempotency_key", "session_not_found", "session_delegated", "learning_differs"] as const),
  ...(["bad_text", "message_too_long", "too_many_queued", "idempotency_conflict", "unknown_model"] as const),
  ...(["image_type_refused", "image_too_large", "too_many_images", "images_full", "file_not_found"] as const),
  ...(["call_unknown", "tool_collides", "turn_not_found", "branch_outdated", "turn_not_ended"] as const),
];
