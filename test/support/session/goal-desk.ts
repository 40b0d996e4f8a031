// The goals of a profile over node:sqlite, as a session reaches them: a double of the Agenda that is the real state machine.
import { GOAL_SCHEMA } from "../../../core/goals/goal-rows.ts";
import { createGoals } from "../../../core/goals/goals.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { GoalPort } from "../../../core/session/context.ts";
import { createNodeSql } from "../bindings/node-sql.ts";
import type { TestClock } from "../clock.ts";

export function createGoalDesk(clock: TestClock, session: string) {
  const sql = createNodeSql();
  for (const query of GOAL_SCHEMA) sql.run(query);
  const goals = createGoals({ sql, clock, limits: () => DEFAULTS.goals });
  const state = { isDown: false, calls: 0 };
  const ask = () => {
    state.calls++;
    if (state.isDown) throw new Error("the agenda does not answer");
  };
  const port: GoalPort = {
    async newest() {
      ask();
      return goals.newestOf(session);
    },
    async begin(goal) {
      ask();
      return goals.begin({ ...goal, session });
    },
    async change(id, change) {
      ask();
      return goals.change(id, change);
    },
    async takeVerdict(id, turn, verdict) {
      ask();
      return goals.takeVerdict(id, { session, turn }, verdict);
    },
  };
  return { goals, port, state };
}
