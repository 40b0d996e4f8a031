// The operations of a board as they are called from other objects: by name, each answered with a Result. The Board object answers them; tools
// and routes call them through `openBoardCalls`. What only the dispatch may do is not among them.
import type { Result } from "../errors.ts";
import type { Board, Changed } from "./contract.ts";

const CHANGES = [
  ...(["create", "update", "delete", "assign", "move", "comment", "link", "unlink", "promote", "start"] as const),
  ...(["complete", "block", "unblock", "requestReview", "requestChanges", "heartbeat", "reclaim", "cancel"] as const),
  ...(["archive", "attach", "detach"] as const),
] satisfies (keyof Board)[];
const READS = [
  ...(["show", "list", "stats", "readAttachment", "events", "lastEvent", "comments", "runs", "findRun"] as const),
] satisfies (keyof Board)[];
export type BoardCallName = (typeof CHANGES | typeof READS)[number];

type Answer<Given> = Given extends Result<unknown> ? Given : Result<Given>;

/**
 * As the operations of core/board/contract.ts. Further failures of each: `board_not_found`, `profile_gone`. A change on the board `main` makes
 * the board. Rejects if the board cannot be reached: the same call with the same `op` may be repeated.
 */
export type BoardCalls = {
  [Name in BoardCallName]: (...args: Parameters<Board[Name]>) => Promise<Answer<ReturnType<Board[Name]>>>;
};

export function isBoardCall(name: string): name is BoardCallName {
  return isBoardChange(name) || (READS as string[]).includes(name);
}

/** The others only read. */
export function isBoardChange(name: string): boolean {
  return (CHANGES as string[]).includes(name);
}

/** `call`: carries one call to the Board object. */
export function openBoardCalls(call: (name: BoardCallName, args: unknown[]) => Promise<Result<unknown>>): BoardCalls {
  const entries = [...CHANGES, ...READS].map((name) => [name, (...args: unknown[]) => call(name, args)]);
  return Object.fromEntries(entries) as BoardCalls;
}

/** The run that a call took away from its worker. */
export function readStopped(answer: Result<unknown>): Changed["stopped"] {
  const value = answer.ok ? (answer.value as Partial<Changed> | null) : null;
  return value?.stopped ?? null;
}
