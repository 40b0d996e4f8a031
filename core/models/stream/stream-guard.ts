// Keeps the promises of the Model contract for every wire: nothing is thrown, one terminal event, and it is the last; an
// abort ends the stream at once; what is done can be kept, and its text is what was streamed. Called by the adapters, which
// only translate. Must not know any wire.
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../agent/contract.ts";
import { messageOf } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { NO_USAGE, type Usage } from "../../schemas/entry.ts";
import type { ModelFacts } from "../catalog.ts";
import { readErrorBody } from "../failures/error-reply.ts";
import { failureOfReply, modelFailure } from "../failures/failures.ts";
import { costOf } from "../prices.ts";
import { ReplyRefused } from "../failures/refused-reply.ts";
import { type EventReader, StreamFault, readEvents } from "./sse.ts";
import { AnswerTooLargeError, MAX_ANSWER_BYTES, toStorableAnswer, toStorableUsage } from "./storable-answer.ts";

export interface GuardedWire {
  /** `<provider>:<model id>`. */
  name: string;
  facts: ModelFacts;
  /** As it stands in sentences: "Anthropic". */
  provider: string;
  apiKey: string;
  /** Where a provider's cache belongs to, such as its address; the key is part of it anyway. Absent: it keeps none. */
  cachedAt?: string;
  clock: Clock;
  /** Default: false. */
  isOwn?: boolean;
  /** Its address. */
  server?: string;
  /**
   * Sends one request. May throw. Tells `charge` what the call has used whenever the stream says so: that is paid for even if
   * no answer comes.
   */
  open(request: ModelRequest, call: { signal: AbortSignal; charge(usage: Usage): void }): OpenCall;
}

/** A request that was sent, and who reads what comes back. The guard reads the stream itself: adapters wait for nothing. */
export interface OpenCall {
  /** As the provider sent it, unread. May reject, and may ignore the signal. */
  response: Promise<Response>;
  /** Takes one event, whatever it is, and says what it means. May throw. Not called again behind a terminal event. */
  read(event: unknown, say: Say): void;
  /** The stream has ended without a terminal event, well or not. */
  end?(say: Say): void;
}

export type Say = (event: ModelEvent) => void;

const ABORTED = Symbol("aborted");

/** A server that sends more characters than this for each token it was asked for does not heed the limit. */
const MOST_CHARS_PER_TOKEN = 16;
/** Not every server heeds a small number of tokens. */
const LEAST_ANSWER_CHARS = 64 << 10;

/** Two models of one machine are served by one, whatever their paths. */
function toFingerprint(address: string): string {
  return sha256Hex(`server ${URL.parse(address)?.host ?? address}`).slice(0, 16);
}

export function guardWire(wire: GuardedWire): Model {
  return {
    name: wire.name,
    contextWindow: wire.facts.contextWindow,
    ...(wire.isOwn && { isOwn: true }),
    ...(wire.isOwn && wire.server !== undefined && { server: toFingerprint(wire.server) }),
    ...(wire.cachedAt !== undefined && { cache: sha256Hex(`cache ${wire.cachedAt} ${wire.apiKey}`).slice(0, 16) }),
    async *stream(request, signal, noteActivity) {
      const aborted = modelFailure("aborted", wire.provider);
      if (signal.aborted) return yield failed(aborted);
      let used: Usage | null = null;
      const abort = watchAbort(signal);
      const maxChars = Math.max(LEAST_ANSWER_CHARS, request.maxOutputTokens * MOST_CHARS_PER_TOKEN);
      const words = { text: createWords(maxChars), reasoning: createWords(maxChars) };
      let events: EventReader | null = null;
      let begun = false;
      /** A reply that began is paid for, though most providers tell what it used at its end only. */
      const spent = () => used ?? (events === null ? null : estimateUsage(request, [words.text, words.reasoning]));
      try {
        const call = wire.open(request, { signal, charge: (usage) => void (used = usage) });
        const response = await abort.or(call.response);
        if (response === ABORTED) {
          void call.response.then(({ body }) => body?.cancel()).catch(() => undefined); // a fetch that ignores its signal
          return yield failed(aborted, used);
        }
        // The head of a reply is no sign of life: some servers send it before they have read the prompt.
        const { clock } = wire;
        events = readEvents(response, {
          maxOutputTokens: request.maxOutputTokens,
          clock,
          ...(noteActivity && { noteActivity }),
        });
        for (;;) {
          const batch = await abort.or(events.next(begun));
          if (batch === ABORTED || (batch === null && signal.aborted)) return yield failed(aborted, spent());
          for (const event of readBatch(batch, call)) {
            if (signal.aborted) return yield failed(aborted, spent()); // by who reads, between two events
            // A refusal may come as the first event of a reply that began well: nothing was read for it.
            if (event.type === "failed") return yield failed(event.failure, begun ? spent() : used);
            if (event.type === "done") {
              const { cost = costOf(toStorableUsage(event.answer.usage), wire.facts.prices), ...answer } = event.answer;
              return yield* toEnd({ ...answer, cost }, words.text);
            }
            if (event.type === "text_retract") {
              words.text = createWords(maxChars);
              yield event;
              continue;
            }
            const text = words[event.type === "text_delta" ? "text" : "reasoning"].take(event.text);
            if (!text) continue;
            begun = true;
            yield { type: event.type, text };
          }
          if (batch === null) return yield failed(modelFailure("stream_cut", wire.provider), spent());
        }
      } catch (thrown) {
        yield failed(signal.aborted ? aborted : toFailure(thrown, wire, events !== null), spent());
      } finally {
        abort.forget();
        events?.close(); // of a stream nobody reads on
      }
    },
  };

  function failed(failure: ModelFailure, used: Usage | null = null): ModelEvent {
    if (used === null) return { type: "failed", failure };
    const usage = toStorableUsage(used);
    return {
      type: "failed",
      failure: { ...failure, spent: { model: wire.name, usage, cost: costOf(usage, wire.facts.prices) } },
    };
  }
}

