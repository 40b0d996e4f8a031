// A board: cards, their order, their work and their dispatch, as a state machine over SQL and a clock. Called by the Board object. What each
// operation takes and refuses is said in core/board/contract.ts; core/board/transitions.ts is the table of what may follow what.
import { ok } from "../errors.ts";
import type { CardStatus } from "../schemas/board/card.ts";
import { createAttach } from "./attach.ts";
import { type BoardParts, badTransition, createContext, parentsOpen } from "./context.ts";
import type { Board } from "./contract.ts";
import { createDispatch } from "./dispatch.ts";
import { createEdit } from "./edit.ts";
import { createPlan } from "./plan/apply-plan.ts";
import { createRead } from "./read.ts";
import { type StoredCard, toCard } from "./rows/card-rows.ts";
import { type Operation, operationsBetween } from "./transitions.ts";
import { createWork } from "./work.ts";

export type { Board } from "./contract.ts";
export type { BoardParts } from "./context.ts";
export { BOARD_SCHEMA } from "./rows/tables.ts";

/** The tables must exist: `BOARD_SCHEMA`. */
export function createBoard(parts: BoardParts): Board {
  const context = createContext(parts);
  const edit = createEdit(context);
  const work = createWork(context);
  const { find, links, replay } = context;

  const move: Board["move"] = (call, id, to, { reason = "", summary = "", notBefore } = {}) => {
    // The status has changed since an earlier attempt, so that the table no longer says what it was.
    const repeated = replay(call, id);
    if (repeated) return repeated;
    const found = find(id);
    if (!found.ok) return found;
    const card = found.value;
    if (card.status === to) return ok({ card: toCard(card), stopped: null, replayed: false });
    const open = links.openParents(id);
    const operation = operationsBetween(card.status, to).find((known) => fits(known, card, to));
    if (operation === undefined) return badTransition(card, `move to ${to}`);
    if (to === "ready" && open.length > 0 && card.lane === "work") return parentsOpen(id, open);
    if (to === "todo" && open.length === 0) return badTransition(card, "move to todo while no card comes before it");
    const because = reason || "Moved by hand.";
    switch (operation) {
      case "promote":
        return edit.promote(call, id);
      case "update":
        if (notBefore === undefined || notBefore <= context.now()) {
          return badTransition(card, "move to scheduled without a time in the future");
        }
        return edit.update(call, id, { notBefore });
      case "archive":
        return reason === "" || card.status === "done" ? edit.archive(call, id) : edit.cancel(call, id, reason);
      case "start":
        return work.start(call, id);
      case "complete":
        return work.complete(call, id, { summary });
      case "block":
        return work.block(call, id, { kind: to === "todo" ? "dependency" : "needs_input", reason: because });
      case "unblock":
        return work.unblock(call, id);
      case "request_review":
        return work.requestReview(call, id, { summary });
      case "request_changes":
        return work.requestChanges(call, id, because);
      case "reclaim":
        return work.reclaim(call, id, reason || undefined);
      default:
        return badTransition(card, `move to ${to satisfies CardStatus}`);
    }
  };

  return {
    ...edit,
    ...work,
    ...createDispatch(context),
    ...createAttach(context),
    ...createPlan(context),
    ...createRead(context),
    move,
  };
}

/** Whether the operation brings this card to the status: the lane decides where a review goes, and only a loop of blocks leads to triage. */
function fits(operation: Operation, { status, lane }: StoredCard, to: CardStatus): boolean {
  if (operation === "block") return to === "blocked" || (to === "todo" && lane === "work");
  if (operation === "reclaim") return (to === "review") === (lane === "review");
  if (operation === "request_changes") return lane === "review";
  if (operation === "unblock") return (to === "review") === (lane === "review");
  return operation !== "promote" || status !== "blocked" || to === "ready";
}
