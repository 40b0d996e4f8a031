// One model call, with its retries: the loop asks it for every answer. Streams into a sink; a repeated call tells the sink
// to forget what came before. What may be repeated, the failure itself says.
import { type Result, err, messageOf, ok } from "../errors.ts";
import type { Clock, Random } from "../ports.ts";
import type { Answer } from "../schemas/entry.ts";
import type { AnswerSink, Model, ModelFailure, ModelRequest } from "./contract.ts";

// Hermes Agent: min(2 s * 2^(n-1), 120 s) plus up to half of it.
const BASE_WAIT_MS = 2_000;
const MAX_WAIT_MS = 120_000;

export interface AskOptions {
  model: Model;
  request: ModelRequest;
  limits: { modelRetries: number };
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  sink: AnswerSink;
}

/** The answer, or the last failure. A wait longer than two minutes is not waited for here. */
export async function askModel(options: AskOptions): Promise<Result<Answer, ModelFailure>> {
  const { clock, random, signal, sink } = options;
  for (let attempt = 1; ; attempt++) {
    const { result, streamed } = await streamOnce(options);
    if (result.ok) return result;
    const { failure } = result;
    const waitMs = failure.retryAfterMs ?? backoffMs(attempt, random);
    if (!failure.retryable || attempt > options.limits.modelRetries || signal.aborted || waitMs > MAX_WAIT_MS) {
      return result;
    }
    if (streamed) sink.restart();
    await clock.sleep(waitMs, signal);
    if (signal.aborted) return failed("aborted", "The turn was stopped.");
  }
}

async function streamOnce(options: AskOptions): Promise<{ result: Result<Answer, ModelFailure>; streamed: boolean }> {
  const { model, request, signal, sink } = options;
  let streamed = false;
  try {
    for await (const event of model.stream(request, signal)) {
      if (event.type === "done") return { result: ok(event.answer), streamed };
      if (event.type === "failed") return { result: { ok: false, failure: event.failure }, streamed };
      streamed = true;
      if (event.type === "text_delta") sink.text(event.text);
      else sink.reasoning(event.text);
    }
  } catch (error) {
    // A model must not throw; one that does is a bug we still end the turn for, in words.
    return { result: failed("model_crashed", `The model adapter failed: ${messageOf(error)}`), streamed };
  }
  return { result: failed("stream_cut", "The model's stream ended without an answer.", true), streamed };
}

function failed(code: string, message: string, retryable = false): Result<Answer, ModelFailure> {
  return { ok: false, failure: { ...err(code, message).failure, retryable } };
}

/** `attempt` counts from 1. */
function backoffMs(attempt: number, random: Random): number {
  const wait = Math.min(BASE_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS / 1.5);
  return Math.round(wait + random() * wait * 0.5);
}
