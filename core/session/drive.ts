// Drives turns: begins them, resumes what was cut off, runs the loop, settles the end in one transaction. One turn at a
// time, one driver an object; the flag is in memory, because a second object of the same name cannot live.
import { runLoop } from "../agent/loop.ts";
import { FIXED } from "../limits.ts";
import { byteLength } from "../schemas/digest.ts";
import { type Entry, NO_STATS, type TurnStats, addUsage, textOf } from "../schemas/entry.ts";
import type { EngineContext } from "./context.ts";
import { type LiveText, placeTurnEnd } from "./events.ts";
import { toMessages } from "./history.ts";
import { type SessionJournal, TurnEnded, createSessionJournal } from "./journal.ts";
import { type Learnt, learnFromTurn } from "./learn.ts";
import type { TurnRow } from "./log.ts";
import { toNotice } from "./notices.ts";
import type { Outbox } from "./outbox.ts";
import { prepareTurn } from "./prepare-turn.ts";

/** How a turn ends when there is no answer. */
interface Ending {
  state: "failed" | "stopped";
  code: string;
  text: string;
}

interface Current {
  turn: number;
  journal: SessionJournal;
  abort: AbortController;
}

const STOPPED: Ending = { state: "stopped", code: "stopped", text: "The turn was stopped." };

