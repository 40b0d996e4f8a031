// The jobs of a session: one table of work to do later, and one alarm for all of it. The table is also the outbox: a row is
// written in the transaction that makes it necessary, and leaves when its effect is proved. See docs/decisions/0008.
import type { Alarm, Clock, Random, Sql } from "../ports.ts";
import type { GoalVerdict } from "../schemas/agenda/goal.ts";
import type { StandingAllowance } from "../schemas/approvals/approval.ts";
import type { SessionDelivery } from "../schemas/channels/delivery.ts";
import type { HookEvent } from "../schemas/profile/hooks.ts";
import type { ReviewCounters, TaskKind } from "../schemas/learning/learning.ts";
import type { Grant, ReviewVerdict, Trigger } from "../schemas/learning/review.ts";
import type { Evidence } from "../schemas/skill.ts";
import type { Booking, SpentCall } from "../schemas/usage.ts";

export type Job =
  /** The lease of an open turn. A live driver renews it. If it expires without a driver, the turn was cut off and is resumed. */
  | {
      kind: "drive";
      /** The turn is in a planned wait: nothing drives it before the row is due. */
      paused?: boolean;
    }
  /**
   * Entries `from` to `to` are to be reviewed. `looks`: how often the result was looked for; 0: not sent yet. `granted`: the
   * profile's Account has admitted the review.
   */
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
      /** Turns before the range whose entries are added to it, because what a person said concerns them. */
      besides?: number[];
      /** The state to restore if the Account sheds the review: the last reviewed entry, and the counters since then. */
      before?: { reviewedTo: number; counters: ReviewCounters };
      looks: number;
      granted: boolean;
      /** What the review may spend. Absent until granted, and in rows of older versions. */
      grant?: Grant;
    }
  /** What a turn, a review or a title spent, on its way to the profile's Account. */
  | { kind: "usage"; booking: Booking }
  /** The session needs a title after this turn. `spent`: calls without an answer that were charged. */
  | { kind: "title"; turn: number; spent: SpentCall[] }
  /**
   * A turn has ended and is to be observed. `booking`: the turn's costs, booked by the same job because one row costs less than
   * two. The job indexes the turn's messages too. `work`: the turn's kind, if the title's call has named it.
   */
  | { kind: "observe"; turn: number; booking?: Booking; work?: TaskKind }
  /**
   * The messages of turns `from` to `to` are to be indexed: of a turn that is not observed, whose observation could not send them, or
   * that ended before the index existed.
   */
  | { kind: "index"; from: number; to: number }
  /** Kinds of work for turns that the Archive has recorded without a kind. */
  | { kind: "kinds"; turns: { turn: string; kind: TaskKind }[] }
  /** A person's rating, to be recorded with the skills and turns it concerns. */
  | { kind: "rating"; turn: number; nth: number }
  /** A review's verdicts on turns, to be recorded with the skills and turns they concern. */
  | { kind: "verdicts"; verdicts: ReviewVerdict[]; at: number }
  /** An order to a session that this one began. The last one counts, so both have the same row. */
  | { kind: "child"; session: string; order: "begin" | "stop" }
  /** The children of the call `op` are to be looked at: one may have stalled, or its report may be lost. */
  | { kind: "children"; op: string }
  /** The turn of a delegated session has ended, and its parent does not know yet. */
  | { kind: "report" }
  /** A text that a review has written, on its way to the profile's experiments. */
  | { kind: "experiment"; review: string; skill: string; rev: number; text: string; isNew: boolean }
  /** A notice that waits until no answer streams. */
  | { kind: "notice"; text: string }
  /** A person took the turn back, which is to be recorded with the skills and turns it concerns. */
  | { kind: "undone"; turn: number; nth: number }
  /** A person has given the session this title: the profile's list and its message index are to be told. */
  | { kind: "rename"; title: string }
  /** What a person has always allowed, on its way to the profile's Account. */
  | { kind: "allow"; allowance: StandingAllowance }
  /** An event that a webhook of the profile wants, on its way to the profile's Account. */
  | { kind: "hook"; event: HookEvent }
  /** What a chat is to be told, on its way to the profile's channels, in the order of `n`. */
  | { kind: "deliver"; n: number; delivery: SessionDelivery }
  /**
   * What the session does about its goal now. `turn`: has ended, and the judge is asked about it, unless `broken` says why that needs no judge.
   * Without a turn the session only looks what the Agenda says, or with `broken` pauses the goal. `verdict`: stored before it is acted on. `looks`: how often the Agenda has said
   * that the goal has changed.
   */
  | { kind: "goal"; turn?: number; broken?: string; verdict?: GoalVerdict; settingsRev?: number; looks?: number }
  /** What a goal's judge said of a turn, to be recorded with the skills it used. */
  | { kind: "judged"; turn: number; outcome: "success" | "failure"; at: number }
  /** A turn of another session is to be run again, and what it needs is not copied yet. */
  | { kind: "copy" }
  /** The turn was run again, and whoever ordered it does not know yet. */
  | { kind: "replayed" }
  /** Only in rows of schema version 2. */
  | { kind: "evidence"; evidence: Evidence[] }
  | { kind: "active"; day: string };

export interface JobRow {
  id: string;
  due: number;
  tries: number;
  job: Job;
}

// Backoff up to a quarter of an hour. The platform would retry an alarm only six times.
const BASE_RETRY_MS = 2_000;
const MAX_RETRY_MS = 15 * 60_000;

export type Jobs = ReturnType<typeof createJobs>;

export function createJobs(options: { sql: Sql; alarm: Alarm; clock: Clock; random: Random }) {
  const { sql, alarm, clock, random } = options;
  // The time of the alarm, cached so that setting it needs no read first and is sent together with the rows before it.
  // Undefined: unknown, because an earlier object set it. An alarm that fires for nothing does no harm.
  let armed: number | null | undefined;
  // An object is the only writer of its rows, and they are few, so they are read once.
  let known: Map<string, RawJob> | null = null;
  const rows = (): Map<string, RawJob> =>
    (known ??= new Map(sql.run<RawJob>("SELECT * FROM job").map((row) => [row.id, row])));
  const nextDue = (): number | null => {
    let due: number | null = null;
    for (const row of rows().values()) if (due === null || row.due < due) due = row.due;
    return due;
  };
  return {
    /** Clears the cache. Call after a transaction was rolled back. */
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
    /** Postpones a failed job with backoff, without a limit of tries. */
    retry(row: JobRow): void {
      const wait = Math.min(BASE_RETRY_MS * 2 ** row.tries, MAX_RETRY_MS);
      this.put(row.id, clock.now() + wait + Math.round(random() * wait * 0.5), row.job, row.tries + 1);
    },
    /**
     * Sets the alarm to the earliest job. Call after every change of the table. An alarm that is too early, or has no job, is
     * kept: firing for nothing costs less than setting a new alarm every turn. `exact` corrects it, so that it does not fire for
     * nothing twice.
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
    /** Sets the alarm; `null` clears it. */
    async armFor(at: number | null): Promise<void> {
      armed = at;
      try {
        await alarm.set(at);
      } catch (error) {
        armed = undefined; // the next call of `arm` tries again
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
