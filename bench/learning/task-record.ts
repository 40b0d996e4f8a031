// What is recorded of one task: read from the log of its session and from how far its operations came.
import { readOutcome } from "../../core/agent/tool-result.ts";
import { seeds } from "../../skills-seed/index.ts";
import type { OpenSession } from "./platform.ts";
import type { TaskRecord } from "./records.ts";
import { entriesOf } from "./session-entries.ts";
import { lastStatement } from "./statements.ts";
import { type Progress, isSolved } from "./tools.ts";
import type { Task, World } from "./world.ts";

export function toRecord(world: World, task: Task, session: OpenSession, progress: Progress): TaskRecord {
  const entries = entriesOf(session).filter((entry) => entry.turn === 1);
  const calls = entries.filter((entry) => entry.kind === "tool");
  const served = calls.filter(({ call }) => call.name === "service");
  const views = calls.filter(({ call, failed }) => call.name === "skill_view" && !failed);
  const uses = views.flatMap((view) => {
    const { name, text, companion } = readOutcome(view) as { name: string; text: string; companion?: object };
    return [{ name, text }, ...(companion ? [companion as { name: string; text: string }] : [])];
  });
  const inFront = views.flatMap(({ parts }) => parts.map(({ text }) => shownIn(text))).join("\n");
  let stated = 0;
  let bypassed = 0;
  let drifted = 0;
  let driftedRight = 0;
  const { driftAt } = world.parameters.changes;
  for (const { name } of task.operations) {
    const first = served.find(({ call }) => call.args.operation === name);
    if (!first) continue;
    const option = String(first.call.args.option).split(" ")[1];
    const statement = lastStatement(inFront, name);
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
    uses: uses.filter(({ name }) => !Object.hasOwn(seeds, name)).map(({ name, text }) => ({ skill: name, text })),
    stated,
    bypassed,
    drifted,
    driftedRight,
  };
}

function shownIn(part: string): string {
  const { content } = JSON.parse(part) as { content?: unknown };
  return typeof content === "string" ? content : "";
}
