// Reads a reply as server-sent events that hold JSON. Called by stream-guard.ts for every wire. Refuses a reply that is not such
// a stream, an endless event, and a stream longer than any answer. Buffers at most one event and the bytes read ahead.
// Must not know what events mean.
import { createParser } from "eventsource-parser";
import type { Clock } from "../../ports.ts";
import { parseBody, readPlainText } from "../failures/error-reply.ts";
import type { ModelFailureCode } from "../failures/failure-codes.ts";
import { readAhead, countBytes } from "./read-ahead.ts";
import { ReplyRefused, readStart } from "../failures/refused-reply.ts";

/** The reason why reading stopped. */
export class StreamFault extends Error {
  override name = "StreamFault";
  readonly code: ModelFailureCode;

  constructor(code: ModelFailureCode, said: string, options?: ErrorOptions) {
    super(said, options);
    this.code = code;
  }
}

export interface EventReader {
  /**
   * All events received so far, at least one; null at the end of the stream. `gather`: see read-ahead.ts. Throws StreamFault, or
   * ReplyRefused for an error in place of the stream or of an event. Earlier events are returned before it throws.
   */
  next(gather?: boolean): Promise<unknown[] | null>;
  /** Closes the connection. A pending `next` resolves with null. Does not wait for the server. */
  close(): void;
}

/**
 * Limit of one event. The largest real event ends a Responses stream and repeats the whole answer: 128,000 tokens of text and as
 * much encrypted reasoning, escaped, are about 1.5 MB. An isolate has 128 MB for all its sessions.
 */
const MAX_EVENT_CHARS = 4 << 20;
/** An event with one token of text has 120 to 400 bytes, and 700 with OpenAI's padding. */
const BYTES_PER_TOKEN = 1_024;
/** Allowance for data outside the answer: a Responses stream repeats the request up to three times. */
const SPARE_BYTES = 2 << 20;
/** Providers send at least a token an event. Each event costs time, however short it is. */
const EVENTS_PER_TOKEN = 2;
/** Allowance for events outside the answer: keep-alives while the model thinks, some once a second, and the frame of each part. */
const SPARE_EVENTS = 10_000;
/** Limit of consecutive keep-alives: 50 minutes at one every 15 seconds. A server that sends nothing else for longer is stuck. */
const MAX_KEEP_ALIVES = 200;

/** Calls `noteActivity` for everything that arrives, until MAX_KEEP_ALIVES keep-alives have come in a row. */
export function readEvents(
  response: Response,
  options: { maxOutputTokens: number; clock: Clock; noteActivity?: () => void },
): EventReader {
  const maxBytes = SPARE_BYTES + options.maxOutputTokens * BYTES_PER_TOKEN;
  const maxEvents = SPARE_EVENTS + options.maxOutputTokens * EVENTS_PER_TOKEN;
  const pieces = response.body ? readAhead(response.body.getReader(), options.clock) : null;
  const decoder = new TextDecoder();
  const parser = createEventReader();
  let bytes = 0;
  let keepAlives = 0;
  let begun = false;
  return { next, close: () => pieces?.close() };

  async function next(gather = false): Promise<unknown[] | null> {
    for (;;) {
      if (parser.fault()) throw parser.fault();
      if (parser.ended() || !pieces) return null;
      const read = await pieces.next(gather).catch((cause: unknown) => {
        throw new StreamFault("stream_cut", "the connection broke", { cause });
      });
      const text = read ? decodeAll(read) : decoder.decode();
      if (!begun) {
        // `trimStart` also removes a byte order mark. An event begins with a field name or a colon. These characters begin an HTML
        // page, or JSON that is not a stream.
        const first = text.trimStart().charAt(0);
        if (first === "<" || first === "{" || first === "[") throw toRefusal(await readStart(pieces, decoder, text));
        begun = first !== "";
      }
      const events = read ? take(text, countBytes(read)) : parser.end(text);
      if (events.length > 0) return events;
    }
  }

  function decodeAll(read: Uint8Array[]): string {
    let text = "";
    for (const piece of read) text += decoder.decode(piece, { stream: true });
    return text;
  }

  function take(text: string, textBytes: number): unknown[] {
    bytes += textBytes;
    if (bytes > maxBytes) throw new StreamFault("answer_too_large", `a stream of more than ${maxBytes} bytes`);
    const { events, isKeepAlive } = parser.add(text);
    keepAlives = isKeepAlive ? keepAlives + 1 : 0;
    if (keepAlives <= MAX_KEEP_ALIVES) options.noteActivity?.();
    if (parser.openChars() > MAX_EVENT_CHARS) {
      throw new StreamFault("stream_malformed", `an event of more than ${MAX_EVENT_CHARS} characters`);
    }
    if (parser.count() > maxEvents) {
      throw new StreamFault("answer_too_large", `a stream of more than ${maxEvents} events`);
    }
    return events;
  }

  function toRefusal(text: string): Error {
    const body = parseBody(text);
    if (isErrorBody(body)) return new ReplyRefused({ headers: response.headers, body });
    return new StreamFault("stream_malformed", readPlainText(text));
  }
}

