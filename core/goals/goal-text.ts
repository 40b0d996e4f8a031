// A goal in words: what a person writes after `/goal`, and what people read of a goal. Pure. Called by the session's commands.
import type { Goal, GoalContract } from "../schemas/agenda/goal.ts";
import { escapeTags } from "../prompt-block.ts";

const CLAUSES = {
  outcome: "Outcome",
  verification: "Verification",
  constraints: "Constraints",
  boundaries: "Boundaries",
  stopWhen: "Stop when",
} as const satisfies Record<keyof GoalContract, string>;

type Clause = keyof GoalContract;

const NAMED: Record<string, Clause | "check"> = {
  outcome: "outcome",
  verification: "verification",
  constraints: "constraints",
  boundaries: "boundaries",
  stop_when: "stopWhen",
  "stop when": "stopWhen",
  check: "check",
};

export interface WrittenGoal {
  text: string;
  contract: Partial<Record<Clause, string>>;
  /** Commands. */
  checks: string[];
}

/** Lines that begin with the name of a clause and a colon are the contract; `check:` names a command. All other lines are the objective. */
export function readGoalText(written: string): WrittenGoal {
  const goal: WrittenGoal = { text: "", contract: {}, checks: [] };
  const lines: string[] = [];
  for (const line of written.split("\n")) {
    const at = line.indexOf(":");
    const name = at < 0 ? undefined : NAMED[line.slice(0, at).trim().toLowerCase()];
    const value = line.slice(at + 1).trim();
    if (name === undefined) lines.push(line);
    else if (name === "check") goal.checks.push(value);
    else goal.contract[name] = goal.contract[name] === undefined ? value : `${goal.contract[name]}\n${value}`;
  }
  return { ...goal, text: lines.join("\n").trim() };
}

/** The objective with its contract, subgoals and checks. */
export function describeSpec({
  text,
  contract,
  subgoals,
  checks,
}: Pick<Goal, "text" | "contract" | "subgoals" | "checks">): string {
  const clauses = Object.entries(CLAUSES).flatMap(([name, title]) => {
    const value = contract[name as Clause];
    return value === undefined ? [] : [`${title}: ${value}`];
  });
  return [
    text,
    ...clauses,
    ...(subgoals.length > 0 ? ["Subgoals:", ...subgoals.map((subgoal, i) => `${i + 1}. ${subgoal}`)] : []),
    ...(checks.length > 0 ? ["Checks that must succeed:", ...checks.map(({ command }) => `- ${command}`)] : []),
  ].join("\n");
}

/** One line: what state it is in, and why. */
export function describeState({ state, reason, turns, maxTurns, waitUntil }: Goal, now: number): string {
  const waits = state === "active" && waitUntil !== undefined && waitUntil > now;
  const until = waits ? `, waiting until ${new Date(waitUntil).toISOString()}` : "";
  const why = reason === "" ? "" : ` ${reason}`;
  return `The goal is ${state}${until}: ${turns} of ${maxTurns} turns.${why}`;
}

/** The message with which its session goes on, by who says what. The same goal and number give the same parts, unless a person changed it. */
export function renderContinuation(goal: Goal): { source: "principal" | "content"; text: string }[] {
  const head = goal.serial === 1 ? "Work on this goal until it is reached." : "Go on with the goal.";
  const ask =
    "Do the next step now. If only a person can help, say what you need. When it is reached, say what proves it.";
  const words = { source: goal.source ?? ("principal" as const), text: `${head}\n\n${describeSpec(goal)}\n\n${ask}` };
  // The judge has read what the agent wrote, which may hold words of files and pages.
  const missing = goal.serial > 1 && goal.reason !== "" ? [`Not reached yet, as a judge says: ${goal.reason}`] : [];
  const failed =
    goal.failed === undefined
      ? []
      : [`A check that must succeed has failed. The end of what it printed:\n${goal.failed}`];
  const others = [...missing, ...failed].map((text) => `\n\n<content>\n${escapeTags(text)}\n</content>`);
  return [words, ...others.map((text) => ({ source: "content" as const, text }))];
}
