// The calls of one answer: those that may, run side by side, the others one after another; guardrails are asked and told.
// Used by loop.ts, once for a turn. Results come back in the order of the calls, and so do the intents of the journal.
import { mapLimit } from "../map-limit.ts";
import type { Clock } from "../ports.ts";
import type { ToolCall, TurnStats } from "../schemas/entry.ts";
import type { Settings } from "../schemas/settings.ts";
import { type Footprint, planCalls } from "./call-plan.ts";
import type { Journal, Message, Recorded, Tool, ToolResult } from "./contract.ts";
import {
  type Decision,
  type GuardedCall,
  type Halt,
  NO_CALLS,
  type StepResult,
  decideCall,
  noHeadway,
  observeCall,
  observeStep,
  toGuardedCall,
  toGuardedResult,
  toTold,
} from "./guardrails.ts";
import type { ResultBudget } from "./result-budget.ts";
import { type Prepared, Stopped, mayPrepare, prepareCall, refuseCall, runToolCall } from "./tool-calls.ts";
import { renderForModel } from "./tool-result.ts";

export interface StepCallsOptions {
  journal: Journal;
  tools: readonly Tool[];
  limits: { toolTimeoutMs: number; maxParallelCalls: number };
  clock: Clock;
  signal: AbortSignal;
  budget: ResultBudget;
  guardrails?: { settings: Settings["guardrails"]; attended(): boolean };
  isInterrupted(): boolean;
}

export interface StepCalls {
  /** Adds the results to `messages` and to `stats`. Says why the turn should be halted, if it should. */
  run(answer: {
    step: number;
    calls: readonly ToolCall[];
    /** Of an answer that was cut by its length: how many tokens it had. */
    cutAfter: number | null;
    messages: Message[];
    stats: TurnStats;
  }): Promise<{ halt: Halt | null }>;
}

/** A call of an answer, on its way. */
interface Pending {
  index: number;
  call: ToolCall;
  prepared: Prepared;
  guarded: GuardedCall;
}

const ALLOW: Decision = { action: "allow" };

