// The agent loop: asks the model, runs the tools it calls, and repeats until the model answers without calls. Sessions' turns
// and background reviews both run through it, each with its own journal. Keeps no state between runs. Never touches storage or
// readers.
import { type Failure, type Result, ok } from "../errors.ts";
import type { Clock, Random } from "../ports.ts";
import {
  type Answer,
  type ClosingCode,
  type Cost,
  type CutBy,
  NO_STATS,
  NO_USAGE,
  type TurnStats,
  type Usage,
  addUsage,
} from "../schemas/entry.ts";
import type { Effort, Settings } from "../schemas/settings.ts";
import type { HaltReason } from "./guardrails.ts";
import type {
  AnswerSink,
  ContextKeeper,
  ImageDesk,
  Journal,
  Message,
  ModelChain,
  ModelFailure,
  ModelRequest,
  Recorded,
  Tool,
  ToolSpec,
} from "./contract.ts";
import { FORMAT_UNMET, askForRepair, findFormatProblem, showForRepair } from "./answer-format.ts";
import { readLeniently } from "./lenient-calls.ts";
import { EMPTY_ANSWER, askModel } from "./model-turn.ts";
import { fixedTokens } from "./request-size.ts";
import { createResultBudget } from "./result-budget.ts";
import { isSmall } from "./small-window.ts";
import { createStepCalls } from "./step-calls.ts";
import { TurnParked, TurnStopped } from "./tool-calls.ts";
import { toToolSpecs } from "./tool-specs.ts";

export interface LoopOptions {
  /** The primary model, then the fallbacks. */
  models: ModelChain;
  tools: Tool[];
  /** Tools in the request, if they are more than may be called. Absent: `tools`. */
  specs?: ToolSpec[];
  journal: Journal;
  system: string;
  /** Everything before this turn's first answer, the input included. */
  history: Message[];
  limits: LoopLimits;
  effort?: Effort;
  /** What the client wants of this turn's model calls. Absent: nothing. */
  wishes?: ModelWishes;
  cacheKey: string;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  /** Budgets and grants. Called before each model call, but not for a recorded answer. A failure ends the loop. */
  findRefusal?(spent: TurnStats): Failure | null | Promise<Failure | null>;
  /** Absent: no guardrails. `attended`: a person watches who could stop a looping turn. */
  guardrails?: { settings: Settings["guardrails"]; attended(): boolean };
  /** True: the turn should end at the next tool boundary, and its remaining calls should not run. */
  isInterrupted?(): boolean;
  /** Writes a result that is too long into a file and returns its path. One place is one file. Absent: results are cut. */
  spill?(place: string, text: string): Promise<Result<string>>;
  /** Absent: an overflow ends the turn. */
  context?: ContextKeeper;
  /** Absent: messages have no images. */
  images?: ImageDesk;
  /** Accepts malformed calls of small models (lenient-calls.ts). */
  lenient?: true;
  /** Called for an answer without calls. Returns a user message to continue with, deterministically, or `null` to end. */
  goOn?(answer: Answer): string | null;
  /** True: an empty answer ends the loop and is not retried. */
  mayEndSilent?(): boolean;
}

/** `choice`: of the first call. `format`: of the last answer, which is checked and asked for once more if it lacks it. */
export interface ModelWishes extends Pick<ModelRequest, "format" | "sampling"> {
  choice?: Exclude<ModelRequest["toolChoice"], "auto" | "none">;
}

export type LoopLimits = Pick<
  Settings["turn"],
  | "maxSteps"
  | "maxOutputTokens"
  | "modelRetries"
  | "inlineWaitMs"
  | "firstByteMs"
  | "idleStreamMs"
  | "ownFirstByteMs"
  | "ownIdleStreamMs"
  | "noProgressMs"
  | "maxResultChars"
  | "maxTurnResultChars"
  | "toolTimeoutMs"
  | "maxParallelCalls"
>;

