// Keeps a session's conversation within the model's window: the loop's ContextKeeper over the log, and `/compress`. Decides
// when to compact and how much stays; shorten.ts does it and records it. Must give a resumed turn the same messages as
// before, and change nothing when no summary could be made.
import {
  applyCompaction,
  calibrate,
  inForce,
  lastSummary,
  measureTokens,
  estimateOverhead,
  tailBudget,
  thresholdTokens,
  sumTokens,
} from "../../agent/compaction/compaction.ts";
import type { ContextKeeper, Message } from "../../agent/contract.ts";
import { messageTokens as weigh } from "../../agent/request-size.ts";
import { isSmall } from "../../agent/small-window.ts";
import { type Result, err, ok } from "../../errors.ts";
import { type CompactionEntry, type Usage, promptTokens } from "../../schemas/entry.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { EngineContext } from "../context.ts";
import { compactionState, compactionsBefore, readCompaction, readHistory } from "../prompt/history.ts";
import { copyNotices } from "../replay/copy-notices.ts";
import type { Log } from "../log.ts";
import { narrowPrompt, refreshPrompt } from "../turn/prepare-turn.ts";
import { type CompactionContext, type CompactionOptions, type ShortenJob, isBackingOff, shorten } from "./shorten.ts";

/** A pruning must leave at most this share of the threshold for the next compaction; otherwise a summary is made. */
const PRUNE_SHARE = 0.6;
/** After an overflow the window is smaller than assumed. */
const OVERFLOW_SHARE = 0.5;
/** Each further overflow in one step multiplies the size of the tail by this share. */
const OVERFLOW_TAIL_SHARE = 0.25;
/** The minimum room for an answer. */
const MIN_ANSWER_TOKENS = 1_000;
/** The minimum room for a conversation in a small window, even if the prompt and the tools take most of it. */
const MIN_ROOM_TOKENS = 1_000;
/** After these failures, the remaining results are themselves too long for the window. */
const STUCK_CODES = new Set(["nothing_to_shorten", "nothing_saved"]);
// Bounds for the correction of an estimate by the provider's count.
const MIN_RATIO = 0.7;
const MAX_RATIO = 2;
const MIN_MESSAGES = 4; // Hermes Agent: /compress
const MAX_FOCUS_CHARS = 2_000; // a topic, not a text
/** After `/compress`, at most this share of the conversation stays unchanged. */
const ASKED_TAIL_SHARE = 0.25;

export function createContextKeeper(
  context: EngineContext,
  turn: number,
  options: CompactionOptions = {},
): ContextKeeper {
  return createKeeper(toCompactionContext(context), turn, options);
}

/** Carries out `/compress` as the running turn. Failures are for the person who asked. */
export async function compress(
  context: EngineContext,
  focus: string,
  signal: AbortSignal,
  options: CompactionOptions = {},
): Promise<Result<{ before: number; after: number; method: CompactionEntry["method"] }>> {
  return compressNow(toCompactionContext(context), focus, signal, options);
}

function toCompactionContext(context: EngineContext): CompactionContext {
  const { host, log, hub, taint } = context;
  return {
    host,
    log,
    hub,
    isTainted: taint.isTainted,
    refreshPrompt: (contextWindow) => refreshPrompt(context, contextWindow),
    narrowPrompt: (contextWindow) => narrowPrompt(context, contextWindow),
  };
}

/**
 * Real tokens per estimated token of a session, prompt and conversation together: in a small window both matter. Kept in
 * memory only; the next answer yields the ratio again.
 */
const ratios = new WeakMap<Log, number>();

