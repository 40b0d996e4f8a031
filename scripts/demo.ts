// `npm run demo`: the product on real data and on the three real Workers. Session 1 solves a task by trial and error. The
// review learns from it. Session 2 gets another task of the same kind. Session 3 is the control: the same task without
// learning. A table compares them. Last line with --json: the figures as one JSON object.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, ProblemError, createClient } from "../cli/connection/client.ts";
import { type TurnStats, promptTokens } from "../core/schemas/entry.ts";
import type { ReviewDetail } from "../core/schemas/api.ts";
import { fromContents, textOrEmpty } from "../core/schemas/file-body.ts";
import { isCorrect } from "./demo/answers.ts";
import { describeConventions, exportTable } from "./demo/conventions.ts";
import { checkVars } from "./check/vars.ts";
import { UsageError, runCommand } from "./command-line.ts";
import { awaitReview } from "./demo/await-review.ts";
import { type DemoOptions, USAGE, isRehearsal, parseOptions } from "./demo/options.ts";
import { describeEvidence } from "./demo/evidence.ts";
import { type Row, bold, createTurnView, dim, heading, quote, say, printTable } from "./demo/screen.ts";
import { loadTables } from "./demo/tables.ts";
import { type DrawnTasks, type Task, drawTasks } from "./demo/tasks.ts";
import { readOperatorToken } from "./stack/local-state.ts";
import { onStopSignal } from "./stack/processes.ts";
import { startStack } from "./stack/stack.ts";
import { selectWorkerVars } from "./stack/worker-vars.ts";

const rehearsal = isRehearsal(process.env);
/** Timeout of a review that has started. A provider's model may need minutes. */
const REVIEW_MS = rehearsal ? 60_000 : 10 * 60_000;
/** A review that is due starts within this time. */
const REVIEW_BEGINS_MS = 15_000;
const REPORT_MS = 60_000;

await runCommand(USAGE, () => runDemo(parseOptions(process.argv.slice(2))));

