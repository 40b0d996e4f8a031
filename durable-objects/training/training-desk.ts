// What the API asks of a profile's training jobs. The Account hands it out; training-rows.ts documents the calls. Each fails with
// `profile_gone` if the profile was deleted.
import { RpcTarget } from "cloudflare:workers";
import { type Result, err } from "../../core/errors.ts";
import type { Sql } from "../../core/ports.ts";
import type { TrainedModel, TrainingJob, TrainingJobId } from "../../core/schemas/training.ts";
import type { TrainingChange } from "../../core/training/job.ts";
import { type NewTrainingJob, createTrainingRows } from "./training-rows.ts";

const PROFILE_GONE = err("profile_gone", "This profile has been deleted.");

export class TrainingDesk extends RpcTarget {
  readonly #open: (willWrite: boolean) => Sql | null;

  /** `open`: `null` for a deleted profile. Throws if a newer version made its tables, unless the call only reads. */
  constructor(open: (willWrite: boolean) => Sql | null) {
    super();
    this.#open = open;
  }

  begin(job: NewTrainingJob): Result<TrainingJob> {
    return this.#rows(true)?.begin(job, Date.now()) ?? PROFILE_GONE;
  }
  read(id: TrainingJobId): Result<TrainingJob> {
    return this.#rows(false)?.read(id) ?? PROFILE_GONE;
  }
  change(id: TrainingJobId, change: TrainingChange): Result<TrainingJob> {
    return this.#rows(true)?.change(id, change, Date.now()) ?? PROFILE_GONE;
  }
  list(): TrainingJob[] {
    return this.#rows(false)?.list() ?? [];
  }
  models(): TrainedModel[] {
    return this.#rows(false)?.models() ?? [];
  }

  #rows(willWrite: boolean) {
    const sql = this.#open(willWrite);
    return sql && createTrainingRows(sql);
  }
}
