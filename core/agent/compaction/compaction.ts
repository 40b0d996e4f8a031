// Plans where a conversation is shortened, and applies recorded compactions to messages. Used by core/session/compaction/compact.ts
// while a turn runs, and by core/session/prompt/history.ts for later turns. Both apply the same entries in the same order, so both
// get the same bytes. Pure. A call and its result are never separated.
import { promptTokens, textOf } from "../../schemas/entry.ts";
import type { CompactionEntry, Usage } from "../../schemas/entry.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Message } from "../contract.ts";

// Windows from this size on use the lower threshold (Hermes Agent).
const LARGE_WINDOW_TOKENS = 512_000;
/** Maximum shares of the window: the answer, the newest messages, the first messages, and the person's current requests. */
const MAX_ANSWER_SHARE = 0.25;
const MAX_TAIL_SHARE = 0.2;
const MAX_HEAD_SHARE = 0.1;
const MAX_KEPT_SHARE = 0.15;
/** The last group of the tail may exceed the tail's budget by this factor (Hermes Agent). */
const TAIL_OVERRUN = 1.5;
/** Prompt and tools, if no provider has reported their size. Measured with the built-in tools and a full index. */
const OVERHEAD_TOKENS = 9_000;
const MAX_OVERHEAD_SHARE = 0.125;
// Bounds for correcting the estimate by a provider's count.
const MIN_SCALE = 0.5;
const MAX_SCALE = 3;

type WeighMessage = (message: Message) => number;

/**
 * Tokens of the request with these messages: the provider's count up to its last answer, and an estimate of the rest. `usage`: of
 * the last assistant message; `null` if it is unknown, or the conversation has changed since. `fixed`: tokens of prompt and tools.
 */
export function measureTokens(messages: Message[], usage: Usage | null, fixed: number, weigh: WeighMessage): number {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  if (usage && last >= 0) return promptTokens(usage) + sumTokens(messages.slice(last), weigh);
  return fixed + sumTokens(messages, weigh);
}

/** Real tokens per estimated token, by a provider's count of the messages before its last answer. */
export function calibrate(messages: Message[], tokens: number, fixed: number, weigh: WeighMessage): number {
  const estimated = sumTokens(messages, weigh);
  const real = tokens - fixed;
  return estimated > 0 ? Math.min(MAX_SCALE, Math.max(MIN_SCALE, real / estimated)) : 1;
}

/** Tokens of prompt and tools, if they were not measured. */
export function estimateOverhead(contextWindow: number): number {
  return Math.min(OVERHEAD_TOKENS, Math.round(contextWindow * MAX_OVERHEAD_SHARE));
}

export function sumTokens(messages: Message[], weigh: WeighMessage): number {
  return messages.reduce((sum, message) => sum + weigh(message), 0);
}

/** A request with more tokens than this is shortened. */
export function thresholdTokens(contextWindow: number, context: Settings["context"], maxOutputTokens: number): number {
  const share = contextWindow < LARGE_WINDOW_TOKENS ? context.thresholdSmall : context.threshold;
  const room = Math.min(maxOutputTokens, contextWindow * MAX_ANSWER_SHARE);
  return Math.round(Math.min(contextWindow * share, context.maxTokens, contextWindow - room));
}

/** Tokens for the newest messages, which stay unchanged. */
export function tailBudget(contextWindow: number, context: Settings["context"]): number {
  const wanted = Math.max(context.minTailTokens, Math.min(context.maxTailTokens, contextWindow * context.tailShare));
  return Math.round(Math.min(wanted, contextWindow * MAX_TAIL_SHARE));
}

export interface PlanOptions {
  contextWindow: number;
  /** Number of first messages that stay. */
  protectFirst: number;
  tailTokens: number;
  minTailMessages: number;
  /** User messages from this entry on are the person's current requests. They stay, wherever they are. */
  keepFrom: number;
  /** Compactions that are already applied to these messages, oldest first. */
  chain: readonly CompactionEntry[];
  /** Weight in the provider's tokens. */
  weigh: WeighMessage;
}

export interface CompactionPlan {
  /** As in CompactionEntry. */
  head: number;
  tail: number;
  kept: number[];
  /** The messages between head and tail, in order, without an earlier summary. `gap`: without those that are kept. */
  between: Message[];
  gap: Message[];
}

