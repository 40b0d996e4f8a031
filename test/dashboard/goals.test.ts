// The pure parts of the page's goals: groups by state, verdicts in words, the form of a new one.
import { expect, it } from "vitest";
import { CreateGoal, GoalVerdict } from "../../core/schemas/agenda/goal.ts";
import { EMPTY_GOAL, type Goal, describeVerdict, groupGoals, toNewGoal } from "../../dashboard/goals/goal-words.ts";

const SESSION = "01J00000000000000000000000";
const GOAL: Goal = {
  ...{ text: "Make the tests pass.", maxTurns: 20, id: "0".repeat(16), session: SESSION, state: "active", reason: "" },
  ...{ createdAt: 1, updatedAt: 1, turns: 0, serial: 1, judged: 0, failures: { parse: 0, transport: 0, check: 0 } },
};

it("lists what needs a person first, and in each state the newest change first", () => {
  const goals = [
    { ...GOAL, id: "1" },
    { ...GOAL, id: "2", state: "done" },
    { ...GOAL, id: "3", updatedAt: 5 },
    { ...GOAL, id: "4", state: "blocked" },
  ] as Goal[];
  expect(groupGoals(goals).map(({ name, goals: group }) => [name, group.map(({ id }) => id)])).toEqual([
    ["Blocked", ["4"]],
    ["Active", ["3", "1"]],
    ["Done", ["2"]],
  ]);
});

it("has words for each verdict, and a check that fails says more than the judge", () => {
  for (const { shape } of GoalVerdict.options) {
    expect(describeVerdict({ kind: shape.kind.value }).name).not.toBe("");
  }
  expect(describeVerdict({ kind: "done", failed: "exit code 1" })).toEqual({ name: "A check failed", tone: "bad" });
});

it("makes a body that the API takes, without what was left empty", () => {
  const least = toNewGoal({ ...EMPTY_GOAL, text: "Do it." }, SESSION);
  expect(CreateGoal.parse(least)).toEqual({ session: SESSION, text: "Do it.", contract: {}, subgoals: [], checks: [] });
  const full = {
    ...EMPTY_GOAL,
    text: "Do it.",
    outcome: "Done.",
    subgoals: "one\n\n two ",
    checks: "npm test",
    maxTurns: "9",
  };
  expect(CreateGoal.parse(toNewGoal(full, SESSION))).toMatchObject({
    ...{ contract: { outcome: "Done." }, subgoals: ["one", "two"], checks: [{ command: "npm test" }], maxTurns: 9 },
  });
});
