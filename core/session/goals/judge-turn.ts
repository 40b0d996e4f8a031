// What a turn showed of its session's goal: the goal's checks over a copy of the files, then the judge. Called by carry-goal.ts. It writes
// nothing. Never throws for what a judge or a check does.
import type { ModelFailure } from "../../agent/contract.ts";
import { askModel } from "../../agent/model-turn.ts";
import { describeSpec } from "../../goals/goal-text.ts";
import { readVerdict } from "../../goals/read-verdict.ts";
import { goalPrompt, renderGoalRequest } from "../../prompts/goal.ts";
import { redactText } from "../../redact.ts";
import type { Goal, GoalCheck, GoalVerdict } from "../../schemas/agenda/goal.ts";
import { textOf } from "../../schemas/entry.ts";
import { type SpentCall, toSpentCall } from "../../schemas/usage.ts";
import type { EngineContext } from "../context.ts";
import { hasBudgetOutsideTurn } from "../ledger.ts";

/** The end of the answer that the judge reads. [hermes] */
const MAX_ANSWER_CHARS = 4_000;
/** [hermes] goal_judge */
const MAX_OUTPUT_TOKENS = 4_096;
const JUDGE_MS = 60_000;
/** The end of what a failing check printed. [hermes] */
const MAX_TAIL_CHARS = 3_000;
/** Of all text files that checks may read. */
const MAX_COPIED_CHARS = 4_000_000;

export interface JudgedGoal {
  verdict: GoalVerdict;
  /** All calls that were charged. */
  spent: SpentCall[];
}

/** `booking`: the id under which the calls will be booked. */
export async function judgeTurn(
  context: EngineContext,
  goal: Goal,
  { turn, booking }: { turn: number; booking: string },
): Promise<JudgedGoal> {
  const { host, log } = context;
  const results = await runGoalChecks(context, goal.checks);
  const models = host.models("goal");
  const spent: SpentCall[] = [];
  const unreachable = (reason: string): JudgedGoal => ({ verdict: { kind: "unreachable", reason }, spent });
  if (!models.ok) return unreachable(models.failure.message.slice(0, 400));
  if (!(await hasBudgetOutsideTurn(context, booking))) return unreachable("The budget is spent.");
  const { input, final } = log.turn(turn)!;
  const own = log.entries(input!, final!).filter((entry) => entry.turn === turn && entry.kind === "assistant");
  const answer = redactText(own.map(textOf).at(-1) ?? "")
    .slice(-MAX_ANSWER_CHARS)
    .toWellFormed();
  const checks = results.map(
    ({ command, passed, tail }) => `${passed ? "succeeded" : "FAILED"}: ${command}${passed ? "" : `\n${tail}`}`,
  );
  const charge = (failure: ModelFailure) => void (failure.spent && spent.push(failure.spent));
  const over = new AbortController();
  const limit = new AbortController();
  void host.clock
    .sleep(JUDGE_MS, limit.signal)
    .then(() => over.abort())
    .catch(() => undefined);
  const { result } = await askModel({
    models: models.value,
    at: 0,
    request: {
      system: goalPrompt(),
      messages: [{ role: "user", text: renderGoalRequest({ goal: describeSpec(goal), checks, answer }) }],
      tools: [],
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      toolChoice: "none",
      effort: host.settings.models.effort.goal,
      cacheKey: `${host.session}:goal`,
    },
    limits: { ...host.settings.turn, modelRetries: 0 },
    clock: host.clock,
    random: host.random,
    signal: over.signal,
    sink: { text() {}, reasoning() {}, restart: charge },
    mayEndSilent: true, // an empty answer has no verdict
  }).finally(() => limit.abort());
  if (!result.ok) {
    charge(result.failure);
    return unreachable(`The judge could not be asked (${result.failure.code}).`);
  }
  spent.push(toSpentCall(result.value));
  const verdict = readVerdict(redactText(result.value.text));
  const failed = results.find(({ passed }) => !passed);
  if (verdict.kind !== "done" || !failed) return { verdict, spent };
  return {
    verdict: { ...verdict, failed: `$ ${failed.command}\n${failed.tail}`.slice(0, 4_000).toWellFormed() },
    spent,
  };
}

interface RanCheck {
  command: string;
  passed: boolean;
  /** The end of its output, or why it could not be run. */
  tail: string;
}

/** One after the other: each may use all the memory that is reserved for a check. */
async function runGoalChecks({ host, workspace, meta }: EngineContext, checks: GoalCheck[]): Promise<RanCheck[]> {
  if (checks.length === 0) return [];
  const failAll = (tail: string) => checks.map(({ command }) => ({ command, passed: false, tail }));
  const shell = host.runChecks?.shell;
  if (!shell) return failAll("This deployment runs no checks.");
  if (meta().backend === "host")
    return failAll("Checks run over the session's workspace, and this session works on an exec host.");
  const files: Record<string, string> = {};
  let left = MAX_COPIED_CHARS;
  for (const { path, size } of workspace.list()) {
    if (size > left) continue;
    const text = workspace.readText(path)?.text ?? null;
    if (text === null) continue;
    files[path] = text;
    left -= text.length;
  }
  const ran: RanCheck[] = [];
  for (const { command, exitCode: expected } of checks) {
    try {
      const { exitCode, stdout, stderr, stopped } = await shell({ files }, command, { keep: "end" });
      const printed = redactText([stdout, stderr].filter(Boolean).join("\n")).trimEnd();
      const output = printed.slice(-MAX_TAIL_CHARS).toWellFormed();
      const why = stopped ? `it was stopped (${stopped})` : `exit code ${exitCode} instead of ${expected}`;
      ran.push({ command, passed: !stopped && exitCode === expected, tail: `${output}\n[${why}]` });
    } catch (error) {
      host.report("goal check", error);
      ran.push({ command, passed: false, tail: "It could not be run." });
    }
  }
  return ran;
}
