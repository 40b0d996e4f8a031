// What the API shows of jobs and their runs. Forms only.
import * as z from "zod";
import { Job, JobRun } from "./job.ts";

/** `due`: when a run is to begin, which the object has set its alarm for. */
export const JobInfo = Job.omit({
  v: true,
  seen: true,
  plan: true,
  attempts: true,
  countsFrom: true,
  notBefore: true,
  run: true,
}).extend({
  due: z.int().nullable().meta({
    description:
      "When the next run begins, in milliseconds since 1970: the alarm for it is set. `null`: the job pauses, has finished, or is running",
  }),
  running: JobRun.shape.id.nullable().meta({ description: "The run that is open" }),
});
export type JobInfo = z.infer<typeof JobInfo>;
export const JobList = z.object({ jobs: z.array(JobInfo), next: z.string().optional() });

export const JobRunInfo = JobRun.omit({ v: true, saw: true });
export type JobRunInfo = z.infer<typeof JobRunInfo>;
/** Newest first. */
export const JobRunList = z.object({ runs: z.array(JobRunInfo), next: z.string().optional() });

/** A job with its newest runs. */
export const JobDetail = z.object({ job: JobInfo, runs: z.array(JobRunInfo) });
export type JobDetail = z.infer<typeof JobDetail>;

export const PauseJob = z.strictObject({
  why: z.string().max(1_000).optional().meta({ description: "Shown with the job" }),
});

/** A schedule as it was understood. */
export const ScheduleInfo = z.object({
  understood: z.string(),
  timeZone: z.string().meta({ description: "The one that the schedule names, or the given one" }),
  next: z.array(z.int()).min(1).meta({ description: "Its next times, at most five, in milliseconds since 1970" }),
});

export function toJobInfo(job: Job, due: number | null): JobInfo {
  return JobInfo.parse({ ...job, due, running: job.run });
}
