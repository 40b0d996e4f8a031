// `talaria training`: jobs of the operator's training service, which a person starts and looks at (docs/TRAINING.md).
import { randomUUID } from "node:crypto";
import {
  type CreateTrainingJob,
  type Evaluation,
  type FieldValue,
  type TrainedModel,
  TrainedModelList,
  TrainingJobInfo,
  TrainingJobList,
} from "../../core/schemas/training.ts";
import { TrajectoryFormat } from "../../core/schemas/trajectories.ts";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import { type FlagValues, type Verb, type VerbCall, readChoice, textFlag, textFlags } from "../command-line/verb.ts";
import { type Client, ProblemError } from "../connection/client.ts";
import { UsageError } from "../connection/connection.ts";
import { createProgress, formatBytes } from "../moving/progress.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";
import { count } from "../show.ts";

const JOB: Column<TrainingJobInfo>[] = [
  { title: "job", cell: ({ id }) => id },
  { title: "state", cell: ({ state }) => state },
  { title: "base model", cell: ({ baseModel }) => baseModel, shrinks: true },
  { title: "made", cell: ({ createdAt }) => formatTime(createdAt) },
  { title: "label", cell: ({ label, failure }) => failure ?? label ?? "", shrinks: true },
];

const MODEL: Column<TrainedModel>[] = [
  { title: "name", cell: ({ name }) => name },
  { title: "adapter", cell: ({ adapter }) => adapter, shrinks: true },
  { title: "noted", cell: ({ at }) => formatTime(at) },
  { title: "before → after", cell: ({ evaluation }) => describeEvaluation(evaluation), shrinks: true },
];

export const training: Verb = {
  name: "training",
  help: "have an adapter trained by the operator's training service",
  actions: [
    {
      name: "list",
      help: "the training jobs, as they are kept",
      flags: PAGE_FLAGS,
      run: (call) =>
        showList(call, {
          schema: TrainingJobList,
          route: "GET /v1/training/jobs",
          field: "jobs",
          itemsOf: ({ jobs }) => jobs,
          columns: JOB,
          empty: "There is no training job. `talaria training start` makes one.",
        }),
    },
    {
      name: "start",
      help: "make a job, send it the trajectories, start it; with --job goes on",
      flags: {
        format: { type: "string", value: "FORMAT", help: "sharegpt, openai or preferences" },
        "base-model": { type: "string", value: "MODEL", help: "the model, as the service names it" },
        label: { type: "string", value: "TEXT", help: "for you" },
        set: {
          type: "string",
          multiple: true,
          value: "FIELD=VALUE",
          help: "a field of the service that is not locked",
        },
        job: { type: "string", value: "JOB", help: "go on with this job" },
        ...YES_FLAG,
      },
      run: start,
    },
    { name: "status", words: "JOB", help: "how it stands; the service is asked every 30 minutes", run: read("GET") },
    { name: "stop", words: "JOB", help: "stop it", flags: YES_FLAG, run: stop },
    { name: "results", words: "JOB", help: "fetch the results of a completed job", run: read("POST") },
    {
      name: "models",
      help: "the adapters that came of it, with their evaluation before and after",
      flags: PAGE_FLAGS,
      run: (call) =>
        showList(call, {
          schema: TrainedModelList,
          route: "GET /v1/training/models",
          field: "models",
          itemsOf: ({ models }) => models,
          columns: MODEL,
          empty: "There is no trained model.",
        }),
    },
  ],
};

