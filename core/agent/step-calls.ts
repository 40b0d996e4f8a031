// Runs the tool calls of each answer: side by side where they may, else one after another. Asks the guardrails before each call
// and tells them the result. Used by loop.ts, once for a turn. Intents and results keep the order of the calls.
import { mapLimit } from "../map-limit.ts";
import type { Clock } from "../ports.ts";
import type { ToolCall, TurnStats } from "../schemas/entry.ts";
import type { Settings } from "../schemas/settings.ts";
import { type Footprint, planCalls } from "./call-plan.ts";
import type { CallGate, Journal, Message, Serve, Tool, ToolResult } from "./contract.ts";
import {
  type GuardDecision,
  type GuardedCall,
  type GuardState,
  type HaltReason,
  type HeadwayState,
  NO_CALLS,
  type StepResult,
  decideCall,
  startHeadway,
  observeCall,
  observeStep,
  toGuardedCall,
  toGuardedResult,
  toComparableText,
} from "./guardrails.ts";
import { type InnerRules, createInnerCalls } from "./inner-calls.ts";
import type { ResultBudget } from "./result-budget.ts";
import {
  type CallRules,
  type PreparedCall,
  CALL_DONE,
  type RanCall,
  TurnParked,
  TurnStopped,
  execute,
  gateOf,
  mayPrepare,
  prepareCall,
  refuseCall,
  runToolCall,
  toDenied,
  toRefused,
} from "./tool-calls.ts";
import { fail, renderForModel } from "./tool-result.ts";

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

/** One answer with calls. */
export interface StepAnswer {
  step: number;
  calls: readonly ToolCall[];
  /** Tokens of an answer that was cut by its length limit; `null` for a whole answer. */
  cutAfter: number | null;
  messages: Message[];
  stats: TurnStats;
}

export interface StepCalls {
  /** Adds the results to `messages` and `stats`. `halt`: why the turn should be halted. `ran`: a call was run, not replayed. */
  run(answer: StepAnswer): Promise<{ halt: HaltReason | null; ran: boolean }>;
}

/** A call of the answer that is being carried out. */
interface Pending {
  index: number;
  call: ToolCall;
  prepared: PreparedCall;
  gate: CallGate;
  guarded: GuardedCall;
  /** False: the call could not be run as the model wrote it. */
  usable: boolean;
}

/** What is remembered from one answer of the turn to the next. */
interface TurnCalls {
  readonly options: StepCallsOptions;
  readonly tools: ReadonlyMap<string, Tool>;
  guards: GuardState;
  readonly headway: HeadwayState;
  readonly serve: Serve | undefined;
  /** Why a call that code made should end the turn. */
  innerHalt: HaltReason | null;
  /** Where the model has read a result in full, by call and result. */
  readonly shown: Map<string, { entry: number; chars: number }>;
}

const ALLOW: GuardDecision = { action: "allow" };

/** `run` throws `TurnStopped` when the signal aborts, and `TurnParked`. Errors of the journal pass through. */
export function createStepCalls(options: StepCallsOptions): StepCalls {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const turn: TurnCalls = {
    options,
    tools,
    guards: NO_CALLS,
    headway: startHeadway(),
    serve: options.journal.serving?.open(),
    innerHalt: null,
    shown: new Map(),
  };
  return { run: (answer) => runStep(turn, answer) };
}

async function runStep(
  turn: TurnCalls,
  { step, calls, cutAfter, messages, stats }: StepAnswer,
): Promise<{ halt: HaltReason | null; ran: boolean }> {
  const { signal, limits, guardrails } = turn.options;
  const all = calls.map((call, index) => toPending(turn, call, index, cutAfter));
  const { now, last } = splitCalls(all);
  const observed: StepResult[] = [];
  let halt: HaltReason | null = null;
  let anyRan = false;
  const take = (batch: Pending[], results: RanCall[]) => {
    for (const [at, { value: result, entry, ran }] of results.entries()) {
      const { call, guarded, usable } = batch[at]!;
      const decision = observe(turn, guarded, result);
      if (decision.action === "halt") halt ??= { code: decision.code, message: decision.message };
      observed.push({ guarded, result: toGuardedResult(result), text: toComparableText(result), usable });
      const text = renderForModel(result.parts);
      rememberShown(turn, messages, `${guarded.signature} ${result.print}`, { entry, chars: text.length });
      anyRan ||= ran;
      stats.toolCalls++;
      if (result.failed) stats.failedCalls++;
      messages.push({ role: "tool", call: call.id, name: call.name, text, failed: result.failed, entry });
    }
  };
  for (const segment of planCalls(listFootprints(turn, now))) {
    if (signal.aborted) throw new TurnStopped();
    const inSegment = segment.map((index) => now[index]!);
    const batch = await Promise.all(decideBatch(turn, inSegment).map((pending) => admit(turn, step, pending)));
    take(batch, await mapLimit(batch, limits.maxParallelCalls, (pending) => run(turn, step, pending, messages)));
  }
  if (last.length > 0) {
    await runLast(turn, { step, messages, take }, last);
    sortResults(messages, calls);
  }
  const stuck = guardrails ? observeStep(guardrails.settings, turn.headway, observed, cutAfter !== null) : null;
  return { halt: stuck ?? halt ?? turn.innerHalt, ran: anyRan };
}

