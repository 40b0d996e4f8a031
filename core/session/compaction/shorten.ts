// Compacts a conversation: plans the gap to remove, prunes or summarises it, and stores the log entry and the pointer to it
// in one transaction. Called by compact.ts. Records failed attempts too, with their cost and the wait before the next one.
import {
  type CompactionPlan,
  inForce,
  lastSummary,
  planCompaction,
  toPrunedText,
  sumTokens,
} from "../../agent/compaction/compaction.ts";
import { pruneMessages } from "../../agent/compaction/compaction-prune.ts";
import {
  droppedSkills,
  findSummaryPart,
  summaryTokens,
  toSummaryParts,
  worstSource,
} from "../../agent/compaction/compaction-summary.ts";
import type { Message } from "../../agent/contract.ts";
import { type Failure, type Result, err, ok } from "../../errors.ts";
import type { CompactionEntry, Entry, NoticeEntry } from "../../schemas/entry.ts";
import { byteLength } from "../../schemas/learning/digest.ts";
import { type Source, dayOf } from "../../schemas/ids.ts";
import type { SessionHost } from "../context.ts";
import { placeNotice } from "../readers/events.ts";
import { type CompactionState, compactionState } from "../prompt/history.ts";
import type { Hub } from "../readers/hub.ts";
import type { Log } from "../log.ts";
import { toNotice } from "../prompt/notices.ts";
import { type SummaryCall, cooldownMs, summarise } from "./summarise.ts";
import { openTodos } from "../prompt/todos.ts";

/** Limit of a stored pruning. A row could hold more, but a summary serves better then. */
const MAX_PRUNED_BYTES = 1_000_000;
/** After MAX_WEAK compactions in a row that save next to nothing, the conversation must grow by REGROWTH_SHARE of the window. */
const MAX_WEAK = 2;
const REGROWTH_SHARE = 0.1;

/** The parts of a session that compaction needs. */
export interface CompactionContext {
  host: Pick<SessionHost, "session" | "sql" | "clock" | "random" | "settings" | "models" | "replay">;
  log: Log;
  hub: Pick<Hub, "emit">;
  /** Begins a new epoch with a prompt for this window. Absent: the window of the model in use. */
  refreshPrompt(contextWindow?: number): Promise<string>;
  /** Begins a new epoch if the prompt was made for a larger window; else `null`. */
  narrowPrompt?(contextWindow: number): Promise<string | null>;
  /** Whether a text repeats content that was read in the session. */
  isTainted?(text: string): boolean;
}

export interface CompactionOptions {
  /** Writes an entry of the turn inside the caller's transaction. Throws when the turn has ended meanwhile. */
  put?(entry: Entry): void;
  /** Checks budgets before each model call. */
  findRefusal?(): Failure | null | Promise<Failure | null>;
  /** Called while a summarising model makes progress. */
  noteActivity?(): void;
  /** Receives the calls of a summary that finished after the turn had ended; no entry records them. */
  onLateCalls?(calls: SummaryCall[]): void;
  /** Receives the calls of a failed summary; the caller's entry records them. Absent: a notice does. */
  onFailedCalls?(calls: SummaryCall[]): void;
  /** What an external memory knows about the removed messages; "" for nothing. */
  readRecalled?(gap: Message[]): Promise<string>;
}

export interface ShortenJob {
  turn: number;
  /** Entry of the turn's input. */
  input: number;
  step: number;
  messages: Message[];
  /** The compactions already applied to the messages. */
  chain: CompactionEntry[];
  keepFrom: number;
  contextWindow: number;
  /** Tokens of the current request. */
  tokens: number;
  weigh(message: Message): number;
  tailTokens: number;
  minTailMessages: number;
  /** Pruning suffices when it leaves at most this many tokens; 0: never. */
  maxPrunedTokens: number;
  /** Minimum tokens in the gap. */
  minGapTokens: number;
  /** Tokens that must be removed before the model can read the rest. */
  minSavedTokens?: number;
  focus: string;
  /** Last resort: cut the newest results too. The model reads what they were, and may request less. */
  mayCutNewest?: boolean;
  signal: AbortSignal;
}