export type LoopEnd =
  /** `why`: a sentence for the person; `null` only for a whole answer, which always has text. */
  | { state: "done"; reason: DoneReason; why: string | null; text: string; stats: TurnStats }
  | { state: "failed"; failure: Failure; stats: TurnStats }
  | { state: "stopped"; stats: TurnStats }
  /** The person sent an interrupting message. Every call has its result, and the model was not asked again. */
  | { state: "interrupted"; stats: TurnStats }
  /** A person was asked about a call, or a call waits. The journal has stored what the turn waits for. */
  | { state: "parked"; stats: TurnStats }
  /** No model of the chain works now, but one may later. `delayMs`: when, if a provider said so. */
  | { state: "paused"; failure: ModelFailure; delayMs?: number; stats: TurnStats };

/**
 * `answer`: the answer is whole. `length`, `refusal`, `empty_answer`: it is not. `written_call`: it is a tool call written as
 * text. `format_unmet`: it is whole, but not in the form that was asked for. Else: why the turn got a closing answer.
 */
export type DoneReason =
  | "answer"
  | "length"
  | "refusal"
  | "empty_answer"
  | "written_call"
  | "format_unmet"
  | ClosingCode;

const CLOSING_REQUEST = "Do not call tools. Say what was done, what was found, and what is left.";
const STEPS_USED = `The limit of steps for this request is reached. ${CLOSING_REQUEST}`;

/** How often a conversation that is refused as too long is shortened. */
const MAX_OVERFLOWS = 3;

const FINAL_FAILURE = { retry: false, compact: false, rotateKey: false, fallBack: false };

/** The state of one run of the loop. */
interface LoopState {
  options: LoopOptions;
  system: string;
  messages: Message[];
  /** Index in the chain of the model that is asked next. */
  modelIndex: number;
  /** Usage of the last answer. */
  usage: Usage | null;
  /** Tokens of the next request, if they were measured. */
  promptTokens: number | undefined;
  /** Why the next answer must be the last. */
  halt: HaltReason | null;
  /** The model was asked or a tool was run in this attempt: the rest is no longer a replay of the record. */
  hasNewWork: boolean;
  stats: TurnStats;
}

/** Runs until the model answers without calls, a limit is reached, or the signal aborts. A model's fault never throws. */
export async function runLoop(options: LoopOptions): Promise<LoopEnd> {
  const { journal, limits, signal, models, system, history } = options;
  const stats: TurnStats = { ...NO_STATS };
  const turn: LoopState = {
    options,
    system,
    messages: [...history],
    modelIndex: 0,
    usage: null,
    promptTokens: undefined,
    halt: null,
    hasNewWork: false,
    stats,
  };
  const calls = createStepCalls({
    ...options,
    isInterrupted: () => isInterrupted(turn),
    budget: createResultBudget({ ...options, contextWindow: () => measureRoom(turn) }),
  });

  for (let step = 0; step <= limits.maxSteps; step++) {
    if (signal.aborted) return { state: "stopped", stats };
    turn.messages.push(...(journal.additions?.(step) ?? []));
    if (options.images) turn.messages = await options.images.prepare(turn.messages, models[turn.modelIndex]!, signal);
    await fitConversation(turn, step);
    const { asked, closing } = await askForStep(turn, step);
    if (!asked.ok) return toEnd(asked.failure, closing, turn);

    const { value: answer, entry } = asked.value;
    turn.modelIndex = Math.max(turn.modelIndex, findModelIndex(models, answer.model));
    turn.usage = answer.usage;
    stats.modelCalls++;
    addUse(stats, answer);
    const { text, calls: made, native } = answer;
    const more = made.length === 0 && closing === null ? (options.goOn?.(answer) ?? null) : null;
    if (more !== null) {
      turn.messages.push({ role: "assistant", text, calls: [], native, entry }, { role: "user", text: more });
      continue;
    }
    if (made.length === 0) {
      const reason = closing ?? classifyAnswer(answer, turn);
      return { state: "done", reason, why: explain(reason, answer, turn), text, stats };
    }
    turn.messages.push({ role: "assistant", text, calls: made, native, entry });
    try {
      const cutAfter = answer.stop === "length" ? answer.usage.output || limits.maxOutputTokens : null;
      const { messages } = turn;
      const { halt, ran } = await calls.run({ step, calls: made, cutAfter, messages, stats });
      turn.halt = halt;
      turn.hasNewWork ||= ran;
    } catch (error) {
      if (error instanceof TurnStopped) return { state: "stopped", stats };
      if (error instanceof TurnParked) return { state: "parked", stats };
      throw error;
    }
    // While earlier records are replayed, the loop continues: calls recorded in later steps must get their results first.
    if (turn.hasNewWork && isInterrupted(turn)) return { state: "interrupted", stats };
  }
  return { state: "stopped", stats };
}

