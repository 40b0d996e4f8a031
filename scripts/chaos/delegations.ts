// Runs turns that delegate three tasks each on the real stack, and kills the whole stack with SIGKILL at points of the parents and of
// their children. Called by chaos.ts and, in a short form, by a test. What became of each task is read through the API, and from the
// requests that the children's tools made.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, createClient } from "../../cli/connection/client.ts";
import { textOf } from "../../core/schemas/entry.ts";
import { mulberry32 } from "../seeded.ts";
import { readOperatorToken } from "../stack/local-state.ts";
import { freePort } from "../stack/processes.ts";
import type { Stack } from "../stack/stack.ts";
import { buildWorkers } from "./build.ts";
import { startOrDie, waitUntil } from "./stack.ts";
import { PARTS, type World, startWorld, toPart, writeDelegationText, writePartAnswer } from "./world.ts";

export interface DelegationsOptions {
  delegations: number;
  seed: number;
  say(line: string): void;
  /** Points to kill at, in order, as `parent <point>` or `child <point>`. Default: all that a delegation passes. */
  points?: string[];
}

export interface DelegationsRun {
  kills: number;
  /** Tasks whose answer is missing in the parent's result. */
  lost: number;
  /** Tasks that were done under two keys, began twice, or have two turns. */
  duplicated: number;
  /** Turns of parents and children that have not ended. */
  stuck: number;
  remarks: string[];
  /** Planned points that were not passed before the kill. */
  unhit: string[];
}

/** A turn is killed more often here than in life, at one and the same place. */
const SETTINGS = { turn: { leaseMs: 1_000, titles: false, maxAttempts: 100 }, review: { enabled: false } };
/** Kills of one delegation. */
const MAX_CUTS = 6;
const POINT_MS = 15_000;
/** What is left after the parent's turn: reports, bookings, the index. */
const OUTBOX_MS = 3_000;
const QUIET_MS = 3_000;
const END_MS = 120_000;
/** Share of kills at a random moment instead of a point. */
const RANDOM_SHARE = 0.1;
const RANDOM_MS = 1_500;

interface Delegation {
  n: number;
  session: string;
}

