// Jobs of a profile and their runs: what a person sets, what is stored, what the API shows. Forms only. A stored form: for a change, raise `v`.
import * as z from "zod";
import { Author } from "../board/card.ts";
import { SessionId, SkillName, TurnId } from "../ids.ts";
import { WebhookTarget } from "../webhooks/webhook.ts";

/** Part of the address `/v1/jobs/{name}`. */
export const JobName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, "1 to 64 characters: a-z, 0-9, and - inside");
export type JobName = z.infer<typeof JobName>;

/** `j` and 12 letters and digits. A job that takes the name of a removed one has another id, so their runs stay apart. */
export const JobId = z.string().regex(/^j[0-9a-hjkmnp-tv-z]{12}$/, "a job id is j and 12 lower-case base32 characters");
export type JobId = z.infer<typeof JobId>;

/** Names one run of a job, and is the key of its message: posted again, it is the same message. */
export const JobRunId = z
  .string()
  .regex(/^r[0-9a-hjkmnp-tv-z]{12}$/, "a run id is r and 12 lower-case base32 characters");
export type JobRunId = z.infer<typeof JobRunId>;

/** A zone of the IANA database, such as `Europe/Berlin`, or `UTC`. Whether it exists is checked where a schedule is read. */
export const TimeZone = z.string().min(1).max(64);

/** When a job runs. Times are in milliseconds since 1970. */
export const SchedulePlan = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("once"), at: z.int() }),
  /** At `from` + n × `everyMs`, n from 1: elapsed time, whatever the clocks do. */
  z.object({ kind: z.literal("every"), everyMs: z.int().min(1), from: z.int() }),
  /** Five-field cron expressions, read in the job's time zone. It runs at the times of each. No more than fit into a schedule's text. */
  z.object({ kind: z.literal("calendar"), crons: z.array(z.string()).min(1) }),
]);
export type SchedulePlan = z.infer<typeof SchedulePlan>;

/** [own] */
export const MAX_SCHEDULE_CHARS = 200;
const MAX_PROMPT_CHARS = 20_000;
const MAX_CONTEXT_JOBS = 5;

/**
 * The change of what it sees is the reason to run: the page at `url`, or what `command` prints. With both, the command finds the page in the
 * file `page`. The first look is only remembered.
 */
export const WakeGate = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional()
      .meta({ description: "A page. Its text is compared" }),
    command: z.string().min(1).max(2_000).optional().meta({
      description:
        "A shell command without a network. What it prints is compared; with `url` it finds the page in `page`",
    }),
  })
  .refine(({ url, command }) => url !== undefined || command !== undefined, "a gate has a `url`, a `command` or both");
export type WakeGate = z.infer<typeof WakeGate>;

const PROMPT = "What the agent is told at each run";
const fields = {
  schedule: z
    .string()
    .min(1)
    .max(MAX_SCHEDULE_CHARS)
    .meta({
      description:
        "`in 30m`, `every 2h`, `every weekday at 8`, `tomorrow at noon`, `every first Monday of the month at 9`, a five-field cron expression, " +
        "or a time such as `2026-12-24T18:00`. A time zone may follow, such as `Europe/Berlin`",
    }),
  timeZone: TimeZone.optional().meta({ description: "Where the schedule names none. Default: UTC" }),
  prompt: z.string().min(1).max(MAX_PROMPT_CHARS).meta({ description: PROMPT }),
  skills: z.array(SkillName).max(20).default([]).meta({ description: "Loaded at the start of each run" }),
  contextFrom: z
    .array(JobName)
    .max(MAX_CONTEXT_JOBS)
    .default([])
    .meta({ description: "Jobs whose newest output the agent gets too" }),
  deliver: WebhookTarget.nullable()
    .default(null)
    .meta({
      description:
        "Where the answer goes: `home`, the home chat of a platform or of the channel that was used last; `chat`, a chat of " +
        "`GET /v1/channels/{platform}/chats`; `hooks`, the outbound webhooks. `null`: it stays with the run. An answer of `[SILENT]` goes nowhere",
    }),
  gate: WakeGate.nullable()
    .default(null)
    .meta({ description: "Looked at before each run: without a change there is no run" }),
  repeat: z
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .default(null)
    .meta({ description: "Runs after which the job is finished. `null`: no limit" }),
  failure: z
    .strictObject({
      pauseAfter: z.int().min(1).max(20).optional().meta({
        description: "Failures in a row after which the job pauses. Default: the operator's (`jobs.failures`)",
      }),
      tell: WebhookTarget.optional().meta({ description: "Where failures are told. Default: as `deliver`" }),
    })
    .default({}),
  maxTokens: z.int().min(1_000).optional().meta({ description: "Of one run. Absent: the operator's limit" }),
};

/** Stricter than what is stored, which is always read. */
const prompt = z.string().trim().min(1, "it is empty").max(MAX_PROMPT_CHARS).meta({ description: PROMPT });

/** The whole of what a person sets. */
export const JobSpec = z.strictObject({ ...fields, prompt });
export type JobSpec = z.infer<typeof JobSpec>;

/** `paused`: why it does not run until a person resumes it. */
export const CreateJob = JobSpec.extend({
  name: JobName,
  paused: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: "It begins paused, with this reason, and runs once it is resumed" }),
});
export type CreateJob = z.infer<typeof CreateJob>;