function isInterrupted({ options }: LoopState): boolean {
  return options.isInterrupted?.() ?? false;
}

/** Shortens the conversation if needed. `refused`: the provider's refusal of it as too long. False: it was not shortened. */
async function fitConversation(turn: LoopState, step: number, refused?: ModelFailure): Promise<boolean> {
  const { context, models, signal } = turn.options;
  turn.promptTokens = undefined;
  if (!context) return false;
  const { messages, usage } = turn;
  const { contextWindow } = models[turn.modelIndex]!;
  const fitted = await context.fit({
    step,
    messages,
    contextWindow,
    usage,
    signal,
    overflow: refused !== undefined,
    fixedTokens: (system = turn.system) => fixedTokens({ system, tools: buildSpecs(turn) }),
    ...(refused?.promptTokens !== undefined && { counted: refused.promptTokens }),
  });
  if (!fitted.ok) return false;
  turn.messages = [...fitted.value.messages];
  turn.system = fitted.value.system ?? turn.system;
  turn.promptTokens = fitted.value.tokens;
  return true;
}

type Closing = ClosingCode | null;

function buildSpecs({ options, modelIndex }: LoopState): ToolSpec[] {
  return options.specs ?? toToolSpecs(options.tools, options.models[modelIndex]!.contextWindow);
}

/** Tokens for the conversation in the window of the model that is asked next. */
function measureRoom(turn: LoopState): number {
  const { contextWindow } = turn.options.models[turn.modelIndex]!;
  if (!isSmall(contextWindow)) return contextWindow;
  return Math.max(0, contextWindow - fixedTokens({ system: turn.system, tools: buildSpecs(turn) }));
}

/** The answer of a step. A conversation that the provider refuses as too long is shortened and asked again. */
async function askForStep(
  turn: LoopState,
  step: number,
): Promise<{ asked: Result<Recorded<Answer>, ModelFailure>; closing: Closing }> {
  const { journal, limits, signal } = turn.options;
  let closing: Closing = step === limits.maxSteps ? "step_limit" : null;
  const askOnce = () =>
    journal.answer(step, (sink) => {
      turn.hasNewWork = true;
      // A halt may have been ignored because a person watched. The steps after it are recorded, so they do not get here.
      closing ??= turn.halt?.code ?? null;
      return askChain(turn, step, closing, sink);
    });
  let asked = await askOnce();
  for (let overflows = 1; !asked.ok && asked.failure.compact && overflows <= MAX_OVERFLOWS; overflows++) {
    if (signal.aborted || !(await fitConversation(turn, step, asked.failure))) break;
    addSpent(turn.stats, asked.failure);
    asked = await askOnce();
  }
  return { asked, closing };
}

