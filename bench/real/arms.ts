// Runs one arm of bench:real: the same tasks, each in a new session, on the product's three Workers. Each arm has its own stack and
// profile, stored in the output folder so that an interrupted run can resume.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient } from "../../cli/connection/client.ts";
import { promptTokens } from "../../core/schemas/entry.ts";
import { isCorrect } from "../../scripts/demo/answers.ts";
import { awaitReview } from "../../scripts/demo/await-review.ts";
import { type Conventions, exportTable } from "../../scripts/demo/conventions.ts";
import type { Task } from "../../scripts/demo/tasks.ts";
import type { WorkerOptions } from "../../scripts/stack/bundle.ts";
import { readOperatorToken } from "../../scripts/stack/local-state.ts";
import { startStack } from "../../scripts/stack/stack.ts";
import type { RealOptions } from "./options.ts";
import type { ArmName, TaskRecords, TaskRecord } from "./records.ts";
import { SKILL_NAME, writeSkillByHand } from "./skill-by-hand.ts";

export const ARMS: readonly ArmName[] = ["off", "ours", "seeded"];

/** Timeouts for a review. A small model on a slow machine takes minutes to read one. */
const REVIEW_TIMEOUTS = { beginsMs: 60_000, endsMs: 30 * 60_000 };

export interface ArmOptions {
  conventions: Conventions;
  tasks: Task[];
  options: RealOptions;
  records: TaskRecords;
  /** The product's three Workers, bundled. */
  workers: WorkerOptions[];
  say(line: string): void;
  signal: AbortSignal;
}

export async function runArm(arm: ArmName, { conventions, tasks, options, records, workers, say, signal }: ArmOptions) {
  const done = new Set(records.read().flatMap((record) => (record.arm === arm ? [record.n] : [])));
  const open = tasks.map((task, n) => ({ task, n })).filter(({ n }) => !done.has(n));
  if (open.length === 0 || signal.aborted) return;
  const folder = join(records.folder, arm);
  const stateDir = join(folder, "state");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const token = readOperatorToken(stateDir);
  const stack = await startStack({ stateDir, vars: toVars(arm, options, token), workers, signal });
  const onAbort = () => void stack.kill();
  signal.addEventListener("abort", onAbort);
  try {
    const key = await openProfile(folder, createClient({ url: stack.url, key: token }));
    const client = createClient({ url: stack.url, key });
    if (arm === "seeded") await client.putSkill(SKILL_NAME, { "SKILL.md": writeSkillByHand(conventions) });
    for (const { task, n } of open) {
      const record = { arm, n, ...(await solve(client, task, exportTable(task.table, conventions), arm)) };
      records.add(record);
      say(`${arm} ${n + 1} of ${tasks.length}: ${toStatus(record)}`);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await stack.stop();
  }
}

/** Only `ours` has reviews. The skills of the other arms never change. */
function toVars(arm: ArmName, { baseUrl, model, window, steps }: RealOptions, token: string): Record<string, string> {
  const name = `openai-chat:${model}`;
  const settings = {
    models: { windows: { [name]: window } },
    turn: { maxSteps: steps },
    ...(arm !== "ours" && { review: { enabled: false } }),
  };
  return {
    TALARIA_OPERATOR_TOKEN: token,
    TALARIA_MODEL: name,
    TALARIA_SETTINGS: JSON.stringify(settings),
    OPENAI_BASE_URL: baseUrl,
    ...(process.env.OPENAI_API_KEY && { OPENAI_API_KEY: process.env.OPENAI_API_KEY }),
  };
}

/** Creates the arm's profile, or finds the one of an interrupted run. */
async function openProfile(folder: string, operator: Client): Promise<string> {
  const file = join(folder, "key");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const { key } = await operator.createProfile();
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}

async function solve(client: Client, task: Task, file: string, arm: ArmName): Promise<Omit<TaskRecord, "arm" | "n">> {
  const { session } = await client.createSession();
  await client.putFile(session, task.table.file, file);
  const began = performance.now();
  let answer = { entry: 0, text: "" };
  for await (const { event } of client.streamMessage(session, task.text)) {
    // Text of an earlier entry, before a tool call, is not part of the answer.
    if (event.type === "text_delta") {
      answer = { entry: event.entry, text: (event.entry === answer.entry ? answer.text : "") + event.text };
    }
    if (event.type !== "turn_end") continue;
    const { toolCalls, failedCalls, usage } = event.stats;
    const correct = event.state === "done" && isCorrect(answer.text, task);
    if (arm === "ours") await client.rate(session, event.turn, { rating: correct ? "up" : "down" });
    return {
      correct,
      state: event.state,
      ...{ toolCalls, failedCalls },
      tokens: promptTokens(usage) + usage.output,
      ms: Math.round(performance.now() - began),
      ...(arm === "ours" ? await waitForReview(client, session) : { review: null }),
    };
  }
  throw new Error("The stream ended before the turn.");
}

async function waitForReview(client: Client, session: string): Promise<Pick<TaskRecord, "review" | "noReview">> {
  const detail = await awaitReview(client, session, REVIEW_TIMEOUTS);
  const { result, dead } = detail ?? {};
  if (!result)
    return { review: null, noReview: dead ? dead.message : "No review followed, or it did not end in time." };
  const { lessons, refused, waiting = 0, usage } = result;
  const tokens = promptTokens(usage) + usage.output;
  return { review: { entered: lessons.length, refused: refused.length + waiting, tokens } };
}

function toStatus({ correct, state, toolCalls, tokens, ms, review, noReview }: TaskRecord): string {
  const lessons = review ? `; review: ${review.entered} entered, ${review.refused} refused` : "";
  const why = noReview ? `; ${noReview}` : "";
  const end = `${correct ? "right" : "wrong"} (${state})`;
  return `${end}, ${toolCalls} tool calls, ${tokens} tokens, ${(ms / 1_000).toFixed(0)} s${lessons}${why}`;
}