export async function shorten(
  context: CompactionContext,
  options: CompactionOptions,
  job: ShortenJob,
): Promise<Result<{ compaction: CompactionEntry; system: string }>> {
  const { host, log } = context;
  if (job.mayCutNewest) return cutNewest(context, options, job);
  const plan = planCompaction(job.messages, { ...job, protectFirst: host.settings.context.protectFirst });
  if (!plan) return NOTHING_LEFT;
  const gapTokens = sumTokens(plan.gap, job.weigh);
  if (job.minSavedTokens !== undefined && gapTokens < job.minSavedTokens) {
    const cut = await cutNewest(context, options, job);
    if (cut.ok) return cut;
  }
  if (gapTokens < job.minGapTokens) return { ok: false, failure: NOTHING_SAVED };
  const entries = readGapEntries(log, plan, job.chain);
  const source = findWorstSource(entries, job.chain);
  const pruned = pruneMessages(plan.between, plan.kept);
  const prunedTokens = Math.round(job.tokens - sumTokens(plan.between, job.weigh) + sumTokens(pruned, job.weigh));
  const prunedText = toPrunedText(pruned);
  if (prunedTokens <= job.maxPrunedTokens && byteLength(JSON.stringify(prunedText)) <= MAX_PRUNED_BYTES) {
    const parts = [{ source, text: prunedText }];
    return record(context, options, job, plan, { method: "prune", parts, calls: [], tokensAfter: prunedTokens });
  }

  const previous = findSummaryPart(lastSummary(job.chain));
  const maxTokens = summaryTokens(gapTokens, job.contextWindow, host.settings.context.summaryTokens);
  const recalled = (await options.readRecalled?.(plan.gap)) ?? "";
  const made = await summarise(host, {
    gap: plan.gap,
    recalled,
    previous: previous?.text ?? "",
    focus: job.focus,
    dayOf: (n) => dayOf((entries.get(n) ?? job.chain.at(-1))?.at ?? host.clock.now()),
    maxTokens,
    signal: job.signal,
    findRefusal: options.findRefusal,
    noteActivity: options.noteActivity,
  });
  if (!made.ok) return recordFailure(context, options, job, made.failure, made.calls, made.shouldBackOff);

  // The removed messages may repeat content that was read before them.
  const isRead = recalled !== "" || context.isTainted?.(made.text) === true;
  const worst = isRead ? worstSource([source, "content"]) : source;
  const todos = openTodos(log);
  const parts = toSummaryParts(made.text, worst, skillsDropped(job, plan), maxTokens, todos);
  const text = parts.map((part) => part.text).join("");
  const replaced = job.messages.find((message) => message.entry === lastSummary(job.chain)?.n);
  const saved = gapTokens + (replaced ? job.weigh(replaced) : 0) - job.weigh({ role: "user", text });
  const tokensAfter = Math.round(job.tokens - saved);
  if (saved <= 0) return recordFailure(context, options, job, NOTHING_SAVED, made.calls, false);
  return record(context, options, job, plan, { ...made, parts, tokensAfter });
}

/** Prunes the newest messages. One result may exceed the window when the turn began before the window was known. */
async function cutNewest(
  context: CompactionContext,
  options: CompactionOptions,
  job: ShortenJob,
): Promise<Result<{ compaction: CompactionEntry; system: string }>> {
  const { messages, chain, weigh } = job;
  const summary = lastSummary(chain)?.n;
  const head = chain.at(-1)?.head ?? 0;
  const between = messages.filter((message) => (message.entry ?? 0) > head && message.entry !== summary);
  const pruned = pruneMessages(between);
  const saved = sumTokens(between, weigh) - sumTokens(pruned, weigh);
  const text = toPrunedText(pruned);
  if (saved <= 0 || byteLength(JSON.stringify(text)) > MAX_PRUNED_BYTES) return NOTHING_LEFT;
  const plan: CompactionPlan = { head, tail: context.log.nextEntry(), kept: [], between, gap: between };
  const parts = [{ source: findWorstSource(readGapEntries(context.log, plan, chain), chain), text }];
  const tokensAfter = Math.max(0, Math.round(job.tokens - saved));
  return record(context, options, job, plan, { method: "prune", parts, calls: [], tokensAfter });
}

const NOTHING_LEFT = err(
  "nothing_to_shorten",
  "The conversation cannot be made shorter: its newest messages alone fill it.",
);

interface MadeCompaction {
  method: CompactionEntry["method"];
  parts: CompactionEntry["parts"];
  calls: SummaryCall[];
  tokensAfter: number;
  /** Why the summary was made without a model. */
  withoutModel?: "empty" | "failed";
}

/** Stores the new prompt before the compaction: a crash between the two only costs a cached prefix. */
async function record(
  context: CompactionContext,
  { put = context.log.put, onLateCalls }: CompactionOptions,
  job: ShortenJob,
  plan: CompactionPlan,
  made: MadeCompaction,
): Promise<Result<{ compaction: CompactionEntry; system: string }>> {
  const { host, log, hub } = context;
  const system = await context.refreshPrompt();
  if (isOver(log, job)) {
    onLateCalls?.(made.calls);
    return ABORTED;
  }
  const now = host.clock.now();
  const compaction: CompactionEntry = {
    v: 1,
    n: log.nextEntry(),
    turn: job.turn,
    at: now,
    kind: "compaction",
    parts: made.parts,
    step: job.step,
    head: plan.head,
    tail: plan.tail,
    kept: plan.kept,
    method: made.method,
    tokensBefore: job.tokens,
    tokensAfter: made.tokensAfter,
    ...(job.focus === "" ? {} : { focus: job.focus }),
    droppedSkills: skillsDropped(job, plan),
    calls: made.calls,
  };
  const state = compactionState(log);
  const before = inForce(state.entries.filter(({ n }) => n < job.input));
  const own = state.entries.filter(({ n }) => n > job.input);
  const { failures, retryAt } = nextRetry(state, made, now);
  const weak = 1 - made.tokensAfter / job.tokens < host.settings.context.minSaving ? state.weak + 1 : 0;
  host.sql.transaction(() => {
    put(compaction);
    log.setMeta("compaction", {
      ...state,
      entries: [...before, ...own, { n: compaction.n, method: compaction.method }],
      failures,
      retryAt,
      ...backOffAfter(weak, made.tokensAfter, job),
    });
  });
  hub.emit(placeNotice(compaction));
  return ok({ compaction, system });
}

