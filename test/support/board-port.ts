// The boards of a profile over node:sqlite, as a session reaches them: real state machines in place of the Board objects. Kept through a session's crash.
import { type BoardPort, answerCall, toBoardCalls } from "../../core/board/board-calls.ts";
import { err } from "../../core/errors.ts";
import type { Rig } from "../board/board-rig.ts";

export function createBoardPort(rigs: Record<string, Rig>): BoardPort & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    open: (name) =>
      toBoardCalls({
        async call(method, args) {
          asked.push(method);
          const rig = Object.hasOwn(rigs, name) ? rigs[name] : undefined;
          // As between objects: nothing but values crosses.
          return rig ? structuredClone(answerCall(rig.board, method, structuredClone(args))) : NOT_FOUND;
        },
      }),
  };
}

const NOT_FOUND = err("board_not_found", "There is no such board. Make it first.");
