// Keeps a session's conversation within the model's window: the loop's ContextKeeper over the log, and `/compress`. Here it
// is decided when, and how much of it is to stay; how it is made shorter, and what is recorded of it, is shorten.ts. It
// must give a resumed turn the same messages as before, and change nothing when no summary could be had.
import {
  applyCompaction,
  calibrate,
  createScale,
  inForce,
  lastSummary,
  measure,
  tailBudget,
  thresholdTokens,
  total,
} from "../agent/compaction.ts";
import type { ContextKeeper, Message } from "../agent/contract.ts";
import { type Result, err, ok } from "../errors.ts";
import { type CompactionEntry, type Usage, promptTokens } from "../schemas/entry.ts";
import type { EngineContext } from "./context.ts";
import { compactionState, compactionsBefore, readCompaction, readHistory } from "./history.ts";
import type { Log } from "./log.ts";
import { refreshPrompt } from "./prepare-turn.ts";
import { type CompactionContext, type CompactionOptions, isResting, shorten } from "./shorten.ts";

/** A pruning must bring the conversation this far below where it would be shortened again, else it is summarised. */
const PRUNE_SHARE = 0.6;
/** After an overflow the window is smaller than it was thought to be. */
const OVERFLOW_SHARE = 0.5;
/** Each further overflow of one step leaves this share of the newest messages. */
const OVERFLOW_TAIL_SHARE = 0.25;
/** What a model needs for an answer at the very least. */
const LEAST_ANSWER_TOKENS = 1_000;
const MIN_MESSAGES = 4; // Hermes Agent: /compress
const MAX_FOCUS_CHARS = 2_000; // a topic, not a text
/** Of a conversation that a person wants shorter, at most so much stays as it is. */
const ASKED_TAIL_SHARE = 0.25;

export function createContextKeeper(
  context: EngineContext,
  turn: number,
  options: CompactionOptions = {},
): ContextKeeper {
  return createKeeper(toCompactionContext(context), turn, options);
}

/** What `/compress` does, as the running turn. Failures are for the person who asked. */
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
  return { host, log, hub, refreshPrompt: () => refreshPrompt(context), isTainted: taint.isTainted };
}

export function createKeeper(context: CompactionContext, turn: number, options: CompactionOptions): ContextKeeper {
  const { host, log } = context;
  const { settings } = host;
  const input = log.turn(turn)!.input!;
  const weigh = createScale();
  const chain = compactionsBefore(log, input);
  const recorded = compactionState(log)
    .entries.filter(({ n }) => n > input)
    .map(({ n }) => readCompaction(log, n));
  /** Steps with an answer are told again as they were, so nothing is decided there. */
  const answered = countAnswers(log, turn, input);
  let asked = -1;
  let rounds = 0;

  return {
    async fit({ step, messages, contextWindow, usage, overflow, signal }) {
      const again = overflow ? [] : recorded.filter((compaction) => compaction.step === step);
      if (again.length > 0 || step < answered) {
        rounds = again.length;
        asked = step;
        return ok({ messages: again.reduce((done, compaction) => applyNext(chain, done, compaction), messages) });
      }
      if (step !== asked) rounds = 0;
      asked = step;

      const told = usageTold(log, messages, chain, usage);
      const tokens = Math.round(measure(messages, told, contextWindow, weigh));
      const fits = tokens + LEAST_ANSWER_TOKENS <= contextWindow;
      const limit = thresholdTokens(contextWindow, settings.context, settings.turn.maxOutputTokens);
      if (!overflow && (tokens < limit || (fits && isResting(log, tokens, host.clock.now())))) return ok({ messages });

      const scale = scaled(messages, told, contextWindow, weigh);
      const size = atLeast(tokens, messages, scale);
      const window = overflow ? Math.min(contextWindow, size) : contextWindow;
      const tailTokens = tailBudget(window, settings.context) * (overflow ? OVERFLOW_TAIL_SHARE ** rounds : 1);
      const made = await shorten(context, options, {
        turn,
        input,
        step,
        messages,
        chain,
        keepFrom: input,
        contextWindow: window,
        tokens: size,
        weigh: scale,
        tailTokens,
        minTailMessages: rounds > 0 ? 1 : settings.context.minTailMessages,
        pruneBelow: overflow ? size * OVERFLOW_SHARE : limit * PRUNE_SHARE,
        leastGap: overflow ? 0 : size * settings.context.minSaving,
        focus: "",
        signal,
      });
      if (made.ok) {
        rounds++;
        return ok({ messages: applyNext(chain, messages, made.value.compaction), system: made.value.system });
      }
      return fits && !overflow && made.failure.code !== "aborted" ? ok({ messages }) : made;
    },
  };
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
  if (own !== undefined) return ok(toOutcome(readCompaction(log, own.n))); // the turn was cut off after it was done
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
  const told = usageTold(log, messages, chain, null);
  const weigh = createScale();
  const scale = scaled(messages, told, contextWindow, weigh);
  const newest = messages.findLast((message) => message.role === "user" && message.entry !== summary);
  const made = await shorten(context, options, {
    turn: turn.n,
    input,
    step: 0,
    messages,
    chain,
    keepFrom: newest?.entry ?? input,
    contextWindow,
    tokens: atLeast(Math.round(measure(messages, told, contextWindow, weigh)), messages, scale),
    weigh: scale,
    tailTokens: Math.min(tailBudget(contextWindow, settings.context), total(messages, scale) * ASKED_TAIL_SHARE),
    minTailMessages: 2,
    pruneBelow: 0,
    leastGap: 0,
    focus: focus.slice(0, MAX_FOCUS_CHARS).toWellFormed(),
    signal,
  });
  return made.ok ? ok(toOutcome(made.value.compaction)) : made;
}

function toOutcome({ tokensBefore, tokensAfter, method }: CompactionEntry) {
  return { before: tokensBefore, after: tokensAfter, method };
}

/** The messages under one more compaction, which joins `chain`. */
function applyNext(chain: CompactionEntry[], messages: Message[], compaction: CompactionEntry): Message[] {
  const shorter = applyCompaction(messages, chain, compaction);
  chain.splice(0, chain.length, ...inForce([...chain, compaction]));
  return shorter;
}

/** Estimates in the tokens of the provider that counted last. */
function scaled(
  messages: Message[],
  usage: Usage | null,
  contextWindow: number,
  weigh: (message: Message) => number,
): (message: Message) => number {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  if (!usage || last <= 0) return weigh;
  const scale = calibrate(messages.slice(0, last), promptTokens(usage), contextWindow, weigh);
  return (message) => weigh(message) * scale;
}

/** A provider may count less than there is. What falls out is never more than what was there. */
function atLeast(tokens: number, messages: Message[], weigh: (message: Message) => number): number {
  return Math.max(tokens, Math.ceil(total(messages, weigh)));
}

/** Of the last answer; null where its provider counted nothing, or the conversation was made shorter since. */
function usageTold(log: Log, messages: Message[], chain: CompactionEntry[], known: Usage | null): Usage | null {
  const last = messages.findLast((message) => message.role === "assistant")?.entry ?? 0;
  if (last < (chain.at(-1)?.n ?? 1)) return null;
  const entry = known ? null : log.entry(last);
  const usage = known ?? (entry?.kind === "assistant" ? entry.answer.usage : null);
  return usage && promptTokens(usage) > 0 ? usage : null;
}

function countAnswers(log: Log, turn: number, input: number): number {
  return log.entries(input).filter((entry) => entry.turn === turn && entry.kind === "assistant").length;
}