/** Null: nothing lies between the first and the newest messages. */
export function planCompaction(messages: Message[], options: PlanOptions): CompactionPlan | null {
  const { contextWindow, weigh, chain, keepFrom } = options;
  const summary = lastSummary(chain);
  const known = chain.at(-1);
  // The head of an earlier compaction stays even if the settings have changed, because the messages after it were replaced.
  const length = known
    ? messages.filter((message) => message.entry !== summary?.n && (message.entry ?? 0) <= known.head).length
    : headLength(messages, options);
  const groups = toGroups(messages.slice(length).filter((message) => !summary || message.entry !== summary.n));
  const tail = tailStart(groups, options, known?.tail ?? 0);
  if (tail === 0) return null;

  const between = groups.slice(0, tail).flat();
  const keep = pickKept(between, keepFrom, contextWindow * MAX_KEPT_SHARE, weigh);
  const gap = between.filter((message) => !keep.has(message));
  if (gap.length === 0) return null;
  const first = groups[tail]?.[0]?.entry;
  if (first === undefined) return null;
  return {
    head: known?.head ?? Math.max(0, ...messages.slice(0, length).map((message) => message.entry ?? 0)),
    tail: first,
    kept: [...keep].map((message) => message.entry!),
    between,
    gap,
  };
}

/** Number of first messages that stay: whole groups, up to a share of the window. */
function headLength(messages: Message[], { protectFirst, contextWindow, weigh }: PlanOptions): number {
  let length = 0;
  let tokens = 0;
  for (const group of toGroups(messages)) {
    tokens += sumTokens(group, weigh);
    if (length >= protectFirst || tokens > contextWindow * MAX_HEAD_SHARE) break;
    length += group.length;
  }
  return length;
}

/** Index of the tail's first group. The newest group always stays. A tail never begins before that of an earlier compaction. */
function tailStart(groups: Message[][], options: PlanOptions, earliest: number): number {
  const { tailTokens, minTailMessages, contextWindow, weigh } = options;
  let start = groups.length;
  let tokens = 0;
  let count = 0;
  while (start > 0) {
    const group = groups[start - 1]!;
    if ((group[0]!.entry ?? 0) < earliest) break;
    tokens += sumTokens(group, weigh);
    count += group.length;
    const few = count - group.length < minTailMessages && tokens <= contextWindow * MAX_TAIL_SHARE;
    const fits = tokens <= tailTokens * TAIL_OVERRUN && tokens - sumTokens(group, weigh) < tailTokens;
    if (start < groups.length && !few && !fits) break;
    start--;
  }
  return start;
}

/** The first and the last of the person's current messages always stay; of those between, the newest that fit. */
function pickKept(messages: Message[], keepFrom: number, maxTokens: number, weigh: WeighMessage): Set<Message> {
  const wanted = messages.filter((message) => message.role === "user" && (message.entry ?? 0) >= keepFrom);
  const kept = new Set([...wanted.slice(0, 1), ...wanted.slice(-1)]);
  let left = maxTokens - sumTokens([...kept], weigh);
  for (const message of wanted.slice(1, -1).toReversed()) {
    left -= weigh(message);
    if (left < 0) break;
    kept.add(message);
  }
  return new Set(wanted.filter((message) => kept.has(message)));
}

/** An assistant message and the results of its calls form one group. Each user message is its own group. */
function toGroups(messages: Message[]): Message[][] {
  const groups: Message[][] = [];
  for (const message of messages) {
    if (message.role === "tool" && groups.length > 0) groups.at(-1)!.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** The compactions that still apply, oldest first: the last summary, and the last pruning after it, which includes earlier ones. */
export function inForce<Made extends Pick<CompactionEntry, "method">>(compactions: readonly Made[]): Made[] {
  const summary = compactions.findLast((made) => made.method !== "prune");
  const last = compactions.at(-1);
  return [...(summary ? [summary] : []), ...(last && last !== summary ? [last] : [])];
}

export function lastSummary(chain: readonly CompactionEntry[]): CompactionEntry | null {
  return chain.findLast((made) => made.method !== "prune") ?? null;
}

/** The text of a pruning's entry. */
export function toPrunedText(messages: Message[]): string {
  return JSON.stringify(messages);
}

/** `chain`: the compactions that are already applied to `messages`. */
export function applyCompaction(
  messages: Message[],
  chain: readonly CompactionEntry[],
  compaction: CompactionEntry,
): Message[] {
  const { head, tail, kept, method } = compaction;
  const earlier = lastSummary(chain)?.n;
  const summary = messages.filter((message) => message.entry !== undefined && message.entry === earlier);
  const rest = messages.filter((message) => !summary.includes(message));
  const isHead = (message: Message) => (message.entry ?? 0) <= head;
  const isTail = (message: Message) => !isHead(message) && (message.entry ?? 0) >= tail;
  const stays = new Set(kept);
  const between: Message[] =
    method === "prune"
      ? [...summary, ...(JSON.parse(textOf(compaction)) as Message[])]
      : [
          { role: "user", text: textOf(compaction), entry: compaction.n },
          ...rest.filter((message) => !isHead(message) && !isTail(message) && stays.has(message.entry ?? 0)),
        ];
  return [...rest.filter(isHead), ...between, ...rest.filter(isTail)];
}
