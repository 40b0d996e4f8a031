// Makes the summary of a conversation. Asks the models of the slot `compaction`, then the session's own models, and falls
// back on excerpts without a model. Called by shorten.ts. When a model cannot be reached or paid, no summary is made: the
// excerpts would lose what a later attempt keeps.
import { renderStaticSummary, renderSummaryRequest } from "../../agent/compaction/compaction-summary.ts";
import type { Message, ModelChain, ModelFailure } from "../../agent/contract.ts";
import { askModel } from "../../agent/model-turn.ts";
import type { Failure } from "../../errors.ts";
import { compactionPrompt } from "../../prompts/compaction.ts";
import type { CompactionEntry } from "../../schemas/entry.ts";
import type { SessionHost } from "../context.ts";

/** Temporary failures, and those that a person must fix. The conversation stays unchanged then (Hermes Agent). */
const PATIENT_CODES = new Set(["auth", "billing", "network", "overloaded", "rate_limit", "aborted"]);
/** An empty answer may be a full one at the next attempt. */
const EMPTY_CODES = new Set(["empty_answer", "empty_summary"]);
// Hermes Agent's cool-downs, after each failure in a row.
const COOLDOWNS_MS = [60_000, 300_000, 900_000];
const EMPTY_COOLDOWN_MS = 30_000;
/** A low estimate, so that the input never exceeds the model's window. */
const CHARS_PER_TOKEN = 2.5;
const PROMPT_TOKENS = 2_000;
const MAX_ANSWER_SHARE = 0.25;

export type SummaryCall = CompactionEntry["calls"][number];

export interface SummaryJob {
  gap: Message[];
  previous: string;
  recalled?: string;
  focus: string;
  dayOf(entry: number): string;
  maxTokens: number;
  signal: AbortSignal;
  findRefusal?(): Failure | null | Promise<Failure | null>;
  noteActivity?(): void;
}

export type Summary =
  | {
      ok: true;
      text: string;
      method: "model" | "static";
      calls: SummaryCall[];
      withoutModel?: "empty" | "failed";
    }
  /** `shouldBackOff`: the next attempt should wait. */
  | { ok: false; failure: Failure; calls: SummaryCall[]; shouldBackOff: boolean };

export async function summarise(
  host: Pick<SessionHost, "session" | "clock" | "random" | "settings" | "models">,
  job: SummaryJob,
): Promise<Summary> {
  const calls: SummaryCall[] = [];
  let failure: Failure | null = null;
  for (const models of listChains(host)) {
    const refusal = await job.findRefusal?.();
    if (refusal) return { ok: false, failure: refusal, calls, shouldBackOff: false };
    const asked = await askModel({
      models,
      at: 0,
      request: {
        system: compactionPrompt(),
        messages: [{ role: "user", text: renderSummaryRequest(job, job.maxTokens, computeInputChars(host, models)) }],
        tools: [],
        maxOutputTokens: answerTokens(host, models),
        effort: host.settings.models.effort.compaction,
        toolChoice: "none",
        cacheKey: `${host.session}:compaction`,
      },
      limits: host.settings.turn,
      clock: host.clock,
      random: host.random,
      signal: job.signal,
      sink: {
        text() {},
        reasoning() {},
        noteActivity: () => job.noteActivity?.(),
        noteWaiting: () => job.noteActivity?.(),
        restart(failed) {
          charge(calls, failed);
          job.noteActivity?.();
        },
      },
    });
    if (asked.result.ok) {
      const { text, stop, model, usage, cost } = asked.result.value;
      calls.push({ model, usage, ...(cost ? { cost } : {}) });
      if (text.trim() !== "" && stop !== "refusal") return { ok: true, text, method: "model", calls };
      failure = { code: "empty_summary", message: "The model gave no summary." };
    } else {
      failure = asked.result.failure;
      charge(calls, asked.result.failure);
      if (failure.code === "aborted") break;
    }
  }
  if (failure && PATIENT_CODES.has(failure.code)) return { ok: false, failure, calls, shouldBackOff: true };
  const withoutModel = EMPTY_CODES.has(failure?.code ?? "") ? "empty" : "failed";
  return { ok: true, text: renderStaticSummary(job), method: "static", calls, withoutModel };
}

/** Wait before the next automatic attempt. `failures` counts from 1. */
export function cooldownMs(failures: number, why: "empty" | "failed"): number {
  if (why === "empty") return EMPTY_COOLDOWN_MS;
  return COOLDOWNS_MS[Math.min(failures, COOLDOWNS_MS.length) - 1]!;
}

/** The slot's models, then the session's own if they differ. */
function listChains({ models }: Pick<SessionHost, "models">): ModelChain[] {
  const chains = [models("compaction"), models("turn")].flatMap((chain) => (chain.ok ? [chain.value] : []));
  const names = chains.map((chain) => chain.map((model) => model.name).join(" "));
  return chains.filter((_, i) => names.indexOf(names[i]!) === i);
}

function answerTokens({ settings }: Pick<SessionHost, "settings">, models: ModelChain): number {
  const smallest = Math.min(...models.map((model) => model.contextWindow));
  return Math.round(Math.min(settings.turn.maxOutputTokens, smallest * MAX_ANSWER_SHARE));
}

/** Characters of input that fit into the smallest window of the chain. */
function computeInputChars(host: Pick<SessionHost, "settings">, models: ModelChain): number {
  const smallest = Math.min(...models.map((model) => model.contextWindow));
  return Math.round((smallest - answerTokens(host, models) - PROMPT_TOKENS) * CHARS_PER_TOKEN);
}

function charge(calls: SummaryCall[], { spent }: ModelFailure): void {
  if (spent) calls.push(spent);
}
