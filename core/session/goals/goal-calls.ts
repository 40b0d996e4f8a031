// What the profile's Agenda asks of a session about its goal. Part of the engine's calls.
import type { Engine } from "../open-engine.ts";
import { wake } from "../open-engine.ts";
import { GOAL_ROW, readGoalRow } from "./plan-goal.ts";

export function createGoalCalls(engine: Engine) {
  const { context, outbox } = engine;
  const { host, jobs } = context;
  return {
    /** The session's goal has changed: it looks what follows. Idempotent. False: there is no such session. */
    async lookAtGoal(): Promise<boolean> {
      if (!wake(engine)) return false;
      const job = readGoalRow(context)?.job ?? { kind: "goal" };
      // An attempt that runs sees that something has changed, and does not end what it has not read.
      jobs.put(GOAL_ROW, host.clock.now(), { ...job, looks: (job.looks ?? 0) + 1 });
      await jobs.arm();
      host.background(outbox.drain());
      return true;
    },
  };
}
