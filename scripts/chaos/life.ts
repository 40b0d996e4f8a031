// The stack of a chaos run over boards or jobs, from one kill to the next, with the person who uses it. Used by board-stack.ts and jobs.ts.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, ProblemError, createClient } from "../../cli/connection/client.ts";
import { readOperatorToken } from "../stack/local-state.ts";
import { freePort } from "../stack/processes.ts";
import type { Stack } from "../stack/stack.ts";
import { buildWorkers } from "./build.ts";
import { startOrDie, waitUntil } from "./stack.ts";
import { type World, startWorld } from "./world.ts";

/**
 * A failpoint of an object, and how often it is passed before the stack dies at it. `session`: of whichever session passes it first. `holdMs`:
 * nothing dies there; the first call of another object takes so long.
 */
export interface LifePoint {
  who: "board" | "agenda" | "session";
  at: string;
  skip?: number;
  holdMs?: number;
}

export interface Lives {
  /** Of the stack as it was started last. */
  readonly client: Client;
  world: World;
  /** Starts the stack. `null`: nothing dies by itself. */
  boot(point: LifePoint | null): Promise<void>;
  /** Waits until the point is reached. False: it was not, for so long. */
  untilReached(timeoutMs: number): Promise<boolean>;
  kill(): Promise<void>;
  /**
   * Points that were passed since the stack was started to learn them, with how often. `isLearned`: what is to pass them is over; then nothing
   * else may happen for three seconds.
   */
  learn(isLearned: () => Promise<boolean>): Promise<{ point: LifePoint; times: number }[]>;
}

const QUIET_MS = 3_000;
const LEARN_MS = 60_000;

/** The stack runs, and reports its points, when `work` begins. */
export async function withLives<T>(settings: object, work: (lives: Lives) => Promise<T>): Promise<T> {
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-chaos-"));
  const world = await startWorld();
  const token = readOperatorToken(stateDir);
  let stack: Stack | null = null;

  async function start(workers: Parameters<typeof startOrDie>[0]["workers"], plan: object): Promise<void> {
    world.reached.clear();
    // A new one for each start: another program may take a port while nothing listens there.
    const port = await freePort();
    const vars = {
      TALARIA_OPERATOR_TOKEN: token,
      TALARIA_MODEL: "openai-chat:scripted",
      OPENAI_BASE_URL: `${world.url}/v1`,
      TALARIA_SETTINGS: JSON.stringify(settings),
      TALARIA_CHAOS: JSON.stringify({ url: world.url, points: {}, objects: {}, ...plan }),
    };
    stack = (await startOrDie({ port, stateDir, workers, vars }, null))!.stack;
  }

  try {
    const workers = await buildWorkers(join(stateDir, "built"), { api: "api.ts" });
    await start(workers, { traced: "all" });
    const { key } = await createClient({ url: stack!.url, key: token }).createProfile();
    return await work({
      get client() {
        return createClient({ url: stack!.url, key });
      },
      world,
      boot(point) {
        if (!point) return start(workers, {});
        const { who, ...plan } = point;
        return start(workers, who === "session" ? { elsewhere: plan.at } : { objects: { [who]: plan } });
      },
      async untilReached(timeoutMs) {
        await waitUntil(() => world.reached.size > 0, timeoutMs);
        return world.reached.size > 0;
      },
      kill: () => stack!.kill(),
      async learn(isLearned) {
        for (const end = Date.now() + LEARN_MS; Date.now() < end && !(await isLearned());) await pause(100);
        const count = () => [...world.passed.values()].reduce((sum, points) => sum + points.length, 0);
        for (let seen = -1; seen !== count(); await pause(QUIET_MS)) seen = count();
        return countPoints(world);
      },
    });
  } finally {
    await (stack as Stack | null)?.kill();
    world.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/** In the order in which each was first passed, those of the objects before those of the sessions. */
function countPoints({ passed }: World): { point: LifePoint; times: number }[] {
  const counts = new Map<string, { point: LifePoint; times: number }>();
  for (const [session, points] of passed) {
    const who = session === "board" || session === "agenda" ? session : "session";
    for (const at of points) {
      const known = counts.get(`${who} ${at}`) ?? { point: { who, at }, times: 0 };
      counts.set(`${who} ${at}`, { ...known, times: known.times + 1 });
    }
  }
  return [...counts.values()].sort(
    (one, other) => Number(one.point.who === "session") - Number(other.point.who === "session"),
  );
}

export function describePoint({ who, at, skip = 0 }: LifePoint): string {
  return `${who} ${at}${skip > 0 ? ` (the ${skip + 1}. time)` : ""}`;
}

/** Of a request for what does not exist. Any other failure is thrown: it would hide a fault. */
export function toNull(error: unknown): null {
  if (error instanceof ProblemError && error.problem.status === 404) return null;
  throw error;
}
