// Jobs and their runs in words for a person: the answers of `/jobs` and `talaria jobs`. Times are shown in the job's time zone. Pure.
import { clip, toOneLine } from "../../clip.ts";
import type { JobInfo, JobRunInfo } from "../../schemas/agenda/job-api.ts";
import type { WebhookTarget } from "../../schemas/webhooks/webhook.ts";
import type { JobDone } from "./perform-job-action.ts";

const MAX_LINE_CHARS = 200;
const MAX_PROMPT_CHARS = 2_000;

export function describeJobDone(done: JobDone): string {
  switch (done.did) {
    case "list":
      return describeList(done.jobs, done.isCut);
    case "show":
      return describeJob(done.job, done.runs);
    case "create":
      return `Made. ${describeLine(done.job)}\n${describeDelivery(done.job)}`;
    case "update":
      return `Changed. ${describeLine(done.job)}`;
    case "pause":
    case "resume":
      return describeLine(done.job);
    case "run":
      return `A run of ${done.run.name} has begun: session ${done.run.session ?? "(none)"}.`;
    case "remove":
      return `${done.name} is removed.`;
    case "runs":
      return done.runs.length === 0
        ? `${done.name} has not run yet.`
        : done.runs.map((run) => describeRun(run)).join("\n");
  }
}

function describeList(jobs: JobInfo[], isCut: boolean): string {
  if (jobs.length === 0) return "There is no job. `add SCHEDULE: TASK` makes one.";
  return [...jobs.map((job) => `- ${describeLine(job)}`), ...(isCut ? ["There are more."] : [])].join("\n");
}

/** `brief: every weekday at 08:00 (Europe/Berlin). Next run: 2026-01-06 08:00.` */
function describeLine(job: JobInfo): string {
  return `${job.name}: ${job.understood} (${job.timeZone}). ${describeState(job)}`;
}

export function describeState({ paused, finishedAt, running, due, timeZone, failures }: JobInfo): string {
  const failed = failures > 0 ? ` Failures in a row: ${failures}.` : "";
  if (paused !== null) {
    const why = paused.why.trim() === "" ? "." : `: ${toOneLine(clip(paused.why, MAX_LINE_CHARS))}`;
    return `Paused (${paused.cause})${why}${failed}`;
  }
  if (running !== null) return `It runs now.${failed}`;
  if (finishedAt !== null) return "It has finished.";
  return due === null ? `No next run.${failed}` : `Next run: ${formatAt(due, timeZone)}.${failed}`;
}

function describeJob(job: JobInfo, runs: JobRunInfo[]): string {
  const { gate, skills, contextFrom, repeat, prompt, timeZone } = job;
  return [
    describeLine(job),
    describeDelivery(job),
    ...(gate ? [`It runs only when this changes: ${[gate.url, gate.command].filter(Boolean).join("; ")}`] : []),
    ...(skills.length > 0 ? [`Skills: ${skills.join(", ")}`] : []),
    ...(contextFrom.length > 0 ? [`Reads what these jobs said: ${contextFrom.join(", ")}`] : []),
    ...(repeat === null ? [] : [`Runs: ${repeat} in all`]),
    ...(job.author.by === "owner" ? [] : ["An agent, or somebody else than the owner, wrote its task."]),
    `\n${clip(prompt, MAX_PROMPT_CHARS)}\n`,
    ...(runs.length === 0 ? ["It has not run yet."] : runs.map((run) => describeRun(run, timeZone))),
  ].join("\n");
}

function describeDelivery({ deliver }: JobInfo): string {
  return deliver === null ? "Its answers stay with its runs." : `Its answers go to ${describeTarget(deliver)}.`;
}

export function describeTarget(to: WebhookTarget): string {
  switch (to.to) {
    case "home":
      return to.platform === undefined ? "the home chat" : `the home chat of ${to.platform}`;
    case "chat":
      return `the chat ${to.chat}`;
    case "hooks":
      return "the outbound webhooks";
  }
}

/** One line. `timeZone`: UTC if absent. */
function describeRun(
  { claimedAt, trigger, state, outcome, output, error, session, delivery }: JobRunInfo,
  timeZone = "UTC",
): string {
  const said = toOneLine(clip(error ?? output ?? "", MAX_LINE_CHARS));
  const how = outcome === null || outcome === "answered" ? state : `${state} (${outcome})`;
  const undelivered = delivery.state === "failed" ? ` Not delivered: ${toOneLine(delivery.error ?? "")}` : "";
  const place = session === null ? "" : `, session ${session}`;
  return `- ${formatAt(claimedAt, timeZone)}: ${how}, ${trigger}${place}.${said === "" ? "" : ` ${said}`}${undelivered}`;
}

/** `2026-03-01 09:30`, as the clocks of the zone show it. */
function formatAt(at: number, timeZone: string): string {
  return new Date(at).toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
}
