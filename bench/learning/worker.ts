// The simulated worker: a model that does the tasks of the simulated world. It loads skills whose lines fit, takes the option
// for an operation from whatever stands in front of it, and else tries. It sees its request and nothing else; what it
// draws by chance depends on the task, never on what it was shown.
import type { Message, Model, ModelRequest } from "../../core/agent/contract.ts";
import { happens, shuffled } from "./draws.ts";
import { OTHER_OPTIONS } from "./families.ts";
import { fittingSkills, readSkillLines } from "./matching.ts";
import type { Parameters } from "./parameters.ts";
import { type Script, createScriptModel } from "./scripted.ts";
import { readStatements } from "./statements.ts";
import { EXIT, ROUTINE } from "./tools.ts";

/** Of a task; a reply to what was done has a number and no operations. */
const TASK = /Use (`[^`]+`(?:, `[^`]+`)*)\. #(\d+\.\d+)/;

export function createWorkerModel(parameters: Parameters, name = "bench:worker"): Model {
  return createScriptModel(name, (request) => beginWork(parameters, request));
}

export function beginWork(parameters: Parameters, request: ModelRequest): { script: Script; behind: number } {
  const { messages } = request;
  const behind = messages.findLastIndex(({ role, text }) => role === "user" && !text.startsWith("<note>"));
  // Notes stand behind the input.
  const last = messages.findLastIndex(({ role }) => role === "user");
  const asked = TASK.exec(messages[behind]?.text ?? "");
  if (!asked) return { script: thank(), behind: last };
  const operations = Array.from(asked[1]!.matchAll(/`([^`]+)`/g), ([, name]) => name!);
  const text = messages[behind]!.text;
  return { script: work({ request, text, job: asked[2]!, operations, parameters }), behind: last };
}

interface Assignment {
  request: ModelRequest;
  text: string;
  job: string;
  operations: string[];
  parameters: Parameters;
}

// oxlint-disable-next-line require-yield
function* thank(): Script {
  return { text: "Understood." };
}

function* work({ request, text, job, operations, parameters }: Assignment): Script {
  const { stream, worker } = parameters;
  const call = (name: string, args: Record<string, string>) => ({ name, args: { job, ...args } });
  const inFront = readInFront(request);
  const steps = ROUTINE.slice(0, stream.routineCalls);
  const before = steps.slice(0, Math.ceil(steps.length / 2));

  const skills = chooseSkills(inFront.lines, text, job, worker);
  let loaded = "";
  if (skills.length > 0) {
    const calls = skills.map((name) => ({ name: "skill_view", args: { name } }));
    const views = yield { text: "", calls };
    loaded = views.map(({ fields }) => (typeof fields.content === "string" ? fields.content : "")).join("\n");
  }
  const known = [...inFront.statements, ...readStatements(loaded)];

  let repeated = "";
  for (const step of before) {
    const note: Record<string, string> = repeated === "" ? {} : { note: repeated };
    const [heard] = yield { text: "", calls: [call("desk", { step, ...note })] };
    repeated = toRepeat(String(heard?.fields.stdout ?? ""), job, parameters);
  }

  let attempts = stream.attempts;
  let isStuck = false;
  for (const operation of operations) {
    const { flag, values } = optionsOf(request, operation, parameters);
    const bypasses = happens(worker.bypass, job, operation, "bypass");
    const stated = bypasses ? undefined : known.findLast((one) => one.operation === operation)?.option;
    const others = shuffled(values.slice(1), job, operation, "order");
    const order = [...new Set([...(stated ? [stated] : []), values[0]!, ...others])];
    let isDone = false;
    for (let at = 0; at < order.length && attempts > 0 && !isDone;) {
      attempts -= 1;
      const [heard] = yield { text: "", calls: [call("service", { operation, option: `${flag} ${order[at]}` })] };
      const exit = heard?.fields.exit_code;
      isDone = exit === EXIT.ok;
      // What was busy is asked once more; anything else was the wrong option.
      if (exit !== EXIT.busy) at += 1;
    }
    if (!isDone) isStuck = true;
    if (attempts === 0) break;
  }

  for (const step of steps.slice(before.length)) yield { text: "", calls: [call("desk", { step })] };
  yield { text: "", calls: [call("check", {})] };
  return { text: isStuck ? "I could not finish all of it." : "It is done." };
}

interface InFront {
  lines: { name: string; description: string }[];
  statements: { operation: string; option: string }[];
}

const INDEX = /<available_skills>([\s\S]*?)<\/available_skills>/;
const MEMORY = /<memory>([\s\S]*?)<\/memory>/;
const NEW_SKILLS = /New skills:\n((?:- .*\n?)*)/;

/** The prompt's index and memory, then the notes, which are newer; then what the task itself says. */
function readInFront({ system, messages }: ModelRequest): InFront {
  const notes = messages.filter((message) => message.role === "user" && message.text.startsWith("<note>"));
  const lines = readSkillLines(INDEX.exec(system)?.[1] ?? "");
  for (const { text } of notes) lines.push(...readSkillLines(NEW_SKILLS.exec(text)?.[1] ?? ""));
  const texts = [MEMORY.exec(system)?.[1] ?? "", ...notes.map(({ text }) => text), lastRequest(messages)];
  return { lines, statements: texts.flatMap(readStatements) };
}

function lastRequest(messages: readonly Message[]): string {
  return messages.findLast(({ role, text }) => role === "user" && !text.startsWith("<note>"))?.text ?? "";
}

/** The best fitting last: it is read last, and the later of two statements wins. */
function chooseSkills(lines: InFront["lines"], text: string, job: string, worker: Parameters["worker"]): string[] {
  return fittingSkills(lines, text)
    .filter((_line, at) => !happens(worker.missesLine, job, "misses", at))
    .slice(0, worker.views)
    .map(({ name }) => name)
    .reverse();
}

/** As the tool's own words list them. */
function optionsOf(
  request: ModelRequest,
  operation: string,
  { stream }: Parameters,
): { flag: string; values: string[] } {
  const described = request.tools.find(({ name }) => name === "service")?.description ?? "";
  const line = described.split("\n").find((one) => one.startsWith(`${operation}: `));
  const [, flag, list] = /: (--[a-z]+) (.+)$/.exec(line ?? "") ?? [];
  if (!flag || !list) return { flag: OTHER_OPTIONS.flag, values: OTHER_OPTIONS.values.slice(0, stream.optionsPerAtom) };
  return { flag, values: list.split(" | ") };
}

/** Some of what stands in an output is said after it, in the record of the next step. */
function toRepeat(output: string, job: string, { injection }: Parameters): string {
  const [, ...more] = output.split("\n");
  if (more.length === 0 || !happens(injection.workerRepeats, job, "repeats")) return "";
  return `Noted from the input: ${more.join(" ").replace(/^[^:]*: /, "")}`;
}
