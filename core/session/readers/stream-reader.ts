// One reader of server-sent events: a stream that follows one turn to its end. Opened by the hub. Must never delay a turn: a stream
// that is too slow is cut off.
import type { Clock } from "../../ports.ts";
import type { AgentEvent } from "../../schemas/entry.ts";
import { type PlacedEvent, type Position, encodeEvent } from "./events.ts";
import { type ConnectedReader, toNext } from "./reader.ts";
import { createTextStream } from "./text-stream.ts";

/** A stream with more unread characters is cut off; its reader connects again with the last event id. */
const MAX_QUEUED_CHARS = 4 << 20;

/**
 * Idle timeout of a stream, which would keep the object awake. It does not apply while a turn runs, which keeps the object
 * awake anyway. Readers that wait for the next turn use a standing connection.
 */
const MAX_SILENT_MS = 5 * 60_000;

/** Keep-alive interval: proxies and clients take a longer silence for a broken connection. */
const KEEP_ALIVE_MS = 15_000;
/** A comment without an id. Readers skip it, and it does not extend the idle timeout. */
const KEEP_ALIVE = ": still here\n\n";

export interface StreamOptions {
  clock: Clock;
  /** Whether a turn runs in this object now. */
  isRunning(): boolean;
  /** The stream ends with this turn. If its input is put into another turn, the stream follows that turn. */
  until: number;
  /** Sends nothing before that turn begins. */
  waits: boolean;
  from: Position;
  /** Called when the stream ends, is cut off, or its reader leaves. */
  onLeave(): void;
}

export interface StreamReader extends ConnectedReader {
  stream: ReadableStream<Uint8Array>;
  /** Call after the missed events: they do not count towards the limit of unread characters. */
  startLimits(): void;
}

export function createStreamReader(options: StreamOptions): StreamReader {
  const { clock, isRunning, until, from, onLeave } = options;
  let { waits } = options;
  let target = until;
  let last = from;
  let lastSentAt = clock.now();
  const left = new AbortController();
  const text = createTextStream(leave);

  function leave(): void {
    onLeave();
    left.abort("left");
  }

  function end(): void {
    leave();
    text.end();
  }

  function take(placed: PlacedEvent): void {
    const { event } = placed;
    if (event.type === "steer_add" && event.turn === target) target = event.into;
    if (isBeginning(event, until)) waits = false;
    const next = waits ? null : toNext(placed, last);
    if (!next) return;
    if (next.event.type !== "reasoning_delta") last = next.at;
    lastSentAt = clock.now();
    if (!text.write(encodeEvent(next))) leave();
    if (event.type === "turn_end" && event.turn === target) end();
  }

  /** Sends keep-alives, and ends the stream at its idle timeout. */
  async function watchSilence(): Promise<void> {
    for (;;) {
      const leftMs = isRunning() ? MAX_SILENT_MS : lastSentAt + MAX_SILENT_MS - clock.now();
      if (leftMs <= 0) return end();
      await clock.sleep(Math.min(KEEP_ALIVE_MS, leftMs), left.signal);
      if (left.signal.aborted) return;
      if (!text.write(KEEP_ALIVE)) return leave();
    }
  }

  function startLimits(): void {
    text.limit(MAX_QUEUED_CHARS);
    void watchSilence();
  }

  return { take, end, stream: text.stream, startLimits };
}

/** A stream of these events that ends at once. */
export function createSettledStream(events: PlacedEvent[]): ReadableStream<Uint8Array> {
  const text = createTextStream(() => {});
  for (const event of events) text.write(encodeEvent(event));
  text.end();
  return text.stream;
}

function isBeginning(event: AgentEvent, turn: number): boolean {
  return (event.type === "turn_start" || event.type === "steer_add") && event.turn === turn;
}
