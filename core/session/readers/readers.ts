// Sends readers what they missed and connects them to the hub: by server-sent events for a turn, or on a standing
// connection for all turns. Called by the engine. Must not await: an event between the replay and the hub would be lost.
import { type Result, err, ok } from "../../errors.ts";
import type { Entry } from "../../schemas/entry.ts";
import { type LiveText, type PlacedEvent, type Position, START, isAfter, parsePosition, replay } from "./events.ts";
import { type Hub, MAX_STANDING } from "./hub.ts";
import type { ReaderState, StandingReader } from "./standing-reader.ts";
import { isOpen } from "../log-turns.ts";
import type { Log } from "../log.ts";

export type Readers = ReturnType<typeof createReaders>;

/** `relay`: the stream passes events on to a chat. Its readers do not count as watching the turn: they cannot stop it in time. */
export interface AskedEvents {
  after?: string;
  turn?: number;
  relay?: true;
}

export function createReaders(options: { log: Log; hub: Hub; live(): LiveText | null }) {
  const { log, hub, live } = options;

  /** The first call without a result, in the order of the log. Readers get the events up to it. */
  function findRunningCall(entries: Entry[]): Entry | null {
    const isRunning = (entry: Entry) =>
      entry.kind === "tool" && entry.state === "open" && isOpen(log.turn(entry.turn)!);
    return entries.find(isRunning) ?? null;
  }

  /** A call that has parked its turn holds nothing: what came after it was sent at once. */
  function runningCall(): Entry | null {
    const turn = log.openTurns()[0];
    const entries = turn?.state === "running" ? log.entries(turn.input!) : [];
    const call = findRunningCall(entries);
    const hasWaited = entries.some((entry) => entry.kind === "notice" && entry.asked && call && entry.n > call.n);
    return hasWaited ? null : call;
  }

  function placeEvents(entries: Entry[], after: Position, ofTurn: (turn: number) => boolean): PlacedEvent[] {
    const own = entries.filter((entry) => ofTurn(entry.turn));
    const turns = [...new Set(own.map((entry) => entry.turn))].map((n) => log.turn(n)!);
    const now = live();
    return replay(after, own, turns, now && ofTurn(now.turn) ? now : null);
  }

  /** The events after `after`. Events that follow a running call in the log are held in the hub until that call ends. */
  function catchUp(first: number, after: Position, ofTurn = (_turn: number) => true): PlacedEvent[] {
    const entries = log.entries(first);
    const missed = placeEvents(entries, after, ofTurn);
    // Hold the events of the whole turn: the position of this reader must not affect the other readers.
    const call = runningCall();
    if (!call) return missed;
    hold(call);
    return missed.filter(({ at }) => !isAfter(at, { entry: call.n, offset: 0 }));
  }

  function hold(call: Entry): void {
    const later = placeEvents(log.entries(call.n), { entry: call.n, offset: 0 }, () => true);
    hub.hold(call.n, later);
  }

  /** The position of a reader that wants only new events. A streaming answer is sent to it whole. */
  function endPosition(): Position {
    const call = runningCall();
    return call ? { entry: call.n, offset: 0 } : { entry: log.nextEntry() - 1, offset: Number.MAX_SAFE_INTEGER };
  }

  return {
    /** Events of `turn`, or of all turns up to the end of the newest. Ends at once when that turn has ended. */
    events(from: AskedEvents): Result<ReadableStream<Uint8Array>> {
      const parsed = from.after === undefined ? ok(START) : parsePosition(from.after);
      if (!parsed.ok) return parsed;
      const after = parsed.value;
      const askedTurn = from.turn === undefined ? log.lastTurn() : log.turn(from.turn);
      if (!askedTurn) {
        return from.turn === undefined
          ? ok(hub.openSettled([]))
          : err("turn_not_found", `This session has no turn ${from.turn}.`);
      }
      // A steering message has no turn of its own: its reader follows the turn that took the message in.
      const target = askedTurn.more.into === undefined ? askedTurn : log.turn(askedTurn.more.into)!;
      // Without a turn and a position, the running turn is shown, even if other inputs are queued.
      const shownTurn = from.turn === undefined ? (log.openTurns()[0] ?? askedTurn) : askedTurn;
      const first = from.after === undefined ? (shownTurn.input ?? Number.MAX_SAFE_INTEGER) : Math.max(1, after.entry);
      const ofTurn = (turn: number) => from.turn === undefined || turn === target.n;
      const missed = catchUp(first, after, ofTurn);
      if (!isOpen(target)) return ok(hub.openSettled(missed));
      const waits = from.turn !== undefined && target.state === "queued";
      return ok(hub.open(missed, { until: target.n, waits, from: after, isRelay: from.relay === true }));
    },

    /**
     * Adds a standing reader of all events after `after`, or of new events only. `accept` is called once no failure is
     * possible any more. Failures: `bad_event_id`, `too_many_readers`.
     */
    watch(after: string | undefined, accept: () => StandingReader): Result<null> {
      const parsed = after === undefined ? ok(endPosition()) : parsePosition(after);
      if (!parsed.ok) return parsed;
      if (hub.standing() >= MAX_STANDING) {
        return err("too_many_readers", `A session has at most ${MAX_STANDING} open WebSockets: close one first.`);
      }
      const last = parsed.value;
      const missed = catchUp(Math.max(1, last.entry), last);
      hub.watch(accept(), last, missed);
      return ok(null);
    },

    /** For connections that outlived the object which accepted them. They have received every earlier event. */
    rejoin(connections: { reader: StandingReader; kept: ReaderState }[]): void {
      const call = connections.length > 0 ? runningCall() : null;
      if (call) hold(call);
      for (const { reader, kept } of connections) hub.rejoin(reader, kept);
    },

    leave: (reader: StandingReader): void => hub.leave(reader),
  };
}
