// The rows of a session's turns, the newest of them cached. A part of the Log. Observations of turns have a column of their own,
// which listings do not read.
import * as z from "zod";
import type { Sql } from "../ports.ts";
import { GoalMark } from "../schemas/agenda/goal-mark.ts";
import { type TurnState, TurnStats, WaitKind } from "../schemas/entry.ts";
import { ChannelOrigin } from "../schemas/channels/delivery.ts";
import { SkillName } from "../schemas/ids.ts";
import { ImageRef } from "../schemas/media/image.ts";
import { ObservedTurn } from "../schemas/learning/learning.ts";
import { SessionChoice } from "../schemas/sessions/session-choice.ts";
import { BusyMode } from "../schemas/settings.ts";

/** What decides a turn's restarts, its pauses and its place in the queue. An absent field means that this has not happened. */
export const TurnDetails = z.object({
  /** Of a waiting input: what it does to the running turn. */
  busy: BusyMode.optional(),
  /** Of an interrupting input: the turn that was running when it arrived. */
  interrupts: z.int().optional(),
  /** Of a waiting input: when it arrived. */
  since: z.int().optional(),
  /** Of a waiting input: its images. */
  images: z.array(ImageRef).optional(),
  /** Revision of the profile's settings that the turn must know. Absent: none. */
  settingsRev: z.int().optional(),
  /** Of a waiting input: the question of a parked turn that it answers. */
  answers: z.string().optional(),
  /** The message came with a client's part, which core/session/client/client-rows.ts keeps until the turn has ended. */
  client: z.literal(true).optional(),
  /** The chat that the message came from and that is told how the turn ends. Of an ended turn: only if it wants to read what is learned. */
  channel: ChannelOrigin.optional(),
  /** Of a waiting input: it goes on with a goal. */
  goal: GoalMark.optional(),
  /** Somebody who does not own the profile, or a program, wrote the message. Until the turn has ended. */
  source: z.literal("content").optional(),
  /** Of a waiting input by several authors: how many characters each wrote, in order. */
  sources: z.array(z.object({ source: z.enum(["principal", "content"]), chars: z.int().min(0) })).optional(),
  /** Skills whose texts follow the message. Until the turn has ended. */
  skills: z.array(SkillName).optional(),
  /** What the person had chosen for the session when the turn began. Absent: all defaults, or the turn ended before this was kept. */
  choice: SessionChoice.optional(),
  /** Of a steered input: the turn it was put into. */
  into: z.int().optional(),
  /** Number of answers and results at the last restart. */
  doneAtRestart: z.int().optional(),
  /** Restarts since then without a new answer or result, and the time of the first. */
  fruitless: z.int().optional(),
  fruitlessSince: z.int().optional(),
  /** Restarts in a row after the object ran out of memory. */
  memoryStrikes: z.int().optional(),
  /** Pauses since the last new answer or result, the number of answers and results at that time, and the end of this pause. */
  pauses: z.int().optional(),
  doneAtPause: z.int().optional(),
  pausedUntil: z.int().optional(),
  /**
   * Of a parked turn: what it waits for, since when, and until when at most. `newest`: the newest message at that time; absent in older
   * rows. `over`: the wait has ended, and the turn may go on.
   */
  parked: z
    .object({
      ...{ for: WaitKind, id: z.string(), since: z.int(), until: z.int(), newest: z.int().optional() },
      over: z.literal(true).optional(),
    })
    .optional(),
  /** Of a waiting input: it was stopped, and ends when its place comes. An entry cannot be written while another turn streams. */
  cancelled: z.literal(true).optional(),
  /** Of an ended turn: its message's client gave it tools or a form of the answer, which are gone. */
  ofClient: z.literal(true).optional(),
  /** Of an ended turn: why it ended. */
  reason: z.string().optional(),
});
export type TurnDetails = z.infer<typeof TurnDetails>;

export interface TurnRow {
  n: number;
  state: TurnState;
  /** The text of an input that has not begun. */
  waiting: string | null;
  input: number | null;
  final: number | null;
  attempts: number;
  stats: TurnStats;
  startedAt: number | null;
  endedAt: number | null;
  more: TurnDetails;
}

const TURN_COLUMNS = `n, state, waiting, input, final, attempts, stats, started_at AS startedAt, ended_at AS endedAt, more`;

type RawTurn = Omit<TurnRow, "stats" | "more"> & { stats: string; more: string | null };

/** Turns kept in memory: the open ones, and those that a new turn looks back at. */
const CACHED_TURNS = 64;

