// What an agent is made of: a Model, Tools and a Journal. Models, tools, sessions and reviews implement these; the loop
// (loop.ts) knows nothing else. Pure types; no implementation lives here.
import type * as z from "zod";
import type { Failure, Result } from "../errors.ts";
import type { Answer, Cost, JsonObject, Part, ToolCall, Usage } from "../schemas/entry.ts";
import type { Effort } from "../schemas/settings.ts";

/**
 * What a model reads. `tool` messages answer the calls of the assistant message before them, in its order. `entry` is the
 * entry of the log it was made from, for whoever shortens a conversation; a model never sees it.
 */
export type Message = (
  | { role: "user"; text: string }
  | { role: "assistant"; text: string; calls: ToolCall[]; native?: Answer["native"] }
  | { role: "tool"; call: string; name: string; text: string; failed: boolean }
) & { entry?: number };

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
  /** How much to reason; a model takes the strongest level it has that is not above it. Absent: as the model is by itself. */
  effort?: Effort;
  /** `none`: the tools stay in the request, so that the prefix is the same, but may not be called. */
  toolChoice: "auto" | "none";
  /** Groups calls that share a prefix, for providers that route by it. */
  cacheKey: string;
}

export type ModelEvent =
  | { type: "text_delta"; text: string }
  | { type: "reasoning_delta"; text: string }
  /** What came as text so far was reasoning, and comes again as that: the text begins again. */
  | { type: "text_retract" }
  | { type: "done"; answer: Answer }
  | { type: "failed"; failure: ModelFailure };

/** A model call that did not end in an answer. The table of codes, and of these decisions, is in core/models/failures/failures.ts. */
export interface ModelFailure extends Failure {
  /** The same call may succeed in a while. */
  retry: boolean;
  /** A shorter conversation may succeed. */
  compact: boolean;
  /** Another key of the same provider may succeed. */
  rotateKey: boolean;
  /** Another model may succeed. */
  fallBack: boolean;
  /** The provider refuses what it or another model had said natively: the call may succeed without it. */
  dropNative?: boolean;
  /** From `Retry-After`, when the provider sent one. */
  retryAfterMs?: number;
  /** Tokens that the provider says its window has, where it refused a request as too long. */
  window?: number;
  /** Tokens that the provider counted in the prompt it refused. */
  promptTokens?: number;
  /** Tokens that the provider says an answer of this model may have, where it refused a request for more. */
  maxOutputTokens?: number;
  /** What the call was charged for all the same, where the provider told it. */
  spent?: { model: string; usage: Usage; cost?: Cost };
}

/** Kinds of work that may each have a model of their own. */
export const MODEL_SLOTS = ["turn", "review", "curation", "compaction", "title", "approval", "judge"] as const;
export type ModelSlot = (typeof MODEL_SLOTS)[number];

/** The primary, then those to fall back on, in order. */
export type ModelChain = readonly [Model, ...Model[]];

export interface Model {
  /** `<provider>:<model id>`, as recorded with every answer. */
  readonly name: string;
  /** Tokens that a request and its answer may have together. Becomes smaller when the provider says so. */
  readonly contextWindow: number;
  /** The operator set the window, or a provider named it. */
  readonly isWindowKnown?: boolean;
  /** The operator's own server, or one in a private network: it may be silent over a prompt for minutes. */
  readonly isOwn?: boolean;
  /** Of such a server: a fingerprint of its address. Models with the same one may wait for each other's answers. */
  readonly server?: string;
  /**
   * Whose cache keeps the beginnings of its requests, as a fingerprint: models with the same one, and the same name, read
   * each other's. Absent: none does.
   */
  readonly cache?: string;
  /**
   * Streams one answer. Must not throw: the last event, and only the last, is `done` or `failed`. Aborting the signal
   * ends the stream with `failed` and code `aborted`. `noteActivity` is called whenever the provider sends anything at all: arguments
   * of a call, or signs of life while it thinks, make no event for minutes.
   */
  stream(request: ModelRequest, signal: AbortSignal, noteActivity?: () => void): AsyncIterable<ModelEvent>;
  /**
   * Puts the key of the last call aside for as long as the failure asks. True: the next call uses another one. False: it
   * fails at once, and says when one is back.
   */
  rotateKey?(failure: ModelFailure): boolean;
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
  /** An attempt before this one was cut off: whatever ended it may end this one as well. */
  resumed?: true;
  signal: AbortSignal;
}

