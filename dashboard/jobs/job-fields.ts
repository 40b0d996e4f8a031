// The form of a job: between the fields that a person edits, all texts, and the body of a request. Pure.
import type { Asked } from "../../cli/connection/routes.ts";
import { type Job, fromTargetText, splitNames, toTargetText } from "./job-words.ts";

export type NewJob = Asked<"POST /v1/jobs">["body"];
export type JobPatch = Asked<"PATCH /v1/jobs/{job}">["body"];

export interface JobFields {
  name: string;
  schedule: string;
  timeZone: string;
  prompt: string;
  skills: string;
  contextFrom: string;
  /** As `toTargetText`. */
  deliver: string;
  gateUrl: string;
  gateCommand: string;
  repeat: string;
  pauseAfter: string;
  maxTokens: string;
}

const text = (value: number | null | undefined) => (value == null ? "" : String(value));

export function toFields(job: Job | undefined, zone: string): JobFields {
  return {
    name: job?.name ?? "",
    schedule: job?.schedule ?? "",
    timeZone: job?.timeZone ?? zone,
    prompt: job?.prompt ?? "",
    skills: job?.skills?.join(", ") ?? "",
    contextFrom: job?.contextFrom?.join(", ") ?? "",
    deliver: toTargetText(job?.deliver),
    gateUrl: job?.gate?.url ?? "",
    gateCommand: job?.gate?.command ?? "",
    repeat: text(job?.repeat),
    pauseAfter: text(job?.failure?.pauseAfter),
    maxTokens: text(job?.maxTokens),
  };
}

export function toNewJob(fields: JobFields): NewJob {
  const { name, schedule, timeZone, prompt } = fields;
  return {
    ...{ name, schedule, prompt, skills: splitNames(fields.skills), contextFrom: splitNames(fields.contextFrom) },
    ...(timeZone !== "" && { timeZone }),
    ...{ deliver: fromTargetText(fields.deliver), gate: toGate(fields), repeat: toNumber(fields.repeat) ?? null },
    ...(fields.pauseAfter !== "" && { failure: { pauseAfter: Number(fields.pauseAfter) } }),
    ...(fields.maxTokens !== "" && { maxTokens: Number(fields.maxTokens) }),
  };
}

/** Only what was changed: a schedule that is sent again starts over. `job`: as it was when the form was opened. */
export function toPatch(job: Job, before: JobFields, fields: JobFields): JobPatch {
  const differs = (...names: (keyof JobFields)[]) => names.some((name) => before[name] !== fields[name]);
  return {
    ...(differs("schedule") && { schedule: fields.schedule }),
    ...(differs("timeZone") && { timeZone: fields.timeZone }),
    ...(differs("prompt") && { prompt: fields.prompt }),
    ...(differs("skills") && { skills: splitNames(fields.skills) }),
    ...(differs("contextFrom") && { contextFrom: splitNames(fields.contextFrom) }),
    ...(differs("deliver") && { deliver: fromTargetText(fields.deliver) }),
    ...(differs("gateUrl", "gateCommand") && { gate: toGate(fields) }),
    ...(differs("repeat") && { repeat: toNumber(fields.repeat) ?? null }),
    ...(differs("pauseAfter") && { failure: { ...job.failure, pauseAfter: toNumber(fields.pauseAfter) } }),
    ...(differs("maxTokens") && { maxTokens: toNumber(fields.maxTokens) }),
  };
}

function toGate({ gateUrl, gateCommand }: JobFields): NewJob["gate"] {
  if (gateUrl === "" && gateCommand === "") return null;
  return { ...(gateUrl !== "" && { url: gateUrl }), ...(gateCommand !== "" && { command: gateCommand }) };
}

function toNumber(value: string): number | undefined {
  return value === "" ? undefined : Number(value);
}
