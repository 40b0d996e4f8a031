// The demo's second story: a report that needs eight tools. What it must contain was agreed in an earlier conversation, its data lie in
// parts in a folder, and its figure belongs into a text. First by trial and error, then with the lesson, and the control without it.
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../../cli/connection/client.ts";
import { isCorrect } from "./answers.ts";
import { exportTable } from "./conventions.ts";
import { dim, heading, say } from "./screen.ts";
import { type SessionOutcome, awaitLessons, printComparison, sendMessage, toRow } from "./sessions.ts";
import type { StoryOutcome } from "./table-story.ts";
import type { Table } from "./tables.ts";
import type { DrawnTasks, Task } from "./tasks.ts";

const PARTS = 3;
const REPORT = "report.md";
const PARTS_TABLE = "parts.csv";
const PLACEHOLDER = "FIGURE";
/** A message can be found seconds after its turn. */
const FOUND_MS = 30_000;

interface ReportOutcome extends SessionOutcome {
  correct: boolean;
}

export async function tellWorkbenchStory(client: Client, { conventions, tasks }: DrawnTasks): Promise<StoryOutcome> {
  const exports = tasks.map((task) => cutTable(task.table).map((part) => exportTable(part, conventions)));
  heading("1  An earlier conversation: what the reports contain");
  for (const task of tasks) await agree(client, task);

  heading("2  Session 1: a report over exports of a new kind");
  const first = await work(client, tasks[0], exports[0]!, "on");

  heading("3  The background review decides what to keep");
  const learned = await awaitLessons(client, first.session);

  heading("4  Session 2: another report, over other exports");
  const second = await work(client, tasks[1], exports[1]!, "on");

  heading("   Session 3, the control: the same report, with learning off");
  const control = await work(client, tasks[1], exports[1]!, "off");

  heading("5  What the lesson was worth");
  const rows = [
    toRow("first", first, first.correct),
    toRow("second", second, second.correct),
    toRow("control", control, control.correct),
  ];
  printComparison(rows);
  return { rows, learned };
}

function cutTable(table: Table): Table[] {
  const size = Math.ceil(table.cells.length / PARTS);
  return Array.from({ length: PARTS }, (_, i) => ({ ...table, cells: table.cells.slice(i * size, (i + 1) * size) }));
}

/** Says it in a session of its own, and waits until that can be found. */
async function agree(client: Client, { column, filter, places }: Task): Promise<void> {
  const { session } = await client.createSession({ learning: "off" });
  const rows = filter ? `only rows where \`${filter.column}\` is \`${filter.value}\`` : "all rows";
  await sendMessage(
    client,
    session,
    `Note for later: the report on \`${column}\` takes ${rows}, and has ${places} decimals.`,
  );
  const until = performance.now() + FOUND_MS;
  while ((await client.search({ q: `report on ${column}` })).results.length === 0) {
    if (performance.now() > until) throw new Error("What was said cannot be found.");
    await pause(100);
  }
}

async function work(client: Client, task: Task, parts: string[], learning: "on" | "off"): Promise<ReportOutcome> {
  const { session } = await client.createSession({ learning });
  const { file } = task.table;
  for (const [i, part] of parts.entries()) await client.putFile(session, `exports/${i + 1}-${file}`, part);
  await client.putFile(session, REPORT, `# Report\n\nThe ${task.aggregate} of ${task.column}: ${PLACEHOLDER}\n`);
  say(dim(`  ${file} in ${parts.length} parts, ${task.table.cells.length} rows, and ${REPORT} are in its workspace.`));
  const text =
    `The folder \`exports/\` holds one table in parts, as our office exports it. Work out the ${task.aggregate} of \`${task.column}\` ` +
    `over all parts, for the rows that we agreed on for this report. Put it into \`${REPORT}\` where it says \`${PLACEHOLDER}\`, ` +
    `and list the parts with their numbers of rows in \`${PARTS_TABLE}\`.`;
  const outcome = await sendMessage(client, session, text);
  return { ...outcome, correct: isCorrect(outcome.text, task) && (await hasWritten(client, session, task)) };
}

/** Whether both files say what they should. */
async function hasWritten(client: Client, session: string, task: Task): Promise<boolean> {
  const report = await readText(client, session, REPORT);
  const table = await readText(client, session, PARTS_TABLE);
  const rows = table
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => Number(line.split(",")[1]));
  const isListed = rows.length === PARTS && rows.reduce((sum, count) => sum + count, 0) === task.table.cells.length;
  return isListed && !report.includes(PLACEHOLDER) && isCorrect(report, task);
}

/** Empty if the agent has not written the file. */
async function readText(client: Client, session: string, path: string): Promise<string> {
  const { length } = (await client.listFiles(session)).filter((file) => file.path === path);
  return length === 0 ? "" : new TextDecoder().decode(await client.getFile(session, path));
}
