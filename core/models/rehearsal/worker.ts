// Works on a task about a delimited file; called by rehearsal.ts and workbench.ts. Without guidance it looks at the first lines, runs the awk program
// under the plainest belief, changes one part of the belief per failure, and checks the extremes before it trusts a result.
// With a skill that says how, it loads the skill and runs the program once with that, extremes included. Evidence overrides both.
import { BAD_DATE, BAD_NUMBER, NO_COLUMN, toCommand } from "./awk-program.ts";
import { type Inquiry, type Run, beginInquiry, learn } from "./belief.ts";
import type { Advice } from "./conventions.ts";
import { readAdvice } from "./prose/prose.ts";
import {
  type FinishedCall,
  allCalls,
  callsSinceInput,
  readInput,
  listedSkills,
  loadedSkills,
  offeredTools,
} from "./request.ts";
import { chooseSkills } from "./skill-choice.ts";
import { type TableTask, nameTask } from "./table-task.ts";
import type { ModelRequest } from "../../agent/contract.ts";
import type { Reply } from "./reply.ts";

/** Enough for a large file on a busy machine. The shell's own limits stop a runaway program. */
const TIMEOUT_MS = 30_000;

export function workOnTable(request: ModelRequest, task: TableTask): Reply {
  const reading = readTable(request, task, listRuns(callsSinceInput(request)));
  if (!reading.done) return reading.reply;
  return { text: toAnswer(task, reading.inquiry.result ?? null, reading.inquiry) };
}

/** Whether the file is understood, that is, the last run has a result whose extremes were checked. If not, what comes next. */
export type Reading = { done: false; reply: Reply } | { done: true; inquiry: Inquiry; hasAdvice: boolean };

/** `runs`: all runs of the program in this turn, oldest first, also those over other files of the same kind. */
export function readTable(request: ModelRequest, task: TableTask, runs: Run[]): Reading {
  const tools = offeredTools(request);
  const done = callsSinceInput(request);
  const advice = collectAdvice(request);
  const ask = (reply: Reply): Reading => ({ done: false, reply });

  const wanted = tools.has("skill_view") ? nextSkill(request, advice) : undefined;
  if (wanted)
    return ask({
      text: `The skill ${wanted} seems to be about this kind of file.`,
      calls: [["skill_view", { name: wanted }]],
    });

  const hasAdvice = Object.keys(advice).length > 0;
  const hasLooked = done.some(({ call }) => call.name === "read_file");
  if (!hasAdvice && !hasLooked && tools.has("read_file")) {
    return ask({
      text: `I will look at the first lines of ${task.path}.`,
      calls: [["read_file", { path: task.path, limit: 5 }]],
    });
  }
  if (!hasAdvice && tools.has("skill_view") && runs.length === 0 && isUnusual(done)) {
    const possible = chooseUnread(request, { unusual: true });
    if (possible)
      return ask({
        text: `These are not plain comma-separated values; the skill ${possible} may know about them.`,
        calls: [["skill_view", { name: possible }]],
      });
  }
  const failedRead = done.find(({ call, failed }) => call.name === "read_file" && failed);
  if (failedRead)
    return ask({ text: `I could not read \`${task.path}\`: ${String(failedRead.result.error ?? "it is not there")}` });

  const inquiry = runs.reduce(learn, beginInquiry(advice));
  if (inquiry.stuck) return ask({ text: `I could not work out the ${nameTask(task)}: ${inquiry.stuck}.` });
  if (inquiry.result !== undefined && inquiry.checked) return { done: true, inquiry, hasAdvice };
  if (!tools.has("terminal")) return ask({ text: withoutTerminal(task, inquiry) });
  return ask(nextRun(task, inquiry, hasAdvice, runs));
}

function nextRun(task: TableTask, inquiry: Inquiry, hasAdvice: boolean, runs: Run[]): Reply {
  const isCount = task.column === undefined;
  const hasResult = inquiry.result !== undefined;
  const revised = runs.some(({ exitCode, output }) => exitCode === 0 && /^smallest: /m.test(output));
  const text = hasResult
    ? "A result. Before I trust it I look at the extremes of the column."
    : explainReading(runs.at(-1), hasAdvice);
  const showsExtremes = isCount || hasResult || hasAdvice || revised;
  return {
    text,
    calls: [["terminal", { command: toCommand(task, inquiry.belief, showsExtremes), timeout_ms: TIMEOUT_MS }]],
  };
}