/** Its `run` throws `Stopped` when the signal aborts, and what the journal throws. */
export function createStepCalls(options: StepCallsOptions): StepCalls {
  const { journal, limits, clock, signal, budget, guardrails, isInterrupted } = options;
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  let state = NO_CALLS;
  const headway = noHeadway();
  /** Call and result that the model has read whole, and where. */
  const shown = new Map<string, { entry: number; chars: number }>();

  const hardStops = () => {
    const kind = guardrails?.settings.hardStops;
    return kind === "always" || (kind === "unattended" && !guardrails!.attended());
  };

  function decide(guarded: GuardedCall, pending: GuardedCall[]): Decision {
    return guardrails ? decideCall(guardrails.settings, state, guarded, { pending, hardStops: hardStops() }) : ALLOW;
  }

  function observe(guarded: GuardedCall, result: ToolResult): Decision {
    if (!guardrails) return ALLOW;
    const observed = observeCall(guardrails.settings, state, guarded, toGuardedResult(result), hardStops());
    state = observed.state;
    return observed.decision;
  }

  /** What will be said of a result when it is observed. The calls beside it have no results yet. */
  function judge(guarded: GuardedCall, result: ToolResult): Decision {
    return guardrails
      ? observeCall(guardrails.settings, state, guarded, toGuardedResult(result), false).decision
      : ALLOW;
  }

  function run(step: number, pending: Pending, messages: Message[]): Promise<Recorded<ToolResult>> {
    const { index, call, prepared, guarded } = pending;
    return runToolCall(
      journal,
      { step, index },
      { call, prepared },
      {
        clock,
        signal,
        toolTimeoutMs: limits.toolTimeoutMs,
        budget,
        judge: (result) => judge(guarded, result),
        isShown(result) {
          const before = shown.get(`${guarded.signature} ${result.print}`);
          if (before !== undefined && messages.some((message) => isResult(message, before))) return true;
          return prepared.tool?.showsOnce === true && stands(messages, guarded, renderForModel(result.parts));
        },
      },
    );
  }

  return {
    async run({ step, calls, cutAfter, messages, stats }) {
      let halt: Halt | null = null;
      const observed: StepResult[] = [];
      const all = calls.map((call, index): Pending => {
        const prepared = prepareCall(call, tools, cutAfter);
        return { index, call, prepared, guarded: toGuardedCall(call, tools.get(call.name)) };
      });
      // One after another, each is judged by what came of those before it.
      const mayShare = journal.parallel && limits.maxParallelCalls > 1;
      const footprints = all.map((pending) => (mayShare ? toFootprint(pending.prepared) : null));
      for (const segment of planCalls(footprints)) {
        if (signal.aborted) throw new Stopped();
        const redirected = isInterrupted();
        const allowed: GuardedCall[] = [];
        const batch = segment.map((index) => {
          const pending = all[index]!;
          const refusal = redirected ? REDIRECTED : toRefusal(decide(pending.guarded, allowed));
          if (!refusal) {
            allowed.push(pending.guarded);
            return pending;
          }
          return { ...pending, prepared: refuseCall(pending.prepared.tool, refusal.code, refusal.message) };
        });
        const results = await mapLimit(batch, limits.maxParallelCalls, (pending) => run(step, pending, messages));
        for (const [at, { value: result, entry }] of results.entries()) {
          const { call, guarded, index } = batch[at]!;
          const text = renderForModel(result.parts);
          const decision = observe(guarded, result);
          if (decision.action === "halt") halt ??= { code: decision.code, message: decision.message };
          const usable = all[index]!.prepared.refusal === null;
          observed.push({ guarded, result: toGuardedResult(result), told: toTold(result), usable });
          const key = `${guarded.signature} ${result.print}`;
          const before = shown.get(key);
          // A line that points to an earlier result is no place to point to.
          if (!before || !messages.some((message) => isResult(message, before)))
            shown.set(key, { entry, chars: text.length });
          stats.toolCalls++;
          if (result.failed) stats.failedCalls++;
          messages.push({ role: "tool", call: call.id, name: call.name, text, failed: result.failed, entry });
        }
      }
      const stuck = guardrails ? observeStep(guardrails.settings, headway, observed, cutAfter !== null) : null;
      return { halt: stuck ?? halt };
    },
  };
}

const REDIRECTED = {
  code: "redirected",
  message: "This call was not run: the person said something else meanwhile, which comes next.",
};

function toRefusal(decision: Decision): { code: string; message: string } | null {
  return decision.action === "synthesise" ? decision : null;
}

/** Whether an equal call, of whichever turn, has this very text as its result. One that was cut or pruned has another. */
function stands(messages: Message[], { tool, signature }: GuardedCall, text: string): boolean {
  const results = new Set(messages.flatMap((message) => (isEqual(message, tool, text) ? [message.call] : [])));
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  return calls.some((call) => results.has(call.id) && toGuardedCall(call, undefined).signature === signature);
}

function isEqual(message: Message, tool: string, text: string): message is Extract<Message, { role: "tool" }> {
  return message.role === "tool" && message.name === tool && message.text === text;
}

/** A result that was pruned from the conversation meanwhile is shorter. */
function isResult(message: Message, { entry, chars }: { entry: number; chars: number }): boolean {
  return message.role === "tool" && message.entry === entry && message.text.length === chars;
}

/** A call that is refused touches nothing, but what it was meant to do comes before the next: it runs alone. */
function toFootprint({ tool, args, refusal }: Prepared): Footprint {
  if (refusal !== null || mayPrepare(tool, args)) return null;
  if (tool.paths) {
    try {
      return tool.paths(args);
    } catch {
      return null; // a path that cannot be read: the tool will say so
    }
  }
  return tool.effect === "read" ? { reads: [], writes: [] } : null;
}
