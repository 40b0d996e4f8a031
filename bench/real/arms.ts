// Runs one arm of bench:real: the same tasks, each in a new session, on the product's three Workers. Each arm has its own stack and
// profile, stored in the output folder so that an interrupted run can resume.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, createClient } from "../../cli/connection/client.ts";
import { type ExperimentLine, ExperimentList } from "../../core/schemas/learning/experiment-api.ts";
import { promptTokens } from "../../core/schemas/entry.ts";
import { isCorrect } from "../../scripts/demo/answers.ts";
import { type ReviewPatience, awaitReview } from "../../scripts/demo/await-review.ts";
import { type Conventions, exportTable } from "../../scripts/demo/conventions.ts";
import type { Task } from "../../scripts/demo/tasks.ts";
import type { WorkerOptions } from "../../scripts/stack/bundle.ts";
import { readOperatorToken } from "../../scripts/stack/local-state.ts";
import { startStack } from "../../scripts/stack/stack.ts";
import type { RealOptions } from "./options.ts";
import type { ArmName, ExperimentCounts, ReviewCounts, TaskRecords, TaskRecord } from "./records.ts";
import { SKILL_NAME, writeSkillByHand } from "./skill-by-hand.ts";

/** A small model on a slow machine takes minutes to read a review. An experiment is up to sixteen runs of a turn. */
const PATIENCE: Patience = { beginsMs: 60_000, endsMs: 30 * 60_000, triedMs: 2 * 60 * 60_000 };
/** Per day, far above what experiments use. How much they use is measured. */
const REPLAY_TOKENS = 100_000_000;
const POLL_MS = 500;

/** `triedMs`: until the experiments of a review have ended. */
export interface Patience extends ReviewPatience {
  triedMs: number;
}

export interface ArmOptions {
  conventions: Conventions;
  tasks: Task[];
  options: RealOptions;
  records: TaskRecords;
  /** The product's three Workers, bundled. */
  workers: WorkerOptions[];
  patience?: Patience;
  say(line: string): void;
  signal: AbortSignal;
}

export async function runArm(
  arm: ArmName,
  { conventions, tasks, options, records, workers, patience = PATIENCE, say, signal }: ArmOptions,
) {
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
      const file = exportTable(task.table, conventions);
      const record = { arm, n, ...(await solve({ client, task, file, arm, patience })) };
      records.add(record);
      say(`${arm} ${n + 1} of ${tasks.length}: ${toStatus(record)}`);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await stack.stop();
  }
}

/** The arms in which the agent learns. The skills of the others never change. */
function learns(arm: ArmName): boolean {
  return arm === "ours" || arm === "replay";
}

function toVars(arm: ArmName, { baseUrl, model, window, steps }: RealOptions, token: string): Record<string, string> {
  const name = `openai-chat:${model}`;
  const settings = {
    models: { windows: { [name]: window } },
    turn: { maxSteps: steps },
    ...(!learns(arm) && { review: { enabled: false } }),
    ...(arm === "replay" && { review: { replayTokens: REPLAY_TOKENS } }),
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

async function solve({
  client,
  task,
  file,
  arm,
  patience,
}: {
  client: Client;
  task: Task;
  file: string;
  arm: ArmName;
  patience: Patience;
}): Promise<Omit<TaskRecord, "arm" | "n">> {
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
    if (learns(arm)) await client.rate(session, event.turn, { rating: correct ? "up" : "down" });
    return {
      correct,
      state: event.state,
      ...{ toolCalls, failedCalls },
      tokens: promptTokens(usage) + usage.output,
      ms: Math.round(performance.now() - began),
      ...(await waitForLessons(client, session, arm, patience)),
    };
  }
  throw new Error("The stream ended before the turn.");
}

async function waitForLessons(
  client: Client,
  session: string,
  arm: ArmName,
  patience: Patience,
): Promise<Pick<TaskRecord, "review" | "noReview" | "experiments">> {
  if (!learns(arm)) return { review: null };
  const ended = await waitForReview(client, session, patience);
  if (arm !== "replay") return ended;
  return { ...ended, experiments: await waitForExperiments(client, session, ended.review, patience) };
}

async function waitForReview(
  client: Client,
  session: string,
  patience: ReviewPatience,
): Promise<Pick<TaskRecord, "review" | "noReview">> {
  const detail = await awaitReview(client, session, patience);
  const { result, dead } = detail ?? {};
  if (!result)
    return { review: null, noReview: dead ? dead.message : "No review followed, or it did not end in time." };
  const { lessons, refused, waiting = 0, usage } = result;
  const tokens = promptTokens(usage) + usage.output;
  return { review: { entered: lessons.length, refused: refused.length + waiting, tokens } };
}

/** The experiments that followed the session's review. The session asks for them when it has read the review's result. */
async function waitForExperiments(
  client: Client,
  session: string,
  review: ReviewCounts | null,
  { beginsMs, triedMs }: Patience,
): Promise<ExperimentCounts> {
  const began = performance.now();
  for (;;) {
    const { experiments } = await client.call(ExperimentList, "GET /v1/experiments", { query: { limit: "100" } });
    const own = experiments.filter((one) => one.session === session);
    const waitedMs = performance.now() - began;
    const isDue = own.length === 0 && (review?.entered ?? 0) > 0 && waitedMs < beginsMs;
    const isDone = !isDue && own.every(({ state }) => state === "done");
    if (isDone || waitedMs > triedMs) return countExperiments(own, isDone);
    await pause(POLL_MS);
  }
}

function countExperiments(own: ExperimentLine[], isDone: boolean): ExperimentCounts {
  const counts: ExperimentCounts = { made: own.length, outcomes: {}, tokens: 0, ...(!isDone && { cutOff: true }) };
  for (const { outcome, tokens } of own) {
    counts.outcomes[outcome ?? "none"] = (counts.outcomes[outcome ?? "none"] ?? 0) + 1;
    counts.tokens += tokens.used;
  }
  return counts;
}

function toStatus({ correct, state, toolCalls, tokens, ms, review, noReview, experiments }: TaskRecord): string {
  const lessons = review ? `; review: ${review.entered} entered, ${review.refused} refused` : "";
  const why = noReview ? `; ${noReview}` : "";
  const end = `${correct ? "right" : "wrong"} (${state})`;
  const tried = experiments ? `; ${experiments.made} experiments, ${experiments.tokens} tokens` : "";
  return `${end}, ${toolCalls} tool calls, ${tokens} tokens, ${(ms / 1_000).toFixed(0)} s${lessons}${why}${tried}`;
}