async function askChain(
  turn: LoopState,
  step: number,
  closing: Closing,
  sink: AnswerSink,
): Promise<Result<Answer, ModelFailure>> {
  const { options, stats } = turn;
  if (step > 0 && isInterrupted(turn)) return { ok: false, failure: REDIRECTED };
  const ask = (request: ModelRequest, at: number) =>
    askModel({
      ...options,
      findRefusal: () => options.findRefusal?.(stats) ?? null,
      at,
      request,
      ...(turn.promptTokens !== undefined && { promptTokens: turn.promptTokens }),
      mayEndSilent: options.mayEndSilent?.() ?? false,
      sink: {
        ...sink,
        restart(failure) {
          addSpent(stats, failure);
          sink.restart(failure);
        },
      },
    });
  const request = toRequest(turn, closing, step);
  let asked = await ask(request, turn.modelIndex);
  const unmet = asked.result.ok ? findUnmet(turn, closing, asked.result.value) : null;
  if (unmet !== null && asked.result.ok) {
    const refused = asked.result.value;
    const { usage, cost } = refused;
    const spent = { model: refused.model, usage, ...(cost && { cost }) };
    const failure: ModelFailure = { code: FORMAT_UNMET, message: ASKED_AGAIN, ...FINAL_FAILURE, spent };
    addSpent(stats, failure);
    sink.restart(failure);
    const repaired = await ask(toRepair(request, refused, unmet), asked.at);
    // The answer that there is counts more than a repair that failed.
    if (repaired.result.ok) asked = { ...repaired, ...(asked.messages && { messages: asked.messages }) };
    else {
      if (repaired.result.failure.spent) sink.restart(repaired.result.failure);
      asked = { ...asked, result: ok({ ...refused, usage: NO_USAGE }) };
    }
  }
  const { result, at, messages } = asked;
  turn.modelIndex = at;
  // Without this, the provider would refuse every further step for the same reason.
  if (messages && closing === null) turn.messages = messages;
  // A closing answer must be the last, even if it calls tools. Calls in a refused answer must not run.
  const isLast = result.ok && (closing !== null || result.value.stop === "refusal");
  if (isLast) return ok({ ...result.value, calls: [] });
  if (!result.ok) return result;
  if (options.lenient) return ok(readLeniently(result.value, options.tools));
  // The operator's own server may have no parser for its model's calls. The text stays, because readers have seen it.
  if (options.models[at]?.isOwn) {
    const read = readLeniently(result.value, options.tools, turn.messages);
    return ok({ ...read, text: result.value.text });
  }
  return result;
}

const ASKED_AGAIN = "The answer did not have the form that was asked for, and was requested again.";

/** Why a last answer must be asked for once more; `null`: it need not. An answer that was cut off or refused is left as it is. */
function findUnmet({ options }: LoopState, closing: Closing, { text, calls, stop }: Answer): string | null {
  const format = options.wishes?.format;
  return format && closing === null && calls.length === 0 && stop === "end" ? findFormatProblem(format, text) : null;
}

/** Without calls: the answer is there, and only its form is missing. */
function toRepair(request: ModelRequest, { text }: Answer, problem: string): ModelRequest {
  const messages: Message[] = [
    ...request.messages,
    { role: "assistant", text: showForRepair(text), calls: [] },
    { role: "user", text: askForRepair(problem) },
  ];
  return { ...request, messages, toolChoice: "none" };
}

/** Internal to the loop: no provider's failure has this code. */
const REDIRECTED: ModelFailure = { code: "redirected", message: "The person said something else.", ...FINAL_FAILURE };

function toEnd(failure: ModelFailure, closing: Closing, turn: LoopState): LoopEnd {
  const { stats } = turn;
  addSpent(stats, failure);
  if (turn.options.signal.aborted) return { state: "stopped", stats };
  if (failure.code === REDIRECTED.code) return { state: "interrupted", stats };
  // Why the turn was closed matters more to the person than the missing closing answer.
  if (closing !== null && failure.code === EMPTY_ANSWER) {
    return { state: "failed", failure: { ...failure, code: closing, message: explainClosing(closing, turn) }, stats };
  }
  if (!failure.retry) return { state: "failed", failure, stats };
  return {
    state: "paused",
    failure,
    ...(failure.retryAfterMs !== undefined && { delayMs: failure.retryAfterMs }),
    stats,
  };
}

function toRequest(turn: LoopState, closing: Closing, step: number): ModelRequest {
  const { options, system, messages, halt } = turn;
  const { choice, format, sampling } = options.wishes ?? {};
  const open = step === 0 && choice ? choice : "auto";
  const last = closing === "step_limit" || halt === null ? STEPS_USED : `${halt.message} ${CLOSING_REQUEST}`;
  return {
    system,
    messages: closing === null ? messages : [...messages, { role: "user", text: last }],
    tools: buildSpecs(turn),
    maxOutputTokens: options.limits.maxOutputTokens,
    ...(options.effort && { effort: options.effort }),
    toolChoice: closing === null ? open : "none",
    cacheKey: options.cacheKey,
    ...(format && closing === null && { format }),
    ...(sampling && { sampling }),
  };
}

/** -1 for a model that is no longer in the chain. */
function findModelIndex(models: ModelChain, name: string): number {
  return models.findIndex((model) => model.name === name);
}

function addUse(stats: TurnStats, { usage, cost }: { usage: Usage; cost?: Cost }): void {
  stats.usage = addUsage(stats.usage, usage);
  if (cost && cost.source !== "none") stats.usdMicros = (stats.usdMicros ?? 0) + cost.usdMicros;
}

