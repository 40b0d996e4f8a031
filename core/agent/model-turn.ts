// One model call with its retries: without native parts, with a shorter answer, with another key, after a short wait, with the
// next model of the chain. The failure itself says which of them may help. Called by the loop for every answer. Streams into a
// sink, which drops what came before whenever the call is repeated. Long waits belong to the caller.
import { type Failure, type Result, messageOf, ok } from "../errors.ts";
import type { Clock, Random } from "../ports.ts";
import type { Answer } from "../schemas/entry.ts";
import { MIN_ANSWER_TOKENS, answerRoom, tokensIfCertainOverflow } from "./request-size.ts";
import { type TimeLimits, computeTimeLimit, toLimitFailure } from "./time-limits.ts";
import type {
  AnswerSink,
  ImageDesk,
  Message,
  Model,
  ModelChain,
  ModelEvent,
  ModelFailure,
  ModelRequest,
} from "./contract.ts";

// Hermes Agent: min(2 s * 2^(n-1), 120 s) plus up to half of it.
const BASE_WAIT_MS = 2_000;
const MAX_WAIT_MS = 120_000;
/** Retries of an empty answer, without a wait: waiting does not help (Hermes Agent). */
const MAX_EMPTY_ANSWERS = 2;
/** How often a shorter answer is tried before the conversation must be shortened. */
const MAX_SHORTENINGS = 3;
/** More keys than any pool has. Ends the rotation if a provider restores keys faster than it refuses them. */
const MAX_ROTATIONS = 32;

export interface AskOptions {
  models: ModelChain;
  /** Index of the model to begin with: 0 in a new turn, later the `at` of the call before. */
  at: number;
  request: ModelRequest;
  /** Tokens of the request without its answer, if known. Absent: estimated where needed. */
  promptTokens?: number;
  limits: { modelRetries: number; inlineWaitMs: number; noProgressMs: number } & TimeLimits;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  sink: AnswerSink;
  /** An empty answer counts as an answer. */
  mayEndSilent?: boolean;
  /** Absent: images are sent as they are. */
  images?: Pick<ImageDesk, "show" | "noteRefused">;
  /** Called before each call, including repetitions, because failed calls may be charged. A refusal becomes the result. */
  findRefusal?(): Failure | null | Promise<Failure | null>;
}

export interface AskOutcome {
  /**
   * The answer, or a failure that remains after all retries. `compact`: shorten the conversation for model `at` and ask again.
   * `retry`: ask again after `retryAfterMs`, or later if it is absent.
   */
  result: Result<Answer, ModelFailure>;
  /** Index of the model that answered or failed last. Models before it are not asked again in this turn. */
  at: number;
  /** The conversation without native parts, if the provider refused it with them. */
  messages?: Message[];
}

export async function askModel(options: AskOptions): Promise<AskOutcome> {
  const { models, signal } = options;
  let at = options.at;
  let { request } = options;
  /** The temporary failure of the chain that ends soonest: the turn waits for it if the last model fails permanently. */
  let temporary: ModelFailure | null = null;
  for (;;) {
    const tried = await askWithRetries({ ...options, request }, models[at]!);
    request = tried.request;
    if (tried.result.ok) {
      const { messages } = request;
      return { result: tried.result, at, ...(messages !== options.request.messages && { messages }) };
    }
    const { failure } = tried.result;
    if (tried.refused || signal.aborted || failure.code === "aborted" || failure.compact) {
      return { result: tried.result, at };
    }
    temporary = pickSooner(temporary, failure);
    if (!failure.fallBack || at + 1 >= models.length) {
      // The sink knows the cost of the earlier calls, but not that of the last one.
      const { spent: _, ...rest } = temporary ?? failure;
      return { result: failed({ ...rest, ...(failure.spent && { spent: failure.spent }) }), at };
    }
    options.sink.restart(failure);
    at += 1;
  }
}

