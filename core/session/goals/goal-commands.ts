// `/goal` and `/subgoal`: a person sets a goal for this session, looks at it and steers it. Called by run-command.ts. The id of a new goal
// is made from the command's turn, so that a command that is repeated after a crash sets it once.
import { describeSpec, describeState, readGoalText } from "../../goals/goal-text.ts";
import { type Goal, type GoalChange, GoalSpec, MAX_SUBGOALS, Subgoal } from "../../schemas/agenda/goal.ts";
import { toTurnId } from "../../schemas/ids.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { EngineContext, GoalPort } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import type { NoticeEnding } from "../turn/endings.ts";
import { GOAL_ROW, readGoalRow, toLastingOrigin } from "./plan-goal.ts";

interface GoalCommand {
  context: EngineContext;
  turn: TurnRow;
  goals: GoalPort;
}

const NO_GOAL = "This session has no goal. /goal TEXT sets one.";
const USAGE = "/goal TEXT, draft TEXT, show, status, pause, resume, clear, wait MINUTES, unwait.";
const SUBGOAL_USAGE = "/subgoal TEXT, list, remove N, clear.";
/** `help`, `stop` or a mistyped word: no goal that twenty turns are to be spent on. */
const ONE_WORD = /^[a-z-]+$/i;
const MAX_WAIT_MINUTES = 30 * 24 * 60;

/** The first word decides; a text that begins with another word is the goal. */
export async function runGoal(run: Omit<GoalCommand, "goals">, argument: string): Promise<NoticeEnding> {
  const command = openGoals(run);
  if ("state" in command) return command;
  const [word = ""] = argument.split(/\s/, 1);
  const rest = argument.slice(word.length).trim();
  const isAlone = rest === "";
  if (word === "" || (isAlone && word === "status")) return say(await describeNewest(command, describeState));
  if (isAlone && word === "show") {
    return say(await describeNewest(command, (goal, now) => `${describeState(goal, now)}\n\n${describeSpec(goal)}`));
  }
  if (word === "draft") return say(draft(rest));
  if (isAlone && (word === "pause" || word === "resume" || word === "clear" || word === "unwait")) {
    return change(command, () => ({ do: word }));
  }
  if (word === "wait" && (isAlone || /^\d+$/.test(rest))) {
    const minutes = Number(rest);
    if (!(minutes >= 1 && minutes <= MAX_WAIT_MINUTES))
      return refuse("bad_goal", `/goal wait MINUTES: 1 to ${MAX_WAIT_MINUTES}.`);
    return change(command, () => ({ do: "wait", seconds: minutes * 60 }));
  }
  if (ONE_WORD.test(argument)) return word === "help" ? say(USAGE) : refuse("bad_goal", oneWord(word, USAGE));
  return set(command, argument);
}

/** `/subgoal TEXT` adds one; `list`, `remove N`, `clear`. */
export async function runSubgoal(run: Omit<GoalCommand, "goals">, argument: string): Promise<NoticeEnding> {
  const command = openGoals(run);
  if ("state" in command) return command;
  const goal = await command.goals.newest();
  if (!goal) return refuse("goal_not_found", NO_GOAL);
  const { subgoals } = goal;
  const [, n] = /^remove\s+(\d{1,3})$/.exec(argument) ?? [];
  if (argument === "" || argument === "list") return say(listSubgoals(goal));
  if (argument === "clear") return change(command, () => ({ do: "subgoals", subgoals: [] }));
  if (n !== undefined) {
    const at = Number(n) - 1;
    if (!(at >= 0 && at < subgoals.length))
      return refuse("bad_goal", `There is no subgoal ${n}. ${listSubgoals(goal)}`);
    return change(command, () => ({ do: "subgoals", subgoals: subgoals.filter((_, i) => i !== at) }));
  }
  if (ONE_WORD.test(argument))
    return argument === "help" ? say(SUBGOAL_USAGE) : refuse("bad_goal", oneWord(argument, SUBGOAL_USAGE));
  const added = Subgoal.safeParse(argument);
  if (!added.success) return refuse("bad_goal", "A subgoal has 1 to 500 characters.");
  // Repeated after a crash, it is there already.
  if (subgoals.at(-1) === added.data) return say(listSubgoals(goal));
  if (subgoals.length >= MAX_SUBGOALS) return refuse("bad_goal", `A goal has at most ${MAX_SUBGOALS} subgoals.`);
  return change(command, () => ({ do: "subgoals", subgoals: [...subgoals, added.data] }));
}