/** The calls that run in their places, and those that wait for something outside together. */
function splitCalls(all: Pending[]): { now: Pending[]; last: Pending[] } {
  const waits = ({ prepared }: Pending) => prepared.refusal === null && prepared.tool.waitsForAll === true;
  return all.some(waits) ? { now: all.filter((one) => !waits(one)), last: all.filter(waits) } : { now: all, last: [] };
}

/**
 * All intents are written before the first of these calls can park the turn, so the wait knows them all. Calls that may not run get their
 * results before.
 */
async function runLast(
  turn: TurnCalls,
  { step, messages, take }: { step: number; messages: Message[]; take(batch: Pending[], results: RanCall[]): void },
  last: Pending[],
): Promise<void> {
  const { signal } = turn.options;
  if (signal.aborted) throw new TurnStopped();
  const admitted: Pending[] = [];
  // One after the other: a person is asked about one call at a time.
  for (const pending of decideBatch(turn, last)) admitted.push(await admit(turn, step, pending));
  for (const pending of admitted.filter(({ prepared }) => prepared.refusal !== null)) {
    take([pending], [await run(turn, step, pending, messages)]);
  }
  const open = admitted.filter(({ prepared }) => prepared.refusal === null);
  take(open, await mapLimit(open, Math.max(1, open.length), (pending) => run(turn, step, pending, messages)));
}

/** Results have the order of their calls, as in later turns. */
function sortResults(messages: Message[], calls: readonly ToolCall[]): void {
  const results = messages.splice(messages.length - calls.length);
  const order = new Map(calls.map(({ id }, n) => [id, n]));
  const placeOf = (message: Message) => (message.role === "tool" ? (order.get(message.call) ?? 0) : 0);
  messages.push(...results.toSorted((a, b) => placeOf(a) - placeOf(b)));
}

function toPending({ tools }: TurnCalls, call: ToolCall, index: number, cutAfter: number | null): Pending {
  const prepared = prepareCall(call, tools, cutAfter);
  const usable = prepared.refusal === null;
  const gate = gateOf(prepared);
  return { index, call, prepared, gate, guarded: toGuardedCall(call, tools.get(call.name)), usable };
}

/** Without parallel calls each runs alone, and the guardrails judge each by the results of those before it. */
function listFootprints({ options }: TurnCalls, calls: Pending[]): Footprint[] {
  const mayShare = options.journal.parallel && options.limits.maxParallelCalls > 1;
  return calls.map(({ prepared, gate }) => (mayShare && gate.verdict === "run" ? toFootprint(prepared) : null));
}

/** The calls of a segment, those that may not run replaced by refusals. */
function decideBatch(turn: TurnCalls, segment: Pending[]): Pending[] {
  const redirected = turn.options.isInterrupted();
  const allowed: GuardedCall[] = [];
  return segment.map((pending) => {
    const refusal = redirected ? REDIRECTED_REFUSAL : toRefusal(decide(turn, pending.guarded, allowed));
    if (refusal) return { ...pending, prepared: refuseCall(pending.prepared.tool, refusal.code, refusal.message) };
    allowed.push(pending.guarded);
    return pending;
  });
}

/** The call as it may run, by its gate. A gated call is alone in its segment. */
async function admit({ options }: TurnCalls, step: number, pending: Pending): Promise<Pending> {
  const { call, gate, prepared } = pending;
  if (gate.verdict === "run" || prepared.refusal !== null) return pending;
  if (options.journal.serving?.covers(prepared.tool)) return pending;
  const admission =
    gate.verdict === "refuse"
      ? { state: "refused" as const, result: fail(gate.code, gate.reason) }
      : ((await options.journal.admit?.(step, { call, gate })) ?? NOBODY_TO_ASK);
  if (admission.state === "parked") throw new TurnParked();
  if (admission.state === "run") return pending;
  const refuse = gate.verdict === "refuse" ? toRefused : toDenied;
  return { ...pending, prepared: refuse(prepared.tool, admission.result) };
}

const NOBODY_TO_ASK = {
  state: "refused" as const,
  result: fail(
    "approval_unavailable",
    "This needs a person's approval, and nobody can be asked here. Do it another way.",
  ),
};

function run(turn: TurnCalls, step: number, pending: Pending, messages: Message[]): Promise<RanCall> {
  const { journal, clock, signal, limits, budget } = turn.options;
  const { index, call, prepared, guarded } = pending;
  const rules: CallRules = {
    clock,
    signal,
    toolTimeoutMs: limits.toolTimeoutMs,
    budget,
    ...(turn.serve && { serve: turn.serve }),
    createInner: (outer, inside) => createInnerCalls(innerRules(turn, inside), outer),
    judge: (result) => judge(turn, guarded, result),
    isShown(result) {
      const before = turn.shown.get(`${guarded.signature} ${result.print}`);
      if (before !== undefined && messages.some((message) => isResult(message, before))) return true;
      return prepared.tool?.showsOnce === true && isInConversation(messages, guarded, renderForModel(result.parts));
    },
  };
  return runToolCall(journal, { step, index }, { call, prepared }, rules);
}

