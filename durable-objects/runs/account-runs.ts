// A profile's runs and the limit of runs at the same time. It counts by asking the sessions, and only when the limit seems to be reached:
// a turn that ends tells nobody, so no crash and no deletion leaves a place taken. The Account makes it; run-desk.ts hands it to the API.
import { type Result, err, messageOf, ok } from "../../core/errors.ts";
import { mapLimit } from "../../core/map-limit.ts";
import type { SessionInfo } from "../../core/schemas/api.ts";
import { DAY_MS, type SessionId, type Sha256 } from "../../core/schemas/ids.ts";
import type { RunId, RunRow, TurnReport } from "../../core/schemas/run.ts";
import type { RunPage, createRunRows } from "./run-rows.ts";
import { START_MS } from "./run-times.ts";

/** A session that does not answer keeps a run's place this long. */
const SILENT_MS = DAY_MS;
/** Runs that wait for a person take no place, but there are at most so many of them. */
const MAX_WAITING = 100;
const ASKED_AT_ONCE = 20;
const RETRY_AFTER_S = 5;

const PROFILE_GONE = err("profile_gone", "This profile has been deleted.");

export interface RunRequest {
  run: RunId;
  session: SessionId;
  /** Set if the session is new: it is registered with the run. */
  begins?: SessionInfo;
  key: { key: Sha256; body: Sha256 } | null;
}

export interface RunsHost {
  rows: ReturnType<typeof createRunRows>;
  transaction<T>(work: () => T): T;
  /** False: there is no such profile. Throws if a newer version made its tables, unless the caller only reads. */
  isThere(willWrite: boolean): boolean;
  /** False: the profile was deleted. Inside the caller's transaction. */
  register(session: SessionInfo): boolean;
  readTurn(session: SessionId, turn: number): Promise<Result<TurnReport>>;
  maxOpen: number;
  now(): number;
}

export class AccountRuns {
  readonly #host: RunsHost;

  constructor(host: RunsHost) {
    this.#host = host;
  }

  /**
   * Takes a place for a run, or returns the run that this key began. Failures: `profile_gone`, `idempotency_conflict`,
   * `too_many_open_runs`.
   */
  async begin(asked: RunRequest): Promise<Result<{ row: RunRow; replayed: boolean }>> {
    const { rows, maxOpen } = this.#host;
    if (!this.#host.isThere(true)) return PROFILE_GONE;
    const known = this.#findKnown(asked);
    if (known) return known;
    const waiting = rows.open().length >= maxOpen ? await this.#findWaiting() : new Set<RunId>();
    return this.#host.transaction(() => this.#take(asked, waiting));
  }

  /** The profile may have been deleted, and the key used, while sessions were asked. */
  #take(asked: RunRequest, waiting: Set<RunId>): Result<{ row: RunRow; replayed: boolean }> {
    const { rows, maxOpen, now } = this.#host;
    if (!this.#host.isThere(true)) return PROFILE_GONE;
    const known = this.#findKnown(asked);
    if (known) return known;
    const open = rows.open();
    const working = open.filter(({ run }) => !waiting.has(run)).length;
    if (working >= maxOpen || open.length >= maxOpen + MAX_WAITING) {
      const what = working >= maxOpen ? `${working} runs are at work` : `${open.length} runs have not ended`;
      const detail = `${what}, the limit of this profile. Try again when one has ended, or stop one.`;
      return err("too_many_open_runs", detail, { retryAfterSeconds: RETRY_AFTER_S });
    }
    if (asked.begins && !this.#host.register(asked.begins)) return PROFILE_GONE;
    rows.tidy(now());
    const row: RunRow = { run: asked.run, session: asked.session, turn: null, state: "open", at: now() };
    rows.add(row, asked.key);
    return ok({ row, replayed: false });
  }

  #findKnown({ key }: RunRequest): Result<{ row: RunRow; replayed: boolean }> | null {
    const { rows, now } = this.#host;
    const begun = key && rows.begunBy(key.key, now());
    const row = begun && rows.find(begun.run);
    if (!key || !row) return null;
    if (begun.body === key.body) return ok({ row, replayed: true });
    return err("idempotency_conflict", "This Idempotency-Key came with another body before. Use a new key.");
  }

  /** Notes which runs have ended, and returns those that wait for a person. */
  async #findWaiting(): Promise<Set<RunId>> {
    const { rows } = this.#host;
    const waiting = new Set<RunId>();
    await mapLimit(rows.open(), ASKED_AT_ONCE, async (row) => {
      const seen = await this.#look(row);
      if (seen === "waiting") waiting.add(row.run);
      else if (seen !== "working") rows.settle(row.run, seen);
    });
    return waiting;
  }

  async #look({ session, turn, at }: RunRow): Promise<"working" | "waiting" | "done" | "failed" | "stopped"> {
    const age = this.#host.now() - at;
    if (turn === null) return age > START_MS ? "failed" : "working";
    try {
      const read = await this.#host.readTurn(session, turn);
      if (!read.ok) return "failed"; // the session was deleted
      const { state, waiting } = read.value;
      if (waiting) return waiting.for === "children" ? "working" : "waiting";
      return state === "done" || state === "failed" || state === "stopped" ? state : "working";
    } catch (error) {
      console.error(JSON.stringify({ event: "run_not_asked", session, turn, error: messageOf(error) }));
      return age > SILENT_MS ? "failed" : "working";
    }
  }

  /** The session has accepted the run's message as this turn. Idempotent. */
  place(run: RunId, turn: number): void {
    if (this.#host.isThere(true)) this.#host.rows.place(run, turn);
  }

  /** The message was refused, so there is no run. */
  drop(run: RunId): void {
    if (this.#host.isThere(true)) this.#host.rows.remove(run);
  }

  find(run: RunId): RunRow | null {
    return this.#host.isThere(false) ? this.#host.rows.find(run) : null;
  }

  /** Newest first. */
  list(page: RunPage): RunRow[] {
    return this.#host.isThere(false) ? this.#host.rows.list(page) : [];
  }

  /** These runs were seen to have ended. */
  settle(ended: { run: RunId; state: Exclude<RunRow["state"], "open"> }[]): void {
    if (!this.#host.isThere(true)) return;
    this.#host.transaction(() => {
      for (const { run, state } of ended) this.#host.rows.settle(run, state);
    });
  }
}
