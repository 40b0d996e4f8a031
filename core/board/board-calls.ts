// A board from afar: its operations as one call of the Board object. Used by routes, tools and commands; the object checks the method's name and
// then does what follows from it (stops a session, tells readers, sets its alarm). Types, and one function. Pure.
import { type Result, err } from "../errors.ts";
import type { PlanKind } from "../prompts/plan/plan.ts";
import type { CardId } from "../schemas/board/card.ts";
import type { Board, Call, Changed } from "./contract.ts";

/** What people, agents and workers may call. The rest is the board's own. */
const BOARD_METHODS = [
  ...(["create", "show", "list", "update", "delete", "assign", "move", "comment", "stats"] as const),
  ...([
    "link",
    "unlink",
    "promote",
    "start",
    "complete",
    "block",
    "unblock",
    "requestReview",
    "requestChanges",
  ] as const),
  ...(["heartbeat", "reclaim", "cancel", "archive", "attach", "detach", "readAttachment"] as const),
  ...(["events", "comments", "runs"] as const),
] as const satisfies readonly (keyof Board)[];
export type BoardMethod = (typeof BOARD_METHODS)[number];

/** Those that ask a model, and so take seconds. */
export const PLAN_METHODS = ["specify", "decompose"] as const satisfies readonly PlanKind[];

type Answered<T> = [T] extends [Result<infer _>] ? T : Result<T>;

/** Failures, beside those of core/board/contract.ts: `board_not_found`. */
export type BoardCalls = {
  [Method in BoardMethod]: (...args: Parameters<Board[Method]>) => Promise<Answered<ReturnType<Board[Method]>>>;
} & {
  /** Failures: those of core/board/plan/planner.ts. */
  [Method in PlanKind]: (call: Call, id: CardId) => Promise<Result<Changed>>;
};

/** What the Board object has. The same call with the same `op` may be repeated. */
export interface BoardCallee {
  call(method: BoardMethod | PlanKind, args: unknown[]): Promise<Result<unknown>>;
}

export function toBoardCalls(board: BoardCallee): BoardCalls {
  const calls = [...BOARD_METHODS, ...PLAN_METHODS].map(
    (method) => [method, (...args: unknown[]) => board.call(method, args)] as const,
  );
  return Object.fromEntries(calls) as unknown as BoardCalls;
}

/** The object's side: the answer of a method, as a Result. Failure: `unknown_method`, also for a plan, which the object makes itself. */
export function answerCall(
  board: Pick<Board, BoardMethod>,
  method: BoardMethod | PlanKind,
  args: unknown[],
): Result<unknown> {
  if (!isBoardMethod(method)) return err("unknown_method", `A board has no operation '${method}'.`);
  const answer: unknown = (board[method] as (...args: unknown[]) => unknown)(...args);
  const isResult = typeof answer === "object" && answer !== null && "ok" in answer;
  return isResult ? (answer as Result<unknown>) : { ok: true, value: answer };
}

function isBoardMethod(method: string): method is BoardMethod {
  return (BOARD_METHODS as readonly string[]).includes(method);
}

/** What a session has of its profile's boards. */
export interface BoardPort {
  open(board: string): BoardCalls;
}
