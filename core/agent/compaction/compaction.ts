// Where a conversation may be shortened, and how a recorded compaction is applied to its messages. Used by
// core/session/compaction/compact.ts while a turn runs and by core/session/prompt/history.ts for later ones: both get the same bytes, because
// both apply the same entries in the same order. Pure. A call never loses its result, nor a result its call.
import { promptTokens, textOf } from "../../schemas/entry.ts";
import type { CompactionEntry, Usage } from "../../schemas/entry.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Message } from "../contract.ts";

// Windows from this size on have the lower threshold (Hermes Agent).
const LARGE_WINDOW_TOKENS = 512_000;
/** Of the window, at most: for the answer, the newest messages, those at the beginning, what the person asked for. */
const MAX_ANSWER_SHARE = 0.25;
const MAX_TAIL_SHARE = 0.2;
const MAX_HEAD_SHARE = 0.1;
const MAX_KEPT_SHARE = 0.15;
/** The group that reaches the tail's budget may go beyond it by this (Hermes Agent). */
const TAIL_OVERRUN = 1.5;
/** The prompt and the tools, where no provider has told their size: as measured with the built-in tools and a full index. */
const OVERHEAD_TOKENS = 9_000;
const MAX_OVERHEAD_SHARE = 0.125;
// How far the estimate may be corrected by what a provider counted.
const MIN_SCALE = 0.5;
const MAX_SCALE = 3;

type Weigh = (message: Message) => number;

/**
 * Tokens of the request these messages make: what the provider counted up to its last answer, the rest estimated. `usage`
 * is that of the last assistant message; `null` where none was told, or the conversation was changed since. `fixed`: tokens
 * of the prompt and the tools.
 */
export function measure(messages: Message[], usage: Usage | null, fixed: number, weigh: Weigh): number {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  if (usage && last >= 0) return promptTokens(usage) + total(messages.slice(last), weigh);
  return fixed + total(messages, weigh);
}

/** Tokens that one estimated token really is, by a provider's count of the messages before its last answer. */
export function calibrate(messages: Message[], tokens: number, fixed: number, weigh: Weigh): number {
  const estimated = total(messages, weigh);
  const real = tokens - fixed;
  return estimated > 0 ? Math.min(MAX_SCALE, Math.max(MIN_SCALE, real / estimated)) : 1;
}

/** Of the prompt and the tools, where nobody has weighed them. */
export function overheadOf(contextWindow: number): number {
  return Math.min(OVERHEAD_TOKENS, Math.round(contextWindow * MAX_OVERHEAD_SHARE));
}

export function total(messages: Message[], weigh: Weigh): number {
  return messages.reduce((sum, message) => sum + weigh(message), 0);
}

/** From how many tokens of a request on a conversation is made shorter. */
export function thresholdTokens(contextWindow: number, context: Settings["context"], maxOutputTokens: number): number {
  const share = contextWindow < LARGE_WINDOW_TOKENS ? context.thresholdSmall : context.threshold;
  const room = Math.min(maxOutputTokens, contextWindow * MAX_ANSWER_SHARE);
  return Math.round(Math.min(contextWindow * share, context.maxTokens, contextWindow - room));
}

/** Tokens of the newest messages that stay. */
export function tailBudget(contextWindow: number, context: Settings["context"]): number {
  const wanted = Math.max(context.minTailTokens, Math.min(context.maxTailTokens, contextWindow * context.tailShare));
  return Math.round(Math.min(wanted, contextWindow * MAX_TAIL_SHARE));
}

export interface PlanOptions {
  contextWindow: number;
  /** Messages at the beginning that stay. */
  protectFirst: number;
  tailTokens: number;
  minTailMessages: number;
  /** User messages from this entry on are what the person asks for now: they stay, wherever they stand. */
  keepFrom: number;
  /** The compactions these messages are already under, oldest first. */
  chain: readonly CompactionEntry[];
  /** In the provider's tokens. */
  weigh: Weigh;
}

export interface CompactionPlan {
  /** As in CompactionEntry. */
  head: number;
  tail: number;
  kept: number[];
  /** What lies between, in order, without an earlier summary; and that without what is kept. */
  between: Message[];
  gap: Message[];
}

/** Null where there is nothing between the beginning and the newest messages. */
export function planCompaction(messages: Message[], options: PlanOptions): CompactionPlan | null {
  const { contextWindow, weigh, chain, keepFrom } = options;
  const summary = lastSummary(chain);
  const known = chain.at(-1);
  // The beginning stays what it was, whatever the settings say by now: what lies behind it has changed.
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

/** How many messages the beginning has: whole groups, none of them so large that it would crowd out the rest. */
function headLength(messages: Message[], { protectFirst, contextWindow, weigh }: PlanOptions): number {
  let length = 0;
  let tokens = 0;
  for (const group of toGroups(messages)) {
    tokens += total(group, weigh);
    if (length >= protectFirst || tokens > contextWindow * MAX_HEAD_SHARE) break;
    length += group.length;
  }
  return length;
}

/** Index of the first group that stays. The newest always does; no tail begins before that of an earlier compaction. */
function tailStart(groups: Message[][], options: PlanOptions, earliest: number): number {
  const { tailTokens, minTailMessages, contextWindow, weigh } = options;
  let start = groups.length;
  let tokens = 0;
  let count = 0;
  while (start > 0) {
    const group = groups[start - 1]!;
    if ((group[0]!.entry ?? 0) < earliest) break;
    tokens += total(group, weigh);
    count += group.length;
    const few = count - group.length < minTailMessages && tokens <= contextWindow * MAX_TAIL_SHARE;
    const fits = tokens <= tailTokens * TAIL_OVERRUN && tokens - total(group, weigh) < tailTokens;
    if (start < groups.length && !few && !fits) break;
    start--;
  }
  return start;
}

/** The request and what was said last always stay; of a flood of messages between them, the newest that fit. */
function pickKept(messages: Message[], keepFrom: number, maxTokens: number, weigh: Weigh): Set<Message> {
  const wanted = messages.filter((message) => message.role === "user" && (message.entry ?? 0) >= keepFrom);
  const kept = new Set([...wanted.slice(0, 1), ...wanted.slice(-1)]);
  let left = maxTokens - total([...kept], weigh);
  for (const message of wanted.slice(1, -1).toReversed()) {
    left -= weigh(message);
    if (left < 0) break;
    kept.add(message);
  }
  return new Set(wanted.filter((message) => kept.has(message)));
}

/** An assistant message and the results of its calls are one group; so is a user message. */
function toGroups(messages: Message[]): Message[][] {
  const groups: Message[][] = [];
  for (const message of messages) {
    if (message.role === "tool" && groups.length > 0) groups.at(-1)!.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** Those that still count of some, oldest first: the last summary, and the last pruning after it, which holds those before. */
export function inForce<Made extends Pick<CompactionEntry, "method">>(compactions: readonly Made[]): Made[] {
  const summary = compactions.findLast((made) => made.method !== "prune");
  const last = compactions.at(-1);
  return [...(summary ? [summary] : []), ...(last && last !== summary ? [last] : [])];
}

export function lastSummary(chain: readonly CompactionEntry[]): CompactionEntry | null {
  return chain.findLast((made) => made.method !== "prune") ?? null;
}

/** The text of a pruning. */
export function toPrunedText(messages: Message[]): string {
  return JSON.stringify(messages);
}

/** `chain` is what the messages are under already. */
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
