// Carries out an action on a card by its name and facts, as the API, the tools and the commands take it. Decides nothing itself.
import type { Result } from "../errors.ts";
import type { ActionFacts, CardAction } from "../schemas/board/card-api.ts";
import type { CardId } from "../schemas/board/card.ts";
import type { BoardCalls } from "./board-calls.ts";
import type { Call, Changed } from "./contract.ts";

/** The action with its facts. */
export type ActionAsked = { [Action in CardAction]: { action: Action } & ActionFacts<Action> }[CardAction];

/** Failures: those of the operation in core/board/contract.ts. */
export function performAction(board: BoardCalls, call: Call, id: CardId, asked: ActionAsked): Promise<Result<Changed>> {
  switch (asked.action) {
    case "assign":
      return board.assign(call, id, asked.assignee);
    case "move": {
      const { to, reason, summary, notBefore } = asked;
      return board.move(call, id, to, {
        ...(reason !== undefined && { reason }),
        ...(summary !== undefined && { summary }),
        ...(notBefore !== undefined && { notBefore }),
      });
    }
    case "promote":
      return board.promote(call, id);
    case "start":
      return board.start(call, id);
    case "complete": {
      const { summary, children } = asked;
      return board.complete(call, id, { summary, ...(children && { children }) });
    }
    case "block":
      return board.block(call, id, { kind: asked.kind, reason: asked.reason });
    case "unblock":
      return board.unblock(call, id);
    case "request-review": {
      const { summary, reviewer } = asked;
      return board.requestReview(call, id, { summary, ...(reviewer !== undefined && { reviewer }) });
    }
    case "request-changes":
      return board.requestChanges(call, id, asked.reason);
    case "heartbeat":
      return board.heartbeat(call, id, asked.note);
    case "reclaim":
      return board.reclaim(call, id, asked.reason);
    case "cancel":
      return board.cancel(call, id, asked.reason);
    case "archive":
      return board.archive(call, id);
    case "specify":
      return board.specify(call, id);
    case "decompose":
      return board.decompose(call, id);
  }
}