async function start(call: VerbCall): Promise<void> {
  const { flags, json, output } = call;
  const id = textFlag(flags, "job");
  const request = id === undefined ? readRequest(flags) : null;
  const question = `Send this profile's conversations, redacted, to the training service${request ? ` for ${request.baseModel}` : ""}?`;
  if (!(await output.confirm(question, flags.yes === true))) return;
  const client = call.client();
  const headers = { "idempotency-key": randomUUID() };
  let job = request
    ? await again(() => client.call(TrainingJobInfo, "POST /v1/training/jobs", { body: request, headers }))
    : await client.call(TrainingJobInfo, "GET /v1/training/jobs/{training}", { params: { training: id! } });
  const params = { training: job.id };
  output.note(`Job ${job.id}. Interrupted, go on with: talaria training start --job ${job.id}`);
  const progress = createProgress(output);
  while (!job.dataset.isWhole) {
    job = await again(() => client.call(TrainingJobInfo, "POST /v1/training/jobs/{training}/data", { params }));
    const { parts, examples, bytes } = job.dataset;
    progress(`${count(parts, "part")}, ${count(examples, "example")}, ${formatBytes(bytes)}`);
  }
  job = await again(() => client.call(TrainingJobInfo, "POST /v1/training/jobs/{training}/start", { params }));
  if (json) output.json(job);
  else output.text(describeJob(job));
}

async function stop(call: VerbCall): Promise<void> {
  const { flags, json, output } = call;
  const params = { training: call.words[0]! };
  if (!(await output.confirm(`Stop the training job ${params.training}?`, flags.yes === true))) return;
  const job = await call.client().call(TrainingJobInfo, "POST /v1/training/jobs/{training}/stop", { params });
  if (json) output.json(job);
  else output.text(describeJob(job));
}

function read(method: "GET" | "POST") {
  return async (call: VerbCall): Promise<void> => {
    const params = { training: call.words[0]! };
    const client: Client = call.client();
    const job =
      method === "GET"
        ? await client.call(TrainingJobInfo, "GET /v1/training/jobs/{training}", { params })
        : await client.call(TrainingJobInfo, "POST /v1/training/jobs/{training}/results", { params });
    if (call.json) call.output.json(job);
    else call.output.text(describeJob(job));
  };
}

/** The pages of a dataset are many: one that the service did not take is sent again. */
async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = WAITS_MS.length; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || !(error instanceof ProblemError) || error.problem.code !== "training_unreachable") throw error;
      await new Promise((done) => setTimeout(done, WAITS_MS.at(-left)));
    }
  }
}
const WAITS_MS = [250, 2_000];

function readRequest(flags: FlagValues): CreateTrainingJob {
  const format = readChoice(flags, "format", { options: TrajectoryFormat.options });
  const baseModel = textFlag(flags, "base-model");
  const label = textFlag(flags, "label");
  if (format === undefined || baseModel === undefined)
    throw new UsageError("Name both: --format sharegpt --base-model Qwen/Qwen3-8B. Or go on with a job: --job JOB.");
  const config = Object.fromEntries(textFlags(flags, "set").map(readField));
  return { format, baseModel, filter: {}, config, ...(label !== undefined && { label }) };
}

/** `env.group_size=8`. A value that is no JSON is a text. */
function readField(text: string): [string, FieldValue] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`--set takes FIELD=VALUE, not ${text}.`);
  if (value === "true" || value === "false") return [name, value === "true"];
  return [name, value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value];
}

function describeJob(job: TrainingJobInfo): string {
  const { id, state, baseModel, dataset, progress, failure, contradiction, results, nextStatusAt } = job;
  const lines = [
    `${id}: ${state}, for ${baseModel}, ${count(dataset.examples, "example")} in ${count(dataset.parts, "part")}`,
    progress && `step ${progress.step} of ${progress.totalSteps}`,
    failure,
    contradiction,
    results && (results.adapter === null ? "no adapter" : `adapter ${results.adapter}`),
    results?.evaluation && `before → after: ${describeEvaluation(results.evaluation)}`,
    nextStatusAt !== null && `The service is asked again from ${formatTime(nextStatusAt)}.`,
  ];
  return lines.filter((line) => typeof line === "string").join("\n");
}

/** `accuracy 0.41 → 0.57`. */
function describeEvaluation(evaluation: Evaluation | null): string {
  if (!evaluation) return "";
  const { before, after } = evaluation;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  // A measure may have the name of what every object has, such as `constructor`.
  const of = (metrics: Record<string, number>, name: string) => (Object.hasOwn(metrics, name) ? metrics[name] : "–");
  return names.map((name) => `${name} ${of(before, name)} → ${of(after, name)}`).join(", ");
}
