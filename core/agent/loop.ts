// The agent loop: ask the model, run the tools it calls, again, until it answers. Written once: a session's turn and a
// background review run through it, each with a journal of its own. It keeps no state between calls and knows neither
// storage nor readers.
import type { Failure } from "../errors.ts";
import type { Clock, Random } from "../ports.ts";
import { type Answer, NO_STATS, type TurnStats, addUsage } from "../schemas/entry.ts";
import type { Journal, Message, Model, Tool } from "./contract.ts";
import { askModel } from "./model-turn.ts";
import { type CallRules, runToolCall } from "./tool-calls.ts";
import { toToolSpecs } from "./tool-specs.ts";

export interface LoopOptions {
  model: Model;
  tools: Tool[];
  journal: Journal;
  system: string;
  /** Everything before this turn's first answer, the input included. */
  history: Message[];
  limits: { maxSteps: number; maxOutputTokens: number; modelRetries: number; maxResultChars: number };
  cacheKey: string;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  /** Asked before each model call, not for a recorded answer; a failure ends the loop with it (grants, budgets). */
  mayAsk?(spent: TurnStats): Failure | null;
}

export type LoopEnd =
  | { state: "done"; reason: "answer" | "step_limit" | "length" | "refusal"; text: string; stats: TurnStats }
  | { state: "failed"; failure: Failure; stats: TurnStats }
  | { state: "stopped"; stats: TurnStats };

const CLOSING =
  "The limit of steps for this request is reached. Do not call tools. Say what was done, what was found, and what is left.";

/** Runs until the model answers without calls, a limit is reached, or the signal aborts. Never throws for a model's fault. */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const { journal, limits, signal } = options;
  const messages = [...options.history];
  const stats: TurnStats = { ...NO_STATS };
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));

  for (let step = 0; step <= limits.maxSteps; step++) {
    const closing = step === limits.maxSteps;
    if (signal.aborted) return { state: "stopped", stats };

    const asked = await journal.answer(step, async (sink) => {
      const refusal = options.mayAsk?.(stats);
      if (refusal) return { ok: false, failure: { ...refusal, retryable: false } };
      const answer = await askModel({ ...options, request: toRequest(options, messages, closing), sink });
      // A closing answer that calls tools all the same is an answer: nothing may be left open.
      return answer.ok && closing ? { ok: true, value: { ...answer.value, calls: [] } } : answer;
    });
    if (!asked.ok) {
      return asked.failure.code === "aborted" && signal.aborted
        ? { state: "stopped", stats }
        : { state: "failed", failure: asked.failure, stats };
    }
    const answer = asked.value;
    stats.modelCalls++;
    stats.usage = addUsage(stats.usage, answer.usage);
    if (answer.calls.length === 0) {
      return { state: "done", reason: closing ? "step_limit" : reasonOf(answer), text: answer.text, stats };
    }

    messages.push({ role: "assistant", text: answer.text, calls: answer.calls, native: answer.native });
    const rules: CallRules = {
      tools,
      cutByLength: answer.stop === "length",
      maxResultChars: limits.maxResultChars,
      signal,
    };
    for (const [index, call] of answer.calls.entries()) {
      if (signal.aborted) return { state: "stopped", stats };
      const message = await runToolCall(journal, { step, index }, call, rules);
      stats.toolCalls++;
      if (message.failed) stats.failedCalls++;
      messages.push(message);
    }
  }
  return { state: "stopped", stats };
}

function toRequest(options: LoopOptions, messages: Message[], closing: boolean) {
  return {
    system: options.system,
    messages: closing ? [...messages, { role: "user" as const, text: CLOSING }] : messages,
    tools: toToolSpecs(options.tools),
    maxOutputTokens: options.limits.maxOutputTokens,
    toolChoice: closing ? ("none" as const) : ("auto" as const),
    cacheKey: options.cacheKey,
  };
}

function reasonOf(answer: Answer): "answer" | "length" | "refusal" {
  return answer.stop === "length" || answer.stop === "refusal" ? answer.stop : "answer";
}
