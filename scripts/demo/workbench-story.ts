// The demo's second story: a report that needs eight tools. What it must contain was agreed in an earlier conversation, its data lie in
// parts in a folder, and its figure belongs into a text. First by trial and error, then with the lesson, and the control without it.
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../../cli/connection/client.ts";
import { describeAgreement, describeReport, isReportCorrect, toReportFiles } from "./report-task.ts";
import { dim, heading, say } from "./screen.ts";
import { type SessionOutcome, awaitLessons, printComparison, sendMessage, toRow } from "./sessions.ts";
import type { StoryOutcome } from "./table-story.ts";
import type { DrawnTasks, Task } from "./tasks.ts";

/** A message can be found seconds after its turn. */
const FOUND_MS = 30_000;

interface ReportOutcome extends SessionOutcome {
  correct: boolean;
}

export async function tellWorkbenchStory(client: Client, drawn: DrawnTasks): Promise<StoryOutcome> {
  const { tasks } = drawn;
  heading("1  An earlier conversation: what the reports contain");
  for (const task of tasks) await agree(client, task);

  heading("2  Session 1: a report over exports of a new kind");
  const first = await work(client, tasks[0], drawn, "on");

  heading("3  The background review decides what to keep");
  const learned = await awaitLessons(client, first.session);

  heading("4  Session 2: another report, over other exports");
  const second = await work(client, tasks[1], drawn, "on");

  heading("   Session 3, the control: the same report, with learning off");
  const control = await work(client, tasks[1], drawn, "off");

  heading("5  What the lesson was worth");
  const rows = [
    toRow("first", first, first.correct),
    toRow("second", second, second.correct),
    toRow("control", control, control.correct),
  ];
  printComparison(rows);
  return { rows, learned };
}

/** Says it in a session of its own, and waits until that can be found. */
async function agree(client: Client, task: Task): Promise<void> {
  const { session } = await client.createSession({ learning: "off" });
  await sendMessage(client, session, describeAgreement(task));
  const until = performance.now() + FOUND_MS;
  for (;;) {
    const { results } = await client.search({ q: `report on ${task.column}` });
    if (results.some((result) => result.session === session)) return;
    if (performance.now() > until) throw new Error("What was said cannot be found.");
    await pause(100);
  }
}

async function work(
  client: Client,
  task: Task,
  { conventions }: DrawnTasks,
  learning: "on" | "off",
): Promise<ReportOutcome> {
  const { session } = await client.createSession({ learning });
  const given = Object.entries(toReportFiles(task, conventions));
  for (const [path, text] of given) await client.putFile(session, path, text);
  const { file, cells } = task.table;
  say(dim(`  ${file} in ${given.length - 1} parts, ${cells.length} rows, and a report are in its workspace.`));
  const outcome = await sendMessage(client, session, describeReport(task));
  const files: Record<string, string> = {};
  for (const { path } of await client.listFiles(session)) {
    files[path] = new TextDecoder().decode(await client.getFile(session, path));
  }
  return { ...outcome, correct: isReportCorrect(outcome.text, files, task) };
}