/** All retries with one model, until it answers, or a failure says that a short wait does not help. */
async function askWithRetries(
  options: AskOptions,
  model: Model,
): Promise<{ result: Result<Answer, ModelFailure>; request: ModelRequest; refused?: true }> {
  const { limits, clock, random, signal, sink } = options;
  let { request } = options;
  // Ollama truncates such a prompt silently and answers the rest.
  const overflowTokens = model.isWindowKnown ? tokensIfCertainOverflow(request, model.contextWindow) : null;
  if (overflowTokens !== null) return { result: failed(overflowFailure(model, overflowTokens)), request };
  let retries = 0;
  let rotations = 0;
  let emptyAnswers = 0;
  let shortenings = 0;
  let stalls = 0;
  let sameKeyTwice = false;
  let hidesImages = false;
  const asked = request.maxOutputTokens;
  let maxOutputTokens = answerRoom(request, model.contextWindow, options.promptTokens);
  for (;;) {
    const refusal = await options.findRefusal?.();
    if (refusal)
      return { result: failed({ ...permanentFailure(refusal.code, ""), ...refusal }), request, refused: true };
    const fitted = maxOutputTokens === asked ? request : { ...request, maxOutputTokens };
    const shown = options.images?.show(fitted, model, hidesImages) ?? fitted;
    const result = await streamOnce({ ...options, request: shown, stalls }, model);
    if (result.ok && hidesImages) options.images?.noteRefused(request, model);
    if (result.ok || signal.aborted) return { result, request };
    const { failure } = result;
    const less = shortenings < MAX_SHORTENINGS ? shorterAnswer(failure, fitted, model) : null;
    if (less !== null) {
      sink.restart(failure);
      maxOutputTokens = less;
      shortenings += 1;
      continue;
    }
    if (failure.code === "aborted" || failure.compact) return { result, request };
    if (failure.code === STALLED_CODE) stalls += 1;

    if (failure.dropNative && request.messages.some(hasNative)) {
      sink.restart(failure);
      request = { ...request, messages: request.messages.map(withoutNative) };
      continue;
    }

    if (failure.dropImages && !hidesImages && options.images && shown.messages.some(hasImages)) {
      sink.restart(failure);
      hidesImages = true;
      continue;
    }

    if (failure.code === EMPTY_ANSWER && emptyAnswers < MAX_EMPTY_ANSWERS) {
      sink.restart(failure);
      emptyAnswers += 1;
      continue;
    }

    const waitMs = failure.retryAfterMs ?? backoffMs(retries + 1, random);
    const mayWait = failure.retry && retries < limits.modelRetries && waitMs <= limits.inlineWaitMs;
    // A rate limit may pass at once: a key gets a second try before it is suspended (Hermes Agent).
    const retriesSameKey = mayWait && !sameKeyTwice;
    if (failure.rotateKey && model.rotateKey && !retriesSameKey && rotations < MAX_ROTATIONS) {
      // With no key left, the next call fails at once and says when one is available.
      rotations += model.rotateKey(failure) ? 1 : MAX_ROTATIONS;
      sink.restart(failure);
      sameKeyTwice = false;
      continue;
    }
    if (!mayWait) return { result, request };
    sink.restart(failure);
    sameKeyTwice = true;
    retries += 1;
    await clock.sleep(waitMs, signal);
    if (signal.aborted) return { result: failed(permanentFailure("aborted", "The turn was stopped.")), request };
  }
}

/**
 * The length in tokens that an answer may have after this refusal: what the refusal allows, or what fits beside the prompt, if
 * the refusal names the window. Without the prompt's size the prompt is estimated. `null`: the prompt alone is too long, or the
 * refusal names no size.
 */
function shorterAnswer(failure: ModelFailure, request: ModelRequest, model: Model): number | null {
  const { compact, window, promptTokens, maxOutputTokens: most } = failure;
  if (most !== undefined) return most < request.maxOutputTokens ? most : null;
  if (!compact || window === undefined) return null;
  const contextWindow = Math.min(window, model.contextWindow);
  // The provider's own count needs no margin, except for its chat template.
  const exact = promptTokens === undefined ? null : contextWindow - promptTokens - TEMPLATE_TOKENS;
  const half = Math.floor(request.maxOutputTokens / 2);
  const room = exact ?? Math.min(answerRoom(request, contextWindow), half);
  return room >= MIN_ANSWER_TOKENS && room < request.maxOutputTokens ? room : null;
}

const TEMPLATE_TOKENS = 8;

