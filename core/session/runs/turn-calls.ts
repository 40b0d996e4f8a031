// What a program asks of one turn: what became of it, and that it stops. A part of the engine.
import type { Result } from "../../errors.ts";
import type { TurnInfo, TurnReport } from "../../schemas/run.ts";
import { type Engine, UNKNOWN_SESSION, wake } from "../open-engine.ts";
import { readTurn, readTurnInfo } from "./read-turn.ts";

export function createTurnCalls(engine: Engine) {
  const { context, driver } = engine;
  return {
    /** Failures: `session_not_found`, `turn_not_found`. */
    readTurn: (n: number): Result<TurnReport> => (wake(engine) ? readTurn(context, n) : UNKNOWN_SESSION),
    /** The turn for its owner, with whether it can be run again. Failures: as above. */
    readTurnInfo: (n: number): Result<TurnInfo> => (wake(engine) ? readTurnInfo(context, n) : UNKNOWN_SESSION),
    /**
     * Ends this turn and no other; one that has ended stays as it is. A turn that waits for the turns before it ends when its place
     * comes, and is `stopped` from now on. Failures: `session_not_found`, `turn_not_found`.
     */
    async stopTurn(n: number): Promise<Result<TurnReport>> {
      if (!engine.known) return UNKNOWN_SESSION;
      const found = readTurn(context, n);
      if (!found.ok) return found;
      driver.stopOne(context.log.turn(n)!.more.into ?? n);
      await context.jobs.arm();
      return readTurn(context, n);
    },
  };
}
