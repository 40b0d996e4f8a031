// The operator's settings for jobs: the group `jobs` of core/schemas/settings.ts. Forms only.
import * as z from "zod";

export const JobSettings = z
  .strictObject({
    maxJobs: z.int().min(0).max(10_000).describe("Jobs of a profile. 0: none can be made."),
    maxRunning: z
      .int()
      .min(0)
      .max(50)
      .describe("Runs of a profile's jobs at the same time. Others wait. 0: none begins."),
    minEveryMs: z.int().min(60_000).describe("The shortest time between two runs of a job's schedule."),
    claimMs: z
      .int()
      .min(10_000)
      .describe("How long a run that has begun may stay without a message in its session before it is tried again."),
    runMs: z.int().min(60_000).describe("The longest time of one run. Then its turn is stopped."),
    failures: z
      .int()
      .min(1)
      .max(20)
      .describe("Failed runs in a row after which a job pauses, if it does not set its own."),
    maxTokens: z.int().min(1_000).describe("Tokens of one run, if the job does not set its own."),
  })
  .describe("Jobs: what runs by the clock (`/v1/jobs`).");
/** Limits of jobs. */
export type JobSettings = z.infer<typeof JobSettings>;
