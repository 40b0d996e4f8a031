// Enforces the Model contract for every wire. A stream throws nothing and ends with exactly one terminal event. An abort ends it
// at once. A finished answer can be stored, and its text equals the streamed text. Called by the adapters, which only
// translate. Must not know any wire.
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../agent/contract.ts";
import { imageTokens } from "../../agent/request-size.ts";
import { messageOf } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { NO_USAGE, type Usage } from "../../schemas/entry.ts";
import type { ModelFacts } from "../catalog.ts";
import { readErrorBody } from "../failures/error-reply.ts";
import { readReplyFailure, createModelFailure } from "../failures/failures.ts";
import { OutboundError } from "../../outbound/outbound.ts";
import { computeCost } from "../prices.ts";
import { ReplyRefused } from "../failures/refused-reply.ts";
import { type EventReader, StreamFault, readEvents } from "./sse.ts";
import { AnswerTooLargeError, MAX_ANSWER_BYTES, toStorableAnswer, toStorableUsage } from "./storable-answer.ts";

export interface GuardedWire {
  /** `<provider>:<model id>`. */
  name: string;
  facts: ModelFacts;
  /** The name for error sentences: "Anthropic". */
  provider: string;
  apiKey: string;
  /** Identifies the provider's prompt cache, together with the key: its address, for example. Absent: the provider has no cache. */
  cachedAt?: string;
  /** Tokens of an image by the provider's rule. */
  imageTokens: NonNullable<Model["imageTokens"]>;
  clock: Clock;
  /** Default: false. */
  isOwn?: boolean;
  /** The server's base URL. */
  server?: string;
  /**
   * Sends one request. May throw. Calls `charge` with the usage so far each time the stream reports it: usage is billed even
   * if no answer comes.
   */
  open(request: ModelRequest, call: { signal: AbortSignal; charge(usage: Usage): void }): OpenCall;
}

/** A sent request and the reader of its events. The guard reads the stream; adapters never await. */
export interface OpenCall {
  /** The provider's response, unread. May reject, and may ignore the signal. */
  response: Promise<Response>;
  /** Translates one event of any shape into model events. May throw. Not called again after a terminal event. */
  read(event: unknown, say: EmitEvent): void;
  /** Called when the stream ended without a terminal event, whether complete or cut off. */
  end?(say: EmitEvent): void;
}

export type EmitEvent = (event: ModelEvent) => void;

const ABORTED = Symbol("aborted");

/** A server that sends more characters than this for each requested token ignores the limit. */
const MAX_CHARS_PER_TOKEN = 16;
/** Some servers ignore a small token limit, so a short answer is never cut below this. */
const MIN_ANSWER_CHARS = 64 << 10;

/** By host only: two models on one machine share a server, even with different paths. */
function toFingerprint(address: string): string {
  return sha256Hex(`server ${URL.parse(address)?.host ?? address}`).slice(0, 16);
}

export function guardWire(wire: GuardedWire): Model {
  return {
    name: wire.name,
    contextWindow: wire.facts.contextWindow,
    ...(wire.facts.sees && { sees: true, imageTokens: wire.imageTokens }),
    ...(wire.isOwn && { isOwn: true }),
    ...(wire.isOwn && wire.server !== undefined && { server: toFingerprint(wire.server) }),
    ...(wire.cachedAt !== undefined && { cache: sha256Hex(`cache ${wire.cachedAt} ${wire.apiKey}`).slice(0, 16) }),
    async *stream(request, signal, noteActivity) {
      const aborted = createModelFailure("aborted", wire.provider);
      if (signal.aborted) return yield failed(aborted);
      let used: Usage | null = null;
      const abort = watchAbort(signal);
      const maxChars = Math.max(MIN_ANSWER_CHARS, request.maxOutputTokens * MAX_CHARS_PER_TOKEN);
      const words = { text: createDeltaText(maxChars), reasoning: createDeltaText(maxChars) };
      let events: EventReader | null = null;
      let hasBegun = false;
      /** A reply that began is billed, but most providers report its usage only at the end. */
      const spent = () => used ?? (events === null ? null : estimateUsage(request, [words.text, words.reasoning]));
      try {
        const call = wire.open(request, { signal, charge: (usage) => void (used = usage) });
        const response = await abort.race(call.response);
        if (response === ABORTED) {
          void call.response.then(({ body }) => body?.cancel()).catch(() => undefined); // a fetch that ignores its signal
          return yield failed(aborted, used);
        }
        // Response headers are not activity: some servers send them before they have read the prompt.
        const { clock } = wire;
        events = readEvents(response, {
          maxOutputTokens: request.maxOutputTokens,
          clock,
          ...(noteActivity && { noteActivity }),
        });
        for (;;) {
          const batch = await abort.race(events.next(hasBegun));
          if (batch === ABORTED || (batch === null && signal.aborted)) return yield failed(aborted, spent());
          for (const event of readBatch(batch, call)) {
            if (signal.aborted) return yield failed(aborted, spent()); // the reader aborted between two events
            // A refusal may be the first event of a reply with a good status. The model then read no prompt.
            if (event.type === "failed") return yield failed(event.failure, hasBegun ? spent() : used);
            if (event.type === "done") {
              const { answer } = event;
              const cost = answer.cost ?? computeCost(toStorableUsage(answer.usage), wire.facts.prices);
              return yield* toEnd({ ...answer, cost }, words.text);
            }
            if (event.type === "text_retract") {
              words.text = createDeltaText(maxChars);
              yield event;
              continue;
            }
            const text = words[event.type === "text_delta" ? "text" : "reasoning"].take(event.text);
            if (!text) continue;
            hasBegun = true;
            yield { type: event.type, text };
          }
          if (batch === null) return yield failed(createModelFailure("stream_cut", wire.provider), spent());
        }
      } catch (thrown) {
        yield failed(signal.aborted ? aborted : toFailure(thrown, wire, events !== null), spent());
      } finally {
        abort.forget();
        events?.close(); // the stream may have more to send
      }
    },
  };

  function failed(failure: ModelFailure, used: Usage | null = null): ModelEvent {
    if (used === null) return { type: "failed", failure };
    const usage = toStorableUsage(used);
    return {
      type: "failed",
      failure: { ...failure, spent: { model: wire.name, usage, cost: computeCost(usage, wire.facts.prices) } },
    };
  }
}

