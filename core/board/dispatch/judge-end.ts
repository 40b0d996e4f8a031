// What the end of a worker's turn means for its run, if the worker has not ended the run itself. Pure.
import type { SessionDelivery } from "../../schemas/channels/delivery.ts";
import type { RunEnd } from "../contract.ts";

export type TurnEnd = NonNullable<SessionDelivery["ended"]>;

/** Codes of a provider that will answer again later. */
const RATE_LIMITS: readonly string[] = ["rate_limit", "overloaded"];

/** `said`: it ended in words, so the worker is reminded that words end nothing. */
export function judgeEnd({ state, code }: TurnEnd): Exclude<RunEnd["how"], "lost" | "spawn_failed"> | "said" {
  // The person wrote to the session, and another turn answers.
  if (code === "redirected") return "said";
  if (state === "stopped") return "cancelled";
  if (state === "done") return "said";
  if (code !== undefined && RATE_LIMITS.includes(code)) return "rate_limited";
  return code === "no_progress" ? "timed_out" : "crashed";
}
