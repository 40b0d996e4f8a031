// Builds the record of one task from its session's log and the progress of its operations. Called by run-stream.ts.
import { loadedTexts } from "../../../core/learning/observe/observe.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import type { LoadedText } from "../../../core/schemas/learning/learning.ts";
import { seeds } from "../../../skills-seed/index.ts";
import type { OpenSession } from "../platform/platform.ts";
import type { TaskRecord } from "./records.ts";
import { readEntries } from "../platform/session-entries.ts";
import { findLastStatement } from "../models/statements.ts";
import { readValue } from "../world/styles.ts";
import { type Progress, isSolved } from "../world/tools.ts";
import type { Task, World } from "../world/tasks.ts";

export function toRecord(world: World, task: Task, session: OpenSession, progress: Progress): TaskRecord {
  const entries = readEntries(session).filter((entry) => entry.turn === 1);
  const calls = entries.filter((entry) => entry.kind === "tool");
  const served = calls.filter(({ call }) => call.name === "service");
  const views = calls.filter(({ call, failed }) => call.name === "skill_view" && !failed);
  const recalled = entries.filter((entry) => entry.kind === "note" && entry.skills !== undefined);
  const inFront = [
    ...recalled.map(textOf),
    ...views.flatMap(({ parts }) => parts.map(({ text }) => readContent(text))),
  ].join("\n");
  let stated = 0;
  let bypassed = 0;
  let drifted = 0;
  let driftedRight = 0;
  const { driftAt } = world.parameters.changes;
  for (const { name } of task.operations) {
    const first = served.find(({ call }) => call.args.operation === name);
    if (!first) continue;
    const option = readValue(String(first.call.args.option));
    const statement = findLastStatement(inFront, name);
    if (statement) stated += 1;
    if (statement && statement.option !== option) bypassed += 1;
    if (task.n > driftAt && world.right(name, task.n) !== world.right(name, driftAt)) {
      drifted += 1;
      if (option === world.right(name, task.n)) driftedRight += 1;
    }
  }
  return {
    n: task.n,
    family: task.family?.key ?? null,
    solved: isSolved(progress, task.job, task.operations),
    calls: calls.length,
    failedCalls: calls.filter(({ failed }) => failed).length,
    promptTokens: entries.reduce((sum, entry) => sum + (entry.kind === "assistant" ? entry.answer.usage.input : 0), 0),
    stumbled: served.some(({ failed }) => failed),
    uses: listLoaded(session).length,
    stated,
    bypassed,
    drifted,
    driftedRight,
  };
}

/** The learned and imported texts that the task's turn loaded. */
export function listLoaded(session: Pick<OpenSession, "engine">): LoadedText[] {
  const entries = readEntries(session).filter((entry) => entry.turn === 1);
  return unique(entries.flatMap(loadedTexts)).filter(({ skill }) => !Object.hasOwn(seeds, skill));
}

/** A recalled text may have been loaded a second time. */
function unique(loaded: LoadedText[]): LoadedText[] {
  return [...new Map(loaded.map((one) => [`${one.skill} ${one.text}`, one])).values()];
}

function readContent(part: string): string {
  const { content } = JSON.parse(part) as { content?: unknown };
  return typeof content === "string" ? content : "";
}