/** Only conversations work at goals: nobody answers elsewhere. */
function openGoals({ context, turn }: Omit<GoalCommand, "goals">): GoalCommand | NoticeEnding {
  const { goals } = context.host;
  if (!goals || context.meta().kind !== undefined) return refuse("goal_not_here", "Only a chat can work at a goal.");
  return { context, turn, goals };
}

async function set(command: GoalCommand, written: string): Promise<NoticeEnding> {
  const { checks, ...rest } = readGoalText(written);
  const spec = GoalSpec.safeParse({ ...rest, checks: checks.map((command) => ({ command })) });
  if (!spec.success) {
    const [issue] = spec.error.issues;
    return refuse("bad_goal", `The goal is not right at \`${issue!.path.join(".")}\`: ${issue!.message}. ${USAGE}`);
  }
  return beginGoal(command, spec.data);
}

/** Gives the session this goal. Also called for `/blueprint`. */
export async function beginGoal(run: Omit<GoalCommand, "goals">, spec: GoalSpec): Promise<NoticeEnding> {
  const command = openGoals(run);
  if ("state" in command) return command;
  const { context, turn, goals } = command;
  const { host } = context;
  const id = sha256Hex(toTurnId(host.session, turn.n)).slice(0, 16);
  const { source } = turn.more;
  const begun = await goals.begin({ id, spec, since: turn.n, ...(source && { source }) });
  if (!begun.ok) return refuse(begun.failure.code, begun.failure.message);
  const goal = begun.value;
  return { ...say(`Set. ${describeState(goal, host.clock.now())}`), also: () => work(context, turn, goal) };
}

async function change(
  { context, turn, goals }: GoalCommand,
  toChange: (goal: Goal) => GoalChange,
): Promise<NoticeEnding> {
  const goal = await goals.newest();
  if (!goal) return refuse("goal_not_found", NO_GOAL);
  const changed = await goals.change(goal.id, toChange(goal), turn.more.source);
  if (!changed.ok) return refuse(changed.failure.code, changed.failure.message);
  const { value } = changed;
  const text = toChange(goal).do === "subgoals" ? listSubgoals(value) : describeState(value, context.host.clock.now());
  return { ...say(text), also: () => work(context, turn, value) };
}

/** Inside the transaction that ends the command's turn: the session does now what the goal's state asks for. */
function work(context: EngineContext, { more }: TurnRow, goal: Goal): void {
  const channel = toLastingOrigin(more.channel) ?? context.meta().goal?.channel;
  context.changeMeta({
    goal: { id: goal.id, ...(channel && { channel }), ...(goal.state !== "active" && { over: true }) },
  });
  const job = readGoalRow(context)?.job ?? {
    kind: "goal",
    ...(more.settingsRev !== undefined && { settingsRev: more.settingsRev }),
  };
  context.jobs.put(GOAL_ROW, context.host.clock.now(), job);
}

async function describeNewest(
  { context, goals }: GoalCommand,
  describe: (goal: Goal, now: number) => string,
): Promise<string> {
  const goal = await goals.newest();
  return goal ? describe(goal, context.host.clock.now()) : NO_GOAL;
}

/** What would be set, with what is missing: nothing is stored. */
function draft(written: string): string {
  const { text, contract, checks } = readGoalText(written);
  const read = describeSpec({
    text,
    contract,
    subgoals: [],
    checks: checks.map((command) => ({ command, exitCode: 0 })),
  });
  const missing = (["outcome", "verification", "constraints", "boundaries", "stop_when"] as const).filter(
    (name) => contract[name === "stop_when" ? "stopWhen" : name] === undefined,
  );
  const more =
    missing.length === 0
      ? ""
      : `\n\nYou may add lines: ${missing.map((name) => `\`${name}: …\``).join(", ")}, \`check: COMMAND\`.`;
  return `Not set. This is how it would be read:\n\n${read}${more}\n\nSend it again as /goal TEXT.`;
}

function oneWord(word: string, usage: string): string {
  return `'${word}' is one word: say in a sentence what is to be reached. ${usage}`;
}

function listSubgoals({ subgoals }: Goal): string {
  return subgoals.length === 0
    ? "The goal has no subgoals."
    : subgoals.map((subgoal, i) => `${i + 1}. ${subgoal}`).join("\n");
}

function say(text: string): NoticeEnding {
  return { state: "done", code: "goal", text };
}

function refuse(code: string, text: string): NoticeEnding {
  return { state: "failed", code, text };
}
