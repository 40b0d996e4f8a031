// The rows of a profile's experiments: the experiments, their runs, and texts that are not in the library. Used by experiments.ts and pump.ts.
// The tables are made with the first row, so a profile without experiments has none. See docs/STORAGE.md.
import * as z from "zod";
import { parseStored } from "../errors.ts";
import { FIXED } from "../limits.ts";
import type { Sql } from "../ports.ts";
import { type FileBodies, toBytes, toFileBody } from "../schemas/file-body.ts";
import { type SessionId, type SkillName, Sha256, TurnId } from "../schemas/ids.ts";
import { Arm, Experiment, type ExperimentId, ExperimentRun, type ReplayId } from "../schemas/learning/experiment.ts";
import { UsageLine } from "../schemas/usage.ts";

/**
 * `experiment`: `due` is when something is to be done with it. `experiment_run`: `id` is `NULL` for a recorded turn. `experiment_text`: the files
 * of a text that is not in the library, in parts.
 */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS experiment (id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, skill TEXT NOT NULL, step TEXT NOT NULL,
    due INTEGER, record TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS experiment_skill ON experiment (skill, id)",
  "CREATE INDEX IF NOT EXISTS experiment_due ON experiment (due) WHERE due IS NOT NULL",
  `CREATE TABLE IF NOT EXISTS experiment_run (n INTEGER PRIMARY KEY, id TEXT UNIQUE, experiment TEXT NOT NULL, session TEXT NOT NULL,
    record TEXT NOT NULL) STRICT`,
  "CREATE INDEX IF NOT EXISTS experiment_run_experiment ON experiment_run (experiment, n)",
  "CREATE INDEX IF NOT EXISTS experiment_run_session ON experiment_run (session)",
  `CREATE TABLE IF NOT EXISTS experiment_text (experiment TEXT, path TEXT, n INTEGER, bytes BLOB NOT NULL,
    PRIMARY KEY (experiment, path, n)) STRICT`,
];

/** `reserve`: it waits for a grant. `conclude`: what follows from the outcome is being done. `kept`: its runs can be read. `erased`: only the result is left. */
export const Step = z.enum(["reserve", "choose", "run", "conclude", "kept", "erased"]);
export type Step = z.infer<typeof Step>;

/** What judging needs of a turn that is tried. Forgotten when the experiment ends. */
export const TriedTurn = z.object({
  turn: TurnId,
  cited: z.boolean(),
  endedAt: z.int(),
  request: z.string(),
  accepted: z.string().nullable(),
  /** The answer that a person has refused, and what they said. Absent: none, or another one was accepted. */
  refused: z.object({ answer: z.string(), correction: z.string() }).optional(),
});
export type TriedTurn = z.infer<typeof TriedTurn>;

export const StoredExperiment = Experiment.omit({ runs: true }).extend({
  key: z.string(),
  /** Fingerprint of what was asked, so that the same key with another body is refused. */
  asked: Sha256,
  citations: z.array(z.string()),
  /** Absent: no turn was named. */
  named: z.array(TurnId).optional(),
  about: z.string(),
  /** The text is in `experiment_text`. */
  isGiven: z.boolean(),
  /** What a person gave to this experiment alone; `null`: it is paid from the grant of the day. */
  ownTokens: z.int().nullable(),
  step: Step,
  due: z.int().nullable(),
  /** Failed attempts at this step in a row. */
  tries: z.int(),
  /** Changes with every write, so that a slow step does not overwrite what came meanwhile. */
  seq: z.int(),
  tried: z.array(TriedTurn),
  /** Values of the text that contradict what it cites. Absent: none were found. Forgotten when it ends. */
  contradicted: z.array(z.string()).optional(),
  /** The parent's text can be read, so the arm `parent` takes the place of `without`. */
  hasParent: z.boolean(),
  /** Whether each arm's text passes its own checks. Absent: it has none that can run here. */
  passes: z.partialRecord(Arm, z.boolean()),
  /**
   * Set with the outcome, before anything follows from it: which number its evidence has, and whether followers may have the text. `isHeld`: the
   * text had not been offered yet.
   */
  concluding: z.object({ nth: z.int(), isSecond: z.boolean(), isShared: z.boolean(), isHeld: z.boolean() }).nullable(),
});
export type StoredExperiment = z.infer<typeof StoredExperiment>;

export const StoredRun = ExperimentRun.extend({
  experiment: z.string(),
  /** `begin`: the Replay object is to be asked. `wait`: it runs. `judge`: it has reported. `book`: it is judged. `ended`: nothing is left to do. */
  step: z.enum(["begin", "wait", "judge", "book", "ended"]),
  begunAt: z.int(),
  /** What the judge of this run has used. */
  judging: z.array(UsageLine),
  /** The Replay object is erased, or never was. */
  erased: z.boolean(),
});
export type StoredRun = z.infer<typeof StoredRun>;

export type ExperimentRows = ReturnType<typeof createRows>;

