// What the end of a worker's turn means for its run, if the worker has not ended the run itself. Pure.
import type { SessionDelivery } from "../../schemas/channels/delivery.ts";
import type { RunEnd } from "../contract.ts";

export type TurnEnd = NonNullable<SessionDelivery["ended"]>;

/** Codes of a provider that will answer again later. */
const RATE_LIMITS: readonly string[] = ["rate_limit", "overloaded"];

/** No card of the profile can be worked on now. */
export function isBudgetSpent({ code }: TurnEnd): boolean {
  return code === "profile_budget_spent";
}

/** `said`: it ended in words, so the worker is reminded that words end nothing. */
export function judgeEnd(ended: TurnEnd): Exclude<RunEnd["how"], "lost" | "spawn_failed"> | "said" {
  const { state, code } = ended;
  // The person wrote to the session, and another turn answers.
  if (code === "redirected") return "said";
  if (state === "stopped") return "cancelled";
  if (state === "done") return "said";
  // Neither is the card's fault: as failures, every ready card would be blocked, and each would be unblocked by hand.
  if (isBudgetSpent(ended) || (code !== undefined && RATE_LIMITS.includes(code))) return "rate_limited";
  return code === "no_progress" ? "timed_out" : "crashed";
}
