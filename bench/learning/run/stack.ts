// Runs the product on its real stack: the api and review Workers in one workerd, every session over HTTP, the simulated models
// served by wire-server.ts. For a few seeds it repeats what run-stream.ts does in one process and compares the stored state.
// The stack runs on real time. So both modes run without pacing limits, without the curator's cron and without faults.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { CreatedProfile, SessionInfo } from "../../../core/schemas/api.ts";
import { Entry } from "../../../core/schemas/entry.ts";
import type { SettingsPatch } from "../../../core/schemas/settings.ts";
import { readWorkerConfigs } from "../../../scripts/stack/wrangler.ts";
import { bundleWorker } from "../../../scripts/stack/bundle.ts";
import { send } from "../../support/http.ts";
import { OPERATOR_TOKEN } from "../../support/subjects/talaria.ts";
import { startWorkers } from "../../support/workers.ts";
import { type Arm, findArm } from "../arms/arms.ts";
import { toCanonical } from "../report/canonical.ts";
import type { Parameters } from "../world/parameters.ts";
import { PROFILE, readSessionNumber, runStream } from "./run-stream.ts";
import type { BenchWorld, OpenJobs, StoredObjects } from "./ours.ts";
import { EXIT } from "../world/tools.ts";
import { REVIEWER_MODEL, WORKER_MODEL, startWireServer } from "../models/wire-server.ts";
import { spellOption } from "../world/styles.ts";
import type { Surfaces } from "../world/surfaces.ts";
import type { Task, World } from "../world/tasks.ts";
import { createWorld, createWorlds } from "../world/world.ts";

/** Changes to the default settings, in both modes. */
const SETTINGS_PATCH: SettingsPatch = {
  review: { perSessionMs: 0, perProfileMs: 0, prefix: "never", looksMs: [400, 400, 1_000, 5_000] },
};

const POLL_MS = 15;
/** A session that is not idle by then is considered stuck. */
const MAX_WAIT_MS = 60_000;

export interface StackRun {
  seeds: number;
  sessions: number;
  differences: string[];
  minutes: number;
}

export async function compareWithStack(
  parameters: Parameters,
  surfaces: Surfaces,
  seeds: readonly number[],
  say: (line: string) => void,
): Promise<StackRun> {
  const began = performance.now();
  const steady: Parameters = { ...parameters, faults: { redelivered: 0, killed: 0 } };
  const stack = await startStack({ parameters: steady, surfaces });
  try {
    say("the Workers run");
    const differences = await Promise.all(
      seeds.map(async (seed) => {
        const world = createWorld(steady, surfaces, seed);
        const [real, fast] = [await runOnStack(stack.url, world), await runFast(world)];
        say(`seed ${seed} on the stack: ${real.length} things stored`);
        return compare(seed, real, fast);
      }),
    );
    const minutes = (performance.now() - began) / 60_000;
    return { seeds: seeds.length, sessions: parameters.stream.sessions, differences: differences.flat(), minutes };
  } finally {
    await stack.stop();
  }
}

/** Lines that only one of the two modes has. */
function compare(seed: number, real: readonly string[], fast: readonly string[]): string[] {
  const [onStack, inProcess] = [new Set(real), new Set(fast)];
  return [
    ...real.filter((line) => !inProcess.has(line)).map((line) => `seed ${seed}, on the stack only: ${line}`),
    ...fast.filter((line) => !onStack.has(line)).map((line) => `seed ${seed}, in one process only: ${line}`),
  ];
}

async function runFast(world: World): Promise<string[]> {
  const ours = findArm("ours");
  const { turn, review } = ours.settings;
  const settings = {
    ...ours.settings,
    turn: { ...turn, ...SETTINGS_PATCH.turn },
    review: { ...review, ...SETTINGS_PATCH.review },
  };
  const arm: Arm = { ...ours, settings, curates: false };
  let canonical: string[] = [];
  await runStream(arm, world, {
    async ended({ bucket, kv }) {
      const stored: StoredObjects = { objects: [], facts: [] };
      for (const part of ["heads/", "blobs/", "evidence/"]) {
        for (const key of bucket.keys(`p/${PROFILE}/${part}`)) {
          stored.objects.push({ key, text: (await (await bucket.get(key))?.text()) ?? "" });
        }
      }
      const { keys } = await kv.list({ prefix: `p/${PROFILE}/` });
      for (const { name } of keys) stored.facts.push({ key: name, value: (await kv.get(name)) ?? "" });
      canonical = toCanonical(stored, readSessionNumber);
    },
  });
  return canonical;
}

