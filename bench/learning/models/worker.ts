// The simulated worker: a model that does the tasks of the simulated world. It knows which operations a request needs, and
// recognises skills about the same kind of work in any wording. It loads those skills and uses the options that its context
// states; for the rest it tries one option after another. Its random draws depend on the task, never on its context.
import type { Message, Model, ModelRequest } from "../../../core/agent/contract.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { SKILLS_OPEN } from "../../../core/skills/invocation.ts";
import { happens, shuffled } from "../world/draws.ts";
import { findFittingSkills, readSkillLines } from "./matching.ts";
import type { Parameters } from "../world/parameters.ts";
import { type Script, createScriptModel } from "./scripted.ts";
import { OTHER_OPERATION } from "../world/service.ts";
import { readStatements } from "./statements.ts";
import { respell, readValue } from "../world/styles.ts";
import { EXIT, ROUTINE } from "../world/tools.ts";
import type { Task, World } from "../world/tasks.ts";
import { nameKind } from "./understanding.ts";
import { describeKind } from "./wording.ts";

/** The task number in a request. A later message about the task ends in `#<job>r` instead, which this must not match. */
export const TASK = /#(\d+\.\d+)(?![\dr])/;

export function createWorkerModel(worldOf: (job: string) => World, name = "bench:worker"): Model {
  return createScriptModel(name, (request) => beginWork(worldOf, request));
}

export function beginWork(
  worldOf: (job: string) => World,
  request: ModelRequest,
): { script: Script; startIndex: number } {
  const { messages } = request;
  const startIndex = messages.findLastIndex((message) => message.role === "user" && !isNote(message));
  // Notes follow the input.
  const last = messages.findLastIndex(({ role }) => role === "user");
  const job = TASK.exec(messages[startIndex]?.text ?? "")?.[1];
  const world = job === undefined ? null : worldOf(job);
  const task = job === undefined ? undefined : world?.task(job);
  if (!world || !task) return { script: thank(), startIndex: last };
  return {
    script: request.tools.length === 0 ? writeTitle(world, task) : work(world, task, request),
    startIndex: last,
  };
}

/** A request without tools asks for a session's title, and sometimes for its kind of work. */
// oxlint-disable-next-line require-yield
function* writeTitle(world: World, task: Task): Script {
  return { text: `${describeKind(task.request)}\nkind: ${nameKind(world, task, "title")}` };
}

// oxlint-disable-next-line require-yield
function* thank(): Script {
  return { text: "Understood." };
}

function* work(world: World, task: Task, request: ModelRequest): Script {
  const { parameters } = world;
  const { stream, worker, injection } = parameters;
  const { job } = task;
  const call = (name: string, args: Record<string, string>) => ({ name, args: { job, ...args } });
  const context = readVisibleContext(request);
  const steps = ROUTINE.slice(0, stream.routineCalls);
  const before = steps.slice(0, Math.ceil(steps.length / 2));

  const skills = chooseSkills(context.lines, task, worker);
  let loaded = "";
  const failed = new Set(context.failed);
  if (skills.length > 0) {
    const calls = skills.map((name) => ({ name: "skill_view", args: { name } }));
    const views = yield { text: "", calls };
    for (const { fields } of views) for (const word of readFailedWords(fields)) failed.add(word);
    loaded = views.map(({ fields }) => (typeof fields.content === "string" ? fields.content : "")).join("\n");
  }
  const known = [...context.statements, ...readStatements(loaded)];

  // Sometimes the worker copies the injected sentences into the record of the next step.
  const repeats = task.injection !== null && happens(injection.workerRepeats, job, "repeats");
  for (const [at, step] of before.entries()) {
    const note: Record<string, string> = repeats && at > 0 ? { note: task.injection!.lines.join(" ") } : {};
    yield { text: "", calls: [call("desk", { step, ...note })] };
  }

  let attempts = stream.attempts;
  for (const { name: operation } of task.operations) {
    const listed = readOptions(request, operation);
    const bypasses = happens(worker.bypass, job, operation, "bypass");
    const doubted = happens(worker.bypass, job, operation, "bypass failed words") ? new Set<string>() : failed;
    const stated = bypasses ? undefined : known.findLast((one) => one.operation === operation);
    const others = shuffled(listed.slice(1), job, operation, "order");
    // Values that a skill marks as failed are tried last.
    const first = stated && !doubted.has(stated.option) ? [respell(listed[0]!, stated.option)] : [];
    const rest = [listed[0]!, ...others];
    const doubtful = rest.filter((option) => doubted.has(readValue(option) ?? ""));
    const order = [...new Set([...first, ...rest.filter((option) => !doubtful.includes(option)), ...doubtful])];
    let isDone = false;
    for (let at = 0; at < order.length && attempts > 0 && !isDone;) {
      attempts -= 1;
      const [result] = yield { text: "", calls: [call("service", { operation, option: order[at]! })] };
      const exit = result?.fields.exit_code;
      isDone = exit === EXIT.ok;
      // Retry the same option when the service was busy. Any other failure means a wrong option.
      if (exit !== EXIT.busy) at += 1;
    }
    if (attempts === 0) break;
  }

  for (const step of steps.slice(before.length)) yield { text: "", calls: [call("desk", { step })] };
  return { text: world.closing(task) };
}

