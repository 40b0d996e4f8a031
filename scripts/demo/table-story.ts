// The demo's first story: one figure from one file, learned by trial and error, then again with the lesson, and the control without it.
import { setTimeout as pause } from "node:timers/promises";
import { type Client, ProblemError } from "../../cli/connection/client.ts";
import { isCorrect } from "./answers.ts";
import { exportTable } from "./conventions.ts";
import type { DemoOptions } from "./options.ts";
import { type Row, bold, dim, heading, quote, say } from "./screen.ts";
import {
  type LearnedItems,
  type SessionOutcome,
  awaitLessons,
  printComparison,
  sendMessage,
  toRow,
} from "./sessions.ts";
import type { DrawnTasks, Task } from "./tasks.ts";

const REPORT_MS = 60_000;

export interface StoryOutcome {
  rows: Row[];
  learned: LearnedItems;
}

export async function tellTableStory(
  client: Client,
  { conventions, tasks }: DrawnTasks,
  options: Pick<DemoOptions, "skill">,
): Promise<StoryOutcome> {
  const files = tasks.map(({ table: rows }) => exportTable(rows, conventions));
  heading("1  Session 1: a task of a new kind");
  const first = await work(client, tasks[0], files[0]!, "on");

  heading("2  The background review decides what to keep");
  const learned = await awaitLessons(client, first.session);

  heading("3  Session 2: another task of this kind, on another file");
  if (options.skill) await replaceSkill(client, learned.skill, options.skill);
  const second = await work(client, tasks[1], files[1]!, "on");

  heading("   Session 3, the control: the same task, with learning off");
  const control = await work(client, tasks[1], files[1]!, "off");

  heading("4  The curator checks the library");
  quote(shortenReport(await curate(client)));

  heading("5  What the lesson was worth");
  const rows = [
    toRow("first", first, isCorrect(first.text, tasks[0])),
    toRow("second", second, isCorrect(second.text, tasks[1])),
    toRow("control", control, isCorrect(control.text, tasks[1])),
  ];
  printComparison(rows);
  return { rows, learned };
}

async function work(client: Client, task: Task, file: string, learning: "on" | "off"): Promise<SessionOutcome> {
  const { session } = await client.createSession({ learning });
  await client.putFile(session, task.table.file, file);
  say(dim(`  ${task.table.file}, ${task.table.cells.length} rows, is in its workspace.`));
  return sendMessage(client, session, task.text);
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