/** Parses events from text, wherever it is cut. eventsource-parser knows the format; this code knows where a stream ends. */
function createEventReader() {
  let events: unknown[] = [];
  /** Whether the text that is being read holds data. */
  let hasData = false;
  let isLast = false;
  let count = 0;
  let openChars = 0;
  /** The first character of the line that has not ended yet; "" before it has one. */
  let lineMark = "";
  let ended = false;
  let fault: Error | null = null;
  const parser = createParser({
    onComment() {
      if (!ended) count += 1;
    },
    onEvent({ event, data }) {
      if (ended || fault) return;
      count += 1;
      openChars = 0;
      if (event === "ping" || data === "") return;
      if (data === "[DONE]") return void (ended = true);
      let value: unknown;
      try {
        value = JSON.parse(data);
      } catch (cause) {
        const code = isLast ? "stream_cut" : "stream_malformed";
        fault = event === "error" ? new ReplyRefused({ body: data }) : new StreamFault(code, "not JSON", { cause });
        return;
      }
      hasData ||= !isPing(value);
      if (event === "error" || isError(value)) fault = new ReplyRefused({ body: value });
      else events.push(value);
    },
  });
  return {
    /** `isKeepAlive`: the text holds nothing but comments and pings. */
    add(text: string): { events: unknown[]; isKeepAlive: boolean } {
      events = [];
      hasData = false;
      openChars += text.length;
      parser.feed(text);
      const lineStart = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
      if (lineStart > 0) lineMark = "";
      lineMark ||= text.slice(lineStart, lineStart + 1);
      return { events, isKeepAlive: !hasData && (lineMark === "" || lineMark.startsWith(":")) };
    },
    /** Ends the stream. Some servers leave out the empty line after the last event. */
    end(text: string): unknown[] {
      events = [];
      isLast = true;
      parser.feed(`${text}\n\n`);
      ended = true;
      return events;
    },
    ended: () => ended,
    fault: () => fault,
    /** Characters since the last event. The parser's own limit leaves out the names of fields, so short lines evade it. */
    openChars: () => openChars,
    /** Events and comments so far. */
    count: () => count,
  };
}

/** Anthropic's keep-alive. Some servers send it without the event's name. */
function isPing(event: unknown): boolean {
  return typeof event === "object" && event !== null && "type" in event && event.type === "ping";
}

/** Chat Completions has a field `error`, the other wires a `type`. Compatible servers may leave out the event's name. */
function isError(event: unknown): boolean {
  if (typeof event !== "object" || event === null) return false;
  return ("error" in event && !!event.error) || ("type" in event && event.type === "error");
}

function isErrorBody(body: unknown): boolean {
  const whole: unknown = Array.isArray(body) ? body[0] : body;
  return isError(whole) || (typeof whole === "object" && whole !== null && "errors" in whole && !!whole.errors);
}
