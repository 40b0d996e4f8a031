// The contracts of an agent: Model, Tool and Journal. Models, tools, sessions and reviews implement them, and the loop
// (loop.ts) depends on nothing else. Types only.
import type * as z from "zod";
import type { Failure, Result } from "../errors.ts";
import type {
  Answer,
  AskedQuestion,
  Cost,
  DelegatedSpending,
  JsonObject,
  Part,
  ToolCall,
  ToolSpend,
  Usage,
} from "../schemas/entry.ts";
import type { ImageRef, ImageSize } from "../schemas/media/image.ts";
import type { AnswerFormat, Sampling } from "../schemas/sessions/client-part.ts";
import type { Effort } from "../schemas/settings.ts";

/**
 * What a model reads. `tool` messages answer the calls of the assistant message before them, in its order. `entry`: the log
 * entry that the message was made from. Compaction uses it; models never see it.
 */
export type Message = (
  | { role: "user"; text: string; images?: MessageImage[] }
  | { role: "assistant"; text: string; calls: ToolCall[]; native?: Answer["native"] }
  | { role: "tool"; call: string; name: string; text: string; failed: boolean }
) & { entry?: number };

/**
 * An image of a user message, in the order the person gave them. `tokens`: an estimate for the model that is asked next.
 * `description`: what another model said it shows. Both are set by `ImageDesk.prepare`.
 */
export interface MessageImage extends ImageRef {
  tokens?: number;
  description?: string;
}

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
  /** How much to reason. A model uses the strongest level it has up to this one. Absent: the model's default. */
  effort?: Effort;
  /**
   * `none`: tools may not be called. They stay in the request, so that the cached prefix is the same. `required`: one must be called;
   * `{name}`: this one. A provider that cannot force a call chooses freely.
   */
  toolChoice: "auto" | "none" | "required" | { name: string };
  /** The form of the answer's text. Sent where the wire has a field for it; the caller checks the answer. */
  format?: AnswerFormat;
  /** Sent where the wire has the field. A model that refuses one is asked without it. */
  sampling?: Omit<Sampling, "maxTokens">;
  /** The same for calls that share a prefix, for providers that route by it. */
  cacheKey: string;
  /** The bytes of an image, in parts whose lengths are divisible by 3 but for the last. Set if `messages` have images. */
  readImage?(image: ImageRef): Iterable<Uint8Array>;
}

export type ModelEvent =
  | { type: "text_delta"; text: string }
  | { type: "reasoning_delta"; text: string }
  /** The text so far was reasoning and is sent again as reasoning deltas. The text restarts from empty. */
  | { type: "text_retract" }
  | { type: "done"; answer: Answer }
  | { type: "failed"; failure: ModelFailure };

/** Why a model call brought no answer. core/models/failures/failures.ts has the table of codes and of these decisions. */
export interface ModelFailure extends Failure {
  /** The same call may succeed later. */
  retry: boolean;
  /** A shorter conversation may succeed. */
  compact: boolean;
  /** Another key of the same provider may succeed. */
  rotateKey: boolean;
  /** Another model may succeed. */
  fallBack: boolean;
  /** The provider refuses the native form of earlier answers. The call may succeed without those forms. */
  dropNative?: boolean;
  /** The provider refuses the images of the request. The call may succeed without them. */
  dropImages?: boolean;
  /** From the provider's `Retry-After`. */
  retryAfterMs?: number;
  /** The model's window in tokens, as named in a refusal of a request that is too long. */
  window?: number;
  /** Tokens that the provider counted in the refused prompt. */
  promptTokens?: number;
  /** The model's longest answer in tokens, as named in a refusal of a request for more. */
  maxOutputTokens?: number;
  /** The cost of the failed call, if the provider reported it. */
  spent?: { model: string; usage: Usage; cost?: Cost };
}

/** Kinds of work that may each have their own models. */
export const MODEL_SLOTS = [
  "turn",
  "review",
  "curation",
  "compaction",
  "title",
  "approval",
  "judge",
  "vision",
  "goal",
  "plan",
  "replay",
] as const;
export type ModelSlot = (typeof MODEL_SLOTS)[number];

/** The primary model, then the fallbacks in order. */
export type ModelChain = readonly [Model, ...Model[]];

