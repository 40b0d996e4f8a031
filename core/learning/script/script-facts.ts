// Reads facts from the script of a review or of a curation's work: the calls with their outcomes, and what its models used and
// cost. The script of a resumed run includes the runs before it. Pure.
import * as z from "zod";
import { type JsonObject, NO_USAGE, type ToolCall, addUsage } from "../../schemas/entry.ts";
import type { ReviewResult, ReviewStep } from "../../schemas/learning/review.ts";
import { SpentCall, type UsageLine, toSpentCall, toUsageLines } from "../../schemas/usage.ts";
import { readRecordedAction } from "../../tools/skills/skill-manage.ts";
import { readOutcome } from "../tool-facts.ts";

/** A finished call of the script: its arguments, what its intent recorded, and its outcome. */
export interface ScriptCall {
  call: ToolCall;
  /** The number of the answer in the script that made the call, from 1. */
  answer: number;
  prepared: JsonObject;
  failed: boolean;
  /** The facts that the harness recorded. */
  outcome: JsonObject;
}

/** In the order of the calls. */
export function callsOf(script: ReviewStep[]): ScriptCall[] {
  const asked = new Map<string, ToolCall>();
  const calls: ScriptCall[] = [];
  let answer = 0;
  let prepared: JsonObject = {};
  for (const step of script) {
    if (step.kind === "answer") {
      answer += 1;
      // Some models number their calls from 1 in every answer, so an id means the latest call with it.
      for (const call of step.answer.calls) asked.set(call.id, call);
    }
    if (step.kind === "intent") prepared = step.prepared;
    if (step.kind !== "outcome") continue;
    const call = asked.get(step.call);
    if (call) calls.push({ call, answer, prepared, failed: step.failed, outcome: readOutcome(step) });
    prepared = {};
  }
  return calls;
}

/**
 * Whether the model had read a skill before it wrote the current answer. A view in the same answer comes too late. Skills that it
 * created, or that its request showed, count as read.
 */
export function hasViewed(script: ReviewStep[], name: string): boolean {
  const [first] = script;
  if (first?.kind === "start" && first.read?.includes(name)) return true;
  const answers = answersOf(script).length;
  return callsOf(script).some(({ call, answer, failed, outcome }) => {
    if (failed || outcome.name !== name) return false;
    if (call.name === "skill_view") return answer < answers;
    return call.name === "skill_manage" && readRecordedAction(call.args) === "create";
  });
}

export function refusalsOf(calls: ScriptCall[]): ReviewResult["refused"] {
  return calls
    .filter((made) => made.failed)
    .map(({ call, outcome }) => ({
      tool: call.name,
      code: typeof outcome.code === "string" ? outcome.code : "failed",
      message: typeof outcome.error === "string" ? outcome.error : "",
    }));
}

export function answersOf(script: ReviewStep[]) {
  return script.flatMap((step) => (step.kind === "answer" ? [step.answer] : []));
}

/** The cost figures of a result. `failed`: calls without an answer that were billed anyway. */
export function costOf(script: ReviewStep[], failed: SpentCall[]) {
  const answers = answersOf(script);
  return {
    modelCalls: answers.length,
    usage: answers.reduce((sum, answer) => addUsage(sum, answer.usage), NO_USAGE),
    spent: sumSpending(script, failed),
  };
}

type Spent = NonNullable<ReviewResult["spent"]>;

/** One line for each model and price source. */
export function sumSpending(script: ReviewStep[], failed: SpentCall[] = []): Spent {
  const lines = toReviewLines([...script.flatMap(callsOfStep), ...failed]);
  return lines.map(({ model, calls, usage, usdMicros, source }) => ({
    model,
    calls,
    usage,
    cost: { usdMicros, source },
  }));
}

/** Calls of the second judge are recorded with the intent of the write. */
const Judged = z.object({ judged: z.object({ spent: z.array(SpentCall) }) });

function callsOfStep(step: ReviewStep): SpentCall[] {
  if (step.kind === "answer") return [toSpentCall(step.answer)];
  return (step.kind === "intent" && Judged.safeParse(step.prepared).data?.judged.spent) || [];
}

export function toReviewLines(calls: (SpentCall | Spent[number])[]): UsageLine[] {
  return toUsageLines(calls.map((call) => ({ kind: "review", ...call })));
}
