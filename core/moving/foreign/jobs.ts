// Reads the jobs of other programs: schedules as this program writes them, and what has no equal. Pure.
import { JobName } from "../../schemas/agenda/job.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { type UnknownObject, isObject, toObject } from "../../unknown-object.ts";
import type { ForeignJob, MoveNote } from "./foreign-home.ts";
import { toText, toTime } from "./read-text.ts";

/** [own] */
const MAX_JOBS = 500;
const MAX_PROMPT = 20_000;
const MINUTE_MS = 60_000;

/** Names that a job may have here, the same at each import: of two with one name, the later has a part of its id. */
export function nameJobs(jobs: ForeignJob[]): Map<string, JobName> {
  const names = new Map<string, JobName>();
  const taken = new Set<string>();
  for (const { id, name } of jobs) {
    const words = name
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? ["job"];
    const slug = trimDashes(words.join("-").slice(0, 55));
    const unique = taken.has(slug) ? `${slug}-${sha256Hex(id).slice(0, 6)}` : slug;
    taken.add(slug).add(unique);
    names.set(id, JobName.parse(unique));
  }
  return names;
}

function trimDashes(slug: string): string {
  return slug.endsWith("-") ? trimDashes(slug.slice(0, -1)) : slug || "job";
}

type Read = { schedule: string; timeZone?: string } | { why: string };

/** Hermes's `cron/jobs.json`: `{jobs: […]}`, or the list alone. `now`: what was due before does not come. */
export function readHermesJobs(value: unknown, { now, notes }: { now: number; notes: MoveNote[] }): ForeignJob[] {
  const list = Array.isArray(value) ? (value as unknown[]) : toObject(value).jobs;
  return readJobs(list, notes, (job) => {
    if (job.no_agent === true) return { why: "it runs a script without the agent" };
    if (toText(job.script) !== "") return { why: "a script of that machine gives it its data" };
    const { kind, minutes, expr, run_at: runAt } = toObject(job.schedule);
    const read = ofHermes(kind, { minutes, expr, runAt, now });
    if ("why" in read) return read;
    const { times, completed } = toObject(job.repeat);
    const left = isCount(times) ? times - (isCount(completed) ? completed : 0) : null;
    if (left !== null && left < 1) return { why: "it has run as often as it should" };
    noteLost(job, notes);
    const skills = Array.isArray(job.skills) ? job.skills : [job.skill];
    const context = Array.isArray(job.context_from) ? job.context_from : [];
    // A job of one time runs once anyway.
    return { ...read, repeat: kind === "once" ? null : left, skills, contextFrom: context };
  });
}

function ofHermes(kind: unknown, { minutes, expr, runAt, now }: UnknownObject & { now: number }): Read {
  if (kind === "interval" && isCount(minutes)) return { schedule: `every ${minutes}m` };
  if (kind === "cron" && typeof expr === "string") return ofCron(expr);
  if (kind === "once") return ofMoment(runAt, now);
  return { why: "its schedule has a form that is not known here" };
}

function ofCron(expr: string): Read {
  const fields = expr.trim().split(/\s+/);
  return fields.length === 5
    ? { schedule: fields.join(" ") }
    : { why: "its cron expression has other than five fields" };
}

function ofMoment(at: unknown, now: number): Read {
  const time = toTime(at);
  if (time === null) return { why: "its time cannot be read" };
  if (time <= now) return { why: "its time has passed" };
  return { schedule: new Date(time).toISOString().replace(/\.\d+Z$/, "Z") };
}

/** OpenClaw's `cron/jobs.json`. */
export function readOpenClawJobs(value: unknown, { now, notes }: { now: number; notes: MoveNote[] }): ForeignJob[] {
  return readJobs(toObject(value).jobs, notes, (job) => {
    const { kind, at, atMs, everyMs, expr, tz } = toObject(job.schedule);
    const payload = toObject(job.payload);
    const prompt = toText(payload.message) || toText(payload.text);
    const zone = typeof tz === "string" && tz !== "" ? { timeZone: tz } : {};
    const read: Read =
      kind === "cron" && typeof expr === "string"
        ? { ...ofCron(expr), ...zone }
        : kind === "every" && isCount(everyMs)
          ? { schedule: `every ${Math.max(1, Math.round(everyMs / MINUTE_MS))}m` }
          : kind === "at"
            ? ofMoment(at ?? atMs, now)
            : { why: "its schedule has a form that is not known here" };
    if ("why" in read) return read;
    noteLost({ ...job, deliver: toObject(job.delivery).channel ?? payload.channel, model: payload.model }, notes);
    return { ...read, prompt, repeat: null, skills: [], contextFrom: [] };
  });
}

type ReadJob =
  | { why: string }
  | (Exclude<Read, { why: string }> & {
      prompt?: string;
      repeat: number | null;
      skills: unknown[];
      contextFrom: unknown[];
    });

function readJobs(list: unknown, notes: MoveNote[], read: (job: UnknownObject) => ReadJob): ForeignJob[] {
  if (!Array.isArray(list)) return [];
  const jobs: ForeignJob[] = [];
  const ids = new Set<string>();
  for (const [at, job] of list.slice(0, MAX_JOBS).entries()) {
    if (!isObject(job)) continue;
    const prompt = toText(job.prompt);
    const name = (toText(job.name).trim() || prompt.trim() || "job").slice(0, 200);
    const refuse = (why: string) => notes.push({ kind: "no_equal", what: `job ${name.slice(0, 80)}`, why });
    const made = read(job);
    if ("why" in made) {
      refuse(made.why);
      continue;
    }
    const text = (made.prompt ?? prompt).trim();
    if (text === "" || text.length > MAX_PROMPT) {
      refuse(text === "" ? "it has no task in words" : `its task has more than ${MAX_PROMPT} characters`);
      continue;
    }
    let id = toText(job.id) || `job-${at}`;
    // A file that was edited by hand may have an id twice: others mean the first.
    while (ids.has(id)) id += "+";
    ids.add(id);
    jobs.push({
      ...{ id, name, prompt: text, schedule: made.schedule, repeat: made.repeat },
      ...(made.timeZone !== undefined && { timeZone: made.timeZone }),
      ...{ skills: made.skills.filter(isWord), contextFrom: made.contextFrom.filter(isWord) },
    });
  }
  if (list.length > MAX_JOBS) {
    notes.push({ kind: "refused", what: "further jobs", why: `at most ${MAX_JOBS} come at once` });
  }
  return jobs;
}

const SET_IN_JOB: [field: string, what: string, how: string][] = [
  ["deliver", "where its answer goes", "set the channel up (docs/CHANNELS.md), then change the job's `deliver`"],
  ["model", "its own model", "choose the profile's models in the settings"],
  ["workdir", "its folder on that machine", "put the files into a session's workspace"],
  ["enabled_toolsets", "its own list of tools", "take tools away from the profile (`/v1/tools`)"],
];

/** What a job had that does not come. */
function noteLost(job: UnknownObject, notes: MoveNote[]): void {
  for (const [field, what, how] of SET_IN_JOB) {
    const value = job[field];
    const isSet = (isWord(value) && value !== "local") || (Array.isArray(value) && value.length > 0);
    if (isSet)
      notes.push({
        kind: "no_equal",
        what: `job ${toText(job.name).slice(0, 80)}: ${what}`,
        why: "it is not set up here",
        how,
      });
  }
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
