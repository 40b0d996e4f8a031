// Runs turns of ten tool calls on the real stack and kills the whole stack with SIGKILL again and again: at points of the journal
// and at random moments. Called by chaos.ts and, in a short form, by a test. disk.ts reads what a kill left; turn-measure.ts
// measures the turns through the API.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, createClient } from "../../cli/connection/client.ts";
import type { WorkerOptions } from "../stack/bundle.ts";
import { buildWorkers } from "./build.ts";
import { type Disk, type StoredTurn, openDisk } from "./disk.ts";
import { type PointPool, createPointPool, mergeLives } from "./points.ts";
import { type TurnReading, followTurn } from "./reader.ts";
import { runAndClear, startOrDie, waitUntil } from "./stack.ts";
import { type MeasuredTurns, type TurnUnderTest, measureTurns } from "./turn-measure.ts";
import { type World, startWorld, writeTaskText } from "./world.ts";
import { readOperatorToken } from "../stack/local-state.ts";
import { freePort } from "../stack/processes.ts";
import { mulberry32 } from "../seeded.ts";
import type { Stack } from "../stack/stack.ts";

export interface TurnsOptions {
  turns: number;
  seed: number;
  say(line: string): void;
  /** Points at which every turn is killed, in order. Default: all points, spread over the turns. */
  points?: string[];
  /** Within this time one new turn starts per kill; afterwards, or on a slow machine, several. */
  spendMs?: number;
}

export interface TurnsRun extends MeasuredTurns {
  kills: number;
  /** Points at which no turn was killed. */
  unhit: string[];
}

/**
 * Production settings, except shorter waits and a review after each turn, so that the outbox has every kind of row. No titles: they
 * are not part of a turn, and their writes are not points of its journal.
 */
const SETTINGS = {
  turn: { leaseMs: 1_000, titles: false },
  review: {
    afterModelCalls: 5,
    quietMs: 1_000,
    perSessionMs: 0,
    perProfileMs: 0,
    looksMs: [500, 1_000, 1_000, 2_000, 4_000],
    maxLooks: 200,
  },
};
const SPEND_MS = 15 * 60_000;
const STUCK_MS = 60_000;
/** How long to wait for a point after the start, or after the end of its turn. */
const POINT_MS = 20_000;
const OUTBOX_MS = 6_000;
const QUIET_MS = 3_000;
const RANDOM_SHARE = 0.15;
/** The usual duration of a turn. */
const RANDOM_MS = 800;
const MIN_CUTS = 2;
const MAX_CUTS = 6;
/** Limit of extra turns that replace turns which ended before their kill. */
const SPARE_TURNS = 10;

const QUICK = "never: it was quicker than the kill, and another turn took its place";

interface Subject extends TurnUnderTest {
  cutsLeft: number;
  /** The turn has ended, according to the files after a kill or to the turn itself. */
  isOver: boolean;
  /** The point of the next kill. */
  point: string | null;
  position: number;
  posted: Promise<void> | null;
}

export async function runTurns(options: TurnsOptions): Promise<TurnsRun> {
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-chaos-"));
  const world = await startWorld();
  const run = new Run(options, stateDir, world, await freePort());
  return runAndClear(run, { world, stateDir });
}

/** The state of one run, and the steps that change it. */
class Run {
  readonly #options: TurnsOptions;
  readonly #stateDir: string;
  readonly #world: World;
  readonly #port: number;
  readonly #token: string;
  readonly #random: () => number;
  readonly #disk: Disk;
  readonly #subjects: Subject[] = [];
  readonly #readings: Promise<void>[] = [];
  readonly #left = new AbortController();
  readonly #startedAt = performance.now();
  #stack: Stack | null = null;
  #bootMs = 0;
  #kills = 0;
  #workers: WorkerOptions[] = [];
  #sessions: string[] = [];
  #client!: Client;

  constructor(options: TurnsOptions, stateDir: string, world: World, port: number) {
    this.#options = options;
    this.#stateDir = stateDir;
    this.#world = world;
    this.#port = port;
    this.#token = readOperatorToken(stateDir);
    this.#random = mulberry32(options.seed);
    this.#disk = openDisk(stateDir);
  }

