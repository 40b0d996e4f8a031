// Stores what a request of a compatible endpoint becomes. Called by the Account's desk, inside one transaction: another request with the same
// key or the same name may have been faster, and a session deleted, since the conversation was looked for.
import { type Result, err, ok } from "../../core/errors.ts";
import type { SessionInfo } from "../../core/schemas/api.ts";
import type { SessionId } from "../../core/schemas/ids.ts";
import type { BegunRequest, DoorPlan, createConversationRows } from "./conversation-rows.ts";

interface SessionList {
  find(session: SessionId): SessionInfo | undefined;
  register(session: SessionInfo): boolean;
}

/** Failures: `idempotency_conflict`, `session_not_found`, `learning_differs`. */
export function beginConversation(
  rows: ReturnType<typeof createConversationRows>,
  { find, register }: SessionList,
  begun: BegunRequest,
  now: number,
): Result<DoorPlan> {
  const joined = begun.isRepeat ? rows.joined(begun, now) : ok(null);
  if (!joined.ok) return joined;
  if (joined.value) return ok(joined.value);
  const named = begun.plan.isNew && begun.name !== null ? rows.named(begun.name) : null;
  const taken = named === null ? undefined : find(named);
  const plan = taken ? { ...begun.plan, session: taken.session } : forkIfLate(rows, begun);
  if (taken && taken.learning !== plan.learning) {
    return err("learning_differs", `Learning is ${taken.learning} in this conversation, and stays so.`);
  }
  const { session, learning, createdAt, branch } = plan;
  // A row of a deleted session would outlive it, and its name would lead nowhere.
  const needed = branch?.session ?? (plan.isNew ? null : session);
  if (needed !== null && !find(needed)) {
    return err("session_not_found", "The session was deleted meanwhile. Send the request again.");
  }
  if (plan.isNew && !branch) register({ session, title: "", learning, createdAt });
  rows.put({ ...begun, plan }, now);
  return ok(plan);
}

/** Two tabs may send the same history at once. Neither must get the other's messages. */
function forkIfLate(rows: ReturnType<typeof createConversationRows>, { plan, after }: BegunRequest): DoorPlan {
  if (!after || !rows.hasNewer(after.row, plan.session)) return plan;
  return { ...plan, session: after.fork, isNew: true, branch: { session: plan.session, turn: after.turn } };
}