/** Why this reading of the file is tried, after the last run of another one. */
function explainReading(last: Run | undefined, hasAdvice: boolean): string {
  if (!last) return hasAdvice ? "I follow what the skill says about such files." : "I try the plainest reading first.";
  if (last.exitCode === 0) return "The extremes show that these are not all plain values; I read them another way.";
  return CHANGES[last.exitCode] ?? "That reading does not hold; I change it.";
}

/** The comment on each failure, by exit code. */
const CHANGES: Record<number, string> = {
  [NO_COLUMN]: "The header stays in one piece: the separator must be another one.",
  [BAD_NUMBER]: "A cell is not a number as I read it: I change that and keep the rest.",
  [BAD_DATE]: "A cell is not a date as I read it: I change that and keep the rest.",
};

/** Advice from loaded skills and from the person's sentences other than the question itself. */
function collectAdvice(request: ModelRequest): Advice {
  const views = allCalls(request).filter(({ call, failed }) => call.name === "skill_view" && !failed);
  const asked = readInput(request)
    .split(/(?<=[.?!])\s+|\n+/)
    .filter(
      (sentence) =>
        !/\?\s*$|\.(csv|tsv|txt|tab|dat|psv|asc|data)\b|\bdecimal places?\b|\b(two|three|four|one|\d) decimals?\b|\bround/i.test(
          sentence,
        ),
    )
    .join("\n");
  const loaded = loadedSkills(request).map(({ content }) => content);
  const texts = [asked, ...[...views.map(({ result }) => String(result.content ?? "")), ...loaded].toReversed()];
  return texts.map(readAdvice).reduce((merged, advice) => ({ ...advice, ...merged }), {});
}

/** The best listed skill. A second one follows only if the first gave no advice at all. */
function nextSkill(request: ModelRequest, advice: Advice): string | undefined {
  const viewed = allCalls(request).some(({ call }) => call.name === "skill_view") || loadedSkills(request).length > 0;
  if (viewed && Object.keys(advice).length > 0) return undefined;
  return chooseUnread(request, { unusual: false });
}

function chooseUnread(request: ModelRequest, file: { unusual: boolean }): string | undefined {
  const viewed = allCalls(request).filter(({ call }) => call.name === "skill_view");
  const loaded = loadedSkills(request).map(({ name }) => name);
  const names = chooseSkills(listedSkills(request.system), file).filter((name) => !loaded.includes(name));
  return names.find((name) => !viewed.some(({ call }) => call.args.name === name));
}

/** Whether the first line of the file has no comma. */
function isUnusual(done: FinishedCall[]): boolean {
  const head = done.find(({ call, failed }) => call.name === "read_file" && !failed);
  const [first] = String(head?.result.content ?? ",").split("\n");
  return !first!.includes(",");
}

export function listRuns(done: FinishedCall[]): Run[] {
  return done.filter(({ call }) => call.name === "terminal").map(toRun);
}

/** A result of the tool terminal. */
export function toRun({ result }: Pick<FinishedCall, "result">): Run {
  return {
    exitCode: typeof result.exit_code === "number" ? result.exit_code : -1,
    output: [result.stdout, result.stderr, result.error].filter((text) => typeof text === "string" && text).join("\n"),
  };
}

function toAnswer(task: TableTask, result: string | null, { belief }: Inquiry): string {
  if (result === null) return `No row of the selection has a value, so there is no ${nameTask(task)}.`;
  const left = belief.missing.length > 0 ? " Cells that stand for no value were left out." : "";
  return `The ${nameTask(task)} is **${result}**.${left}`;
}

function withoutTerminal(task: TableTask, { result }: Inquiry): string {
  if (result) return `The ${nameTask(task)} came out as ${result}, which I have not checked.`;
  return `I cannot work out the ${nameTask(task)} without a terminal.`;
}
