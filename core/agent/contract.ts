// What an agent is made of: a Model, Tools and a Journal. Models, tools, sessions and reviews implement these; the loop
// (loop.ts) knows nothing else. Pure types; no implementation lives here.
import type * as z from "zod";
import type { Failure, Result } from "../errors.ts";
import type { Answer, JsonObject, Part, ToolCall } from "../schemas/entry.ts";

/** What a model reads. `tool` messages answer the calls of the assistant message before them, in its order. */
export type Message =
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: ToolCall[]; native?: Answer["native"] }
  | { role: "tool"; call: string; name: string; text: string; failed: boolean };

/** `parameters` is a JSON Schema object. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: JsonObject;
}

export interface ModelRequest {
  /** The frozen prompt of the epoch, byte-identical on every call. */
  system: string;
  messages: Message[];
  tools: ToolSpec[];
  maxOutputTokens: number;
  /** `none`: the tools stay in the request, so that the prefix is the same, but may not be called. */
  toolChoice: "auto" | "none";
  /** Groups calls that share a prefix, for providers that route by it. */
  cacheKey: string;
}

export type ModelEvent =
  | { type: "text_delta"; text: string }
  | { type: "reasoning_delta"; text: string }
  | { type: "done"; answer: Answer }
  | { type: "failed"; failure: ModelFailure };

/** A model call that did not end in an answer. The table of codes is in core/models/failures.ts. */
export interface ModelFailure extends Failure {
  retryable: boolean;
  /** From `Retry-After`, when the provider sent one. */
  retryAfterMs?: number;
}

export interface Model {
  /** `<provider>:<model id>`, as recorded with every answer. */
  readonly name: string;
  /**
   * Streams one answer. Must not throw: the last event, and only the last, is `done` or `failed`. Aborting the signal
   * ends the stream with `failed` and code `aborted`.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/**
 * What a crash between intent and result means for a call.
 * `read`: changes nothing, is simply run again. `keyed`: carries `op`, so a second run finds the first one's effect.
 * `unkeyed`: cannot be told apart, so it is never run again; the model is told that the outcome is unknown.
 */
export type Effect = "read" | "keyed" | "unkeyed";

export interface ToolContext {
  /** Unique to this call and the same in every attempt: the idempotency key of its effect. */
  op: string;
  /** What `prepare` returned in the first attempt. */
  prepared: JsonObject;
  signal: AbortSignal;
}

/** `parts` are JSON objects as text, each with one source; merged they are what the model reads. See tool-result.ts. */
export interface ToolResult {
  failed: boolean;
  parts: Part[];
}

export interface Tool<Args = any> {
  readonly name: string;
  /** Words for the model. */
  readonly description: string;
  /** A strict object with a description for each field. */
  readonly parameters: z.ZodType<Args>;
  readonly effect: Effect;
  /** Facts to record with the intent, such as the revision a write was based on. Called once per call, before it runs. */
  prepare?(args: Args): Promise<JsonObject>;
  /** Expected failures are results with `failed`; a throw is reported to the model as `tool_crashed`. */
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}

/** Where the pieces of an answer go while it streams. `restart`: forget what came so far, the call is repeated. */
export interface AnswerSink {
  text(delta: string): void;
  reasoning(delta: string): void;
  restart(): void;
}

/**
 * Makes a turn durable. The loop asks for every step through it, in order; what was recorded before a crash is returned
 * instead of done again. A session keeps it in SQLite, a review as create-only objects in R2.
 */
export interface Journal {
  /** The answer of step `step` (from 0): the recorded one, or that of `ask`, which is then recorded. Failures are not. */
  answer(
    step: number,
    ask: (sink: AnswerSink) => Promise<Result<Answer, ModelFailure>>,
  ): Promise<Result<Answer, ModelFailure>>;
  /**
   * The result of the `index`-th call of a step: the recorded one, or that of `run`. Writes the intent first. An intent
   * without a result runs again only if `effect` allows it; else the result says that the outcome is unknown.
   */
  call(
    step: number,
    index: number,
    work: {
      call: ToolCall;
      effect: Effect;
      prepare(): Promise<JsonObject>;
      run(attempt: { op: string; prepared: JsonObject }): Promise<ToolResult>;
    },
  ): Promise<ToolResult>;
}
