// Writes a report over the parts of a table; called by rehearsal.ts. It plans, looks up what was agreed, finds the parts, learns to read
// the first one as worker.ts does, reads all with one program, and writes the results. A part that contradicts the reading changes it.
import type { ModelRequest } from "../../../agent/contract.ts";
import { isObject } from "../../../unknown-object.ts";
import type { Run } from "../belief.ts";
import type { Reply } from "../reply.ts";
import { type FinishedCall, callsSinceInput, offeredTools, readInput } from "../request.ts";
import type { TableTask } from "../table-task.ts";
import { type JoinedParts, toPartTask, writeProgram } from "./report-program.ts";
import { type WorkbenchTask, readAgreement } from "./report-task.ts";
import { readTable, toRun } from "../worker.ts";

const STEPS = [
  "Look up what was agreed about this report",
  "Work out how the exports are written",
  "Compute the figure over all parts and write it down",
];

/** Each part may contradict the reading of those before it, in more than one way. */
const MAX_PROGRAMS = 8;

export function workOnReport(request: ModelRequest, task: WorkbenchTask): Reply {
  const tools = offeredTools(request);
  const done = callsSinceInput(request);
  const last = (name: string) => done.findLast(({ call }) => call.name === name);
  const failed =
    done.at(-1)?.failed && !["terminal", "skill_view"].includes(done.at(-1)!.call.name) ? done.at(-1) : null;
  if (failed)
    return {
      text: `I could not finish: ${failed.call.name} failed (${String(failed.result.error ?? "no reason was given")}).`,
    };

  if (tools.has("todo") && !last("todo")) return plan();
  const search = last("session_search");
  const agreed = readAgreement([readInput(request), search?.result], task.column!);
  if (!agreed && !search && tools.has("session_search")) {
    return {
      text: "What was agreed about this report I look up in earlier conversations.",
      calls: [["session_search", { query: `report on ${task.column}: which rows, how many decimals` }]],
    };
  }
  if (!agreed)
    return {
      text: `I found nothing that was agreed about a report on \`${task.column}\`: which rows does it take, and how many decimals?`,
    };

  const found = last("search_files");
  if (!found) {
    const text = `The report takes ${describeRows(agreed.filters)} and has ${agreed.places} decimals. Now the parts of the table.`;
    return { text, calls: [["search_files", { pattern: ".", path: task.folder, mode: "names" }]] };
  }
  const paths = readPaths(found);
  if (paths.length === 0) return { text: `There is no file in \`${task.folder}\`.` };

  const runs = listAllRuns(done);
  const whole: TableTask = {
    ...task,
    ...agreed,
    path: runs.findLast(({ run }) => run.exitCode !== 0)?.path ?? paths[0]!,
  };
  const reading = readTable(
    request,
    toPartTask(whole),
    runs.map(({ run }) => run),
  );
  if (!reading.done) return reading.reply;

  const joined = readJoined(last("execute_code"));
  const isNew =
    done.findLastIndex(({ call }) => call.name === "terminal") >
    done.findLastIndex(({ call }) => call.name === "execute_code");
  if (!joined || isNew) {
    if (done.filter(({ call }) => call.name === "execute_code").length >= MAX_PROGRAMS) {
      return { text: `I could not read all parts in \`${task.folder}\` in one way.` };
    }
    return {
      text: `I can read these files. One program reads all ${paths.length} parts, so that their lines stay out of this conversation.`,
      calls: [["execute_code", { code: writeProgram(whole, reading.inquiry.belief, paths) }]],
    };
  }
  if (joined.figure === null) return { text: "No row of the selection has a value, so there is no figure to report." };
  return writeDown(task, joined, joined.figure, done);
}

function plan(): Reply {
  const todos = STEPS.map((content, i) => ({
    id: String(i + 1),
    content,
    status: i === 0 ? "in_progress" : "pending",
  }));
  return { text: "Three steps.", calls: [["todo", { todos }]] };
}

function closePlan(): Reply {
  const todos = STEPS.map((_, i) => ({ id: String(i + 1), status: "completed" }));
  return { text: "", calls: [["todo", { todos, merge: true }]] };
}

function describeRows(filters: TableTask["filters"]): string {
  if (filters.length === 0) return "all rows";
  return `rows where ${filters.map(({ column, value }) => `\`${column}\` is \`${value}\``).join(" and ")}`;
}

function readPaths({ result }: FinishedCall): string[] {
  return Array.isArray(result.lines) ? result.lines.filter((line) => typeof line === "string").toSorted() : [];
}

/** Every run of the program in this turn, by the shell or inside execute_code, oldest first, with the file it read. */
function listAllRuns(done: FinishedCall[]): { path?: string; run: Run }[] {
  return done.flatMap((finished) => {
    if (finished.call.name === "terminal") return [{ run: toRun(finished) }];
    if (finished.call.name !== "execute_code") return [];
    return (readJoined(finished)?.runs ?? []).map((run) => ({ path: run.path, run: toRun({ result: run }) }));
  });
}

function readJoined(finished: FinishedCall | undefined): JoinedParts | null {
  const value = finished?.result.returned;
  return isObject(value) && Array.isArray(value.runs) ? (value as unknown as JoinedParts) : null;
}

/** The two files, then the plan, then the answer. */
function writeDown(task: WorkbenchTask, { parts }: JoinedParts, figure: string, done: FinishedCall[]): Reply {
  const has = (name: string) => done.some(({ call }) => call.name === name);
  if (!has("write_file")) {
    const content = ["part,rows,used", ...parts.map(({ path, rows, used }) => `${path},${rows},${used}`)].join("\n");
    return {
      text: `The figure is ${figure}. First the table of the parts.`,
      calls: [["write_file", { path: task.partsTable, content: `${content}\n` }]],
    };
  }
  if (!has("patch")) {
    const edit = { path: task.report, old_string: task.placeholder, new_string: figure };
    return { text: "Then the report, in which only the figure changes.", calls: [["patch", edit]] };
  }
  const plans = done.filter(({ call }) => call.name === "todo").length;
  if (plans === 1) return closePlan();
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  return {
    text: `The figure over all ${parts.length} parts (${rows} rows) is **${figure}**. It is in \`${task.report}\`, and the parts are in \`${task.partsTable}\`.`,
  };
}
