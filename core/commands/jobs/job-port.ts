// The jobs of a profile, as whoever asks for them reaches them: a session over its profile's Agenda, the command line over HTTP. Types only.
import type { Result } from "../../errors.ts";
import type { JobDetail, JobInfo, JobRunInfo } from "../../schemas/agenda/job-api.ts";
import type { ChangeJob, CreateJob, JobName } from "../../schemas/agenda/job.ts";
import type { Author } from "../../schemas/board/card.ts";

/** Who asks, and a name for the call: repeated, it has one effect. */
export interface JobCall {
  author: Author;
  op: string;
}

/** core/jobs/jobs.ts documents the calls and their failures. Each rejects if the other side cannot be reached. */
export interface JobPort {
  create(spec: CreateJob, call: JobCall): Promise<Result<JobInfo>>;
  /** By name: those after `after`. */
  list(page: { after: string; limit: number }): Promise<JobInfo[]>;
  /** With its newest runs. */
  read(name: JobName): Promise<Result<JobDetail>>;
  change(name: JobName, change: ChangeJob, call: JobCall): Promise<Result<JobInfo>>;
  pause(name: JobName, why: string, call: JobCall): Promise<Result<JobInfo>>;
  resume(name: JobName, call: JobCall): Promise<Result<JobInfo>>;
  run(name: JobName, call: JobCall): Promise<Result<JobRunInfo>>;
  remove(name: JobName, call: JobCall): Promise<Result<null>>;
  /** The newest first. */
  listRuns(name: JobName, limit: number): Promise<Result<JobRunInfo[]>>;
}