async function runDemo(options: DemoOptions): Promise<number> {
  checkVars(process.env);
  const drawn = draw(options);
  say(
    rehearsal
      ? "Model: rehearsal, the small deterministic model that ships with Talaria (no model key is set)"
      : `Model: the provider's, as ${process.env.TALARIA_MODEL ? "TALARIA_MODEL says" : "the model key in the environment says"}`,
  );
  say(
    dim(
      `Data: ${options.data ?? "the npm package vega-datasets"}, exported as an office would (seed ${options.seed}):`,
    ),
  );
  say(dim(`${describeConventions(drawn.conventions)}. The agent is not told.`));
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-demo-"));
  const abort = new AbortController();
  onStopSignal(() => abort.abort());
  try {
    const token = readOperatorToken(stateDir);
    const began = performance.now();
    const tell = (line: string) => say(dim(line));
    const stack = await startStack({
      stateDir,
      vars: selectWorkerVars(process.env, token),
      signal: abort.signal,
      say: tell,
    });
    const stopEarly = () =>
      void stack.kill().finally(() => {
        rmSync(stateDir, { recursive: true, force: true });
        process.exit(130);
      });
    abort.signal.addEventListener("abort", stopEarly);
    try {
      const operator = createClient({ url: stack.url, key: token });
      say(
        dim(
          `Three Workers (api, review, curator) at ${stack.url}, ready in ${formatSeconds(performance.now() - began)};`,
        ),
      );
      say(dim(`they run on ${(await operator.health()).model}.`));
      const { key } = await operator.createProfile();
      return await tellStory(createClient({ url: stack.url, key }), drawn, options);
    } finally {
      abort.signal.removeEventListener("abort", stopEarly);
      await stack.stop();
    }
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

function draw(options: DemoOptions): DrawnTasks {
  try {
    return drawTasks(loadTables(options.data).tables, options.seed);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function tellStory(client: Client, { conventions, tasks }: DrawnTasks, options: DemoOptions): Promise<number> {
  const files = tasks.map(({ table: rows }) => exportTable(rows, conventions));
  heading("1  Session 1: a task of a new kind");
  const first = await work(client, tasks[0], files[0]!, "on");

  heading("2  The background review decides what to keep");
  const review = await awaitReview(client, first.session, { beginsMs: REVIEW_BEGINS_MS, endsMs: REVIEW_MS });
  const learned = await showLearned(client, review);

  heading("3  Session 2: another task of this kind, on another file");
  if (options.skill) await replaceSkill(client, learned.skill, options.skill);
  const second = await work(client, tasks[1], files[1]!, "on");

  heading("   Session 3, the control: the same task, with learning off");
  const control = await work(client, tasks[1], files[1]!, "off");

  heading("4  The curator checks the library");
  quote(shortenReport(await curate(client)));

  heading("5  What the lesson was worth");
  const rows = [
    toRow("first", first, tasks[0]),
    toRow("second", second, tasks[1]),
    toRow("control", control, tasks[1]),
  ];
  say(`  ${describeSavings(rows)}`);
  say();
  printTable(rows, { times: !rehearsal });
  say();
  say(summarise(rows));
  if (options.json) say(JSON.stringify({ sessions: rows.map(({ ms: _ms, ...row }) => row), learned }));
  return rehearsal && rows.some(({ correct }) => !correct) ? 1 : 0;
}

interface SessionOutcome {
  session: string;
  text: string;
  stats: TurnStats;
  ms: number;
}

/** Runs one task in a new session and prints the turn as it streams. */
async function work(client: Client, task: Task, file: string, learning: "on" | "off"): Promise<SessionOutcome> {
  const { session } = await client.createSession({ learning });
  await client.putFile(session, task.table.file, file);
  say(dim(`  ${task.table.file}, ${task.table.cells.length} rows, is in its workspace.`));
  say(`  ${bold("You:")} ${task.text}`);
  const view = createTurnView();
  const began = performance.now();
  for await (const { event } of client.streamMessage(session, task.text)) {
    view.show(event);
    if (event.type !== "turn_end") continue;
    if (event.state !== "done") say(`  The turn ended ${event.state}.`);
    return { session, text: view.text(), stats: event.stats, ms: performance.now() - began };
  }
  throw new Error("The stream ended before its turn did.");
}

interface LearnedItems {
  skill: string | null;
  citations: string[];
  memory: string | null;
  reviewId: string | null;
}

/** Prints the lessons, each with its evidence. */
async function showLearned(client: Client, review: ReviewDetail | null): Promise<LearnedItems> {
  const learned: LearnedItems = { skill: null, citations: [], memory: null, reviewId: review?.review ?? null };
  if (!review?.result) {
    say(`  ${review?.dead ? `The review was given up: ${review.dead.message}` : "No review followed this session."}`);
    return learned;
  }
  say(`  ${review.result.summary}`);
  for (const lesson of review.result.lessons) {
    learned.citations.push(...lesson.citations.filter((citation) => !learned.citations.includes(citation)));
    if (lesson.kind === "skill") {
      learned.skill = lesson.skill;
      say(`  ${bold("Skill")} ${lesson.skill}, revision ${lesson.rev}:`);
      quote(textOrEmpty(fromContents((await client.skill(lesson.skill)).files)["SKILL.md"]));
    } else {
      learned.memory = lesson.text;
      say(`  ${bold("Memory")} (${lesson.store}): ${lesson.text}`);
    }
    say(`  ${dim(`Evidence: ${describeEvidence(lesson.citations)}.`)}`);
  }
  return learned;
}

async function replaceSkill(client: Client, learned: string | null, skill: { name: string; text: string }) {
  if (learned) await client.archiveSkill(learned);
  await client.putSkill(skill.name, { "SKILL.md": skill.text });
  say(`  The learned skill is archived; ${bold(skill.name)}, as given, takes its place.`);
}

/** Starts one run of the curator and waits for its report. */
async function curate(client: Client): Promise<string> {
  const { run } = await client.runCurator();
  const until = performance.now() + REPORT_MS;
  for (;;) {
    try {
      return (await client.curationReport(run)).markdown;
    } catch (error) {
      const pending = error instanceof ProblemError && error.problem.code === "run_pending";
      if (!pending || performance.now() > until) throw error;
    }
    await pause(100);
  }
}

/** The summary and a line for each skill. The tables and the undo instructions are for the person who asked for the run. */
function shortenReport(markdown: string): string {
  const lines = markdown.split("\n");
  const summary = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith("## ")),
  );
  const skills = lines.filter((line) => line.startsWith("- **"));
  return [...summary.filter((line) => line && !line.startsWith("#")), ...skills].join("\n");
}

function toRow(name: string, { stats, text, ms }: SessionOutcome, task: Task): Row {
  const { modelCalls, toolCalls, failedCalls, usage } = stats;
  return {
    name,
    modelCalls,
    toolCalls,
    failedCalls,
    promptTokens: promptTokens(usage),
    correct: isCorrect(text, task),
    ms,
  };
}

/** Compares the costs that a program can measure: tokens, calls, failures. */
function describeSavings([, second, control]: Row[]): string {
  if (!second || !control) return "";
  const tokens = control.promptTokens - second.promptTokens;
  const share = Math.round((100 * Math.abs(tokens)) / Math.max(1, control.promptTokens));
  const more = (n: number) => (n < 0 ? "more" : "fewer");
  const count = (n: number, what: string) => `${Math.abs(n).toLocaleString("en")} ${more(n)} ${what}`;
  return bold(
    `With the lesson: ${count(tokens, "prompt tokens")} (${share} %), ` +
      `${count(control.toolCalls - second.toolCalls, "tool calls")}, ` +
      `${count(control.failedCalls - second.failedCalls, "failures")}.`,
  );
}

function summarise([first, second, control]: Row[]): string {
  if (!first || !second || !control) return "";
  const times = (control.toolCalls / Math.max(1, second.toolCalls)).toFixed(1);
  return (
    `With what was learned the task took ${second.toolCalls} tool calls (${second.failedCalls} failed); ` +
    `without it ${control.toolCalls} (${control.failedCalls} failed), ${times} times as many.`
  );
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