function addSpent(stats: TurnStats, { spent }: ModelFailure): void {
  if (spent) addUse(stats, spent);
}

function classifyAnswer(answer: Answer, turn: LoopState): DoneReason {
  const { stop, text } = answer;
  if (stop === "length" || stop === "refusal") return stop;
  if (text.trim() === "") return "empty_answer";
  if (buildSpecs(turn).length > 0 && isWrittenCall(text)) return "written_call";
  return findUnmet(turn, null, answer) === null ? "answer" : "format_unmet";
}

/** The forms in which models write tool calls: Qwen and Hermes, Mistral, Llama, DeepSeek. */
const CALL_BEGINS =
  /^\s*(?:<tool_call>\s*[{<]|<function=\w|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_calls?\|>|<｜tool▁calls▁begin｜>)/;

/** True if the whole answer is a call, or if its last lines are a call between tags. */
function isWrittenCall(text: string): boolean {
  const said = text.trimEnd();
  if (CALL_BEGINS.test(said) && /[>\]})]$/.test(said)) return true;
  const begin = said.endsWith("</tool_call>") ? said.lastIndexOf("\n<tool_call>") : -1;
  return begin >= 0 && CALL_BEGINS.test(said.slice(begin));
}

/** The sentence for the person about an incomplete or closing answer; `null` for a whole answer. */
function explain(reason: DoneReason, answer: Answer, turn: LoopState): string | null {
  const isSilent = answer.text.trim() === "";
  switch (reason) {
    case "answer":
      return null;
    case "length":
      if (answer.cutBy) return CUT_BY[answer.cutBy];
      if (isCutEarly(answer, turn)) {
        return `The answer was cut off after ${answer.usage.output} tokens, before turn.maxOutputTokens: the model's window is full, or the model does not give longer answers. Say "go on" for the rest; /compress makes room.`;
      }
      return isSilent
        ? "The model used up the length limit of its answer before it said anything, most likely on reasoning. Ask for less at once, or raise turn.maxOutputTokens or lower models.effort.turn."
        : 'The answer was cut off at its length limit and is incomplete. Say "go on" for the rest, or raise turn.maxOutputTokens.';
    case "refusal":
      return isSilent
        ? "The model, or its provider's content filter, refused to answer. Rephrase the request, or use a new session."
        : "The model, or its provider's content filter, refused or stopped here: the answer may be incomplete. Rephrase the request, or use a new session.";
    case "empty_answer":
      return "The model gave an empty answer. Ask again, or in other words.";
    case "format_unmet": {
      const format = turn.options.wishes?.format;
      return `The answer does not have the form that was asked for, also after a second try. ${format ? findFormatProblem(format, answer.text) : ""}`;
    }
    case "written_call":
      return "The model wrote a tool call as text, and the call was not run. The model server's tool-call parser is probably off: switch it on (vLLM: --enable-auto-tool-choice and --tool-call-parser; llama.cpp: --jinja).";
    default: {
      const why = explainClosing(reason, turn);
      return answer.stop === "length" && !isSilent ? `${why} Its closing words were cut off.` : why;
    }
  }
}

/** True if the answer ended well before its limit: the window had less room, so this program or the server lowered the limit. */
function isCutEarly({ usage }: Answer, { options }: LoopState): boolean {
  return usage.output > 0 && usage.output < EARLY_CUT_SHARE * options.limits.maxOutputTokens;
}

/** A margin, because token counts differ between providers. */
const EARLY_CUT_SHARE = 0.8;

/** Cuts that a higher limit for the answer would not prevent. */
const CUT_BY: Record<CutBy, string> = {
  window:
    'The answer was cut off because the model\'s context window is full. Send /compress, then "go on", or begin a new session.',
  pause: 'The provider paused the answer before it was complete. Say "go on" for the rest.',
};

function explainClosing(closing: ClosingCode, { options, halt }: LoopState): string {
  if (closing !== "step_limit" && halt) return `The turn was ended. ${halt.message}`;
  return `The turn was ended: it used all of its ${options.limits.maxSteps} steps (turn.maxSteps). Send a message to go on.`;
}