interface VisibleContext {
  lines: { name: string; description: string }[];
  statements: { operation: string; option: string }[];
  /** Values from skills with which calls failed the last time. */
  failed: string[];
}

const FAILED_WORDS = /^Calls that took these words from .*$/gm;

function readFailedWords(fields: JsonObject): string[] {
  const companion = (fields.companion ?? {}) as JsonObject;
  return [fields.failed_words, companion.failed_words].flatMap((words) =>
    Array.isArray(words) ? words.map(String) : [],
  );
}

const INDEX = /<available_skills>([\s\S]*?)<\/available_skills>/;
const MEMORY = /<memory>([\s\S]*?)<\/memory>/;
const NEW_SKILLS = /New skills:\n((?:- .*\n?)*)/;

/** Statements oldest first: the prompt's memory, then the notes, then the request itself. */
function readVisibleContext({ system, messages }: ModelRequest): VisibleContext {
  const notes = messages.filter(isNote);
  const lines = readSkillLines(INDEX.exec(system)?.[1] ?? "");
  for (const { text } of notes) lines.push(...readSkillLines(NEW_SKILLS.exec(text)?.[1] ?? ""));
  const texts = [MEMORY.exec(system)?.[1] ?? "", ...notes.map(({ text }) => text), findLastRequest(messages)];
  const failedWordNotes = notes.flatMap(({ text }) => text.match(FAILED_WORDS) ?? []).join("\n");
  const failed = Array.from(failedWordNotes.matchAll(/"([^"]+)"/g), ([, word]) => word!);
  return { lines, statements: texts.flatMap(readStatements), failed };
}

function findLastRequest(messages: readonly Message[]): string {
  return messages.findLast((message) => message.role === "user" && !isNote(message))?.text ?? "";
}

/** Also one that loads skills with the message. */
function isNote({ role, text }: Message): boolean {
  return role === "user" && (text.startsWith("<note>") || text.startsWith(SKILLS_OPEN));
}

/** Best match last: it is read last, and later statements win. */
function chooseSkills(lines: VisibleContext["lines"], task: Task, worker: Parameters["worker"]): string[] {
  return findFittingSkills(lines, listWordings(task))
    .filter((_line, at) => !happens(worker.missesLine, task.job, "misses", at))
    .slice(0, worker.views)
    .map(({ name }) => name)
    .reverse();
}

/** All wordings of the task's kind, each with the service's area. Knowing them is how the simulation models understanding. */
export function listWordings({
  family,
  request,
  operations,
}: Pick<Task, "family" | "request" | "operations">): string[] {
  const known = family ? [...family.wordings, ...family.heldOut] : [];
  const area = family?.key ?? "";
  return [...[request, ...known].map((text) => `${text} ${area}`), operations.map(({ name }) => name).join(" ")];
}

/** The operation's options, as the tool's description lists them. */
function readOptions(request: ModelRequest, operation: string): string[] {
  const described = request.tools.find(({ name }) => name === "service")?.description ?? "";
  const lines = described.split("\n");
  const listed = (name: string) => lines.find((one) => one.startsWith(`${name}: `))?.slice(name.length + 2);
  const options = (listed(operation) ?? listed(OTHER_OPERATION) ?? "").split(" | ");
  return options.filter((option) => readValue(option) !== null);
}