/** A summary by a model clears the failures, one without a model is a failure, and a pruning changes nothing. */
function nextRetry(
  state: Pick<CompactionState, "failures" | "retryAt">,
  { method, withoutModel }: MadeCompaction,
  now: number,
): Pick<CompactionState, "failures" | "retryAt"> {
  if (withoutModel) {
    const failures = state.failures + 1;
    return { failures, retryAt: now + cooldownMs(failures, withoutModel) };
  }
  if (method === "prune" && state.failures > 0) return { failures: state.failures, retryAt: state.retryAt };
  return { failures: 0, retryAt: 0 };
}

function skillsDropped({ messages, chain }: ShortenJob, { gap }: CompactionPlan): string[] {
  const gone = new Set(gap);
  const stays = messages.filter((message) => !gone.has(message));
  return droppedSkills(gap, stays, lastSummary(chain)?.droppedSkills ?? []);
}

const NOTHING_SAVED: Failure = {
  code: "nothing_saved",
  message: "A summary would be as long as the part that it replaces.",
};
/** Failures that mean there is nothing to shorten. */
export const SAVES_NOTHING = new Set(["nothing_saved", "nothing_to_shorten"]);
const ABORTED = err("aborted", "The turn was stopped.");

/** Records a failed attempt: its cost, and when the next one may be made. The conversation stays unchanged. */
function recordFailure(
  { host, log, hub }: CompactionContext,
  { put = log.put, onLateCalls, onFailedCalls }: CompactionOptions,
  job: ShortenJob,
  failure: Failure,
  calls: SummaryCall[],
  shouldBackOff: boolean,
): Result<never> {
  // A refused budget is reported when the turn's next model call is refused.
  const isRefusal = calls.length === 0 && !shouldBackOff && failure !== NOTHING_SAVED;
  const isLate = failure.code === "aborted" || isOver(log, job);
  if (isLate) onLateCalls?.(calls);
  if (isRefusal || isLate) return { ok: false, failure };
  const state = compactionState(log);
  const failures = shouldBackOff ? state.failures + 1 : state.failures;
  const text = `The conversation could not be made shorter. ${failure.message}`;
  const at = host.clock.now();
  onFailedCalls?.(calls);
  const notice: NoticeEntry | null = onFailedCalls
    ? null
    : {
        ...toNotice({ n: log.nextEntry(), turn: job.turn, at, code: "compaction_failed", text }),
        ...(calls[0] && { spent: calls[0] }),
        ...(calls.length > 1 && { compaction: calls.slice(1) }),
      };
  host.sql.transaction(() => {
    if (notice) put(notice);
    log.setMeta("compaction", {
      ...state,
      failures,
      retryAt: shouldBackOff ? at + cooldownMs(failures, "failed") : state.retryAt,
      ...(failure === NOTHING_SAVED ? backOffAfter(MAX_WEAK, job.tokens, job) : {}),
    });
  });
  if (notice) hub.emit(placeNotice(notice));
  return { ok: false, failure };
}

function backOffAfter(weak: number, tokens: number, { contextWindow }: ShortenJob) {
  return { weak, resumeAtTokens: weak < MAX_WEAK ? 0 : Math.round(tokens + contextWindow * REGROWTH_SHARE) };
}

/** Whether the turn ended while a model was asked. */
function isOver(log: Log, { turn, signal }: ShortenJob): boolean {
  return signal.aborted || log.turn(turn)?.state !== "running";
}

export function isBackingOff(log: Log, tokens: number, now: number): boolean {
  const { retryAt, weak, resumeAtTokens } = compactionState(log);
  return now < retryAt || (weak >= MAX_WEAK && tokens < resumeAtTokens);
}

/** The entries of the gap since the last compaction. Entries that were removed before are not read again. */
function readGapEntries(log: Log, plan: CompactionPlan, chain: CompactionEntry[]): Map<number, Entry> {
  const from = chain.at(-1)?.tail ?? plan.head + 1;
  return new Map(log.entries(from, plan.tail - 1).map((entry) => [entry.n, entry]));
}

/** The worst source among the removed entries and the earlier compactions. */
function findWorstSource(entries: Map<number, Entry>, chain: CompactionEntry[]): Source {
  const before = chain.map((made) => (made.method === "prune" ? made.parts[0] : findSummaryPart(made)));
  const parts = [...entries.values()].filter((entry) => entry.kind !== "compaction").flatMap((entry) => entry.parts);
  const sources: Source[] = [...before, ...parts].flatMap((part) => (part ? [part.source] : []));
  // Text in an image is content, and so is its description.
  const hasImages = [...entries.values()].some((entry) => entry.kind === "user" && entry.images);
  return worstSource(hasImages ? [...sources, "content"] : sources);
}