export function createKeeper(context: CompactionContext, turn: number, options: CompactionOptions): ContextKeeper {
  const { host, log } = context;
  const { settings } = host;
  const input = log.turn(turn)!.input!;
  const chain = compactionsBefore(log, input);
  const recorded = compactionState(log)
    .entries.filter(({ n }) => n > input)
    .map(({ n }) => readCompaction(log, n));
  /** Answered steps of a resumed turn are replayed as they were, without new decisions. */
  const answered = countAnswers(log, turn, input);
  let asked = -1;
  let rounds = 0;
  let ratio = ratios.get(log) ?? 1;

  return {
    async fit({ step, messages, contextWindow, fixedTokens, usage, overflow, counted, signal }) {
      const again = overflow ? [] : recorded.filter((compaction) => compaction.step === step);
      if (again.length > 0 || step < answered) {
        rounds = again.length;
        asked = step;
        return ok({ messages: again.reduce((done, compaction) => applyNext(chain, done, compaction), messages) });
      }
      if (step !== asked) rounds = 0;
      asked = step;
      copyNotices(context, options.put ?? log.put);

      // First shorten a prompt that was made for a larger window: that loses nothing of the conversation.
      const system = isSmall(contextWindow) ? ((await context.narrowPrompt?.(contextWindow)) ?? undefined) : undefined;
      const hasNewPrompt = system !== undefined;
      const request = measureRequest(messages, {
        contextWindow,
        ratio,
        lastUsage: hasNewPrompt ? null : readUsage(log, messages, chain, usage),
        counted: hasNewPrompt ? undefined : counted,
        fixedEstimate: isSmall(contextWindow) ? fixedTokens?.(system) : undefined,
      });
      ratio = request.ratio;
      ratios.set(log, ratio);
      const { tokens } = request;
      const same = { messages, tokens, ...(hasNewPrompt && { system }) };
      const fits = tokens + MIN_ANSWER_TOKENS <= contextWindow;
      const limit = thresholdTokens(contextWindow, settings.context, settings.turn.maxOutputTokens);
      if (overflow && hasNewPrompt && fits) return ok(same);
      if (!overflow && (tokens < limit || (fits && isBackedOff(context, tokens)))) return ok(same);

      const refreshed = { ...context, refreshPrompt: () => context.refreshPrompt(contextWindow) };
      const job: ShortenJob = {
        turn,
        input,
        step,
        messages,
        chain,
        keepFrom: input,
        weigh: request.weigh,
        ...computeTargets(request, messages, {
          settings: settings.context,
          contextWindow,
          limit,
          overflow,
          rounds,
          fits,
        }),
        focus: "",
        signal,
      };
      let made = await shorten(refreshed, options, job);
      const isStuck = !made.ok && STUCK_CODES.has(made.failure.code) && (overflow || !fits);
      if (isStuck) made = await shorten(refreshed, options, { ...job, mayCutNewest: true });
      if (!made.ok) return fits && !overflow && made.failure.code !== "aborted" ? ok(same) : made;
      rounds++;
      const { compaction } = made.value;
      const shorter = applyNext(chain, messages, compaction);
      // The estimate of the removed part may be too high. Then more tokens remain than the difference shows.
      const tokensAfter = Math.max(compaction.tokensAfter, estimateTokens(request, shorter));
      return ok({ messages: shorter, system: made.value.system, tokens: tokensAfter });
    },
  };
}

/** A replay knows what the recorded turn did. What that had waited for is not kept. */
function isBackedOff({ host, log }: CompactionContext, tokens: number): boolean {
  return host.replay?.staysWhole(log.nextEntry()) ?? isBackingOff(log, tokens, host.clock.now());
}

/** How large a request is, in tokens. */
interface RequestSize {
  tokens: number;
  /** The prompt and the tools, by the provider's count where there is one. */
  fixed: number;
  /** The estimate for the prompt and the tools; only in a small window, where their size matters. */
  fixedEstimate: number | undefined;
  /** Real tokens per estimated token, as in `ratios`. */
  ratio: number;
  weigh(message: Message): number;
}

function measureRequest(
  messages: Message[],
  options: {
    contextWindow: number;
    /** The ratio so far. */
    ratio: number;
    lastUsage: Usage | null;
    /** The provider's count of this very request. */
    counted: number | undefined;
    fixedEstimate: number | undefined;
  },
): RequestSize {
  const { contextWindow, lastUsage, counted, fixedEstimate } = options;
  if (fixedEstimate === undefined) {
    const fixed = estimateOverhead(contextWindow);
    const tokens = counted ?? Math.round(measureTokens(messages, lastUsage, fixed, weigh));
    return { tokens, fixed, fixedEstimate, ratio: options.ratio, weigh: scaled(messages, lastUsage, fixed) };
  }
  const ratio = computeRatio(messages, { lastUsage, known: counted, fixed: fixedEstimate }) ?? options.ratio;
  const fixed = Math.round(fixedEstimate * ratio);
  const weighScaled = scaledBy(ratio);
  const tokens = counted ?? Math.round(measureTokens(messages, lastUsage, fixed, weighScaled));
  return { tokens, fixed, fixedEstimate, ratio, weigh: weighScaled };
}

/** How far a request must shrink, and how much of its end stays. `rounds`: compactions of this step so far. */
function computeTargets(
  request: RequestSize,
  messages: Message[],
  options: {
    settings: Settings["context"];
    contextWindow: number;
    limit: number;
    overflow: boolean;
    rounds: number;
    fits: boolean;
  },
) {
  const { settings, contextWindow, limit, overflow, rounds, fits } = options;
  const tokens = atLeast(request.tokens, messages, request.weigh);
  let room = overflow ? Math.min(contextWindow, tokens) : contextWindow;
  let maxPrunedTokens = limit * PRUNE_SHARE;
  if (request.fixedEstimate !== undefined) {
    // In a small window the prompt and the tools take so much that shares of the whole window would save nothing.
    room = Math.max(MIN_ROOM_TOKENS, limit - request.fixed);
    maxPrunedTokens = request.fixed + room * PRUNE_SHARE;
  }
  if (overflow) maxPrunedTokens = tokens * OVERFLOW_SHARE;
  return {
    contextWindow: room,
    tokens,
    tailTokens: tailBudget(room, settings) * (overflow ? OVERFLOW_TAIL_SHARE ** rounds : 1),
    minTailMessages: rounds > 0 ? 1 : settings.minTailMessages,
    maxPrunedTokens,
    minGapTokens: overflow ? 0 : tokens * settings.minSaving,
    minSavedTokens: fits ? 0 : tokens + MIN_ANSWER_TOKENS - contextWindow,
  };
}