export interface Model {
  /** `<provider>:<model id>`, recorded with every answer. */
  readonly name: string;
  /** Tokens of a request and its answer together. Shrinks when the provider names a smaller window. */
  readonly contextWindow: number;
  /** The operator set the window, or a provider named it. */
  readonly isWindowKnown?: boolean;
  /** The operator's own server, or one in a private network. It may read a prompt for minutes before it answers. */
  readonly isOwn?: boolean;
  /** Fingerprint of such a server's address. Models on one server may have to wait for each other's answers. */
  readonly server?: string;
  /**
   * Fingerprint of the prefix cache. Models with the same fingerprint and the same name share cached prefixes. Absent: there is
   * no such cache.
   */
  readonly cache?: string;
  /** The model reads images. Absent: it does not, or nobody knows. */
  readonly sees?: boolean;
  /** An estimate by the provider's rule. Set if `sees`. */
  imageTokens?(size: ImageSize): number;
  /**
   * Streams one answer. Must not throw: the last event, and only the last, is `done` or `failed`. Aborting the signal
   * ends the stream with `failed` and code `aborted`. `noteActivity` is called whenever the provider sends anything: arguments of
   * a call and keep-alives may come for minutes without an event.
   */
  stream(request: ModelRequest, signal: AbortSignal, noteActivity?: () => void): AsyncIterable<ModelEvent>;
  /**
   * Suspends the key of the last call for as long as the failure asks. True: the next call uses another key. False: the next
   * call fails at once, and its failure says when a key is available again.
   */
  rotateKey?(failure: ModelFailure): boolean;
}

/**
 * What happens to a call after a crash between intent and result.
 * `read`: changes nothing, so it runs again. `keyed`: carries `op`, so a second run finds the effect of the first.
 * `unkeyed`: a second run could repeat the effect, so it never runs again, and the model reads that the outcome is unknown.
 */
export type Effect = "read" | "keyed" | "unkeyed";

export interface ToolContext {
  /** Unique to this call and the same in every attempt: the idempotency key of its effect. */
  op: string;
  /** What `prepare` returned in the first attempt. */
  prepared: JsonObject;
  /** An earlier attempt was cut off. What ended it may end this one too. */
  resumed?: true;
  /** Code makes the call, and has read text from outside. What the call writes may repeat that text. */
  fromContent?: true;
  signal: AbortSignal;
  /** Present for a tool with `callsTools`. */
  inner?: InnerCalls;
}

/** Calls of other tools by a tool. */
export interface InnerCalls {
  /** The tools that may be called. */
  readonly names: readonly string[];
  /** Never throws. A call that the rules of direct calls refuse gives their refusal. `malformed`: arguments that are not a JSON object. */
  call(name: string, args: Pick<ToolCall, "args" | "malformed">): Promise<ToolResult>;
  /** Must be called before the calling tool ends. Refuses calls that have not begun, and waits for the others, for 15 seconds at most. */
  end(): Promise<void>;
}

/** `parts` are JSON objects as text, each with one source. The model reads them merged. See tool-result.ts. */
export interface ToolResult {
  failed: boolean;
  parts: Part[];
  /** What the call spent on models or other paid services. */
  spent?: ToolSpend[];
  /** What the sessions that the call began have spent. It counts towards the turn's budget, and they book it themselves. */
  delegated?: DelegatedSpending;
  /** Set by the loop: fingerprint of the result before it was cut, moved to a file or replaced. Times do not count. */
  print?: string;
}

/**
 * What must happen before a call may run. `ask`: the operator's `approvals.mode` and standing allowances decide whether a person
 * is asked; the turn is parked meanwhile. `refuse`: the call never runs; `code` and `reason` are its result.
 */
export type CallGate =
  | { verdict: "run" }
  | {
      verdict: "ask";
      /** What would be done, exactly: for a command, its whole text. */
      summary: string;
      /**
       * Why the call is dangerous, each a sentence without words of the call: the approval model trusts it. Empty: no rule says so, and
       * only the mode `manual` asks.
       */
      reasons: string[];
      /** What a person may allow for longer than this call. Absent: only this call. */
      allowance?: Allowance;
      /** A person is asked in every mode, and no model decides in their place. */
      insists?: true;
    }
  | { verdict: "refuse"; code: string; reason: string };

/** Keys of calls that are allowed alike. `family`: all calls of a program with this subcommand, such as `npm test`. */
export interface Allowance {
  exact: string;
  family?: string;
}

/**
 * What a call waits for before it can have a result. The turn is parked with it. Its kind has a row in `WAIT_ENDS`
 * (core/session/turn/waiting).
 */
export interface CallWait {
  /** Its kind, its id and its deadline, and what readers are shown. */
  asked: AskedQuestion;
  /** The code of the notice that says so: one that no model reads (core/session/prompt/notices.ts). */
  code: string;
  /** The text of that notice, for the person. */
  text: string;
  /** Writes what the wait is about, inside the transaction that parks the turn. */
  record?(): void;
}