export function createRows(sql: Sql) {
  let isMade: boolean | undefined;
  const hasTables = () => (isMade ??= sql.run("SELECT 1 FROM sqlite_master WHERE name = 'experiment_text'").length > 0);
  const read = <Row>(query: string, ...values: (string | number | null)[]): Row[] =>
    hasTables() ? sql.run<Row>(query, ...values) : [];
  const toExperiment = ({ record }: { record: string }) =>
    parseStored(StoredExperiment, "the experiment", JSON.parse(record));
  const toRun = ({ record }: { record: string }) => parseStored(StoredRun, "the run", JSON.parse(record));

  return {
    hasTables,
    make(): void {
      if (hasTables()) return;
      for (const query of SCHEMA) sql.run(query);
      isMade = true;
    },
    /** Call after a transaction that made the tables was rolled back. */
    forget(): void {
      isMade = undefined;
    },
    get(id: ExperimentId): StoredExperiment | null {
      return read<{ record: string }>("SELECT record FROM experiment WHERE id = ?", id).map(toExperiment)[0] ?? null;
    },
    byKey(key: string): StoredExperiment | null {
      return read<{ record: string }>("SELECT record FROM experiment WHERE key = ?", key).map(toExperiment)[0] ?? null;
    },
    /** Newest first. */
    list({ skill, after, limit }: { skill?: SkillName | undefined; after?: string | undefined; limit: number }) {
      const of = skill === undefined ? "" : "skill = ? AND";
      const values = [...(skill === undefined ? [] : [skill]), after ?? "~", limit];
      const query = `SELECT record FROM experiment WHERE ${of} id < ? ORDER BY id DESC LIMIT ?`;
      return read<{ record: string }>(query, ...values).map(toExperiment);
    },
    all(): StoredExperiment[] {
      return read<{ record: string }>("SELECT record FROM experiment ORDER BY id").map(toExperiment);
    },
    /** Those that have not ended, in the order in which they were asked for. */
    open(): StoredExperiment[] {
      const query = "SELECT record FROM experiment WHERE step IN ('reserve', 'choose', 'run', 'conclude') ORDER BY id";
      return read<{ record: string }>(query).map(toExperiment);
    },
    /** When something is to be done next, and with which. An experiment without a grant waits while another one has it. */
    nextDue(): { id: ExperimentId; due: number } | null {
      const query = `SELECT id, due FROM experiment WHERE due IS NOT NULL AND (step <> 'reserve' OR NOT EXISTS
        (SELECT 1 FROM experiment WHERE step IN ('choose', 'run', 'conclude'))) ORDER BY due, id LIMIT 1`;
      return read<{ id: ExperimentId; due: number }>(query)[0] ?? null;
    },
    put(experiment: StoredExperiment): StoredExperiment {
      const next = { ...experiment, seq: experiment.seq + 1 };
      const { id, key, skill, step, due } = next;
      sql.run(
        `INSERT INTO experiment VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET step = excluded.step, due = excluded.due,
          record = excluded.record`,
        ...[id, key, skill, step, due, JSON.stringify(next)],
      );
      return next;
    },
    delete(id: ExperimentId): void {
      sql.run("DELETE FROM experiment_run WHERE experiment = ?", id);
      sql.run("DELETE FROM experiment_text WHERE experiment = ?", id);
      sql.run("DELETE FROM experiment WHERE id = ?", id);
    },
    /** In the order in which they were begun. */
    runs(id: ExperimentId): StoredRun[] {
      return read<{ record: string }>("SELECT record FROM experiment_run WHERE experiment = ? ORDER BY n", id).map(
        toRun,
      );
    },
    run(id: ReplayId): StoredRun | null {
      return read<{ record: string }>("SELECT record FROM experiment_run WHERE id = ?", id).map(toRun)[0] ?? null;
    },
    runsOfSession(session: SessionId): StoredRun[] {
      return read<{ record: string }>("SELECT record FROM experiment_run WHERE session = ?", session).map(toRun);
    },
    addRun(run: StoredRun, session: SessionId): void {
      const query = "INSERT INTO experiment_run (id, experiment, session, record) VALUES(?, ?, ?, ?)";
      sql.run(query, run.replay, run.experiment, session, JSON.stringify(run));
    },
    putRun(run: StoredRun): void {
      const record = JSON.stringify(run);
      if (run.replay !== null) sql.run("UPDATE experiment_run SET record = ? WHERE id = ?", record, run.replay);
      else {
        // The plus keeps the index on ids out: there the recorded turns of all experiments are alike.
        const of = "experiment = ? AND +id IS NULL AND json_extract(record, '$.turn') = ?";
        sql.run(`UPDATE experiment_run SET record = ? WHERE ${of}`, record, run.experiment, run.turn);
      }
    },
    putText(id: ExperimentId, files: FileBodies): void {
      for (const [path, body] of Object.entries(files)) {
        const bytes = toBytes(body);
        for (let n = 0; n === 0 || n * FIXED.rowBytes < bytes.length; n++) {
          const part = bytes.subarray(n * FIXED.rowBytes, (n + 1) * FIXED.rowBytes);
          sql.run("INSERT INTO experiment_text VALUES(?, ?, ?, ?)", id, path, n, part);
        }
      }
    },
    /** `null`: it is not kept any more. */
    text(id: ExperimentId): FileBodies | null {
      const query = "SELECT path, bytes FROM experiment_text WHERE experiment = ? ORDER BY path, n";
      const parts = read<{ path: string; bytes: ArrayBuffer | Uint8Array }>(query, id);
      if (parts.length === 0) return null;
      const files = Map.groupBy(parts, ({ path }) => path);
      return Object.fromEntries([...files].map(([path, own]) => [path, toFileBody(joinBytes(own))]));
    },
    deleteText(id: ExperimentId): void {
      sql.run("DELETE FROM experiment_text WHERE experiment = ?", id);
    },
    deleteAll(): void {
      if (!hasTables()) return;
      for (const table of ["experiment_run", "experiment_text", "experiment"]) sql.run(`DELETE FROM ${table}`);
    },
  };
}

function joinBytes(parts: { bytes: ArrayBuffer | Uint8Array }[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, { bytes }) => size + bytes.byteLength, 0));
  let at = 0;
  for (const { bytes } of parts) {
    whole.set(new Uint8Array(bytes), at);
    at += bytes.byteLength;
  }
  return whole;
}