/** Reads one stream to its end, and cuts it after a timeout without data. `stalls`: how many earlier calls timed out. */
async function streamOnce(
  options: AskOptions & { stalls: number },
  model: Model,
): Promise<Result<Answer, ModelFailure>> {
  const { request, signal, sink, clock, limits, stalls, mayEndSilent = false } = options;
  const call = new AbortController();
  const stop = () => call.abort();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let activeAt = clock.now();
  const waitingMs = Math.min(WAITING_MS, limits.noProgressMs / 2);
  let limit = computeTimeLimit("first", model, { limits, stalls });
  const noteActivity = () => {
    activeAt = clock.now();
    limit = computeTimeLimit("idle", model, { limits, stalls });
    sink.noteActivity?.();
  };
  let isOver = false;
  const stalled = watch();
  let events: AsyncIterator<ModelEvent> | undefined;
  try {
    events = model.stream(request, call.signal, noteActivity)[Symbol.asyncIterator]();
    for (;;) {
      const coming = events.next();
      const next = await Promise.race([coming, stalled]);
      if (next === STALLED) {
        call.abort();
        const failure = temporaryFailure(STALLED_CODE, toLimitFailure(model, limit));
        // An aborted model reports the cost of the call at once.
        const last = await Promise.race([coming, clock.sleep(LAST_WORD_MS)]).catch(() => undefined);
        const spent = last?.value?.type === "failed" ? last.value.failure.spent : undefined;
        return failed({ ...failure, ...(spent && { spent }) });
      }
      if (next.done)
        return failed(temporaryFailure("stream_cut", `The stream of ${model.name} ended without an answer.`));
      noteActivity();
      const event = next.value;
      if (event.type === "done") {
        const isFailed = isEmpty(event.answer) && !mayEndSilent;
        return isFailed ? failed(emptyAnswerFailure(model, event.answer)) : ok(event.answer);
      }
      if (event.type === "failed") return failed(event.failure);
      if (event.type === "text_retract")
        sink.restart(permanentFailure(TEXT_RETRACTED, "The model's thoughts came as its answer."));
      else if (event.type === "text_delta") sink.text(event.text);
      else sink.reasoning(event.text);
    }
  } catch (error) {
    // A model must not throw. If one does, it is a bug, but the turn still ends with a message.
    return failed({
      ...permanentFailure("model_crashed", `The model adapter failed: ${messageOf(error)}`),
      fallBack: true,
    });
  } finally {
    isOver = true;
    signal.removeEventListener("abort", stop);
    // Ends the watch and closes an abandoned stream. Not awaited: a silent stream may never end.
    call.abort(STREAM_OVER);
    void events?.return?.()?.catch(() => undefined);
  }

  /** One timer per call: it restarts as long as something came meanwhile. */
  async function watch(): Promise<typeof STALLED> {
    for (;;) {
      const leftMs = activeAt + limit.ms - clock.now();
      if (leftMs <= 0 && !isOver) return STALLED;
      // The stream has ended, or an abort is about to end it.
      if (isOver || call.signal.aborted) return new Promise<never>(() => undefined);
      await clock.sleep(Math.min(leftMs, waitingMs), call.signal);
      if (!isOver && !call.signal.aborted) sink.noteWaiting?.();
    }
  }
}

/** An explicit abort reason: without one each abort creates an error with a stack trace. */
const STREAM_OVER = "over";
const LAST_WORD_MS = 1_000;
const STALLED = Symbol("stalled");
const STALLED_CODE = "stream_stalled";
/** How often the sink is notified that a silent call is still within its timeout. */
const WAITING_MS = 120_000;

function failed(failure: ModelFailure): Result<Answer, ModelFailure> {
  return { ok: false, failure };
}

function permanentFailure(code: string, message: string): ModelFailure {
  return { code, message, retry: false, compact: false, rotateKey: false, fallBack: false };
}

/** Not a failure: the sink drops the text so far, and the same answer continues. */
export const TEXT_RETRACTED = "text_retracted";
export const EMPTY_ANSWER = "empty_answer";

/** Some models end with no text after a tool's result, or with reasoning alone. */
function isEmpty({ text, calls, stop }: Answer): boolean {
  return stop === "end" && calls.length === 0 && text.trim() === "";
}

function emptyAnswerFailure(model: Model, answer: Answer): ModelFailure {
  const { usage, cost } = answer;
  const spent = { model: answer.model, usage, ...(cost && { cost }) };
  return {
    ...permanentFailure(EMPTY_ANSWER, `${model.name} gave an empty answer. Ask again, or in other words.`),
    fallBack: true,
    spent,
  };
}

function overflowFailure({ name, contextWindow }: Model, tokens: number): ModelFailure {
  const message = `${name} was not called: the conversation has about ${tokens} tokens, but the model's window has ${contextWindow}. Send less at once, begin a new session, or choose a model with a larger window.`;
  return { ...permanentFailure("context_overflow", message), compact: true, fallBack: true };
}

function temporaryFailure(code: string, message: string): ModelFailure {
  return { ...permanentFailure(code, message), retry: true, fallBack: true };
}

/** Of two temporary failures, the one that ends sooner. One without a time may end at any moment. */
function pickSooner(a: ModelFailure | null, b: ModelFailure): ModelFailure | null {
  if (!b.retry) return a;
  return a && (a.retryAfterMs ?? 0) < (b.retryAfterMs ?? 0) ? a : b;
}

function hasNative(message: Message): boolean {
  return message.role === "assistant" && message.native !== undefined;
}

function hasImages(message: Message): boolean {
  return message.role === "user" && (message.images?.length ?? 0) > 0;
}

function withoutNative(message: Message): Message {
  if (message.role !== "assistant") return message;
  const { native: _, ...rest } = message;
  return rest;
}

/** `attempt` counts from 1. */
function backoffMs(attempt: number, random: Random): number {
  const wait = Math.min(BASE_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
  return Math.round(wait + random() * wait * 0.5);
}
