// The operator's settings for jobs and goals: the groups `jobs` and `goals` of core/schemas/settings.ts. Forms only.
import * as z from "zod";

export const JobSettings = z
  .strictObject({
    maxJobs: z.int().min(0).max(10_000).describe("Jobs of a profile. 0: none can be made."),
    maxRunning: z
      .int()
      .min(0)
      .max(50)
      .describe("Runs of a profile's jobs at the same time. Others wait, but those by hand. 0: only those begin."),
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

const count = z.int().min(1);

export const GoalSettings = z
  .strictObject({
    maxTurns: count.max(200).describe("Judged turns of a goal until it pauses, unless the person set another number."),
    maxParseFailures: count.describe("Answers of the judge without a verdict, in a row, after which a goal pauses."),
    maxTransportFailures: count.describe(
      "Turns in a row that the judge could not be asked about, after which a goal pauses.",
    ),
    maxCheckFailures: z
      .int()
      .min(0)
      .describe("How often in a row a check may contradict that a goal is done. Once more, and the goal pauses."),
    maxWaitMinutes: count.describe("The longest wait that the judge may ask for. A person's own wait may be longer."),
    maxPerProfile: count.max(1_000).describe("Goals of a profile. The oldest that has ended leaves for a new one."),
  })
  .describe("Goals (`/goal`, `/v1/goals`).");
export type GoalSettings = z.infer<typeof GoalSettings>;
