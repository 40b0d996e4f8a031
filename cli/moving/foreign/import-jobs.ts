// Moves the jobs of a home in: each is made paused, so that nothing runs before a person has read it. Called by import-home.ts.
import { chooseName, readFolder } from "../../../core/moving/foreign/for-clients.ts";
import { nameJobs } from "../../../core/moving/foreign/jobs.ts";
import type { ForeignJob } from "../../../core/moving/foreign/foreign-home.ts";
import { JobInfo, JobList } from "../../../core/schemas/agenda/job-api.ts";
import { ScheduleInfo } from "../../../core/schemas/agenda/job-api.ts";
import { SkillList } from "../../../core/schemas/api.ts";
import { type Move, attempt } from "./move.ts";

const PAUSED = "It was moved in. Read what it does, then resume it.";

export async function importJobs(move: Move): Promise<void> {
  const { client, home, report, dryRun, patient } = move;
  if (home.jobs.length === 0) return;
  const names = nameJobs(home.jobs);
  const { items } = await patient(() => client.list(JobList, "GET /v1/jobs", ({ jobs }) => jobs));
  const there = new Map(items.map((job) => [job.name as string, job]));
  const skills = await readSkillNames(move);
  for (const job of inOrder(home.jobs)) {
    const name = names.get(job.id)!;
    const what = `job ${name}`;
    const known = there.get(name);
    if (known) {
      if (known.prompt.trim() === job.prompt.trim()) report.there.jobs.push(name);
      else
        report.notes.push({
          kind: "refused",
          what,
          why: "there is another job of this name here",
          how: "remove it, then import again",
        });
      continue;
    }
    await attempt(move, what, async () => {
      const body = toBody(move, job, { name, names, skills, there });
      if (dryRun) {
        const query = { schedule: body.schedule, timeZone: body.timeZone };
        await patient(() => client.call(ScheduleInfo, "GET /v1/schedule", { query }));
      } else there.set(name, await patient(() => client.call(JobInfo, "POST /v1/jobs", { body })));
      report.moved.jobs.push(name);
    });
  }
}

interface Named {
  name: string;
  names: Map<string, string>;
  skills: (name: string) => string | null;
  there: Map<string, unknown>;
}

function toBody({ report, dryRun }: Move, job: ForeignJob, { name, names, skills, there }: Named) {
  const lost = (why: string) => report.notes.push({ kind: "changed", what: `job ${name}`, why });
  const loaded = job.skills.flatMap((skill) => {
    const own = skills(skill);
    if (own === null) lost(`the skill ${JSON.stringify(skill.slice(0, 60))} is not here, so it is not loaded`);
    return own ?? [];
  });
  const contextFrom = job.contextFrom.flatMap((id) => {
    const other = names.get(id);
    if (other !== undefined && (dryRun || there.has(other))) return [other];
    lost("a job whose output it was given did not come");
    return [];
  });
  return {
    ...{ name, schedule: job.schedule, prompt: job.prompt, skills: [...new Set(loaded)].slice(0, 20) },
    timeZone: job.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...{ contextFrom: contextFrom.slice(0, 5), repeat: job.repeat, paused: PAUSED },
  };
}

/** Those whose output others are given come first. */
function inOrder(jobs: ForeignJob[]): ForeignJob[] {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const sorted = new Set<ForeignJob>();
  const open = new Set<string>();
  const visit = (job: ForeignJob): void => {
    if (sorted.has(job) || open.has(job.id)) return;
    open.add(job.id);
    for (const id of job.contextFrom) if (byId.has(id)) visit(byId.get(id)!);
    sorted.add(job);
  };
  for (const job of jobs) visit(job);
  return [...sorted];
}

/** From the program's name of a skill to its name here, if it is here or comes with this move. */
async function readSkillNames({ client, home, patient, dryRun }: Move): Promise<(name: string) => string | null> {
  const { items } = await patient(() => client.list(SkillList, "GET /v1/skills", ({ skills }) => skills));
  const there = new Set<string>(items.map(({ name }) => name));
  const names = new Map<string, string>();
  for (const { folder, files } of home.skills) {
    const base = folder.slice(folder.lastIndexOf("/") + 1).replace(/\.(?:md|ya?ml)$/, "");
    const read = readFolder(files, { folder: base });
    if (read.ok && (dryRun || there.has(read.value.name))) names.set(base, read.value.name);
  }
  return (name) => {
    const own = names.get(name) ?? chooseName(name, "").name;
    return there.has(own) || names.has(name) ? own : null;
  };
}