export interface Tool<Args = any> {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** A strict object with a description for each field. */
  readonly parameters: z.ZodType<Args>;
  /** The JSON Schema that models read, for a tool whose arguments another server describes. Absent: that of `parameters`. */
  readonly schema?: JsonObject;
  readonly effect: Effect;
  /**
   * Its calls reach nothing but the session's own workspace, and the library for reading. When an earlier turn is run again, only such tools run.
   * It must not be set for a tool that can tell anybody anything.
   */
  readonly staysInside?: true;
  /** For a tool that core/tools/toolsets.ts does not name. */
  readonly toolset?: string;
  /**
   * Can ask what became of a call that was cut off: `run` is then called with `resumed`, and must not begin the effect. For tools
   * that are `unkeyed`.
   */
  readonly reattaches?: boolean;
  /** Milliseconds after which a call is abandoned. Absent: `turn.toolTimeoutMs`. */
  timeoutMs?(args: Args): number;
  /**
   * Paths this call reads or writes, normalized. Calls of one answer run in parallel if each is `read` or has `paths`, and no
   * written path equals, contains or lies in a path of another call. A call without `paths` that is not `read` runs alone.
   */
  paths?(args: Args): { reads: string[]; writes: string[] };
  /** The tool limits its results itself; they are never moved into a file. */
  readonly keepsResults?: boolean;
  /** A result that is already in the conversation in full, even from an earlier turn, is referred to instead of repeated. */
  readonly showsOnce?: boolean;
  /** Failures are normal for this tool (a shell, a program): many in a row do not end a turn. */
  readonly failsOften?: boolean;
  /** The tool may call the session's other tools, except those that do so themselves. */
  readonly callsTools?: true;
  /** What the tool stores is marked as `content` when `fromContent` is set. */
  readonly marksContent?: true;
  /**
   * Of a tool with `wait`: its calls are run last in their step, all together, so that one wait covers them. Their intents are written
   * in one synchronous block, so a `wait` that yields once sees them all.
   */
  readonly waitsForAll?: true;
  /** A sentence for the model: how to split a call that is too long for one answer. */
  readonly inPieces?: string;
  /** Facts to record with the intent, such as the revision a write was based on. Called once per call, before it runs. */
  prepare?(args: Args): Promise<JsonObject>;
  /**
   * Asked before the intent of a call is written. Pure: the same arguments always give the same gate. Must not throw. A call with
   * another gate than `run` runs alone. Absent: every call may run.
   */
  gate?(args: Args): CallGate;
  /** Whether `prepare` is needed for this call; such a call runs alone. Absent: needed for every call of a tool with `prepare`. */
  prepares?(args: Args): boolean;
  /**
   * What the call waits for now; `null`: nothing, and `run` has the result. Called in every attempt after the intent and before
   * `run`, with the same `op`: when the wait has ended, and after a crash. So what it begins must be found again by `op`. Only
   * microtasks pass between its return and the turn's parking. For tools that are `keyed` and have no `paths`. Code cannot call
   * such a tool.
   */
  wait?(args: Args, context: ToolContext): Promise<CallWait | null>;
  /** Expected failures are results with `failed`. A throw becomes the result `tool_crashed`. */
  run(args: Args, context: ToolContext): Promise<ToolResult>;
  /** Releases what the tool holds for its turn, such as a browser. Called when an attempt at the turn ends. Must not throw. Idempotent. */
  end?(): Promise<void>;
}

/** Receives the pieces of an answer while it streams. */
export interface AnswerSink {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** The provider sent anything at all, even without an event for the reader. */
  noteActivity?(): void;
  /** Nothing came for two minutes, but the call's timeout has not passed. */
  noteWaiting?(): void;
  /** The call failed and is repeated: drop what came so far. Called before every repetition. */
  restart(failure: ModelFailure): void;
}

/** A recorded value and the number of its entry (in a review, of its step). */
export interface Recorded<T> {
  value: T;
  entry: number;
}

/** `note` adds facts to those that are recorded with the intent. Absent: nothing can be added. */
export type Attempt = Omit<ToolContext, "signal" | "inner"> & { entry: number; note?(facts: JsonObject): void };

/**
 * Makes a turn durable. The loop goes through it for every step, in order. After a crash it returns what was recorded, instead of
 * doing it again. A session's journal is in SQLite; a review's consists of create-only objects in R2.
 */
