// What a replay stores beside the tables of a session: its order and how far it has come (meta key `replay`), what is copied before the turn
// begins (meta key `replay_copy`), and the recording. Every function is synchronous.
import type { ReplayOrder } from "../../experiments/ports.ts";
import type { Sql } from "../../ports.ts";
import { type Failure, StateNewerError } from "../../errors.ts";
import type { ReplayBeginPage, ReplayBeginning } from "../../schemas/sessions/replay.ts";
import type { Sha256 } from "../../schemas/ids.ts";
import type { Log } from "../log.ts";
import { createTables, hasTables } from "../schema.ts";

/** `recorded`: entries of the source. `recorded_file`: files that recorded results name, as they are in its workspace. */
const REPLAY_SCHEMA = [
  "CREATE TABLE IF NOT EXISTS recorded(n INTEGER PRIMARY KEY, turn INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
  `CREATE TABLE IF NOT EXISTS recorded_file(path TEXT PRIMARY KEY, writer TEXT NOT NULL, content TEXT NOT NULL)
    STRICT, WITHOUT ROWID`,
];

/** Meta key `replay`. Times are real ones, in milliseconds. */
export interface ReplayState {
  v: 1;
  order: ReplayOrder;
  begunAt: number;
  /** The text that the skill's name stands for. Absent: not read yet; `null`: nothing, or whatever the library has. */
  text?: Sha256 | null;
  /** The turn has begun. `input`, `to`: the first and the last entry that were placed. `shiftMs`: its clock minus the real one. */
  placed?: { input: number; to: number; shiftMs: number };
  /** The first call that nobody had recorded. */
  left?: { tool: string; args: string };
  /** It could not begin. */
  failed?: Pick<Failure, "code" | "message"> & { at: number };
  /** Whoever ordered it knows how it ended. */
  reported?: true;
}

/** Meta key `replay_copy`, until the turn has begun. */
export type ReplayCopy = Omit<ReplayBeginPage, "stage" | "nodes" | "replay"> & {
  replay: Omit<ReplayBeginning, "spilled">;
};

const VERSION = 1;
const STATE = "replay";
const COPY = "replay_copy";

/** `null`: nothing was ordered. Throws `StateNewerError`. */
export function readState(sql: Sql, log: Log): ReplayState | null {
  const state = hasTables(sql) ? log.meta<ReplayState>(STATE) : null;
  if (state && state.v > VERSION) throw new StateNewerError("This run", state.v, VERSION);
  return state;
}

/** Inside the caller's transaction. */
export function createReplay(sql: Sql, log: Log, state: ReplayState): void {
  if (!hasTables(sql)) createTables(sql);
  for (const statement of REPLAY_SCHEMA) sql.run(statement);
  log.setMeta(STATE, state);
}

export function changeState(log: Log, changes: Partial<ReplayState>): void {
  log.setMeta(STATE, { ...log.meta<ReplayState>(STATE)!, ...changes });
}

export function readCopy(log: Log): ReplayCopy | null {
  return log.meta<ReplayCopy>(COPY);
}

export function putCopy(log: Log, copy: ReplayCopy): void {
  log.setMeta(COPY, copy);
}

export function dropCopy(log: Log): void {
  log.deleteMeta(COPY);
}
