// Writes the program for the tool execute_code that reads all parts of a table with one shell command each, and joins their figures.
// Used by workbench.ts. Pure.
import { toCommand } from "../awk-program.ts";
import type { Belief } from "../conventions.ts";
import type { TableTask } from "../table-task.ts";

/** What the program returns: what each run printed and, if all parts could be read, the figure and a line for each part. */
export interface JoinedParts {
  runs: { path: string; exit_code: number; stdout: string; stderr: string }[];
  figure: string | null;
  parts: { path: string; rows: number; used: number; value: number }[];
}

/** Digits that are kept of each part's figure beyond those asked for. */
const EXTRA_PLACES = 6;
const ANY_PATH = "PATH-OF-THE-PART";

/** `task.path` is not used. Of a mean, each part gives its sum. */
export function writeProgram(task: TableTask, belief: Belief, paths: string[]): string {
  const ofPart: TableTask = { ...toPartTask(task), path: ANY_PATH };
  return `const command = ${JSON.stringify(toCommand(ofPart, belief, true))};
const runs = [], parts = [];
for (const path of ${JSON.stringify(paths)}) {
  const quoted = path.replaceAll("'", "'\\\\''");
  const call = { command: command.replace("${ANY_PATH}", () => quoted), timeout_ms: 30000 };
  const { exit_code = -1, stdout = "", stderr = "" } = await tools.terminal(call).catch((error) => error.result ?? { stderr: error.message });
  runs.push({ path, exit_code, stdout, stderr });
  if (exit_code !== 0) break;
  const value = /^result: (\\S+)/m.exec(stdout)[1];
  const [, rows, used] = /^rows: (\\d+), .*used: (\\d+)/m.exec(stdout).map(Number);
  parts.push({ path, rows, used, value: value === "none" ? 0 : Number(value) });
}
const filled = parts.filter((part) => part.used > 0);
const values = filled.map((part) => part.value);
const sum = values.reduce((total, value) => total + value, 0);
const used = filled.reduce((total, part) => total + part.used, 0);
const figure = { mean: sum / used, sum, count: sum, min: Math.min(...values), max: Math.max(...values) }.${task.aggregate};
const isWhole = parts.length === ${paths.length} && used > 0;
return { runs, figure: isWhole ? figure.toFixed(${task.places}) : null, parts };`;
}

/** The task that each part solves by itself. */
export function toPartTask(task: TableTask): TableTask {
  const aggregate = task.aggregate === "mean" ? "sum" : task.aggregate;
  return { ...task, aggregate, places: aggregate === "count" ? 0 : task.places + EXTRA_PLACES };
}