export interface Journal {
  /** The answer of a step (from 0): the recorded one, or that of `ask`, which is then recorded. Failures are not recorded. */
  answer(
    step: number,
    ask: (sink: AnswerSink) => Promise<Result<Answer, ModelFailure>>,
  ): Promise<Result<Recorded<Answer>, ModelFailure>>;
  /**
   * Messages that steer the running turn, for the model call of this step: the recorded ones, and those that wait now, which are
   * then recorded. Absent: turns cannot be steered.
   */
  additions?(step: number): Message[];
  /** Whether calls of one step may begin before earlier ones have ended. Intents are written in the order of `call`. */
  readonly parallel: boolean;
  /** Every attempt has the same tools, so a call of an unknown tool has never run. Absent: a tool may have been taken away since. */
  readonly toolsNeverChange?: true;
  /**
   * Decides on a call whose gate says `ask`, before its intent is written. `parked`: a person was asked, and the turn ends its run
   * in memory. A call that is recorded already is admitted again. Absent: nobody can be asked, and such calls are refused.
   */
  admit?(step: number, request: GatedCall): Promise<Admission>;
  /**
   * Whether a call whose gate says `ask` runs without a question: by the mode, or by a standing allowance. For calls that code makes,
   * which cannot wait. Absent: none does.
   */
  isAllowed?(gate: GatedCall["gate"]): Promise<boolean>;
  /**
   * Parks the turn with what its call waits for; the call keeps its intent. Does nothing if the turn was stopped meanwhile. Absent:
   * no call can wait here.
   */
  park?(wait: CallWait): void;
  /** An earlier turn is run again: which calls are answered from its recording, and never run. Absent: none. */
  readonly serving?: Serving;
  /**
   * The result of the `index`-th call of a step: the recorded one, or that of `run`. Writes the intent first, synchronously if
   * there is no `prepare`. A call whose intent has no result runs again only if `effect` allows; else the result says that the
   * outcome is unknown.
   */
  call(
    step: number,
    index: number,
    work: {
      call: ToolCall;
      effect: Effect;
      prepare?(): Promise<JsonObject>;
      run(attempt: Attempt): Promise<ToolResult>;
    },
  ): Promise<Recorded<ToolResult>>;
}

/** Answers of a recording. */
export interface Serving {
  /** Whether calls of the tool are answered from the recording, without its gate, `prepare`, `wait` or `run`. */
  covers(tool: Tool): boolean;
  /** For one attempt at a turn, or for one call whose code calls others: a call that is repeated gets what was recorded next. */
  open(): Serve;
}

/** `null`: the call runs. */
export type Serve = (call: ToolCall, tool: Tool) => ServedCall | null;

export interface ServedCall {
  /** The facts that were recorded with the intent. */
  prepared: JsonObject;
  /** The result, as it was recorded. Called once, after the intent was written. */
  take(): ToolResult;
}

export interface GatedCall {
  call: ToolCall;
  gate: Extract<CallGate, { verdict: "ask" }>;
}

/** `result`: what the model reads instead of the call's own result. */
export type Admission = { state: "run" } | { state: "refused"; result: ToolResult } | { state: "parked" };

/** Keeps a conversation within the model's window. The loop calls it before each model call. */
export interface ContextKeeper {
  /**
   * Returns `messages` unchanged if they fit, else shorter ones. After a crash, the same step of a turn is shortened in the same
   * way again. `overflow`: the provider has just refused the messages as too long, so they must become shorter. The result has
   * `system` if a new epoch began; `tokens` counts the whole request. Failure: shortening failed, and nothing was changed.
   */
  fit(request: {
    step: number;
    messages: Message[];
    /** In tokens, of the model that will be asked. */
    contextWindow: number;
    /** Tokens of the tools and the given prompt, or of the current one. Called only for small windows. Absent: estimated. */
    fixedTokens?(system?: string): number;
    /** Usage of the turn's last answer; `null` before the first. */
    usage: Usage | null;
    overflow: boolean;
    /** Tokens that the provider counted in the refused prompt. */
    counted?: number;
    signal: AbortSignal;
  }): Promise<Result<{ messages: Message[]; system?: string; tokens?: number }>>;
}

/** Prepares the images of a conversation for each model call. A session's is core/session/images/image-desk.ts. */
export interface ImageDesk {
  /**
   * Called before each step, with the model that will be asked. Returns messages whose images have `tokens` and, where there is
   * one, a `description`. For a model that does not see it may ask another one to describe new images. Without images it returns
   * `messages` itself.
   */
  prepare(messages: Message[], model: Model, signal: AbortSignal): Promise<Message[]>;
  /**
   * The request as this model reads it: images that are not sent become sentences. `hidden`: no image is sent. Without images it
   * returns `request` itself.
   */
  show(request: ModelRequest, model: Model, hidden: boolean): ModelRequest;
  /** The model answered only without the images of this request, so it is not sent them again. */
  noteRefused(request: ModelRequest, model: Model): void;
}