async function startStack(given: BenchWorld): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "talaria-bench-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeFolder);
  const server = await startWireServer(createWorlds(given.parameters, given.surfaces));
  const product = readWorkerConfigs().filter(({ worker }) => worker !== "curator");
  const main = join(import.meta.dirname, "ours.ts");
  const workers = await Promise.all(
    product.map(({ worker, raw }) => bundleWorker(worker === "api" ? { ...raw, main } : raw, join(folder, worker))),
  );
  const models = [WORKER_MODEL, REVIEWER_MODEL].map((name) => `openai-chat:${name}`);
  const windows = Object.fromEntries(models.map((name) => [name, 200_000]));
  const running = await startWorkers(workers, {
    stateDir: join(folder, "state"),
    vars: {
      TALARIA_OPERATOR_TOKEN: OPERATOR_TOKEN,
      TALARIA_MODEL: models[0]!,
      TALARIA_MODEL_REVIEW: models[1]!,
      OPENAI_BASE_URL: server.baseUrl,
      TALARIA_SETTINGS: JSON.stringify({ ...SETTINGS_PATCH, models: { windows } }),
      TALARIA_BENCH: JSON.stringify(given),
    },
  });
  return {
    url: await running.url("talaria-api"),
    async stop() {
      await running.stop();
      server.close();
      process.off("exit", removeFolder);
      removeFolder();
    },
  };
}

async function runOnStack(url: string, world: World): Promise<string[]> {
  const { profile, key } = CreatedProfile.parse(await call(`${url}/v1/profiles`, OPERATOR_TOKEN, {}));
  const json = (path: string, body?: object) => call(`${url}/v1${path}`, key, body);
  for (const { name, text } of world.imported) await json("/skills/import", { name, files: { "SKILL.md": text } });
  const { sessions: count } = world.parameters.stream;
  const sessions: string[] = [];
  const solved: boolean[] = [];
  for (const task of world.tasks) {
    await rateEarlier(task.n - world.parameters.labels.ratingDelaySessions);
    const { session } = SessionInfo.parse(await json("/sessions", {}));
    sessions.push(session);
    await say(session, task.request);
    solved.push(await isSolvedIn(session, task));
    const reply = world.followUp(task, solved.at(-1)!);
    if (reply) await say(session, reply.text);
  }
  const stored = (await call(`${url}/bench-stored/${profile}`, key)) as StoredObjects;
  return toCanonical(stored, (session) => sessions.indexOf(session) + 1);

  async function rateEarlier(n: number): Promise<void> {
    if (n < 1 || n > count) return;
    const rating = world.rating(world.tasks[n - 1]!, solved[n - 1]!);
    if (!rating) return;
    await json(`/sessions/${sessions[n - 1]}/turns/1/rating`, rating);
    await waitUntilIdle(sessions[n - 1]!);
  }

  /** Sends a message and waits until the session has no turn, job or review left. */
  async function say(session: string, text: string): Promise<void> {
    const answer = await send(`${url}/v1/sessions/${session}/messages`, {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ text }),
    });
    if (answer.status >= 300 || !answer.text.includes("event: turn_end")) {
      throw new Error(`a turn failed (${answer.status}): ${answer.text.slice(-400)}`);
    }
    await waitUntilIdle(session);
  }

  async function waitUntilIdle(session: string): Promise<void> {
    const until = performance.now() + MAX_WAIT_MS;
    let idlePolls = 0;
    while (idlePolls < 2) {
      if (performance.now() > until) throw new Error(`session ${session} is not idle after ${MAX_WAIT_MS} ms`);
      await setTimeout(POLL_MS);
      const { jobs } = (await call(`${url}/bench-jobs/${profile}/${session}`, key)) as OpenJobs;
      idlePolls = jobs === 0 ? idlePolls + 1 : 0;
    }
  }

  async function isSolvedIn(session: string, task: Task): Promise<boolean> {
    const answer = (await json(`/sessions/${session}/entries`)) as { entries: unknown[] };
    const entries = z.array(Entry).parse(answer.entries);
    const done = entries.flatMap((entry) => {
      if (entry.kind !== "tool" || entry.call.name !== "service" || entry.failed) return [];
      const isDone = entry.parts.some(({ text }) => text.includes(`"exit_code":${EXIT.ok}`));
      return isDone ? [`${String(entry.call.args.operation)} ${String(entry.call.args.option)}`] : [];
    });
    const rightCall = ({ name, flag, style }: Task["operations"][number]) =>
      `${name} ${spellOption(flag, style, world.right(name, task.n))}`;
    return task.operations.every((operation) => done.includes(rightCall(operation)));
  }
}

/** GET without a body, otherwise POST. */
async function call(url: string, key: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await send(url, { method: body ? "POST" : "GET", headers, body: body ? JSON.stringify(body) : "" });
  if (answer.status >= 300) throw new Error(`${url} answered ${answer.status}: ${answer.text.slice(0, 400)}`);
  return answer.text === "" ? null : JSON.parse(answer.text);
}
