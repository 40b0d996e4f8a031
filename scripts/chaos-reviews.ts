// Reviews on the real stack, all of which is killed with SIGKILL while they run and started again on the same state; then
// measured: what was lost, done twice or left broken. Called by chaos.ts.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Client, createClient } from "../cli/client.ts";
import { watchPuts } from "./chaos-aim.ts";
import { type Measured, NOTHING, add, measure } from "./chaos-measure.ts";
import { operatorToken } from "./local-state.ts";
import { freePort } from "./processes.ts";
import { mulberry32 } from "./seeded.ts";
import { type Stack, StackError, startStack } from "./stack.ts";

const FILE = "river-gauges.csv";
const TASK = `In \`${FILE}\`, what is the mean of the column \`discharge\`? Round to two decimals.`;
const table = readFileSync(resolve(import.meta.dirname, `../test/fixtures/chaos/${FILE}`), "utf8");
/** As in production, but for the waits: a lost message is sent again within a second instead of ten. */
const SETTINGS = {
  turn: { leaseMs: 1_000 },
  review: {
    quietMs: 1_000,
    perSessionMs: 0,
    perProfileMs: 0,
    looksMs: [500, 1_000, 1_000, 2_000, 4_000],
    maxLooks: 200,
  },
};
const ARRIVES_MS = 120_000;
const MAX_KILLS = 3;
const MAX_TRIES = 5;
const AIM_MS = 30_000;
const BUCKET = "talaria-skills";

export interface ReviewsRun extends Omit<Measured, "remarks"> {
  kills: number;
}

let stateDir: string;
let token: string;
let port: number;
let bootMs: number;
let stack: Stack;

