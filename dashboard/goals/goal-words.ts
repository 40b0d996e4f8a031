// Goals in words: their states, what was said of a turn, and the form of a new one. Pure.
import type { Asked } from "../../cli/connection/routes.ts";
import type { StateWord } from "../components/badge.tsx";
import type { Answer } from "../data/api.ts";

export type Goal = Answer<"GET /v1/goals">["goals"][number];
export type GoalDetail = Answer<"GET /v1/goals/{goal}">;
export type Verdict = GoalDetail["verdicts"][number];
export type NewGoal = Asked<"POST /v1/goals">["body"];

/** In the order in which a person wants to see them. */
export const STATES: ({ state: Goal["state"] } & StateWord)[] = [
  { state: "blocked", name: "Blocked", tone: "bad" },
  { state: "active", name: "Active", tone: "accent" },
  { state: "paused", name: "Paused", tone: "warn" },
  { state: "done", name: "Done", tone: "good" },
  { state: "cleared", name: "Cleared", tone: "plain" },
];

export function describeState({ state }: Pick<Goal, "state">): StateWord {
  return STATES.find((one) => one.state === state)!;
}

const KINDS: Record<Verdict["kind"], StateWord> = {
  done: { name: "Reached", tone: "good" },
  blocked: { name: "Blocked", tone: "bad" },
  continue: { name: "Not yet", tone: "plain" },
  wait: { name: "Wait", tone: "plain" },
  unparsed: { name: "No verdict", tone: "warn" },
  unreachable: { name: "Judge not reached", tone: "warn" },
  broken: { name: "Turn broken", tone: "bad" },
};

export function describeVerdict({ kind, failed }: Pick<Verdict, "kind" | "failed">): StateWord {
  if (failed !== undefined) return { name: "A check failed", tone: "bad" };
  return KINDS[kind];
}

/** Goals by state, newest change first. States without goals are left out. */
export function groupGoals(goals: Goal[]): { name: string; goals: Goal[] }[] {
  return STATES.map(({ state, name }) => ({
    name,
    goals: goals.filter((goal) => goal.state === state).toSorted((a, b) => b.updatedAt - a.updatedAt),
  })).filter((group) => group.goals.length > 0);
}

export const CLAUSES = [
  { name: "outcome", label: "Outcome", hint: "What is there when the goal is reached." },
  { name: "verification", label: "Verification", hint: "How it is proved." },
  { name: "constraints", label: "Constraints", hint: "What must stay as it is." },
  { name: "boundaries", label: "Boundaries", hint: "What may be touched, and what not." },
  { name: "stopWhen", label: "Stop when", hint: "When to stop and ask you." },
] as const;

/** All texts. Subgoals and checks have a line each. */
export interface GoalFields extends Record<(typeof CLAUSES)[number]["name"], string> {
  text: string;
  subgoals: string;
  checks: string;
  maxTurns: string;
}

export const EMPTY_GOAL: GoalFields = {
  ...{ text: "", subgoals: "", checks: "", maxTurns: "" },
  ...{ outcome: "", verification: "", constraints: "", boundaries: "", stopWhen: "" },
};

export function toNewGoal(fields: GoalFields, session: string): NewGoal {
  const clauses = CLAUSES.flatMap(({ name }) => (fields[name].trim() === "" ? [] : [[name, fields[name]]]));
  return {
    session,
    text: fields.text,
    contract: Object.fromEntries(clauses),
    subgoals: splitLines(fields.subgoals),
    checks: splitLines(fields.checks).map((command) => ({ command })),
    ...(fields.maxTurns !== "" && { maxTurns: Number(fields.maxTurns) }),
  };
}

export function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