/** `parts` are JSON objects as text, each with one source; merged they are what the model reads. See tool-result.ts. */
export interface ToolResult {
  failed: boolean;
  parts: Part[];
  /** Set by the loop: fingerprint of the result before it was cut, spilled or replaced. */
  print?: string;
}

export interface Tool<Args = any> {
  readonly name: string;
  /** Words for the model. */
  readonly description: string;
  /** A strict object with a description for each field. */
  readonly parameters: z.ZodType<Args>;
  readonly effect: Effect;
  /**
   * Paths this call reads or writes, in one spelling each. Calls of one answer run side by side when each is `read` or
   * tells its paths, and no written path is, holds or lies in a path of another. Absent, and not `read`: runs alone.
   */
  paths?(args: Args): { reads: string[]; writes: string[] };
  /** Its results have a limit of their own and are never moved into a file. */
  readonly keepsResults?: boolean;
  /** A result that stands whole in the conversation, from an earlier turn too, is pointed to instead of shown again. */
  readonly showsOnce?: boolean;
  /** Failing is part of its work (a shell, a program): many failures in a row do not end a turn. */
  readonly failsOften?: boolean;
  /** How to make several calls of one that is too long for one answer: a sentence for the model. */
  readonly inPieces?: string;
  /** Facts to record with the intent, such as the revision a write was based on. Called once per call, before it runs. */
  prepare?(args: Args): Promise<JsonObject>;
  /** Whether a call has such facts: one that has runs alone. Absent: each does, where there is `prepare`. */
  prepares?(args: Args): boolean;
  /** Expected failures are results with `failed`; a throw is reported to the model as `tool_crashed`. */
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}

/** Where the pieces of an answer go while it streams. */
export interface AnswerSink {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** The provider sent something, if only arguments of a call or a sign of life. */
  noteActivity?(): void;
  /** Nothing came for two minutes, and the call goes on waiting: its time limit is not over. */
  noteWaiting?(): void;
  /** Forget what came so far: the call failed and is repeated. Called before every repetition. */
  restart(failure: ModelFailure): void;
}

/** A recorded thing and the number of its entry (of its step, in a review). */
export interface Recorded<T> {
  value: T;
  entry: number;
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
  ): Promise<Result<Recorded<Answer>, ModelFailure>>;
  /**
   * What the person put into the running turn before the model call of this step: as recorded, or what waits now, which is
   * then recorded. Absent: nothing ever.
   */
  additions?(step: number): Message[];
  /** Whether calls of one step may be begun before earlier ones have ended. Their intents are written in the order of `call`. */
  readonly parallel: boolean;
  /**
   * The result of the `index`-th call of a step: the recorded one, or that of `run`. Writes the intent first, at once when
   * there is no `prepare`. An intent without a result runs again only if `effect` allows it; else the result says that the
   * outcome is unknown.
   */
  call(
    step: number,
    index: number,
    work: {
      call: ToolCall;
      effect: Effect;
      prepare?(): Promise<JsonObject>;
      run(attempt: Omit<ToolContext, "signal"> & { entry: number }): Promise<ToolResult>;
    },
  ): Promise<Recorded<ToolResult>>;
}

/** Keeps a conversation within the model's window. The loop asks before each model call. */
export interface ContextKeeper {
  /**
   * `messages` as they are while they fit, else shorter ones. What was done at this step of this turn before a crash is
   * done again in the same way. `overflow`: the provider has just refused them as too long, so they must become shorter.
   * `system` comes back when a new epoch began, `tokens` are those of the whole request. Failure: they could not be made shorter; nothing was changed.
   */
  fit(request: {
    step: number;
    messages: Message[];
    /** Of the model that will be asked. */
    contextWindow: number;
    /** Tokens of the tools and this prompt, or the present one. Absent: guessed. Asked only where the window is small. */
    fixedTokens?(system?: string): number;
    /** Of the last answer of this turn, `null` before the first. */
    usage: Usage | null;
    overflow: boolean;
    /** What the provider counted in the prompt that it refused. */
    counted?: number;
    signal: AbortSignal;
  }): Promise<Result<{ messages: Message[]; system?: string; tokens?: number }>>;
}
