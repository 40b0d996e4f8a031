// `talaria jobs`: what the agent does by the clock. The actions and their words are those of `/jobs` (core/commands/jobs).
import { randomUUID } from "node:crypto";
import type { JobPort } from "../../core/commands/jobs/job-port.ts";
import { describeJobDone, describeState } from "../../core/commands/jobs/describe-jobs.ts";
import { type JobDone, performJobAction } from "../../core/commands/jobs/perform-job-action.ts";
import { JOB_WORDS, type JobExtras, type JobWordName, readJobWords } from "../../core/commands/jobs/read-job-words.ts";
import { JobDetail, JobInfo, JobList, JobRunInfo, JobRunList } from "../../core/schemas/agenda/job-api.ts";
import { JobName } from "../../core/schemas/agenda/job.ts";
import type { WebhookTarget } from "../../core/schemas/webhooks/webhook.ts";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import {
  type Action,
  type FlagValues,
  type Flags,
  type Verb,
  type VerbCall,
  textFlag,
  textFlags,
} from "../command-line/verb.ts";
import { type Client, ProblemError } from "../connection/client.ts";
import { UsageError } from "../connection/connection.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";

const LINE: Column<JobInfo>[] = [
  { title: "name", cell: ({ name }) => name },
  { title: "schedule", cell: ({ understood, timeZone }) => `${understood} (${timeZone})`, shrinks: true },
  { title: "state", cell: (job) => describeState(job), shrinks: true },
];

const RUN: Column<JobRunInfo>[] = [
  { title: "began", cell: ({ claimedAt }) => formatTime(claimedAt) },
  { title: "why", cell: ({ trigger }) => trigger },
  { title: "state", cell: ({ state }) => state },
  { title: "outcome", cell: ({ outcome }) => outcome ?? "" },
  { title: "delivery", cell: ({ delivery }) => delivery.state },
  { title: "said", cell: ({ error, output }) => error ?? output ?? "", shrinks: true },
];

const FLAGS: Partial<Record<JobWordName, Flags>> = {
  list: PAGE_FLAGS,
  runs: PAGE_FLAGS,
  remove: YES_FLAG,
  add: {
    name: { type: "string", value: "NAME", help: "its name (default: made from the task)" },
    zone: { type: "string", value: "ZONE", help: "a time zone (default: the schedule's, else this machine's)" },
    deliver: { type: "string", value: "home|hooks|CHAT", help: "where answers go (default: nowhere)" },
    skill: { type: "string", multiple: true, value: "NAME", help: "a skill that each run begins with" },
  },
};

export const jobs: Verb = {
  name: "jobs",
  help: "set, show, pause, run or remove what the agent does by the clock",
  actions: JOB_WORDS.map(({ name, words, help }): Action => {
    const flags = FLAGS[name];
    return { name, ...(words !== "" && { words }), help, ...(flags && { flags }), run: (call) => run(name, call) };
  }),
};

async function run(word: JobWordName, call: VerbCall): Promise<void> {
  const { words, flags, json, output } = call;
  if (word === "list") return listJobs(call);
  if (word === "runs") return listRuns(call);
  const read = readJobWords(word, words.join(" "), word === "add" ? readExtras(flags) : {});
  if (!read.ok) throw new UsageError(read.failure.message);
  if (word === "remove" && !(await output.confirm(`Remove ${words[0]} with its runs?`, flags.yes === true))) return;
  const author = { by: "owner" as const };
  const port = toPort(call.client());
  const done = await performJobAction(port, read.value, { author, op: randomUUID() });
  if (!done.ok) throw port.refused() ?? new Error(done.failure.message);
  if (json) output.json(toJson(done.value));
  else output.text(describeJobDone(done.value));
}

function readExtras(flags: FlagValues): JobExtras {
  const name = textFlag(flags, "name");
  const deliver = textFlag(flags, "deliver");
  const skills = textFlags(flags, "skill");
  if (name !== undefined && !JobName.safeParse(name).success)
    throw new UsageError(`--name takes 1 to 64 characters of a-z, 0-9 and - inside, not ${JSON.stringify(name)}.`);
  return {
    timeZone: textFlag(flags, "zone") ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(name !== undefined && { name }),
    ...(deliver !== undefined && { deliver: toTarget(deliver) }),
    ...(skills.length > 0 && { skills }),
  };
}

function toTarget(deliver: string): WebhookTarget {
  return deliver === "home" || deliver === "hooks" ? { to: deliver } : { to: "chat", chat: deliver };
}

/** As the API answers. */
function toJson(done: JobDone): unknown {
  switch (done.did) {
    case "show":
      return { job: done.job, runs: done.runs };
    case "run":
      return done.run;
    case "remove":
      return { name: done.name, removed: true };
    case "list":
      return { jobs: done.jobs };
    case "runs":
      return { runs: done.runs };
    default:
      return done.job;
  }
}

function listJobs(call: VerbCall): Promise<void> {
  return showList(call, {
    schema: JobList,
    route: "GET /v1/jobs",
    field: "jobs",
    itemsOf: (answer) => answer.jobs,
    columns: LINE,
    empty: "There is no job. `talaria jobs add SCHEDULE: TASK` makes one.",
  });
}

function listRuns(call: VerbCall): Promise<void> {
  return showList(call, {
    schema: JobRunList,
    route: "GET /v1/jobs/{job}/runs",
    params: { job: call.words[0]! },
    field: "runs",
    itemsOf: (answer) => answer.runs,
    columns: RUN,
    empty: "It has not run yet.",
  });
}

/** The jobs of the key's profile over HTTP. What the server refuses is thrown as it is for every verb, but for a name that is taken. */
function toPort(client: Client): JobPort & { refused(): ProblemError | null } {
  let refused: ProblemError | null = null;
  const ok = <T>(value: T) => ({ ok: true as const, value });
  return {
    /** The name that was taken, as the server said. */
    refused: () => refused,
    async create(body, { op }) {
      try {
        const headers = { "idempotency-key": op };
        return ok(await client.call(JobInfo, "POST /v1/jobs", { body, headers }));
      } catch (error) {
        if (!(error instanceof ProblemError) || error.problem.code !== "job_exists") throw error;
        refused = error;
        return { ok: false, failure: { code: error.problem.code, message: error.problem.detail } };
      }
    },
    list: async ({ limit }) => (await client.call(JobList, "GET /v1/jobs", { query: { limit: String(limit) } })).jobs,
    read: async (job) => ok(await client.call(JobDetail, "GET /v1/jobs/{job}", { params: { job } })),
    change: async (job, body) => ok(await client.call(JobInfo, "PATCH /v1/jobs/{job}", { params: { job }, body })),
    pause: async (job, why) =>
      ok(await client.call(JobInfo, "POST /v1/jobs/{job}/pause", { params: { job }, body: { why } })),
    resume: async (job) => ok(await client.call(JobInfo, "POST /v1/jobs/{job}/resume", { params: { job } })),
    run: async (job, { op }) =>
      ok(
        await client.call(JobRunInfo, "POST /v1/jobs/{job}/run", {
          params: { job },
          headers: { "idempotency-key": op },
        }),
      ),
    async remove(job) {
      await client.send("DELETE /v1/jobs/{job}", { params: { job } });
      return ok(null);
    },
    async listRuns(job, limit) {
      const query = { limit: String(limit) };
      return ok((await client.call(JobRunList, "GET /v1/jobs/{job}/runs", { params: { job }, query })).runs);
    },
  };
}
