// Jobs of a training service: what a person asks for, what the Account stores, what the API shows, and what the service answers
// (docs/TRAINING.md). Forms only.
import * as z from "zod";
import { Sha256 } from "./ids.ts";
import { TrajectoryFormat, TrajectoryPlace, TurnFilter } from "./trajectories.ts";

export const TrainingJobId = z.string().regex(/^trn_[0-9a-z]{12}$/, "a training job's id is trn_ and 12 characters");
export type TrainingJobId = z.infer<typeof TrainingJobId>;

export const TrainingState = z.enum(["pending", "starting", "running", "stopping", "stopped", "completed", "failed"]);
export type TrainingState = z.infer<typeof TrainingState>;

/** [own] Names and ids of the service and of models: one word of visible ASCII. */
const MODEL_NAME = /^[A-Za-z0-9][\w./:@-]{0,199}$/;
const FIELD_NAME = /^[a-z][a-z0-9_]{0,63}(?:\.[a-z0-9_]{1,64}){0,3}$/;
const MAX_FIELDS = 50;
const MAX_FIELD_CHARS = 500;

const ModelName = z.string().regex(MODEL_NAME, "a model's name, such as Qwen/Qwen3-8B");

const FieldValue = z.union([z.string().max(MAX_FIELD_CHARS), z.number(), z.boolean()]);
export type FieldValue = z.infer<typeof FieldValue>;

const Config = z
  .record(z.string().regex(FIELD_NAME, "a field is lower-case words with dots, such as env.group_size"), FieldValue)
  .refine((config) => Object.keys(config).length <= MAX_FIELDS, `at most ${MAX_FIELDS} fields`);

export const CreateTrainingJob = z.strictObject({
  baseModel: ModelName.meta({ description: "The model that the adapter is trained for, as the service names it" }),
  format: TrajectoryFormat.meta({ description: "The format of the dataset, as of `GET /v1/trajectories`" }),
  filter: TurnFilter.strict().default({}).meta({ description: "Which turns are wanted, as of `GET /v1/trajectories`" }),
  label: z.string().trim().min(1).max(100).optional().meta({ description: "For the owner" }),
  config: Config.default({}).meta({
    description: "Fields of the service's own configuration. Locked fields are refused (docs/TRAINING.md lists them)",
  }),
});
export type CreateTrainingJob = z.infer<typeof CreateTrainingJob>;

/** One upload: a page of trajectories as JSON lines. */
export const TrainingPart = z.object({ sha256: Sha256, bytes: z.int(), examples: z.int() });
export type TrainingPart = z.infer<typeof TrainingPart>;

const Progress = z.object({ step: z.int().min(0), totalSteps: z.int().min(0) });

/** [own] More metrics are not read by a person. */
const MAX_METRICS = 50;
const Metrics = z
  .record(z.string().min(1).max(100), z.number())
  .refine((metrics) => Object.keys(metrics).length <= MAX_METRICS, `at most ${MAX_METRICS} metrics`);

export const Evaluation = z.object({ before: Metrics, after: Metrics });
export type Evaluation = z.infer<typeof Evaluation>;

export const TrainingResults = z.object({
  adapter: z.string().nullable().meta({ description: "The service's id of the adapter; null: there is none" }),
  evaluation: Evaluation.nullable().meta({ description: "The same measures of the base model and of the adapter" }),
});
export type TrainingResults = z.infer<typeof TrainingResults>;

/** As stored (version 1). `next` of the dataset: where the next page begins; `null`: it is whole. */
export const TrainingJob = z.object({
  v: z.literal(1),
  id: TrainingJobId,
  /** The idempotency key of the job at the service. */
  op: z.string(),
  state: TrainingState,
  request: CreateTrainingJob,
  /** The service's own id; `null` until it has answered. */
  service: z.string().nullable(),
  dataset: z.object({ parts: z.array(TrainingPart), next: TrajectoryPlace.nullable() }),
  /** What the service has confirmed. An intent that is not confirmed is sent again on request. */
  confirmed: z.object({ start: z.boolean(), stop: z.boolean() }),
  /** When the service was last asked for the status, or confirmed the start. */
  askedAt: z.int().nullable(),
  progress: Progress.nullable(),
  failure: z.string().nullable(),
  /** The last report of the service that cannot be true. */
  contradiction: z.string().nullable(),
  results: TrainingResults.nullable(),
  createdAt: z.int(),
  changedAt: z.int(),
  endedAt: z.int().nullable(),
});
export type TrainingJob = z.infer<typeof TrainingJob>;

export const TrainingJobInfo = z.object({
  id: TrainingJobId,
  state: TrainingState,
  ...{ baseModel: z.string(), format: TrajectoryFormat, filter: TurnFilter, label: z.string().optional() },
  config: z.record(z.string(), FieldValue),
  locked: z.record(z.string(), FieldValue).meta({ description: "What every job has, whatever is asked" }),
  dataset: z.object({
    parts: z.int(),
    examples: z.int(),
    bytes: z.int(),
    isWhole: z.boolean().meta({ description: "Every page was sent, so the job can start" }),
    sha256: Sha256.nullable().meta({ description: "Of the SHA-256s of its parts, a line each; null before the first" }),
  }),
  progress: Progress.nullable(),
  failure: z.string().nullable(),
  contradiction: z
    .string()
    .nullable()
    .meta({ description: "The last report of the service that cannot be true, and was not believed" }),
  results: TrainingResults.nullable(),
  ...{ createdAt: z.int(), changedAt: z.int(), endedAt: z.int().nullable() },
  askedAt: z.int().nullable().meta({ description: "When the service was last asked" }),
  nextStatusAt: z.int().nullable().meta({ description: "Until then the kept status is shown; null: it may be asked" }),
});
export type TrainingJobInfo = z.infer<typeof TrainingJobInfo>;
export const TrainingJobList = z.object({ jobs: z.array(TrainingJobInfo), next: z.string().optional() });

/** An adapter, noted when the results of its job were fetched. As stored and as shown. */
export const TrainedModel = z.object({
  v: z.literal(1),
  name: z.string().meta({ description: "The base model and the job, such as `Qwen/Qwen3-8B+trn_0123456789ab`" }),
  base: z.string(),
  adapter: z.string(),
  dataset: Sha256,
  evaluation: Evaluation.nullable(),
  job: TrainingJobId,
  at: z.int(),
});
export type TrainedModel = z.infer<typeof TrainedModel>;
export const TrainedModelList = z.object({ models: z.array(TrainedModel), next: z.string().optional() });

// ---- what the service answers ----

/** [own] A longer text is not read. */
const Said = z.string().max(2_000);

export const ServiceProblem = z.object({ code: z.string().max(100), message: Said });
export const ServiceJob = z.object({ id: z.string().regex(MODEL_NAME), state: TrainingState });
export const ServicePart = z.object({ sha256: Sha256 });
export const ServiceStatus = z.object({
  state: TrainingState,
  progress: Progress.nullish(),
  failure: Said.nullish(),
});
export type ServiceStatus = z.infer<typeof ServiceStatus>;
export const ServiceResults = z.object({
  baseModel: z.string().max(200),
  dataset: Sha256,
  adapter: z.object({ id: z.string().regex(MODEL_NAME) }).nullable(),
  evaluation: Evaluation.nullish(),
});
export type ServiceResults = z.infer<typeof ServiceResults>;
