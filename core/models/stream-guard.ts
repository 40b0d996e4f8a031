// Keeps the promises of the Model contract for every wire: nothing is thrown, one terminal event, and it is the last; an
// abort ends the stream at once. Called by the three adapters, which only translate. Must not know any wire.
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../agent/contract.ts";
import { messageOf } from "../errors.ts";
import { failureOfReply, modelFailure, parseBody, readErrorBody } from "./failures.ts";

export interface GuardedWire {
  /** `<provider>:<model id>`. */
  name: string;
  /** As it stands in sentences: "Anthropic". */
  provider: string;
  apiKey: string;
  fetch: typeof fetch;
  /** The SDK's error for a reply, and the one for a call that got none in time. */
  errors: { api: ErrorClass<{ error: unknown; status: number | undefined }>; timeout: ErrorClass };
  /** Streams one answer. May throw, may end without a terminal event, may ignore the signal. */
  open(request: ModelRequest, call: { signal: AbortSignal; fetch: typeof fetch }): AsyncIterable<ModelEvent>;
}

/** The constructor of an SDK's error: only ever the right side of `instanceof`. */
type ErrorClass<Shape = object> = abstract new (...args: never[]) => Shape;

/** Of a reply that is an error no more is read than this. */
const MAX_ERROR_BODY_BYTES = 64_000;

const ABORTED = Symbol("aborted");

export function guardWire(wire: GuardedWire): Model {
  return {
    name: wire.name,
    async *stream(request, signal) {
      if (signal.aborted) return yield { type: "failed", failure: modelFailure("aborted", wire.provider) };
      const replies = watchReplies(wire.fetch);
      const events = wire.open(request, { signal, fetch: replies.fetch })[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await orAborted(events.next(), signal);
          if (next === ABORTED || (next.done && signal.aborted)) {
            return yield { type: "failed", failure: modelFailure("aborted", wire.provider) };
          }
          if (next.done) return yield { type: "failed", failure: modelFailure("stream_cut", wire.provider) };
          yield next.value;
          if (next.value.type === "done" || next.value.type === "failed") return;
        }
      } catch (thrown) {
        const failure = signal.aborted ? modelFailure("aborted", wire.provider) : toFailure(thrown, wire, replies);
        yield { type: "failed", failure };
      } finally {
        // Closes the connection of a stream nobody reads on. Not awaited: a read that ignores its signal may hang.
        void events.return?.()?.catch(() => undefined);
      }
    },
  };
}

function toFailure(thrown: unknown, wire: GuardedWire, replies: ReplyWatch): ModelFailure {
  const refused = replies.refused();
  const secrets = [wire.apiKey];
  if (refused) {
    const { status, headers } = refused;
    const body = readErrorBody(parseBody(refused.body));
    return failureOfReply({ ...body, status, provider: wire.provider, headers }, secrets);
  }
  if (thrown instanceof wire.errors.timeout) return modelFailure("timeout", wire.provider);
  if (!replies.answered()) return modelFailure("network", wire.provider, causeOf(thrown), secrets);
  // An error event inside a stream that had begun with 200.
  if (thrown instanceof wire.errors.api && thrown.error !== undefined) {
    return failureOfReply({ ...readErrorBody(thrown.error), provider: wire.provider }, secrets);
  }
  return modelFailure("stream_cut", wire.provider, causeOf(thrown), secrets);
}

/** SDKs say "Connection error." and keep what really happened in `cause`. */
function causeOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause instanceof Error ? causeOf(thrown.cause) : messageOf(thrown);
}

interface ReplyWatch {
  fetch: typeof fetch;
  /** A reply with a good status has begun. */
  answered(): boolean;
  refused(): { status: number; headers: Headers; body: string } | null;
}

/**
 * Reads the body of a refusal before the SDK does: each SDK keeps only the shape its own provider sends, and the same wire
 * is spoken by many who answer errors in another one.
 */
function watchReplies(fetchReply: typeof fetch): ReplyWatch {
  let answered = false;
  let refused: ReturnType<ReplyWatch["refused"]> = null;
  return {
    answered: () => answered,
    refused: () => refused,
    async fetch(input: RequestInfo | URL, init?: RequestInit) {
      const response = await fetchReply(input, init);
      if (response.ok) {
        answered = true;
        return response;
      }
      const body = await readStart(response);
      refused = { status: response.status, headers: response.headers, body };
      return Response.json({ error: { message: "see the watched reply" } }, { status: Math.max(400, response.status) });
    },
  };
}

async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; bytes < MAX_ERROR_BODY_BYTES;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | typeof ABORTED> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(ABORTED);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
