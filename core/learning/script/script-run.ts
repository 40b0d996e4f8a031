// One run of the loop over a script, unattended and within a grant. A review and the work of a curation share it.
// Called by review/review.ts and curation/work/run-work.ts, which record the result.
import type { Model, ModelFailure } from "../../agent/contract.ts";
import { type LoopEnd, type LoopOptions, runLoop } from "../../agent/loop.ts";
import { type Failure, err } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { Grant } from "../../schemas/learning/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type SpentCall, sumUsageLines } from "../../schemas/usage.ts";
import { estimateTokens } from "../../tokens.ts";
import { callsOf, sumSpending, toReviewLines } from "./script-facts.ts";
import type { ScriptJournal } from "./script-journal.ts";

export interface ScriptRunOptions extends Omit<LoopOptions, "limits" | "guardrails" | "lenient" | "mayEndSilent"> {
  journal: ScriptJournal;
  settings: Settings;
  /** After a successful call of one of these tools, the model may end without closing words. */
  writes: ReadonlySet<string>;
  /** Collects failed calls that were billed; the script holds answers only. */
  failed: SpentCall[];
}

type ScriptEnd =
  /** The run is postponed, not failed: another delivery continues the script after `delayMs`. */
  | { state: "again"; delayMs: number }
  | { state: "failed"; failure: Failure }
  /** `note`: the closing words in full. */
  | { state: "done"; note: string };

/** The delay when no model works and none says when to retry. */
const PAUSE_MS = 60_000;
const RUN_OVER = "run_over";

/** Throws when a store does. */
export async function runScript({ settings, writes, failed, ...options }: ScriptRunOptions): Promise<ScriptEnd> {
  const { journal } = options;
  const noteSpent = ({ spent }: ModelFailure) => void (spent && failed.push(spent));
  const end = await runLoop({
    ...options,
    models: options.models.map((model) => withFailureListener(model, noteSpent)) as [Model, ...Model[]],
    // One step less, since the loop may ask once more for closing words.
    limits: { ...settings.turn, maxSteps: Math.max(1, settings.review.maxSteps - 1) },
    guardrails: { settings: settings.guardrails, attended: () => false },
    lenient: true,
    mayEndSilent: () => callsOf(journal.steps()).some(({ call, failed: isLost }) => !isLost && writes.has(call.name)),
  });
  switch (end.state) {
    case "stopped":
    case "interrupted":
    case "parked": // a script's journal asks nobody
      return { state: "again", delayMs: 0 };
    case "paused":
      return { state: "again", delayMs: end.delayMs ?? PAUSE_MS };
    case "failed":
      if (end.failure.code === RUN_OVER) return { state: "again", delayMs: 0 };
      return { state: "failed", failure: end.failure };
    case "done":
      return { state: "done", note: toClosingNote(end) };
  }
}

interface BudgetOptions {
  grant: Grant;
  /** The subject of failure messages: "The review's grant". */
  called: string;
  journal: ScriptJournal;
  failed: SpentCall[];
  clock: Clock;
  settings: Settings;
}

/** Returns a check to make before each model call. Failures: `grant_spent`, `grant_expired`, or the end of the run's time. */
export function createGrantCheck({
  grant,
  called,
  journal,
  failed,
  clock,
  settings,
}: BudgetOptions): () => Failure | null {
  const startedAt = clock.now();
  return () => {
    const { tokens, usdMicros } = sumUsageLines(toReviewLines(sumSpending(journal.steps(), failed)));
    if (tokens >= grant.tokens) return err("grant_spent", `${called} of ${grant.tokens} tokens is spent.`).failure;
    if (grant.usdMicros !== undefined && usdMicros >= grant.usdMicros) {
      return err("grant_spent", `${called} of $${grant.usdMicros / 1_000_000} is spent.`).failure;
    }
    if (clock.now() >= grant.expiresAt) return err("grant_expired", `${called} has expired.`).failure;
    if (clock.now() - startedAt < settings.review.runMs) return null;
    return err(RUN_OVER, "The run has used its time; another one continues.").failure;
  };
}

/** A retry cannot help. */
export function isGrantOver({ code }: Failure): boolean {
  return code === "grant_spent" || code === "grant_expired";
}

/** Wraps a model so that it calls `onFailure` for each failed call. */
export function withFailureListener(model: Model, onFailure: (failure: ModelFailure) => void): Model {
  return {
    ...model,
    get contextWindow() {
      return model.contextWindow;
    },
    async *stream(request, signal, isHeard) {
      for await (const event of model.stream(request, signal, isHeard)) {
        if (event.type === "failed") onFailure(event.failure);
        yield event;
      }
    },
  };
}

/** The closing words, with the reason if they are incomplete. */
export function toClosingNote({ reason, text }: Extract<LoopEnd, { state: "done" }>): string {
  if (reason === "refusal") return `The model declined to continue. ${text}`.trim();
  if (reason === "length") return `The model's answer was cut off at its length limit. ${text}`.trim();
  return text.trim() === "" ? `The model ended without a closing word (${reason}).` : text;
}

/** The prompt asks for a sentence or two. */
const MAX_NOTE_TOKENS = 1_000;

/** Cuts closing words to the length that is recorded. */
export function clipNote(text: string): string {
  // A token has at most 20 characters, except in runs of blanks.
  let end = Math.min(text.length, 20 * MAX_NOTE_TOKENS);
  let tokens = estimateTokens(text.slice(0, end));
  while (tokens > MAX_NOTE_TOKENS) {
    end = Math.floor((0.98 * end * MAX_NOTE_TOKENS) / tokens);
    tokens = estimateTokens(text.slice(0, end));
  }
  return end < text.length ? `${text.slice(0, end).toWellFormed()}…` : text;
}
