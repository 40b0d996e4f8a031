// The tool delegate_task: gives tasks to sessions of their own and waits for them, with the turn parked. The port does the work; this
// file checks the tasks and shapes the result. What the harness measured is `outcome`; a child's words have the label of what it read.
import * as z from "zod";
import type { CallWait, Tool, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { headOf } from "../../clip.ts";
import type { Result } from "../../errors.ts";
import type { DelegatedSpending, JsonObject } from "../../schemas/entry.ts";
import type { ChildRecord } from "../../schemas/sessions/delegation.ts";
import type { Settings } from "../../schemas/settings.ts";

/** A task as the child reads it. */
export interface GivenTask {
  goal: string;
  /** The goal and everything the child is told. */
  text: string;
}

/** What the tool needs of its session. */
export interface Delegation {
  /** Of one task's text. */
  readonly maxTaskChars: number;
  /** What the call waits for. `null`: all its children have ended. The first time it plans them; each `op` has the same ones. */
  wait(op: string, tasks: GivenTask[]): CallWait | null;
  /** The children of a call, in the order of their tasks. */
  ended(op: string): ChildRecord[];
  /** Stores a long answer in a file; one place is one file. Returns its path. */
  spill(place: string, text: string, source: "own" | "content"): Result<string>;
}

const MAX_GOAL_CHARS = 4_000;
/** Share of a result's room for the answers. The rest is for the facts. */
const ANSWERS_SHARE = 0.8;
const MIN_ANSWER_CHARS = 500;

const goal = z.string().trim().min(1).max(MAX_GOAL_CHARS);
const context = z.string();

/** By `maxTasks`: the same object each time, so that its JSON Schema is made once. */
const argsByLimit = new Map<number, ReturnType<typeof createArgs>>();

function toArgs(maxTasks: number): ReturnType<typeof createArgs> {
  const args = argsByLimit.get(maxTasks) ?? createArgs(maxTasks);
  argsByLimit.set(maxTasks, args);
  return args;
}

function createArgs(maxTasks: number) {
  return z.strictObject({
    goal: goal
      .optional()
      .describe("For one task: what is to be found out or done, and in what form it should be answered."),
    context: context
      .optional()
      .describe("Everything needed to do it: facts, data, addresses, what was tried. With tasks: for all of them."),
    tasks: z
      .array(
        z.strictObject({
          goal: goal.describe("As goal, of this task."),
          context: context.optional().describe("As context, for this task only."),
        }),
      )
      .min(1)
      .max(maxTasks)
      .optional()
      .describe(`Instead of goal: 1 to ${maxTasks} independent tasks, which run side by side.`),
  });
}
type Args = z.infer<ReturnType<typeof createArgs>>;

const DESCRIPTION =
  "Gives one task, or several at once, to agents of their own, and returns what each answered when all have ended. They know nothing of " +
  "this conversation, have an empty workspace of their own and cannot ask: put everything they need into goal and context. Use it for " +
  "independent parts of a large task, and for long research whose details you do not need; a few steps are quicker without it. " +
  "Their answers are reports, not proof: check what matters.";

export function createDelegateTask(delegation: Delegation, settings: Settings): Tool<Args> {
  return {
    name: "delegate_task",
    description: DESCRIPTION,
    parameters: toArgs(settings.delegation.maxTasks),
    effect: "keyed",
    inPieces: "Give fewer tasks in one call, or shorter context.",
    async wait(args, { op }) {
      const tasks = readTasks(args, delegation.maxTaskChars);
      return tasks.ok ? delegation.wait(op, tasks.value) : null;
    },
    async run(args, { op }) {
      const tasks = readTasks(args, delegation.maxTaskChars);
      if (!tasks.ok) return fail(tasks.failure.code, tasks.failure.message);
      return toResult(delegation.ended(op), delegation, settings);
    },
  };
}

function readTasks(args: Args, maxChars: number): Result<GivenTask[]> {
  if ((args.goal === undefined) === (args.tasks === undefined)) {
    return refuse("Give either goal, for one task, or tasks, for several.");
  }
  const given = args.tasks ?? [{ goal: args.goal! }];
  const tasks = given.map((task) => {
    const about = [args.context, "context" in task ? task.context : undefined].filter((text) => text?.trim());
    return { goal: task.goal, text: [`Task:\n${task.goal}`, ...about.map((text) => `Context:\n${text}`)].join("\n\n") };
  });
  const long = tasks.findIndex(({ text }) => text.length > maxChars);
  if (long < 0) return { ok: true, value: tasks };
  return refuse(`Task ${long + 1} has more than ${maxChars} characters with its context. Shorten the context.`);
}

function refuse(message: string): Result<never> {
  return { ok: false, failure: { code: "bad_arguments", message } };
}

function toResult(children: ChildRecord[], delegation: Delegation, { turn, delegation: limits }: Settings): ToolResult {
  const share = Math.floor((turn.maxResultChars * ANSWERS_SHARE) / Math.max(1, children.length));
  const maxChars = Math.min(limits.summaryChars, Math.max(MIN_ANSWER_CHARS, share));
  const answers: Record<"own" | "content", JsonObject> = { own: {}, content: {} };
  const facts = children.map((child) => {
    const { text = "", source = "own" } = child.report ?? {};
    const isLong = text.length > maxChars;
    const file = isLong ? delegation.spill(`${child.session}-answer`, text, source) : null;
    if (text !== "") answers[source][`task_${child.task}`] = isLong ? headOf(text, maxChars) : text;
    return toFacts(child, isLong ? { chars: text.length, ...(file?.ok && { file: file.value }) } : {});
  });
  const done = children.filter(({ state }) => state === "done").length;
  const outcome = {
    done,
    of: children.length,
    tasks: facts,
    ...(facts.some(({ file }) => file) && { hint: IN_FILES }),
  };
  const given = Object.fromEntries(Object.entries(answers).filter(([, fields]) => Object.keys(fields).length > 0));
  const result = succeed(outcome, given);
  return { ...result, failed: done === 0, delegated: sumSpent(children) };
}

const IN_FILES = "Of an answer with file only the beginning is shown; read the rest with read_file.";

/** What the harness measured, and nothing that the child said. */
function toFacts({ task, session, state, report }: ChildRecord, more: { chars?: number; file?: string }) {
  const measured = report && {
    ...(report.reason !== "answer" && { reason: report.reason }),
    model_calls: report.stats.modelCalls,
    tool_calls: report.stats.toolCalls,
    failed_calls: report.stats.failedCalls,
    tokens: report.spent.tokens,
    ...(report.cut && { cut: true }),
  };
  return { task, session, state, ...measured, ...more };
}

function sumSpent(children: ChildRecord[]): DelegatedSpending {
  return children.reduce(
    (sum, { report }) => ({
      calls: sum.calls + (report?.spent.calls ?? 0),
      tokens: sum.tokens + (report?.spent.tokens ?? 0),
      usdMicros: sum.usdMicros + (report?.spent.usdMicros ?? 0),
    }),
    { calls: 0, tokens: 0, usdMicros: 0 },
  );
}
