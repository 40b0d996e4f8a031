// The goals of a profile over node:sqlite, as its sessions reach them: a double of the Agenda that is the real state machine.
import { GOAL_SCHEMA } from "../../../core/goals/goal-rows.ts";
import { createGoals, sessionOf } from "../../../core/goals/goals.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { GoalPort } from "../../../core/session/context.ts";
import { createNodeSql } from "../bindings/node-sql.ts";
import type { TestClock } from "../clock.ts";

export type GoalDesk = ReturnType<typeof createGoalDesk>;

export function createGoalDesk(clock: TestClock) {
  const sql = createNodeSql();
  for (const query of GOAL_SCHEMA) sql.run(query);
  const goals = createGoals({ sql, clock, limits: () => DEFAULTS.goals });
  const state = { isDown: false, calls: 0 };
  const ask = () => {
    state.calls++;
    if (state.isDown) throw new Error("the agenda does not answer");
  };
  const portOf = (of: string): GoalPort => ({
    async newest() {
      ask();
      return goals.newestOf(of);
    },
    async begin(goal) {
      ask();
      return goals.begin({ ...goal, session: of });
    },
    async change(id, change, source) {
      ask();
      return goals.change(id, change, source);
    },
    async takeVerdict(id, turn, verdict) {
      ask();
      return goals.takeVerdict(id, { session: of, turn }, verdict);
    },
  });
  /** Tells the sessions that are owed word, as the Agenda does. */
  async function tell(look: (session: string) => Promise<boolean>): Promise<void> {
    for (const word of goals.due()) {
      const of = sessionOf(word);
      if (of && !(await look(of))) goals.loseSession(of);
      goals.settle(word);
    }
  }
  return { goals, portOf, state, tell };
}