/** An estimate of the shortened request; 0 outside a small window, where only the provider's count is used. */
function estimateTokens({ fixedEstimate, ratio }: RequestSize, messages: Message[]): number {
  if (fixedEstimate === undefined) return 0;
  return Math.round(Math.max(1, ratio) * (fixedEstimate + sumTokens(messages, weigh)));
}

export async function compressNow(
  context: CompactionContext,
  focus: string,
  signal: AbortSignal,
  options: CompactionOptions = {},
): Promise<Result<{ before: number; after: number; method: CompactionEntry["method"] }>> {
  const { host, log } = context;
  const { settings } = host;
  const turn = log.openTurns()[0]!;
  const input = turn.input!;
  const own = compactionState(log).entries.find(({ n }) => n > input);
  if (own !== undefined) return ok(toOutcome(readCompaction(log, own.n))); // a crash followed the compaction
  const models = host.models("turn");
  if (!models.ok) return models;
  const { contextWindow } = models.value[0];

  const messages = readHistory(context, turn).filter((message) => (message.entry ?? 0) < input);
  if (messages.length < MIN_MESSAGES) {
    return err(
      "too_short",
      `There is nothing to make shorter yet: ${messages.length} messages, and it takes ${MIN_MESSAGES}.`,
    );
  }
  const chain = compactionsBefore(log, input);
  const summary = lastSummary(chain)?.n;
  const lastUsage = readUsage(log, messages, chain, null);
  const fixed = estimateOverhead(contextWindow);
  const scale = scaled(messages, lastUsage, fixed);
  const newest = messages.findLast((message) => message.role === "user" && message.entry !== summary);
  const refreshed = { ...context, refreshPrompt: () => context.refreshPrompt(contextWindow) };
  const made = await shorten(refreshed, options, {
    turn: turn.n,
    input,
    step: 0,
    messages,
    chain,
    keepFrom: newest?.entry ?? input,
    contextWindow,
    tokens: atLeast(Math.round(measureTokens(messages, lastUsage, fixed, weigh)), messages, scale),
    weigh: scale,
    tailTokens: Math.min(tailBudget(contextWindow, settings.context), sumTokens(messages, scale) * ASKED_TAIL_SHARE),
    minTailMessages: 2,
    maxPrunedTokens: 0,
    minGapTokens: 0,
    focus: focus.slice(0, MAX_FOCUS_CHARS).toWellFormed(),
    signal,
  });
  return made.ok ? ok(toOutcome(made.value.compaction)) : made;
}

function toOutcome({ tokensBefore, tokensAfter, method }: CompactionEntry) {
  return { before: tokensBefore, after: tokensAfter, method };
}

/** Applies one more compaction to the messages and adds it to `chain`. */
function applyNext(chain: CompactionEntry[], messages: Message[], compaction: CompactionEntry): Message[] {
  const shorter = applyCompaction(messages, chain, compaction);
  chain.splice(0, chain.length, ...inForce([...chain, compaction]));
  return shorter;
}

/** A weight function, calibrated to the last count of a provider. */
function scaled(messages: Message[], usage: Usage | null, fixed: number): (message: Message) => number {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  if (!usage || last <= 0) return weigh;
  const scale = calibrate(messages.slice(0, last), promptTokens(usage), fixed, weigh);
  return (message) => weigh(message) * scale;
}

function scaledBy(ratio: number): (message: Message) => number {
  return (message) => weigh(message) * ratio;
}

/** The ratio of the provider's last count to the estimate; undefined without a count. */
function computeRatio(
  messages: Message[],
  { lastUsage, known, fixed }: { lastUsage: Usage | null; known: number | undefined; fixed: number },
): number | undefined {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  const counted = known ?? (lastUsage && last > 0 ? promptTokens(lastUsage) : 0);
  const before = known === undefined ? messages.slice(0, last) : messages;
  if (counted === 0) return undefined;
  return Math.min(MAX_RATIO, Math.max(MIN_RATIO, counted / (fixed + sumTokens(before, weigh))));
}

/** A provider may count too few tokens. The total must not be smaller than its parts. */
function atLeast(tokens: number, messages: Message[], weigh: (message: Message) => number): number {
  return Math.max(tokens, Math.ceil(sumTokens(messages, weigh)));
}

/** The usage of the last answer; null without a count, or after a later compaction. */
function readUsage(log: Log, messages: Message[], chain: CompactionEntry[], known: Usage | null): Usage | null {
  const last = messages.findLast((message) => message.role === "assistant")?.entry ?? 0;
  if (last < (chain.at(-1)?.n ?? 1)) return null;
  const entry = known ? null : log.entry(last);
  const usage = known ?? (entry?.kind === "assistant" ? entry.answer.usage : null);
  return usage && promptTokens(usage) > 0 ? usage : null;
}

function countAnswers(log: Log, turn: number, input: number): number {
  return log.entries(input).filter((entry) => entry.turn === turn && entry.kind === "assistant").length;
}