/** `signal`: of the call that makes them. */
function innerRules(turn: TurnCalls, signal: AbortSignal): InnerRules {
  const { clock, journal, limits } = turn.options;
  const ending = new AbortController();
  const untilEnd = AbortSignal.any([signal, ending.signal]);
  return {
    tools: turn.tools,
    maxParallelCalls: limits.maxParallelCalls,
    ...(journal.serving && { serve: journal.serving.open() }),
    isAllowed: async (gate) => (await journal.isAllowed?.(gate)) ?? false,
    decide(guarded, running) {
      const { innerHalt } = turn;
      return innerHalt ?? toRefusal(decide(turn, guarded, running));
    },
    observe(guarded, result) {
      const decision = observe(turn, guarded, result);
      if (decision.action === "halt") turn.innerHalt ??= { code: decision.code, message: decision.message };
      return decision;
    },
    async run(prepared, attempt) {
      try {
        const rules = { clock, signal: untilEnd, toolTimeoutMs: limits.toolTimeoutMs };
        // Tools that wait are not among those that code may call.
        return (await execute(prepared, attempt, rules)) as ToolResult;
      } catch (error) {
        if (error instanceof TurnStopped) return fail("aborted", "The call was called off before it ended.");
        throw error;
      }
    },
    async finish(running) {
      const timer = new AbortController();
      await Promise.race([running, clock.sleep(END_MS, timer.signal)]);
      timer.abort(CALL_DONE);
      ending.abort(CALL_DONE);
      await running;
    },
  };
}

/** Time for calls that still run when the code that made them is stopped. */
const END_MS = 15_000;

function mayHalt({ options: { guardrails } }: TurnCalls): boolean {
  const kind = guardrails?.settings.hardStops;
  return kind === "always" || (kind === "unattended" && !guardrails!.attended());
}

function decide(turn: TurnCalls, guarded: GuardedCall, pending: GuardedCall[]): GuardDecision {
  const { guardrails } = turn.options;
  if (!guardrails) return ALLOW;
  return decideCall(guardrails.settings, turn.guards, guarded, { pending, hardStops: mayHalt(turn) });
}

function observe(turn: TurnCalls, guarded: GuardedCall, result: ToolResult): GuardDecision {
  const { guardrails } = turn.options;
  if (!guardrails) return ALLOW;
  const { settings } = guardrails;
  const observed = observeCall(settings, turn.guards, guarded, toGuardedResult(result), mayHalt(turn));
  turn.guards = observed.state;
  return observed.decision;
}

/** The warning that goes with a result before it is recorded. Calls beside it have no results yet. */
function judge(turn: TurnCalls, guarded: GuardedCall, result: ToolResult): GuardDecision {
  const { guardrails } = turn.options;
  if (!guardrails) return ALLOW;
  return observeCall(guardrails.settings, turn.guards, guarded, toGuardedResult(result), false).decision;
}

/** Keeps the earliest entry that shows the result in full. A later entry may only refer to it. */
function rememberShown(
  { shown }: TurnCalls,
  messages: Message[],
  key: string,
  shownAt: { entry: number; chars: number },
): void {
  const before = shown.get(key);
  if (!before || !messages.some((message) => isResult(message, before))) shown.set(key, shownAt);
}

const REDIRECTED_REFUSAL = {
  code: "redirected",
  message: "This call was not run: the person said something else meanwhile, which comes next.",
};

function toRefusal(decision: GuardDecision): { code: string; message: string } | null {
  return decision.action === "synthesise" ? decision : null;
}

/** Whether the conversation has an equal call, of any turn, with this very result. A result that was cut or pruned differs. */
function isInConversation(messages: Message[], { tool, signature }: GuardedCall, text: string): boolean {
  const results = new Set(messages.flatMap((message) => (isEqual(message, tool, text) ? [message.call] : [])));
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  return calls.some((call) => results.has(call.id) && toGuardedCall(call, undefined).signature === signature);
}

function isEqual(message: Message, tool: string, text: string): message is Extract<Message, { role: "tool" }> {
  return message.role === "tool" && message.name === tool && message.text === text;
}

/** False for a result that has been pruned from the conversation: it is shorter. */
function isResult(message: Message, { entry, chars }: { entry: number; chars: number }): boolean {
  return message.role === "tool" && message.entry === entry && message.text.length === chars;
}

/** Null: the call runs alone. So does a refused call, because the calls after it may depend on it. */
function toFootprint({ tool, args, refusal }: PreparedCall): Footprint {
  if (refusal !== null || mayPrepare(tool, args)) return null;
  if (tool.paths) {
    try {
      return tool.paths(args);
    } catch {
      return null; // an invalid path: the tool reports it
    }
  }
  return tool.effect === "read" ? { reads: [], writes: [] } : null;
}
