// A board from afar: its operations as one call of the Board object. Used by routes, tools and commands; the object checks the method's name and
// then does what follows from it (stops a session, tells readers, sets its alarm). Types, and one function. Pure.
import type { Result } from "../errors.ts";
import type { Board } from "./contract.ts";

/** What people, agents and workers may call. The rest is the board's own. */
export const BOARD_METHODS = [
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

type Answered<T> = [T] extends [Result<infer _>] ? T : Result<T>;

/** Failures, beside those of core/board/contract.ts: `board_not_found`. */
export type BoardCalls = {
  [Method in BoardMethod]: (...args: Parameters<Board[Method]>) => Promise<Answered<ReturnType<Board[Method]>>>;
};

/** What the Board object has. The same call with the same `op` may be repeated. */
export interface BoardCallee {
  call(method: BoardMethod, args: unknown[]): Promise<Result<unknown>>;
}

export function toBoardCalls(board: BoardCallee): BoardCalls {
  const calls = BOARD_METHODS.map((method) => [method, (...args: unknown[]) => board.call(method, args)] as const);
  return Object.fromEntries(calls) as unknown as BoardCalls;
}

/** The object's side: the answer of a method, as a Result. */
export function answerCall(board: Pick<Board, BoardMethod>, method: BoardMethod, args: unknown[]): Result<unknown> {
  const answer: unknown = (board[method] as (...args: unknown[]) => unknown)(...args);
  const isResult = typeof answer === "object" && answer !== null && "ok" in answer;
  return isResult ? (answer as Result<unknown>) : { ok: true, value: answer };
}

/** What a session has of its profile's boards. */
export interface BoardPort {
  open(board: string): BoardCalls;
}