export function createTurnRows(sql: Sql) {
  const cached = new Map<number, TurnRow>();
  /** Number of the newest turn; undefined until it was read. */
  let newest: number | undefined;

  function cache(turn: TurnRow): TurnRow {
    cached.set(turn.n, turn);
    if (cached.size > CACHED_TURNS) cached.delete(Math.min(...cached.keys()));
    return turn;
  }

  function turn(n: number): TurnRow | null {
    if (newest !== undefined && n > newest) return null;
    const known = cached.get(n);
    if (known) return known;
    const [read] = toTurns(sql.run<RawTurn>(`SELECT ${TURN_COLUMNS} FROM turn WHERE n = ?`, n));
    return read ? cache(read) : null;
  }

  /** The newest `limit`, oldest first. */
  function turns(limit: number): TurnRow[] {
    return toTurns(sql.run<RawTurn>(`SELECT ${TURN_COLUMNS} FROM turn ORDER BY n DESC LIMIT ?`, limit)).reverse();
  }

  function lastTurn(): TurnRow | null {
    newest ??= sql.run<{ n: number | null }>("SELECT max(n) AS n FROM turn")[0]?.n ?? 0;
    return turn(newest);
  }

  /**
   * Inputs that were put into turn `n`. They were accepted while it was open, so only waiting inputs stand between them, and those
   * that were put into an earlier turn while it was parked.
   */
  function steeredInto(n: number): TurnRow[] {
    const steered: TurnRow[] = [];
    for (let next = turn(n + 1); next && (next.state === "steered" || isOpen(next)); next = turn(next.n + 1)) {
      if (next.more.into === n) steered.push(next);
    }
    return steered;
  }

  /**
   * Oldest first: the running turn, then the queue. Open turns are the newest ones, apart from inputs that steered the running
   * turn. So the scan stops at the first turn that ended on its own.
   */
  function openTurns(): TurnRow[] {
    const open: TurnRow[] = [];
    for (let next = lastTurn(); next; next = turn(next.n - 1)) {
      if (isOpen(next)) open.unshift(next);
      else if (next.state !== "steered") break;
    }
    return open;
  }

  /** Number of the newest turn that has begun; 0 before the first. Inputs that steered it are newer and do not count. */
  function newestBegun(): number {
    let next = lastTurn();
    while (next?.state === "queued" || next?.state === "steered") next = turn(next.n - 1);
    return next?.n ?? 0;
  }

  function putTurn(changed: TurnRow): void {
    writeTurn(sql, changed);
    cache(changed);
    if (newest !== undefined) newest = Math.max(newest, changed.n);
  }

  function forget(): void {
    cached.clear();
    newest = undefined;
  }

  return { turn, turns, lastTurn, newestBegun, steeredInto, openTurns, putTurn, forget };
}

export function createObservationRows(sql: Sql) {
  return {
    observed(n: number): ObservedTurn | null {
      const [row] = sql.run<{ observed: string | null }>("SELECT observed FROM turn WHERE n = ?", n);
      return row?.observed ? ObservedTurn.parse(JSON.parse(row.observed)) : null;
    },
    putObserved(n: number, observed: ObservedTurn): void {
      sql.run("UPDATE turn SET observed = ? WHERE n = ?", JSON.stringify(observed), n);
    },
    /** The newest observed turns between `after` and `before`, newest first. */
    observedTurns(after: number, before: number, limit: number): { n: number; observed: ObservedTurn }[] {
      return sql
        .run<{ n: number; observed: string }>(
          "SELECT n, observed FROM turn WHERE n > ? AND n < ? AND observed IS NOT NULL ORDER BY n DESC LIMIT ?",
          after,
          before,
          limit,
        )
        .map((row) => ({ n: row.n, observed: ObservedTurn.parse(JSON.parse(row.observed)) }));
    },
  };
}

/** Running, parked or queued. */
export function isOpen(turn: Pick<TurnRow, "state">): boolean {
  return hasBegun(turn) || turn.state === "queued";
}

/** The turn has begun and has not ended. */
export function hasBegun({ state }: Pick<TurnRow, "state">): boolean {
  return state === "running" || state === "parked";
}

function writeTurn(sql: Sql, turn: TurnRow): void {
  sql.run(
    `INSERT INTO turn VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT DO UPDATE SET state = excluded.state,
      waiting = excluded.waiting, input = excluded.input, final = excluded.final, attempts = excluded.attempts,
      stats = excluded.stats, started_at = excluded.started_at, ended_at = excluded.ended_at, more = excluded.more`,
    turn.n,
    turn.state,
    turn.waiting,
    turn.input,
    turn.final,
    turn.attempts,
    JSON.stringify(turn.stats),
    turn.startedAt,
    turn.endedAt,
    Object.keys(turn.more).length === 0 ? null : JSON.stringify(turn.more),
  );
}

function toTurns(rows: RawTurn[]): TurnRow[] {
  return rows.map((row) => ({
    ...row,
    stats: TurnStats.parse(JSON.parse(row.stats)),
    more: row.more === null ? {} : TurnDetails.parse(JSON.parse(row.more)),
  }));
}