  async all(): Promise<TurnsRun> {
    const { turns, say, points } = this.#options;
    await this.#prepare();
    const pool = points ? createPointPool(points, [], this.#random) : await this.#learnPoints();
    await this.#stack!.kill();
    const all = pool.hits().length;
    const cuts = points ? points.length : Math.min(MAX_CUTS, Math.max(MIN_CUTS, Math.ceil((1.3 * all) / turns)));
    say(
      `A turn and its outbox pass ${all} points. Each of ${turns} turns is to be cut ${cuts} times. Seed ${this.#options.seed}.`,
    );
    const spendMs = this.#options.spendMs ?? SPEND_MS;
    let begun = 0;
    let cycleMs = this.#bootMs + 2_000;
    const wantedCut = () => this.#subjects.filter(({ cuts: done, cutsLeft }) => done.length > 0 || cutsLeft > 0).length;
    for (;;) {
      const began = performance.now();
      const toBegin = turns - wantedCut();
      const leftMs = spendMs - (began - this.#startedAt);
      const share = points ? toBegin : Math.floor((toBegin * cycleMs) / Math.max(cycleMs, leftMs));
      const fresh = Math.min(toBegin, this.#sessions.length - begun, Math.max(share, Math.min(1, toBegin)));
      for (let i = 0; i < fresh; i++) this.#subjects.push(this.#begin(++begun, cuts));
      const wanting = this.#subjects.filter(({ cutsLeft }) => cutsLeft > 0);
      if (wanting.length === 0) break;
      await this.#cycle(pool, wanting);
      cycleMs = (cycleMs + (performance.now() - began)) / 2;
    }
    await this.#finish();
    const measured = await measureTurns(this.#client, this.#subjects, this.#world);
    this.#report(pool, measured);
    const unhit = pool.hits().filter(({ hits }) => hits === 0);
    return { kills: this.#kills, unhit: unhit.map(({ point }) => point), ...measured };
  }

  async end(): Promise<void> {
    this.#left.abort();
    await Promise.allSettled(this.#readings);
    await this.#stack?.kill();
  }

  // ---- before the kills ----

  /** Creates the profile and the sessions. They get their plans later, because plans are passed to the stack when it starts. */
  async #prepare(): Promise<void> {
    this.#workers = await buildWorkers(join(this.#stateDir, "built"), { api: "api.ts" });
    await this.#boot({ traced: "all" });
    const url = this.#stack!.url;
    const { key } = await createClient({ url, key: this.#token }).createProfile();
    this.#client = createClient({ url, key, reconnectMs: 10 * 60_000, wait: (ms) => pause(Math.min(ms, 250)) });
    const count = this.#options.turns + SPARE_TURNS;
    for (let i = 0; i < count; i++) this.#sessions.push((await this.#client.createSession()).session);
  }

  /** Kills one trial turn in the middle to learn which points it passes before and after. It is not measured. */
  async #learnPoints(): Promise<PointPool> {
    const { session } = await this.#client.createSession();
    const passed = () => this.#world.passed.get(session) ?? [];
    this.#world.passed.delete(session); // points of its creation
    await this.#client.postMessage(session, writeTaskText(0), "learn");
    await waitUntil(() => passed().includes("after running c7"), POINT_MS);
    await this.#stack!.kill();
    const first = passed();
    this.#world.passed.delete(session);
    await this.#boot({ traced: "all" });
    await waitUntil(() => passed().includes("after settle"), STUCK_MS);
    for (let seen = -1; seen !== passed().length; await pause(QUIET_MS)) seen = passed().length;
    const { whole, restart } = mergeLives(first, passed());
    return createPointPool(whole, restart, this.#random);
  }

  #begin(task: number, cuts: number): Subject {
    const reading: TurnReading | null = task % 2 === 1 ? { remarks: [], texts: new Map(), ended: false } : null;
    const session = this.#sessions[task - 1]!;
    return {
      task,
      session,
      reading,
      cuts: [],
      unsure: new Map(),
      cutsLeft: cuts,
      isOver: false,
      point: null,
      position: -1,
      posted: null,
    };
  }

  // ---- the kills ----

  async #cycle(pool: PointPool, wanting: Subject[]): Promise<void> {
    const { say } = this.#options;
    const isNew = wanting.some(({ posted }) => !posted);
    const atRandom = !this.#options.points && this.#random() < RANDOM_SHARE;
    for (const subject of wanting) {
      const restarted = subject.cuts.length > 0;
      const given = this.#options.points?.at(-subject.cutsLeft);
      subject.point = given ?? (atRandom ? null : pool.take({ ...subject, restarted }));
    }
    const dies = atRandom && !isNew && this.#random() < 0.3 ? this.#random() * this.#bootMs : null;
    const points = Object.fromEntries(wanting.flatMap(({ session, point }) => (point ? [[session, point]] : [])));
    if (await this.#boot({ points }, dies)) {
      for (const subject of wanting) subject.posted ??= this.#post(subject);
      if (atRandom) await pause(this.#random() * RANDOM_MS);
      else await this.#untilReached(pool, wanting);
      await this.#stack!.kill();
    }
    this.#kills++;
    const told = wanting.map((subject) => this.#noteCut(pool, subject));
    // A turn without kills left that has not ended was hit by this one, too.
    for (const subject of this.#subjects) if (!subject.isOver && !wanting.includes(subject)) this.#noteRemains(subject);
    say(`Kill ${this.#kills}: ${told.join("; ")}`);
  }

  /** Waits until every turn has reached or passed its point. */
  async #untilReached(pool: PointPool, wanting: Subject[]): Promise<void> {
    const { reached, passed } = this.#world;
    const endedAt = new Map<string, number>();
    const isDone = ({ session, point, isOver }: Subject) => {
      if (reached.has(session)) return true;
      if (!isOver && !passed.get(session)?.includes("after settle")) return false;
      if (!endedAt.has(session)) endedAt.set(session, Date.now());
      return pool.isWithinTurn(point!) || Date.now() - endedAt.get(session)! > OUTBOX_MS;
    };
    await waitUntil(() => wanting.every(isDone), POINT_MS);
  }

  #noteRemains(subject: Subject): StoredTurn {
    const remains = this.#disk.remains(subject.task);
    for (const call of remains.open) if (!subject.unsure.has(call)) subject.unsure.set(call, Date.now());
    subject.isOver = remains.state !== undefined && remains.state !== "running";
    return remains;
  }

  #noteCut(pool: PointPool, subject: Subject): string {
    const { task, session, point } = subject;
    const { state, written } = this.#noteRemains(subject);
    const hit = point !== null && this.#world.reached.get(session) === point;
    if (point) pool.settle(point, hit);
    const isCut = state === "running" || (state === undefined && hit);
    // After its end a turn has only its outbox left, so that kill counts for the point, not for the turn.
    if (isCut || hit) subject.cuts.push({ at: Date.now(), point: hit ? point! : "at random", within: isCut });
    subject.position = pool.positionOf(written);
    subject.cutsLeft--;
    if (subject.isOver) {
      // The turn ended before the kill: another one replaces it. A turn killed in its outbox may have more points there.
      subject.cutsLeft = hit ? Math.min(subject.cutsLeft, 1) : 0;
    }
    const where = hit
      ? point
      : isCut
        ? `at random (${[...written].at(-1) ?? "not accepted"})`
        : `${state}, missed ${point ?? "at random"}`;
    return `turn ${task} ${where}`;
  }

  /** Every second turn has a reader. The others resume by their alarm alone; nothing calls them before the end. */
  #post(subject: Subject): Promise<void> {
    const { session, task, reading } = subject;
    const { signal } = this.#left;
    const key = `task-${task}`;
    const posted = reading
      ? followTurn(this.#client, { session, text: writeTaskText(task), key, signal }, reading)
      : this.#postUntilAccepted(session, task, key);
    this.#readings.push(posted);
    posted.catch(() => {}); // the measure reads the turn's end
    return posted;
  }

  /** A client without an answer repeats its request with the same idempotency key. */
  async #postUntilAccepted(session: string, task: number, key: string): Promise<void> {
    while (!this.#left.signal.aborted) {
      const accepted = await this.#client.postMessage(session, writeTaskText(task), key).catch(() => null);
      if (accepted) return;
      await pause(100);
    }
  }

  // ---- after the kills ----

  async #finish(): Promise<void> {
    await this.#boot({});
    const hasEnded = ({ session, isOver }: Subject) =>
      isOver || this.#world.passed.get(session)?.includes("after settle");
    await waitUntil(() => this.#subjects.every(hasEnded), STUCK_MS);
    // A reader receives the end of its turn a moment later.
    await waitUntil(() => this.#subjects.every(({ reading }) => reading?.ended !== false), 5_000);
  }

  #report(pool: PointPool, { remarks }: MeasuredTurns): void {
    const { say } = this.#options;
    for (const { task, reading, cuts } of this.#subjects) {
      const how = reading ? "with a reader" : "by its alarm alone";
      say(`Turn ${task}, ${how}: cut ${cuts.map(({ point }) => point).join(", ") || QUICK}`);
    }
    const hits = pool.hits();
    const width = Math.max(...hits.map(({ point }) => point.length));
    say("Point of the journal, and how many turns were cut there:");
    for (const { point, hits: times } of hits) say(`  ${point.padEnd(width)}  ${times}`);
    for (const remark of remarks) say(`Remark: ${remark}`);
  }

  /** Starts the stack; false when it was killed `diesAfterMs` after the start began. */
  async #boot(
    plan: { points?: Record<string, string>; traced?: "all" },
    diesAfterMs: number | null = null,
  ): Promise<boolean> {
    this.#world.reached.clear();
    const started = await startOrDie(
      { port: this.#port, stateDir: this.#stateDir, workers: this.#workers, vars: this.#vars(plan) },
      diesAfterMs,
    );
    if (!started) return false;
    this.#stack = started.stack;
    this.#bootMs = started.bootMs;
    return true;
  }

  #vars(plan: { points?: Record<string, string>; traced?: "all" }): Record<string, string> {
    return {
      TALARIA_OPERATOR_TOKEN: this.#token,
      TALARIA_MODEL: "openai-chat:scripted",
      OPENAI_BASE_URL: `${this.#world.url}/v1`,
      TALARIA_SETTINGS: JSON.stringify(SETTINGS),
      TALARIA_CHAOS: JSON.stringify({ url: this.#world.url, points: {}, ...plan }),
    };
  }
}