/** Streams the text that only the final event had, if it continues the streamed text. Otherwise the streamed text is the answer. */
function* toEnd(answer: Parameters<typeof toStorableAnswer>[0], words: DeltaText): Iterable<ModelEvent> {
  const whole = answer.text.toWellFormed();
  const seen = words.all();
  const left = whole.startsWith(seen) ? whole.slice(seen.length) : words.rest();
  const done = toStorableAnswer(answer, seen + left);
  if (left) yield { type: "text_delta", text: left };
  yield { type: "done", answer: done };
}

function estimateUsage({ system, tools, messages }: ModelRequest, words: DeltaText[]): Usage {
  const written = words.reduce((sum, { all }) => sum + all().length, 0);
  const estimated = usageByLength({ system, tools, messages }, written);
  return { ...estimated, input: messages.reduce((sum, message) => sum + imageTokens(message), estimated.input) };
}

/** Estimates four characters a token. Without an estimate a server that reports no usage would never spend a budget. */
export function usageByLength(asked: unknown, writtenChars: number): Usage {
  const toTokens = (chars: number) => Math.ceil(chars / 4);
  return { ...NO_USAGE, input: toTokens(JSON.stringify(asked).length), output: toTokens(writtenChars) };
}

type DeltaText = ReturnType<typeof createDeltaText>;

/** Makes deltas well-formed: a high surrogate at the end of one waits for the next. */
function createDeltaText(maxChars: number) {
  let all = "";
  let half = "";
  return {
    /** Returns the text that may be shown now. */
    take(delta: string): string {
      const text = half + delta;
      half = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : "";
      const shown = text.slice(0, text.length - half.length).toWellFormed();
      const most = Math.min(MAX_ANSWER_BYTES, maxChars);
      if (all.length + shown.length > most) throw new AnswerTooLargeError(`it has more than ${most} characters`);
      all += shown;
      return shown;
    },
    all: () => all,
    rest: () => half.toWellFormed(),
  };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The model events of a batch, up to a terminal event. Neighbouring deltas are merged. `null`: the end of the stream. */
function readBatch(batch: unknown[] | null, call: OpenCall): ModelEvent[] {
  const said: ModelEvent[] = [];
  const say = (event: ModelEvent) => {
    const last = said.at(-1);
    if (last && "text" in last && "text" in event && last.type === event.type) last.text += event.text;
    else said.push(event);
  };
  if (batch === null) call.end?.(say);
  for (const event of batch ?? []) {
    call.read(event, say);
    const last = said.at(-1);
    if (last?.type === "done" || last?.type === "failed") break;
  }
  return said;
}

function toFailure(thrown: unknown, wire: GuardedWire, hasReply: boolean): ModelFailure {
  const secrets = [wire.apiKey];
  if (thrown instanceof ReplyRefused) {
    const { status, headers, body } = thrown.reply;
    const reply = readErrorBody(body);
    return readReplyFailure({ ...reply, status: status ?? reply.status, provider: wire.provider, headers }, secrets);
  }
  if (thrown instanceof StreamFault)
    return createModelFailure(thrown.code, wire.provider, describeCause(thrown), secrets);
  if (thrown instanceof AnswerTooLargeError)
    return createModelFailure("answer_too_large", wire.provider, thrown.message);
  if (thrown instanceof OutboundError && thrown.code === "url_refused")
    return createModelFailure("url_refused", wire.provider, thrown.message);
  const cause = describeCause(thrown);
  if (!hasReply && /timed? ?out/i.test(cause)) return createModelFailure("timeout", wire.provider, cause, secrets);
  return createModelFailure(hasReply ? "stream_malformed" : "network", wire.provider, cause, secrets);
}

/** The deepest cause: fetch says "fetch failed" and keeps the reason in `cause`. */
function describeCause(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause instanceof Error ? describeCause(thrown.cause) : messageOf(thrown);
}

/** Uses one listener for the whole call: a stream has thousands of pieces, and each is awaited. */
function watchAbort(signal: AbortSignal) {
  let stop: ((why: typeof ABORTED) => void) | undefined;
  const onAbort = () => stop?.(ABORTED);
  signal.addEventListener("abort", onAbort);
  return {
    /** Resolves with ABORTED as soon as the signal aborts, even if the work ignores the signal. */
    race<T>(work: Promise<T>): Promise<T | typeof ABORTED> {
      return new Promise((resolve, reject) => {
        stop = resolve;
        work.then(resolve, reject);
        if (signal.aborted) resolve(ABORTED);
      });
    },
    forget: () => signal.removeEventListener("abort", onAbort),
  };
}
