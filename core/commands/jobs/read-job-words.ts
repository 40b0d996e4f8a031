// The words of `/jobs` and `talaria jobs`, as one table: help, completion and both parsers read it. Pure.
import { type Result, err, ok } from "../../errors.ts";
import { ChangeJob, CreateJob, JobName, MAX_SCHEDULE_CHARS } from "../../schemas/agenda/job.ts";
import { findNearest } from "../parse-command.ts";
import type { JobAction } from "./perform-job-action.ts";

interface JobWord {
  name: string;
  /** What follows it, as help shows it. */
  words: string;
  /** One line, in the imperative, without a full stop. */
  help: string;
}

export const JOB_WORDS = [
  { name: "list", words: "", help: "list the jobs, and when each runs next" },
  { name: "add", words: "SCHEDULE: TASK...", help: "have TASK done, such as `every weekday at 8 Berlin: …`" },
  { name: "show", words: "NAME", help: "show a job with its newest runs" },
  { name: "change", words: "NAME SCHEDULE[: TASK...]", help: "give a job another schedule or task" },
  { name: "pause", words: "NAME [WHY...]", help: "begin no more runs until it is resumed" },
  { name: "resume", words: "NAME", help: "let it run again, from its next time on" },
  { name: "run", words: "NAME", help: "begin a run now, whatever its schedule says" },
  { name: "remove", words: "NAME", help: "delete a job with its runs; their sessions stay" },
  { name: "runs", words: "NAME", help: "list its newest runs, and how each ended" },
] as const satisfies readonly JobWord[];
export type JobWordName = (typeof JOB_WORDS)[number]["name"];

/** What the caller adds to a job that it makes. `name`: absent, it is made from the task. */
export type JobExtras = Partial<Omit<CreateJob, "schedule" | "prompt">>;

const ADD_EXAMPLE = "`add every weekday at 8: Read me the news`";
const MAX_NAME_CHARS = 40;
const NAME_WORDS = 4;

/** `list`, or a text that begins with one of `JOB_WORDS`. Failures: those of `readJobWords`. */
export function readJobCommand(text: string, extras: JobExtras = {}): Result<JobAction> {
  const [word = ""] = text.trim().split(/\s/, 1);
  if (word === "") return ok({ do: "list" });
  const row = JOB_WORDS.find(({ name }) => name === word.toLowerCase());
  if (row) return readJobWords(row.name, text.trim().slice(word.length).trim(), extras);
  const near = findNearest(
    word,
    JOB_WORDS.map(({ name }) => name),
  );
  return refuse(`'${word}' is not an action.${near ? ` Did you mean ${near}?` : ""} ${listUsages()}`);
}

/** `rest`: what follows the word. Failure: `bad_job`, with what to write instead. */
export function readJobWords(word: JobWordName, rest: string, extras: JobExtras = {}): Result<JobAction> {
  if (word === "list") return rest === "" ? ok({ do: "list" }) : refuse(usageOf(word));
  if (word === "add") return readNew(rest, extras);
  const [given = ""] = rest.split(/\s/, 1);
  const after = rest.slice(given.length).trim();
  const name = JobName.safeParse(given.toLowerCase());
  if (!name.success)
    return refuse(given === "" ? usageOf(word) : `'${given}' is not the name of a job. ${usageOf(word)}`);
  if (word === "change") return readChange(name.data, after);
  if (word === "pause") return ok({ do: "pause", name: name.data, why: after });
  return after === "" ? ok({ do: word, name: name.data }) : refuse(usageOf(word));
}

/** The schedule ends at the first colon before a space: the colon of `8:30` is inside a word. */
function readNew(text: string, { name, ...extras }: JobExtras): Result<JobAction> {
  const { schedule, task } = split(text);
  if (schedule === "" || !task) return refuse(`${usageOf("add")} Such as: ${ADD_EXAMPLE}.`);
  const made = CreateJob.safeParse({ ...extras, name: name ?? toName(task), schedule, prompt: task });
  if (made.success) return ok({ do: "create", spec: made.data, isNamed: name !== undefined });
  return refuseForm(made.error.issues[0]!);
}

function readChange(name: JobName, text: string): Result<JobAction> {
  const { schedule, task } = split(text);
  if (schedule.length > MAX_SCHEDULE_CHARS || (schedule === "" && !task)) return refuse(usageOf("change"));
  const change = ChangeJob.safeParse({ ...(schedule !== "" && { schedule }), ...(task && { prompt: task }) });
  return change.success ? ok({ do: "update", name, change: change.data }) : refuseForm(change.error.issues[0]!);
}

function refuseForm({ path, message }: { path: PropertyKey[]; message: string }) {
  return refuse(`The job is not right at \`${path.join(".")}\`: ${message}.`);
}

function split(text: string): { schedule: string; task: string | null } {
  const at = /:(?:\s|$)/.exec(text)?.index;
  if (at === undefined) return { schedule: text.trim(), task: null };
  return { schedule: text.slice(0, at).trim(), task: text.slice(at + 1).trim() };
}

/** `Read my calendar and write five lines.` is `read-my-calendar-and`. */
function toName(task: string): string {
  const letters = task.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = letters.split(/[^a-z0-9]+/).filter((word) => word !== "");
  const name = words.slice(0, NAME_WORDS).join("-").slice(0, MAX_NAME_CHARS).replace(/-$/, "");
  return name === "" ? "job" : name;
}

function usageOf(word: JobWordName): string {
  const { name, words } = JOB_WORDS.find((row) => row.name === word)!;
  return `Write it as \`${`${name} ${words.replaceAll("...", "")}`.trim()}\`.`;
}

/** One line for each action. */
function listUsages(): string {
  return `Write one of: ${JOB_WORDS.map(({ name, words }) => `\`${`${name} ${words.replaceAll("...", "")}`.trim()}\``).join(", ")}.`;
}

function refuse(message: string) {
  return err("bad_job", message);
}