export async function runDelegations(options: DelegationsOptions): Promise<DelegationsRun> {
  const { delegations, seed, say } = options;
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-chaos-"));
  const world = await startWorld();
  const random = mulberry32(seed);
  const token = readOperatorToken(stateDir);
  const port = await freePort();
  const workers = await buildWorkers(join(stateDir, "built"), { api: "api.ts" });
  let stack: Stack | null = null;
  let kills = 0;

  async function boot(plan: { points?: Record<string, string>; elsewhere?: string; traced?: "all" }): Promise<void> {
    world.reached.clear();
    const vars = {
      TALARIA_OPERATOR_TOKEN: token,
      TALARIA_MODEL: "openai-chat:scripted",
      OPENAI_BASE_URL: `${world.url}/v1`,
      TALARIA_SETTINGS: JSON.stringify(SETTINGS),
      TALARIA_CHAOS: JSON.stringify({ url: world.url, points: {}, ...plan }),
    };
    stack = (await startOrDie({ port, stateDir, workers, vars }, null))!.stack;
  }

  try {
    await boot({ traced: "all" });
    const url = stack!.url;
    const { key } = await createClient({ url, key: token }).createProfile();
    const client = createClient({ url, key, reconnectMs: 10 * 60_000, wait: (ms) => pause(Math.min(ms, 250)) });
    const all: Delegation[] = [];
    for (let n = 1; n <= delegations; n++) all.push({ n, session: (await client.createSession()).session });
    const points = options.points ?? (await learnPoints(client, world));
    await stack!.kill();
    say(`A parent and its children pass ${points.length} points. Seed ${seed}.`);

    const unhit: string[] = [];
    for (const [at, { n, session }] of all.entries()) {
      // Each delegation is killed at points that are far apart, in the order in which it passes them.
      const mine = points.filter((_, i) => i % all.length === at);
      const own = mine.filter((_, i) => i % Math.ceil(mine.length / MAX_CUTS) === 0);
      for (const point of own) {
        const isRandom = random() < RANDOM_SHARE && !options.points;
        await boot(isRandom ? {} : toPlan(point, session, all));
        // The stack may die before it answers; the message is sent again after the next start.
        client.postMessage(session, writeDelegationText(n), `delegate-${n}`).catch(() => {});
        if (isRandom) await pause(random() * RANDOM_MS);
        else await untilReached(world, session);
        const hit = world.reached.size > 0;
        await stack!.kill();
        kills++;
        if (!hit && !isRandom) unhit.push(point);
        say(`Kill ${kills}: delegation ${n} ${isRandom ? "at random" : `${point}${hit ? "" : " (not passed)"}`}`);
        if (hasSettled(world, session)) break; // it is over: the next one is killed at its own points
      }
    }

    await boot({});
    for (const { n, session } of all) await client.postMessage(session, writeDelegationText(n), `delegate-${n}`);
    const end = Date.now() + END_MS;
    while (Date.now() < end && (await countOpen(client, all)) > 0) await pause(500);
    const measured = await measure(client, all, world);
    for (const remark of measured.remarks) say(`Remark: ${remark}`);
    return { kills, unhit, ...measured };
  } finally {
    await (stack as Stack | null)?.kill();
    world.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/** The points of one delegation without a kill, about in the order in which it passes them. */
async function learnPoints(client: Client, { passed }: World): Promise<string[]> {
  const { session } = await client.createSession();
  passed.clear();
  await client.postMessage(session, writeDelegationText(0), "learn");
  await waitUntil(() => passed.get(session)?.includes("after settle") ?? false, END_MS);
  const count = () => [...passed.values()].reduce((sum, points) => sum + points.length, 0);
  for (let seen = -1; seen !== count(); await pause(QUIET_MS)) seen = count();
  // Points of the session's creation may still arrive after its answer.
  const ofParent = (passed.get(session) ?? []).filter((point) => !point.includes("meta session"));
  const ofChildren = [...passed].flatMap(([one, points]) => (one === session ? [] : points));
  const begun = ofParent.indexOf("after begin child") + 1;
  const named = (who: string, points: string[]) => points.map((point) => `${who} ${point}`);
  return [
    ...new Set([
      ...named("parent", ofParent.slice(0, begun)),
      ...named("child", ofChildren),
      ...named("parent", ofParent.slice(begun)),
    ]),
  ];
}

/** The point kills this delegation alone; others that are not over go on meanwhile, and die with it. */
function toPlan(
  point: string,
  session: string,
  all: Delegation[],
): { points: Record<string, string>; elsewhere?: string } {
  const [, who, name] = /^(parent|child) (.*)$/s.exec(point)!;
  const others = Object.fromEntries(all.map((one) => [one.session, "none"]));
  if (who === "child") return { points: others, elsewhere: name! };
  return { points: { ...others, [session]: name! } };
}

async function untilReached(world: World, session: string): Promise<void> {
  let settledAt: number | null = null;
  await waitUntil(() => {
    if (hasSettled(world, session)) settledAt ??= Date.now();
    return world.reached.size > 0 || (settledAt !== null && Date.now() - settledAt > OUTBOX_MS);
  }, POINT_MS);
}

function hasSettled({ passed }: World, session: string): boolean {
  return passed.get(session)?.includes("after settle") ?? false;
}

async function countOpen(client: Client, all: Delegation[]): Promise<number> {
  const details = await Promise.all(all.map(({ session }) => client.session(session)));
  return details.filter(({ state, turns }) => state === "busy" || turns.length === 0).length;
}

async function measure(
  client: Client,
  all: Delegation[],
  { arrivals }: World,
): Promise<Omit<DelegationsRun, "kills" | "unhit">> {
  const run = { lost: 0, duplicated: 0, stuck: 0, remarks: [] as string[] };
  for (const { n, session } of all) {
    const { turns } = await client.session(session);
    const state = turns[0]?.state ?? "nothing";
    if (turns.length !== 1) run.duplicated += Math.max(0, turns.length - 1);
    if (["queued", "running", "parked", "nothing"].includes(state)) run.stuck++;
    if (state !== "done") run.remarks.push(`delegation ${n} ended as ${state} (${turns[0]?.reason ?? "no reason"})`);
    const results = (await client.entries(session)).filter(({ kind }) => kind === "tool").map(textOf);
    if (results.length > 1) run.duplicated++;
    const children = await client.children(session);
    if (children.length > PARTS) run.duplicated += children.length - PARTS;
    for (const child of children) {
      const detail = await client.session(child.session);
      if (detail.state === "busy" || detail.turns.length === 0) run.stuck++;
      if (detail.turns.length > 1) run.duplicated++;
      if (child.state !== "done") run.remarks.push(`delegation ${n}: a child ended as ${child.state}`);
    }
    for (let at = 1; at <= PARTS; at++) {
      const part = toPart(n, at);
      if (!results.some((text) => text.includes(writePartAnswer(part)))) run.lost++;
      const keys = new Set(arrivals.flatMap(({ task, key }) => (task === part ? [key] : [])));
      if (keys.size === 0) run.lost++;
      if (keys.size > 1) run.duplicated++;
    }
  }
  return run;
}
