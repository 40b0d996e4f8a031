// Reads a reply as a stream of JSON in server-sent events: decoded once, cut into lines, parsed. Called by stream-guard.ts for
// every wire. Lets nothing through that is not such a stream, has an event without end, or is longer than any answer; holds
// one event and one piece of the network at most. Must not know what events mean.
import type { Clock } from "../../ports.ts";
import { parseBody, wordsOf } from "../failures/error-reply.ts";
import type { ModelFailureCode } from "../failures/failure-codes.ts";
import { readAhead, sizeOf } from "./read-ahead.ts";
import { ReplyRefused, readStart } from "../failures/refused-reply.ts";

/** Why a stream was not read on. */
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
   * All events that have come, at least one; null at the end of the stream. `gather`: see read-ahead.ts. Throws StreamFault,
   * or ReplyRefused for an error in place of the stream or of an event: then what came before it has been returned.
   */
  next(gather?: boolean): Promise<unknown[] | null>;
  /** Closes the connection, whoever still waits for `next`. Not awaited: a server that ignores it is not waited for. */
  close(): void;
}

/**
 * One event. The largest real one is the end of a Responses stream, which repeats the whole answer: 128,000 tokens as text
 * and as much encrypted reasoning, escaped, come to about 1.5 MB. An isolate has 128 MB for all its sessions.
 */
const MAX_EVENT_CHARS = 4 << 20;
/** A token of text in an event of its own takes 120 to 400 bytes, and 700 with what OpenAI pads it with. */
const BYTES_PER_TOKEN = 1_024;
/** What comes beside the answer: the request, which a Responses stream repeats up to three times. */
const SPARE_BYTES = 2 << 20;
/** No one sends less than a token at a time; and each event costs time, however short it is. */
const EVENTS_PER_TOKEN = 2;
/** What comes beside the answer: signs of life while it thinks, some once a second, and the frame of each part. */
const SPARE_EVENTS = 10_000;
/** In a row. At one every 15 seconds this is most of an hour of thinking; who says no more than that for longer is stuck. */
const MAX_SIGNS_OF_LIFE = 200;

/** `noteActivity` is called for whatever comes, but not for ever while that is nothing but signs of life. */
export function readEvents(
  response: Response,
  options: { maxOutputTokens: number; clock: Clock; noteActivity?: () => void },
): EventReader {
  const maxBytes = SPARE_BYTES + options.maxOutputTokens * BYTES_PER_TOKEN;
  const maxEvents = SPARE_EVENTS + options.maxOutputTokens * EVENTS_PER_TOKEN;
  const pieces = response.body ? readAhead(response.body.getReader(), options.clock) : null;
  const decoder = new TextDecoder();
  const parser = createEventParser();
  let bytes = 0;
  let signs = 0;
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
        // Also takes a byte order mark away. Events begin with the name of a field or with a colon: anything else is a page,
        // or JSON that nobody asked for.
        const first = text.trimStart().charAt(0);
        if (first === "<" || first === "{" || first === "[") throw toRefusal(await readStart(pieces, decoder, text));
        begun = first !== "";
      }
      const events = read ? take(text, sizeOf(read)) : parser.end(text);
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
    const { events, isSignOfLife } = parser.add(text);
    signs = isSignOfLife ? signs + 1 : 0;
    if (signs <= MAX_SIGNS_OF_LIFE) options.noteActivity?.();
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
    return new StreamFault("stream_malformed", wordsOf(text));
  }
}

/** `event: ping` and its data, as Anthropic sends them. */
const PING = /^(event: ?ping|data: ?\{ ?"type": ?"ping" ?\})$/;
const MAX_PING_CHARS = 40;

/** Text as it comes, whatever it is cut into, to parsed events. Lines end with LF, CR or both. */
function createEventParser() {
  let tail = ""; // of a line that has no end yet
  let afterCr = false;
  let name = "";
  let data: string | null = null;
  let open = 0;
  let count = 0;
  let talks = false;
  let events: unknown[] = [];
  let ended = false;
  let fault: Error | null = null;
  return {
    /** `isSignOfLife`: nothing but comments and pings. */
    add(text: string): { events: unknown[]; isSignOfLife: boolean } {
      events = [];
      talks = false;
      addText(text);
      return { events, isSignOfLife: !talks && (tail === "" || tail.startsWith(":")) };
    },
    /** The stream is over. Not every server ends its last event with an empty line. */
    end(text: string): unknown[] {
      events = [];
      addText(text);
      if (!ended && !fault) addLine(tail);
      if (!ended && !fault) endEvent("stream_cut");
      ended = true;
      return events;
    },
    ended: () => ended,
    fault: () => fault,
    /** Characters since the last event. */
    openChars: () => open + tail.length,
    /** Events so far, also those that said nothing. */
    count: () => count,
  };

  function addText(added: string): void {
    const isSplit = afterCr && added.startsWith("\n");
    const text = isSplit ? added.slice(1) : added;
    if (added !== "") afterCr = text.endsWith("\r");
    const lines = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    let start = 0;
    for (let end = lines.indexOf("\n"); end >= 0; end = lines.indexOf("\n", start)) {
      const line = tail + lines.slice(start, end);
      tail = "";
      start = end + 1;
      if (line !== "") addLine(line);
      else {
        count += 1;
        open = 0;
        endEvent("stream_malformed");
        if (ended || fault) return;
      }
    }
    tail += lines.slice(start);
  }

  function addLine(line: string): void {
    open += line.length;
    if (line.startsWith(":")) return; // a comment
    talks ||= line.length > MAX_PING_CHARS || !PING.test(line);
    if (line.startsWith("data:")) data = (data === null ? "" : `${data}\n`) + valueAt("data:".length, line);
    else if (line.startsWith("event:")) name = valueAt("event:".length, line);
  }

  /** `fallen`: what is wrong when its data is not JSON. */
  function endEvent(fallen: ModelFailureCode): void {
    const [event, text] = [name, data ?? ""];
    name = "";
    data = null;
    if (event === "ping" || text === "") return;
    if (text === "[DONE]") return void (ended = true);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      fault = event === "error" ? new ReplyRefused({ body: text }) : new StreamFault(fallen, "not JSON", { cause });
      return;
    }
    if (event === "error" || isError(value)) fault = new ReplyRefused({ body: value });
    else events.push(value);
  }
}

function valueAt(start: number, line: string): string {
  return line.slice(line.charAt(start) === " " ? start + 1 : start);
}

/** By `error` in Chat Completions, by `type` in the other wires: imitations leave out the event's name. */
function isError(event: unknown): boolean {
  if (typeof event !== "object" || event === null) return false;
  return ("error" in event && !!event.error) || ("type" in event && event.type === "error");
}

function isErrorBody(body: unknown): boolean {
  const whole: unknown = Array.isArray(body) ? body[0] : body;
  return isError(whole) || (typeof whole === "object" && whole !== null && "errors" in whole && !!whole.errors);
}
