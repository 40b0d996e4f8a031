// Asks a model whether two answers give the same result: in both orders, without saying which is which. Only two equal verdicts count. Called
// by carry-run.ts, only where the slot `judge` is configured. Never throws.
import * as z from "zod";
import type { ModelChain, ModelFailure } from "../agent/contract.ts";
import { readModelJson } from "../agent/model-json.ts";
import { askModel } from "../agent/model-turn.ts";
import type { Clock, Random } from "../ports.ts";
import { renderSameAnswerRequest, sameAnswerPrompt } from "../prompts/same-answer.ts";
import type { RunVerdict } from "../schemas/learning/experiment.ts";
import type { Settings } from "../schemas/settings.ts";
import { type SpentCall, toSpentCall } from "../schemas/usage.ts";

/** Enough for a model that always reasons first. */
const MAX_OUTPUT_TOKENS = 2_000;
/** Of each text. The beginning of an answer has its result. */
const MAX_CHARS = 8_000;
const Verdict = z.object({ same: z.boolean().nullable() });

export interface AskedAnswers {
  models: ModelChain;
  request: string;
  accepted: string;
  answer: string;
  clock: Clock;
  random: Random;
  settings: Settings;
  /** The same for all comparisons of an experiment. */
  cacheKey: string;
}

export async function compareByModel(asked: AskedAnswers): Promise<{ verdict: RunVerdict; spent: SpentCall[] }> {
  const { accepted, answer } = asked;
  const spent: SpentCall[] = [];
  const first = await askOnce(asked, accepted, answer, spent);
  // A model that cannot tell in one order decides nothing.
  const second = first === null ? null : await askOnce(asked, answer, accepted, spent);
  if (first === null || first !== second) return { verdict: "unknown", spent };
  return { verdict: first ? "right" : "wrong", spent };
}

async function askOnce(
  asked: AskedAnswers,
  first: string,
  second: string,
  spent: SpentCall[],
): Promise<boolean | null> {
  const { models, request, clock, random, settings, cacheKey } = asked;
  const charge = ({ spent: call }: ModelFailure) => void (call && spent.push(call));
  const cut = (text: string) => text.slice(0, MAX_CHARS).toWellFormed();
  const { result } = await askModel({
    models,
    at: 0,
    request: {
      system: sameAnswerPrompt(),
      messages: [{ role: "user", text: renderSameAnswerRequest(cut(request), cut(first), cut(second)) }],
      tools: [],
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      effort: settings.models.effort.judge,
      toolChoice: "none",
      cacheKey,
    },
    limits: settings.turn,
    clock,
    random,
    signal: new AbortController().signal,
    sink: { text() {}, reasoning() {}, restart: charge },
  });
  if (!result.ok) {
    charge(result.failure);
    return null;
  }
  spent.push(toSpentCall(result.value));
  const read = Verdict.safeParse(readModelJson(result.value.text));
  return read.success ? read.data.same : null;
}