export function createDriver(context: EngineContext, outbox: Outbox) {
  const { host, log, jobs, hub } = context;
  const { sql, clock, settings } = host;
  /** Turns this very object began: any other running turn was cut off. */
  const begun = new Set<number>();
  let isDriving = false;
  let current: Current | null = null;

  /** Inside the caller's transaction. `queue`: another turn is open, this one waits for its end. */
  function accept(n: number, text: string, queue: boolean): TurnRow {
    const turn: TurnRow = {
      n,
      state: "queued",
      waiting: text,
      input: null,
      final: null,
      attempts: 0,
      stats: NO_STATS,
      startedAt: null,
      endedAt: null,
    };
    if (!queue) {
      jobs.put("drive", clock.now() + settings.turn.leaseMs, { kind: "drive" });
      return begin(turn);
    }
    log.putTurn(turn);
    return turn;
  }

  /** Inside the caller's transaction: the input becomes an entry. */
  function begin(turn: TurnRow): TurnRow {
    const n = log.nextEntry();
    const running: TurnRow = {
      ...turn,
      state: "running",
      waiting: null,
      input: n,
      attempts: 1,
      startedAt: clock.now(),
    };
    const parts = [{ source: "principal" as const, text: turn.waiting ?? "" }];
    log.put({ v: 1, n, turn: turn.n, at: clock.now(), kind: "user", parts });
    log.putTurn(running);
    begun.add(turn.n);
    return running;
  }

  /** After a failed drive only the alarm drives again: who looks or posts meanwhile would spend the turn's attempts. */
  function kick(): void {
    const row = jobs.get("drive");
    if (row && row.tries > 0 && row.due > clock.now()) return;
    drive();
  }

  function drive(): void {
    if (isDriving) return;
    isDriving = true;
    host.background(pump());
  }

  async function pump(): Promise<void> {
    try {
      for (let turn = log.openTurns()[0]; turn; turn = log.openTurns()[0]) await driveTurn(turn);
    } catch (error) {
      // The platform or a store failed. The turn stays open; the alarm brings it back.
      host.report("drive", error);
      const row = jobs.get("drive");
      if (row) jobs.retry(row);
      begun.clear();
    } finally {
      current?.journal.close();
      current = null;
      isDriving = false; // in the same tick as the last look at the queue, so that no kick falls between
    }
    await jobs.arm();
  }

  async function driveTurn(open: TurnRow): Promise<void> {
    const turn = open.state === "queued" ? beginQueued(open) : begun.has(open.n) ? open : resume(open);
    if (turn.state !== "running") return;
    const started = log.entry(turn.input!)!;
    const { model } = host;
    if (!model.ok) return settle(turn.n, { state: "failed", code: model.failure.code, text: model.failure.message });

    const abort = new AbortController();
    const journal = createSessionJournal({ sql, log, hub, clock, session: host.session, turn: turn.n });
    current = { turn: turn.n, journal, abort };
    try {
      await outbox.look();
      const { tools, system } = await prepareTurn(context, textOf(started));
      const history = toMessages(log.entries(1, started.n).filter((entry) => entry.turn <= turn.n));
      const end = await runLoop({
        model: model.value,
        tools,
        journal,
        system,
        history,
        limits: settings.turn,
        cacheKey: host.session,
        clock,
        random: host.random,
        signal: abort.signal,
      });
      if (end.state === "done") settle(turn.n, null);
      else if (end.state === "stopped") settle(turn.n, STOPPED);
      else settle(turn.n, { state: "failed", code: end.failure.code, text: end.failure.message });
    } catch (error) {
      if (!(error instanceof TurnEnded)) throw error;
    } finally {
      journal.close();
      current = null;
    }
    await jobs.arm();
    host.background(outbox.drain());
  }

  /** Readers are told here and nowhere else: one who comes to a turn that has begun finds its start in the log. */
  function beginQueued(queued: TurnRow): TurnRow {
    const turn = sql.transaction(() => begin(queued));
    hub.emit({
      at: { entry: turn.input!, offset: 0 },
      event: { type: "turn_start", turn: turn.n, entry: turn.input! },
    });
    return turn;
  }

  /** The turn was cut off. A notice takes the number of the answer that was lost, so that no number means two texts. */
  function resume(open: TurnRow): TurnRow {
    const attempts = open.attempts + 1;
    if (attempts > settings.turn.maxAttempts) {
      const text = `The turn was given up: it was interrupted ${open.attempts} times.`;
      settle(open.n, { state: "failed", code: "gave_up", text });
      return { ...open, state: "failed" };
    }
    const resumed = { ...open, attempts };
    const text = "The turn was interrupted and went on.";
    const notice = toNotice({ n: log.nextEntry(), turn: open.n, at: clock.now(), code: "resumed", text });
    sql.transaction(() => {
      log.dropBlocks();
      log.put(notice);
      log.putTurn(resumed);
      // The tries stay: a drive that fails again waits longer.
      const tries = jobs.get("drive")?.tries;
      jobs.put("drive", clock.now() + settings.turn.leaseMs, { kind: "drive" }, tries);
    });
    begun.add(open.n);
    return resumed;
  }

  /**
   * The end of a turn, in one transaction: final entry, blocks dropped, turn settled, outbox rows. Synchronous, so that a
   * stop and an answer cannot both end it. Without an `ending` the final entry is the journal's last answer.
   */
  function settle(n: number, ending: Ending | null): void {
    const turn = log.turn(n)!;
    if (turn.state !== "running") return;
    const closing = ending ? toEndingEntries(n, ending) : [current!.journal.final()!];
    const final = closing.at(-1)!;
    const entries = [...log.entries(turn.input!).filter((entry) => entry.turn === n), ...closing];
    const settled: TurnRow = {
      ...turn,
      state: ending?.state ?? "done",
      final: final.n,
      stats: countTurn(entries),
      endedAt: clock.now(),
    };
    const learnt: Learnt = learnFromTurn(context, settled, entries);
    sql.transaction(() => {
      for (const entry of closing) log.put(entry);
      log.dropBlocks();
      log.putTurn(settled);
      learnt.write();
      if (log.turn(n + 1)) jobs.put("drive", clock.now() + settings.turn.leaseMs, { kind: "drive" });
      else jobs.delete("drive");
    });
    if (current?.turn === n) current.journal.close();
    if (final.kind === "notice") {
      const event = { type: "notice_add" as const, entry: final.n, code: final.code, text: textOf(final) };
      hub.emit({ at: { entry: final.n, offset: 0 }, event });
    }
    hub.emit(placeTurnEnd(settled, final));
  }

  /**
   * What a person had already read of an unfinished answer is kept, under its number. Where an answer has begun, that
   * number is never the notice's: a reader would take the one for the other.
   */
  function toEndingEntries(turn: number, ending: Ending): Entry[] {
    const live = current?.turn === turn ? current.journal.live() : null;
    const n = live?.entry ?? log.nextEntry();
    const text = toStorable(live?.text ?? log.blocks(n));
    const at = clock.now();
    const isTaken = live !== null || !begun.has(turn);
    const notice = toNotice({ n: text === "" && !isTaken ? n : n + 1, turn, at, code: ending.code, text: ending.text });
    if (text === "") return [notice];
    const partial: Entry = {
      v: 1,
      n,
      turn,
      at,
      kind: "assistant",
      parts: [{ source: "own", text }],
      answer: { calls: [], stop: "end", usage: NO_STATS.usage, model: host.model.ok ? host.model.value.name : "none" },
    };
    return [partial, notice];
  }

  return {
    accept,
    kick,
    live: (): LiveText | null => current?.journal.live() ?? null,

    /** Ends every open turn, the waiting ones unheard. Returns their numbers. */
    stop(): number[] {
      const open = log.openTurns();
      for (const turn of open) {
        if (turn.state === "queued") beginQueued(turn);
        const running = current?.turn === turn.n ? current : null;
        settle(turn.n, STOPPED);
        running?.abort.abort();
      }
      host.background(outbox.drain());
      return open.map((turn) => turn.n);
    },

    /** The lease ran out. A live driver takes a new one; without one the turn was cut off. */
    onAlarm(): void {
      const row = jobs.get("drive");
      if (!row || row.due > clock.now()) return;
      jobs.put("drive", clock.now() + settings.turn.leaseMs, row.job, row.tries);
      drive();
    },
  };
}

/** Of a text that no row can hold, the beginning. */
function toStorable(text: string): string {
  return byteLength(JSON.stringify(text)) < FIXED.rowBytes / 2 ? text : text.slice(0, FIXED.rowBytes / 12);
}

function countTurn(entries: Entry[]): TurnStats {
  const stats = { ...NO_STATS };
  for (const entry of entries) {
    if (entry.kind === "assistant") {
      stats.modelCalls++;
      stats.usage = addUsage(stats.usage, entry.answer.usage);
    }
    if (entry.kind === "tool") stats.toolCalls++;
    if (entry.kind === "tool" && entry.failed) stats.failedCalls++;
  }
  return stats;
}