export async function runReviews(reviews: number, seed: number): Promise<ReviewsRun> {
  stateDir = mkdtempSync(join(tmpdir(), "talaria-chaos-"));
  token = operatorToken(stateDir);
  port = await freePort();
  const bootBegan = performance.now();
  stack = await boot();
  bootMs = performance.now() - bootBegan;
  try {
    const span = await measureSpan();
    console.log(
      `A review writes ${span.result - span.job + 1} objects; each may be the last before a kill. Seed ${seed}.`,
    );
    const random = mulberry32(seed);
    let total: Measured = NOTHING;
    let kills = 0;
    for (let n = 1; n <= reviews; n += 1) {
      const disturbed = await disturbReview(n, span, random);
      kills += disturbed.kills;
      total = add(total, disturbed.measured);
    }
    const { lost, duplicated, brokenHeads } = total;
    return { kills, lost, duplicated, brokenHeads };
  } finally {
    await stack.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/** One review that was struck after it was owed and before it was done; one that was quicker than the kill is only measured. */
async function disturbReview(n: number, span: Span, random: () => number) {
  let kills = 0;
  let total: Measured = NOTHING;
  for (let tries = 1; ; tries += 1) {
    const struck = await strike(n, span, random);
    kills += struck.kills;
    const { lost, duplicated, brokenHeads, remarks } = await measure(struck.client, struck.session, struck.arrived);
    total = add(total, { lost, duplicated, brokenHeads, remarks });
    console.log(
      `Review ${n}: ${struck.kills} kills, ${struck.within} of them before it was done; ` +
        (struck.arrived ? "it has its result" : `no result within ${ARRIVES_MS / 1_000} s`) +
        ` (lost ${lost}, duplicated ${duplicated}, broken heads ${brokenHeads})`,
    );
    for (const remark of remarks) console.log(`  ${remark}`);
    if (struck.within > 0 || tries === MAX_TRIES) return { kills, measured: total };
  }
}

/**
 * Begins a review and kills the stack one to three times. The first time at one of the review's own puts, every third time at
 * its job, when its message is hardly sent; then while the stack starts and takes the review up again.
 */
async function strike(n: number, span: Span, random: () => number) {
  const puts = watchPuts(stateDir, BUCKET);
  const planned = 1 + Math.floor(random() * MAX_KILLS);
  const aim = n % 3 === 1 ? span.job : span.job + Math.floor(random() * (span.result - span.job + 1));
  const { client, session, turn } = await work();
  await Promise.race([puts.reached(aim), pause(AIM_MS)]);
  const killedAt = [Date.now()];
  await stack.kill();
  puts.close();
  while (killedAt.length < planned) killedAt.push(await bootAndKill(random() * bootMs * 1.2));
  stack = await boot();
  await turn;
  const arrived = await untilReviewed(client, session);
  const { owedAt, finishedAt } = await timesOf(client, session);
  const within = killedAt.filter((time) => time >= owedAt && time <= finishedAt).length;
  return { client, session, arrived, kills: killedAt.length, within };
}

/** Starts the stack and kills it `afterMs` later, ready or not. */
async function bootAndKill(afterMs: number): Promise<number> {
  const until = performance.now() + afterMs;
  let killedAt = 0;
  const abort = new AbortController();
  const timer = setTimeout(() => {
    killedAt = Date.now();
    abort.abort();
  }, afterMs);
  try {
    stack = await boot(abort.signal);
    await pause(Math.max(0, until - performance.now()));
    killedAt = Date.now();
    await stack.kill();
  } catch (error) {
    if (!(error instanceof StackError && error.code === "aborted")) throw error;
  } finally {
    clearTimeout(timer);
  }
  return killedAt;
}

/** A fresh profile does the task the hard way, so that a review begins. `turn` ends with its turn, over any kill. */
async function work() {
  const { key } = await createClient({ url: stack.url, key: token }).createProfile();
  const client = createClient({ url: stack.url, key, reconnectMs: ARRIVES_MS });
  const { session } = await client.createSession();
  await client.putFile(session, FILE, table);
  const turn = followTurn(client, session);
  turn.catch(() => {}); // whoever awaits it hears of it
  return { client, session, turn };
}

async function followTurn(client: Client, session: string): Promise<void> {
  for await (const { event } of client.streamMessage(session, TASK)) {
    if (event.type === "turn_end" && event.state !== "done") throw new Error(`the turn ended ${event.state}`);
  }
}

/** Of the puts that follow a message: the first and the last one of the review. */
interface Span {
  job: number;
  result: number;
}

async function measureSpan(): Promise<Span> {
  const first = await work(); // warms everything up
  if (!(await untilReviewed(first.client, first.session))) throw new Error("no review came, even without a kill");
  const puts = watchPuts(stateDir, BUCKET);
  const { client, session } = await work();
  if (!(await untilReviewed(client, session))) throw new Error("no review came, even without a kill");
  await pause(200); // the last puts are still to be seen
  puts.close();
  const { owedAt, finishedAt } = await timesOf(client, session);
  const job = puts.times.findIndex((at) => at >= owedAt) + 1;
  const result = puts.times.filter((at) => at <= finishedAt).length;
  return { job: Math.max(1, job), result: Math.max(1, job, result) };
}

/** From the moment the review was owed, in one transaction with the end of its turn, to its result. */
async function timesOf(client: Client, session: string): Promise<{ owedAt: number; finishedAt: number }> {
  const owedAt = (await client.session(session)).turns[0]?.endedAt ?? Infinity;
  const [line] = await client.listReviews(session);
  const result = line ? (await client.review(line.review)).result : null;
  return { owedAt, finishedAt: result?.finishedAt ?? Infinity };
}

async function untilReviewed(client: Client, session: string): Promise<boolean> {
  const until = Date.now() + ARRIVES_MS;
  while (Date.now() < until) {
    const reviews = await client.listReviews(session);
    if (reviews.some(({ state }) => state !== "waiting")) return true;
    await pause(10);
  }
  return false;
}

function boot(signal?: AbortSignal): Promise<Stack> {
  const vars = {
    TALARIA_OPERATOR_TOKEN: token,
    TALARIA_MODEL: "rehearsal",
    TALARIA_SETTINGS: JSON.stringify(SETTINGS),
  };
  return startStack({ port, stateDir, vars, signal });
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
