// Brings readers up to date and lets them join: by server-sent events for a turn, or on a standing connection for all that
// comes. Each call is one synchronous block, so that nothing is written between what was missed and what is live.
import { type Result, err, ok } from "../../errors.ts";
import type { Entry } from "../../schemas/entry.ts";
import { type LiveText, type PlacedEvent, type Position, START, isAfter, parsePosition, replay } from "./events.ts";
import { type Hub, type Kept, MAX_STANDING, type StandingReader } from "./hub.ts";
import { type Log, isOpen } from "../log.ts";

export type Readers = ReturnType<typeof createReaders>;

export function createReaders(options: { log: Log; hub: Hub; live(): LiveText | null }) {
  const { log, hub, live } = options;

  /** The first call that has no result yet, in the order of the log: readers are told up to there. */
  function findRunningCall(entries: Entry[]): Entry | null {
    const isRunning = (entry: Entry) =>
      entry.kind === "tool" && entry.state === "open" && isOpen(log.turn(entry.turn)!);
    return entries.find(isRunning) ?? null;
  }

  function runningCall(): Entry | null {
    const turn = log.openTurns()[0];
    return turn?.state === "running" ? findRunningCall(log.entries(turn.input!)) : null;
  }

  function place(entries: Entry[], after: Position, ofTurn: (turn: number) => boolean): PlacedEvent[] {
    const own = entries.filter((entry) => ofTurn(entry.turn));
    const turns = [...new Set(own.map((entry) => entry.turn))].map((n) => log.turn(n)!);
    const now = live();
    return replay(after, own, turns, now && ofTurn(now.turn) ? now : null);
  }

  /** What happened after `after` and may be told. What stands behind a running call is told when that has ended. */
  function catchUp(first: number, after: Position, ofTurn = (_turn: number) => true): PlacedEvent[] {
    const entries = log.entries(first);
    const missed = place(entries, after, ofTurn);
    // Of the whole turn: where this reader stands changes nothing for those who read along.
    const call = runningCall();
    if (!call) return missed;
    hold(call);
    return missed.filter(({ at }) => !isAfter(at, { entry: call.n, offset: 0 }));
  }

  function hold(call: Entry): void {
    const behind = place(log.entries(call.n), { entry: call.n, offset: 0 }, () => true);
    hub.hold(call.n, behind);
  }

  /** Where a reader stands who wants only what comes: an answer that is streaming comes whole. */
  function end(): Position {
    const call = runningCall();
    return call ? { entry: call.n, offset: 0 } : { entry: log.nextEntry() - 1, offset: Number.MAX_SAFE_INTEGER };
  }

  return {
    /** Of `turn` alone, or else of all up to the end of the newest; at once when nothing is to come. */
    events(from: { after?: string; turn?: number }): Result<ReadableStream<Uint8Array>> {
      const parsed = from.after === undefined ? ok(START) : parsePosition(from.after);
      if (!parsed.ok) return parsed;
      const after = parsed.value;
      const asked = from.turn === undefined ? log.lastTurn() : log.turn(from.turn);
      if (!asked) {
        return from.turn === undefined
          ? ok(hub.openSettled([]))
          : err("turn_not_found", `This session has no turn ${from.turn}.`);
      }
      // Of an input that went into another turn, what is told is that turn from there on.
      const target = asked.more.into === undefined ? asked : log.turn(asked.more.into)!;
      // Who asks for no turn and no place is shown what runs, even if other inputs wait behind it.
      const shown = from.turn === undefined ? (log.openTurns()[0] ?? asked) : asked;
      const first = from.after === undefined ? (shown.input ?? Number.MAX_SAFE_INTEGER) : Math.max(1, after.entry);
      const ofTurn = (turn: number) => from.turn === undefined || turn === target.n;
      const missed = catchUp(first, after, ofTurn);
      if (!isOpen(target)) return ok(hub.openSettled(missed));
      return ok(hub.open(missed, target.n, from.turn !== undefined && target.state === "queued", after));
    },

    /**
     * A standing reader: of all that comes after `after`, or from now on. `accept` is called when nothing stands against
     * it. Failures: `bad_event_id`, `too_many_readers`.
     */
    watch(after: string | undefined, accept: () => StandingReader): Result<null> {
      const parsed = after === undefined ? ok(end()) : parsePosition(after);
      if (!parsed.ok) return parsed;
      if (hub.standing() >= MAX_STANDING) {
        return err("too_many_readers", `A session has at most ${MAX_STANDING} standing readers: close one first.`);
      }
      const last = parsed.value;
      const missed = catchUp(Math.max(1, last.entry), last);
      hub.watch(accept(), last, missed);
      return ok(null);
    },

    /** Connections that outlived the object which accepted them. They have been told all there was. */
    rejoin(connections: { reader: StandingReader; kept: Kept }[]): void {
      const call = connections.length > 0 ? runningCall() : null;
      if (call) hold(call);
      for (const { reader, kept } of connections) hub.rejoin(reader, kept);
    },

    leave: (reader: StandingReader): void => hub.leave(reader),
  };
}