/** Absent fields stay as they are. */
export const ChangeJob = z.strictObject({
  schedule: fields.schedule.optional(),
  timeZone: fields.timeZone,
  prompt: prompt.optional(),
  skills: fields.skills.unwrap().optional(),
  contextFrom: fields.contextFrom.unwrap().optional(),
  deliver: fields.deliver.unwrap().optional(),
  gate: fields.gate.unwrap().optional(),
  repeat: fields.repeat.unwrap().optional(),
  failure: fields.failure.unwrap().optional(),
  maxTokens: fields.maxTokens,
});
export type ChangeJob = z.infer<typeof ChangeJob>;

/** Why a job pauses: a person said so; it failed too often in a row; it cannot run as the profile is set up. */
export const PauseCause = z.enum(["person", "failures", "config"]);
export type PauseCause = z.infer<typeof PauseCause>;

/** A job as it is stored and shown. */
export const Job = z.object({
  v: z.literal(1),
  id: JobId,
  name: JobName,
  ...fields,
  timeZone: TimeZone,
  /** `schedule` as it was understood, for a person: `every weekday at 08:00`. */
  understood: z.string(),
  plan: SchedulePlan,
  /** Whoever set what it does. Only the owner's words are `principal`. */
  author: Author,
  createdAt: z.int(),
  changedAt: z.int(),
  /** The next slot; `null`: there is none. A paused job gets a new one when it is resumed. */
  nextAt: z.int().nullable(),
  paused: z.object({ cause: PauseCause, why: z.string().max(4_000), at: z.int() }).nullable(),
  /** Set once it has no run left. It is removed 30 days later. */
  finishedAt: z.int().nullable(),
  /** In a row: failed and unknown runs. */
  failures: z.int().min(0),
  /** How often in a row a run was put off because no provider could be reached. */
  attempts: z.int().min(0),
  /** The slot that is tried again, and when. `byHand`: of a run by hand, which is none of the schedule's. */
  retry: z.object({ slot: z.int(), at: z.int(), byHand: z.literal(true).optional() }).nullable(),
  /** Not before this, after a failure. */
  notBefore: z.int().nullable(),
  /** Runs by its schedule that have ended, without those that the gate held back. */
  ran: z.int().min(0),
  /** When its schedule was changed: runs of earlier slots are none of this schedule's. */
  countsFrom: z.int().optional(),
  /** Fingerprint of what the gate saw at the last run, or at its first look. */
  seen: z.string().max(200).nullable(),
  /** The run that is open. */
  run: JobRunId.nullable(),
});
export type Job = z.infer<typeof Job>;

/** `unknown`: its end was lost. It is never run again, as it may have done its work. */
export const JobRunState = z.enum(["claimed", "running", "completed", "failed", "unknown"]);
export type JobRunState = z.infer<typeof JobRunState>;

/** `late`: its slot was missed. `retry`: no provider could be reached before. `manual`: a person or an agent said so, also where it is tried again. */
export const JobTrigger = z.enum(["schedule", "late", "retry", "manual"]);
export type JobTrigger = z.infer<typeof JobTrigger>;

/** How a run ended. `unchanged`: the gate held it back. `unreachable`: no provider. `config`: the profile's set-up does not allow it. */
export const JobOutcome = z.enum([
  "answered",
  "silent",
  "unchanged",
  "unreachable",
  "config",
  "timed_out",
  "stopped",
  "error",
  "lost",
]);
export type JobOutcome = z.infer<typeof JobOutcome>;

/** `none`: there is nothing to deliver, or nowhere. `waiting`: it is tried until it is `sent`, or `failed` too often. */
export const JobDelivery = z.object({
  state: z.enum(["none", "waiting", "sent", "failed"]),
  to: WebhookTarget.nullable(),
  tries: z.int().min(0),
  error: z.string().max(1_000).nullable(),
});
export type JobDelivery = z.infer<typeof JobDelivery>;

export const JobRun = z.object({
  v: z.literal(1),
  id: JobRunId,
  job: JobId,
  name: JobName,
  trigger: JobTrigger,
  /** The time that it was due. */
  slot: z.int(),
  state: JobRunState,
  /** Chosen at the claim. `null`: no session was needed, or it was deleted. */
  session: SessionId.nullable(),
  turn: TurnId.nullable(),
  claimedAt: z.int(),
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  outcome: JobOutcome.nullable(),
  /** The answer, clipped. */
  output: z.string().nullable(),
  /** What happened and what to do, for a person. */
  error: z.string().max(4_000).nullable(),
  tokens: z.int().min(0).nullable(),
  /** Fingerprint of what the gate saw. */
  saw: z.string().max(200).nullable(),
  delivery: JobDelivery,
});
export type JobRun = z.infer<typeof JobRun>;

/** How a run ended, as the object that looked after it says. */
export type RunEnd =
  | { state: "completed"; text: string; tokens?: number }
  | {
      state: "failed";
      outcome: "unreachable" | "config" | "timed_out" | "stopped" | "error";
      error: string;
      tokens?: number;
    }
  | { state: "unknown"; error: string };
