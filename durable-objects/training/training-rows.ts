// The training jobs of a profile, and the models that came of them, as its Account keeps them: what was asked, what the service
// confirmed, never a trajectory. The tables are made with the first row. Called by the Account; core/training/job.ts has the rules.
import { type Result, err, ok, parseStored } from "../../core/errors.ts";
import type { Sql } from "../../core/ports.ts";
import { DAY_MS, type Sha256 } from "../../core/schemas/ids.ts";
import { type CreateTrainingJob, TrainedModel, TrainingJob, type TrainingJobId } from "../../core/schemas/training.ts";
import { type TrainingChange, beginJob, changeJob, toModel } from "../../core/training/job.ts";
import { isEnded } from "../../core/training/transitions.ts";
import { createTrainingJobId } from "../account-key.ts";
import { hasTable } from "../sql.ts";

export const TRAINING_TABLES = ["training_job", "training_model"];

export const TRAINING_SCHEMA = [
  `CREATE TABLE IF NOT EXISTS training_job (id TEXT PRIMARY KEY, request_key TEXT UNIQUE, request_hash TEXT NOT NULL,
    at INTEGER NOT NULL, changed_at INTEGER NOT NULL, is_open INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS training_model (job TEXT PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID`,
];

/** Also of a job that the service never ended. */
const KEPT_MS = 90 * DAY_MS;
/** [own] A person follows a few. */
const MAX_OPEN_JOBS = 10;
const MAX_JOBS = 200;
const MAX_MODELS = 200;

/** `key`: SHA-256 of the idempotency key, `null` without one. `hash`: SHA-256 of the request. */
export interface NewTrainingJob {
  request: CreateTrainingJob;
  key: Sha256 | null;
  hash: Sha256;
}

export function createTrainingRows(sql: Sql) {
  const isThere = () => hasTable(sql, "training_job");

  function read(id: TrainingJobId): Result<TrainingJob> {
    const rows = isThere() ? sql.run<{ body: string }>("SELECT body FROM training_job WHERE id = ?", id) : [];
    return rows[0] ? ok(parseJob(rows[0].body)) : err("training_job_not_found", "This profile has no such job.");
  }

  return {
    read,

    /** Once for each key. Failures: `idempotency_conflict`, `too_many_training_jobs`. */
    begin({ request, key, hash }: NewTrainingJob, now: number): Result<TrainingJob> {
      return sql.transaction(() => {
        for (const statement of TRAINING_SCHEMA) sql.run(statement);
        const query = "SELECT body, request_hash AS hash FROM training_job WHERE request_key = ?";
        const known = key === null ? undefined : sql.run<{ body: string; hash: string }>(query, key)[0];
        if (known) {
          if (known.hash === hash) return ok(parseJob(known.body));
          return err("idempotency_conflict", "This Idempotency-Key was used for another job. Send another key.");
        }
        const open = sql.run<{ n: number }>("SELECT count(*) AS n FROM training_job WHERE is_open = 1")[0]!.n;
        if (open >= MAX_OPEN_JOBS) {
          const message = `A profile has at most ${MAX_OPEN_JOBS} jobs that have not ended. Stop one first.`;
          return err("too_many_training_jobs", message);
        }
        const job = beginJob(request, { id: createTrainingJobId(), op: crypto.randomUUID(), now });
        const row = [job.id, key, hash, now, now, 1, JSON.stringify(job)];
        sql.run("INSERT INTO training_job VALUES (?, ?, ?, ?, ?, ?, ?)", ...row);
        const oldest = "SELECT id FROM training_job WHERE is_open = 0 ORDER BY at DESC, id LIMIT -1 OFFSET ?";
        sql.run(`DELETE FROM training_job WHERE id IN (${oldest})`, MAX_JOBS);
        return ok(job);
      });
    },

    /** Newest first. */
    list(): TrainingJob[] {
      if (!isThere()) return [];
      const query = "SELECT body FROM training_job ORDER BY at DESC, id";
      return sql.run<{ body: string }>(query).map(({ body }) => parseJob(body));
    },

    /** Failures: `training_job_not_found`, and those of `changeJob`. Results with an adapter are noted as a model. */
    change(id: TrainingJobId, change: TrainingChange, now: number): Result<TrainingJob> {
      return sql.transaction(() => {
        const job = read(id);
        if (!job.ok) return job;
        const changed = changeJob(job.value, change, now);
        if (!changed.ok || changed.value === job.value) return changed;
        const row = [changed.value.changedAt, isEnded(changed.value.state) ? 0 : 1, JSON.stringify(changed.value), id];
        sql.run("UPDATE training_job SET changed_at = ?, is_open = ?, body = ? WHERE id = ?", ...row);
        const model = change.do === "results" ? toModel(changed.value, now) : null;
        if (model) {
          sql.run("INSERT INTO training_model VALUES (?, ?, ?) ON CONFLICT DO NOTHING", id, now, JSON.stringify(model));
        }
        return changed;
      });
    },

    /** Newest first, at most `MAX_MODELS`. */
    models(): TrainedModel[] {
      if (!isThere()) return [];
      const query = "SELECT body FROM training_model ORDER BY at DESC, job LIMIT ?";
      return sql
        .run<{ body: string }>(query, MAX_MODELS)
        .map(({ body }) => parseStored(TrainedModel, "A trained model of this profile", JSON.parse(body)));
    },

    tidy(now: number): void {
      if (isThere()) sql.run("DELETE FROM training_job WHERE changed_at < ?", now - KEPT_MS);
    },
  };
}

function parseJob(body: string): TrainingJob {
  return parseStored(TrainingJob, "A training job of this profile", JSON.parse(body));
}