/** What only the end of a stream told is streamed too, where it follows from what was; else what readers saw stands. */
function* toEnd(answer: Parameters<typeof toStorableAnswer>[0], words: Words): Iterable<ModelEvent> {
  const whole = answer.text.toWellFormed();
  const seen = words.all();
  const left = whole.startsWith(seen) ? whole.slice(seen.length) : words.rest();
  const done = toStorableAnswer(answer, seen + left);
  if (left) yield { type: "text_delta", text: left };
  yield { type: "done", answer: done };
}

function estimateUsage({ system, tools, messages }: ModelRequest, words: Words[]): Usage {
  const written = words.reduce((sum, { all }) => sum + all().length, 0);
  return usageByLength({ system, tools, messages }, written);
}

/** Four characters a token, where nobody has counted: a server that counts nothing must not make a budget endless. */
export function usageByLength(asked: unknown, writtenChars: number): Usage {
  const toTokens = (chars: number) => Math.ceil(chars / 4);
  return { ...NO_USAGE, input: toTokens(JSON.stringify(asked).length), output: toTokens(writtenChars) };
}

type Words = ReturnType<typeof createWords>;

/** Well-formed deltas of a text: half of a character that ends one waits for the next. */
function createWords(maxChars: number) {
  let all = "";
  let half = "";
  return {
    /** What may be shown now. */
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

/** What the events of a batch say, up to a terminal event; neighbouring deltas are one. `null`: the end of the stream. */
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

function toFailure(thrown: unknown, wire: GuardedWire, answered: boolean): ModelFailure {
  const secrets = [wire.apiKey];
  const refused = findRefusal(thrown);
  if (refused) {
    const { status, headers, body } = refused.reply;
    const reply = readErrorBody(body);
    return failureOfReply({ ...reply, status: status ?? reply.status, provider: wire.provider, headers }, secrets);
  }
  if (thrown instanceof StreamFault) return modelFailure(thrown.code, wire.provider, causeOf(thrown), secrets);
  if (thrown instanceof AnswerTooLargeError) return modelFailure("answer_too_large", wire.provider, thrown.message);
  const cause = causeOf(thrown);
  if (!answered && /timed? ?out/i.test(cause)) return modelFailure("timeout", wire.provider, cause, secrets);
  return modelFailure(answered ? "stream_malformed" : "network", wire.provider, cause, secrets);
}

/** SDKs keep what their fetch threw in `cause`. */
function findRefusal(thrown: unknown): ReplyRefused | null {
  if (thrown instanceof ReplyRefused) return thrown;
  return thrown instanceof Error && thrown.cause !== undefined ? findRefusal(thrown.cause) : null;
}

/** SDKs say "Connection error." and keep what really happened in `cause`. */
function causeOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause instanceof Error ? causeOf(thrown.cause) : messageOf(thrown);
}

/** One listener a call, however often the call waits: a stream has thousands of pieces. */
function watchAbort(signal: AbortSignal) {
  let stop: ((why: typeof ABORTED) => void) | undefined;
  const onAbort = () => stop?.(ABORTED);
  signal.addEventListener("abort", onAbort);
  return {
    /** ABORTED as soon as the signal says so, whether or not the work heeds it. */
    or<T>(work: Promise<T>): Promise<T | typeof ABORTED> {
      return new Promise((resolve, reject) => {
        stop = resolve;
        work.then(resolve, reject);
        if (signal.aborted) resolve(ABORTED);
      });
    },
    forget: () => signal.removeEventListener("abort", onAbort),
  };
}
