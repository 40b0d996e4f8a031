// One table of things to do later and one alarm for all of them. A job row is at once the outbox: it is written in the
// transaction that made it necessary and leaves when its effect is proved. Why they are one: docs/decisions/0008.
import type { Alarm, Clock, Random, Sql } from "../ports.ts";
import type { ReviewCounters, TaskKind } from "../schemas/learning/learning.ts";
import type { Grant, ReviewVerdict, Trigger } from "../schemas/learning/review.ts";
import type { Evidence } from "../schemas/skill.ts";
import type { Booking, SpentCall } from "../schemas/usage.ts";

export type Job =
  /** The wake-up behind an open turn: a live driver puts it off; without one the turn was cut off and is resumed. */
  | {
      kind: "drive";
      /** The turn waits for its time: nobody drives it earlier. */
      paused?: boolean;
    }
  /** A range of entries to be reviewed. `looks` 0: not sent yet; `granted`: the profile's Account has given it its place. */
  | {
      kind: "review";
      review: string;
      from: number;
      to: number;
      trigger: Trigger;
      because?: string;
      focus?: string;
      skills: boolean;
      memory: boolean;
      /** Turns before the range whose entries go with it: what a person said concerns them. */
      besides?: number[];
      /** What stands again when the review is shed: up to where there was a review, and what had been counted since. */
      before?: { reviewedTo: number; counters: ReviewCounters };
      looks: number;
      granted: boolean;
      /** What it may spend; absent until granted, and in rows written before grants were reserved. */
      grant?: Grant;
    }
  /** What a turn, a review or a title spent, on its way to the profile's Account. */
  | { kind: "usage"; booking: Booking }
  /** The session wants a name after this turn. `spent`: what tries without an answer were charged. */
  | { kind: "title"; turn: number; spent: SpentCall[] }
  /** A turn has ended, and is to be looked at. `booking`: what it spent goes to the Account meanwhile; one row costs less than two. `work`: its kind, where the title call has named it by then. */
  | { kind: "observe"; turn: number; booking?: Booking; work?: TaskKind }
  /** The kind of turns that the Archive has recorded without one. */
  | { kind: "kinds"; turns: { turn: string; kind: TaskKind }[] }
  /** A person's rating is to be told to whom it concerns. */
  | { kind: "rating"; turn: number; nth: number }
  /** What a review said of turns is to be told to whom it concerns. */
  | { kind: "verdicts"; verdicts: ReviewVerdict[]; at: number }
  /** A notice that waits until no answer streams. */
  | { kind: "notice"; text: string }
  /** As version 2 of a session wrote it. */
  | { kind: "evidence"; evidence: Evidence[] }
  | { kind: "active"; day: string };

export interface JobRow {
  id: string;
  due: number;
  tries: number;
  job: Job;
}

// Own backoff, up to a quarter of an hour: the platform's six retries are not relied on.
const BASE_RETRY_MS = 2_000;
const MAX_RETRY_MS = 15 * 60_000;

export type Jobs = ReturnType<typeof createJobs>;

export function createJobs(options: { sql: Sql; alarm: Alarm; clock: Clock; random: Random }) {
  const { sql, alarm, clock, random } = options;
  // Remembered, so that setting it needs no answer first and goes out with the rows written before it. Undefined: what an
  // earlier life of the object had set is not known; one that was set for nothing finds nothing to do.
  let armed: number | null | undefined;
  // An object is the only writer of its rows, and there are few: they are read once.
  let known: Map<string, RawJob> | null = null;
  const rows = (): Map<string, RawJob> =>
    (known ??= new Map(sql.run<RawJob>("SELECT * FROM job").map((row) => [row.id, row])));
  const nextDue = (): number | null => {
    let due: number | null = null;
    for (const row of rows().values()) if (due === null || row.due < due) due = row.due;
    return due;
  };
  return {
    /** A transaction did not happen: rows are read again. */
    forget(): void {
      known = null;
    },
    put(id: string, due: number, job: Job, tries = 0): void {
      const body = JSON.stringify(job);
      sql.run(
        `INSERT INTO job VALUES(?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET due = excluded.due, tries = excluded.tries, body = excluded.body`,
        id,
        due,
        tries,
        body,
      );
      known?.set(id, { id, due, tries, body });
    },
    delete(id: string): void {
      sql.run("DELETE FROM job WHERE id = ?", id);
      known?.delete(id);
    },
    all(): JobRow[] {
      return [...rows().values()].toSorted((a, b) => a.due - b.due).map(toRow);
    },
    isEmpty: (): boolean => nextDue() === null,
    due(): JobRow[] {
      return this.all().filter((row) => row.due <= clock.now());
    },
    get(id: string): JobRow | null {
      const row = rows().get(id);
      return row ? toRow(row) : null;
    },
    /** Puts a failed job off; it is never given up here. */
    retry(row: JobRow): void {
      const wait = Math.min(BASE_RETRY_MS * 2 ** row.tries, MAX_RETRY_MS);
      this.put(row.id, clock.now() + wait + Math.round(random() * wait * 0.5), row.job, row.tries + 1);
    },
    /**
     * Sets the one alarm to the earliest job; called after every change of the table. A wake-up that is too early, or for
     * nothing, is left alone, because it costs less than setting a new one for the next turn, unless `exact` asks: an alarm
     * must not wake for nothing twice.
     */
    async arm({ exact = false } = {}): Promise<void> {
      const due = nextDue();
      if (due === null) {
        if (exact && armed !== null) await this.armFor(null);
        return;
      }
      const isRight = armed !== undefined && armed !== null && armed <= due && armed >= clock.now();
      if (!isRight || exact) await this.armFor(Math.max(due, clock.now()));
    },
    /** `null` clears it. */
    async armFor(at: number | null): Promise<void> {
      armed = at;
      try {
        await alarm.set(at);
      } catch (error) {
        armed = undefined; // so that the next change of the table tries again
        throw error;
      }
    },
  };
}

interface RawJob {
  id: string;
  due: number;
  tries: number;
  body: string;
}

function toRow(row: RawJob): JobRow {
  return { id: row.id, due: row.due, tries: row.tries, job: JSON.parse(row.body) as Job };
}
