// Runs reviews and curations on the real stack and kills the whole stack with SIGKILL again and again: at store calls, during
// starts, and at random moments. Each queue message is also delivered several times, twice at once and out of order. Called by
// chaos.ts and, in a short form, by a test. store-disk.ts reads what a kill left; review-measure.ts measures it.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, createClient } from "../../cli/connection/client.ts";
import type { WorkerOptions } from "../stack/bundle.ts";
import { buildWorkers } from "./build.ts";
import { type IndexLag, createIndexLag } from "./index-lag.ts";
import { addOverlappingSkills, findMerges, toMergeMessage } from "./merge.ts";
import { SETTLED_MS, curate, rate, hasWorkEnded } from "./person.ts";
import { type ReviewDamage, type ReviewedSession, measureReviews } from "./review-measure.ts";
import { type ReviewWorld, startReviewWorld } from "./review-world.ts";
import { runAndClear, startOrDie, waitUntil } from "./stack.ts";
import { type StoredThings, readOwed, readStores } from "./store-disk.ts";
import { readOperatorToken } from "../stack/local-state.ts";
import { freePort } from "../stack/processes.ts";
import { mulberry32 } from "../seeded.ts";
import type { Stack } from "../stack/stack.ts";

export interface ReviewsOptions {
  reviews: number;
  seed: number;
  say(line: string): void;
  /** The store calls to kill at, by Worker, in order. Default: every known call, and random moments. */
  strikes?: Strike[];
}

/** Store calls by Worker. The first one that is made kills the stack. */
export type Strike = Partial<Record<StruckWorker, string[]>>;

export interface ReviewsRun extends ReviewDamage {
  kills: number;
  /** How often a kill left the index older than a head and it was repaired. */
  indexRepairs: number;
  /** Known store calls at which no kill happened. */
  unhit: string[];
}

const STRUCK_WORKERS = ["review", "curator"] as const;
type StruckWorker = (typeof STRUCK_WORKERS)[number];

/** Production settings, except shorter waits and a review after each turn. */
const SETTINGS = {
  turn: { leaseMs: 1_000, titles: false },
  review: {
    afterModelCalls: 2,
    quietMs: 2_000,
    perSessionMs: 0,
    perProfileMs: 0,
    maxFailures: 3,
    maxBacklog: 1_000,
    looksMs: [500, 1_000, 1_000, 2_000, 4_000],
    maxLooks: 500,
    prefix: "never",
  },
  memory: { sweepDays: 0 },
  curation: { leaseMs: 2_000, maxRequests: 10_000 },
};
const table = readFileSync(resolve(import.meta.dirname, "../../test/fixtures/chaos/river-gauges.csv"), "utf8");
/** The same figures in another format, so that what was learned from the first table is not enough. */
const otherTable = table.replaceAll(",", ".").replaceAll(";", "|");

/** Tasks of a profile's sessions, in order. Each begins when the review of the previous one has ended. */
const ROUNDS: { file: string; body: string; expected: ReviewedSession["expected"]; rated?: true; forgets?: true }[] = [
  { file: "river-gauges.csv", body: table, expected: "skill" },
  { file: "mill-gauges.csv", body: otherTable, expected: "any", rated: true },
  { file: "doubtful-gauges.csv", body: otherTable, expected: "waits", forgets: true },
  { file: "doomed-gauges.csv", body: table, expected: "dead" },
  { file: "bridge-gauges.csv", body: table, expected: "any", rated: true },
];

const STRIKE_MS = 8_000;
const RANDOM_SHARE = 0.2;
const FEW_CALLS = 6;
const RANDOM_MS = 2_500;
const REDELIVERIES = 3;
/** Extra kills, and extra time, for store calls that no kill has hit yet. */
const SPARE_KILLS = 30;
const SPARE_MS = 11 * 60_000;

interface Subject {
  profile: Profile;
  round: number;
  session: string;
}
interface Profile {
  id: string;
  client: Client;
  subjects: Subject[];
}

export async function runReviews(options: ReviewsOptions): Promise<ReviewsRun> {
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-chaos-"));
  const world = await startReviewWorld();
  const run = new Run(options, stateDir, world, await freePort());
  return runAndClear(run, { world, stateDir });
}

/** The state of one run, and the steps that change it. */
class Run {
  readonly #options: ReviewsOptions;
  readonly #stateDir: string;
  readonly #world: ReviewWorld;
  readonly #port: number;
  readonly #token: string;
  readonly #random: () => number;
  readonly #lag: IndexLag = createIndexLag();
  readonly #profiles: Profile[] = [];
  readonly #hits = new Map<string, number>();
  /** Finished reviews that were backdated for a sweep. */
  readonly #swept = new Set<string>();
  #stack: Stack | null = null;
  #bootMs = 3_000;
  #kills = 0;
  #workers: WorkerOptions[] = [];
  #things: StoredThings = { objects: new Map(), keys: [] };

  constructor(options: ReviewsOptions, stateDir: string, world: ReviewWorld, port: number) {
    this.#options = options;
    this.#stateDir = stateDir;
    this.#world = world;
    this.#port = port;
    this.#token = readOperatorToken(stateDir);
    this.#random = mulberry32(options.seed);
  }

  async all(): Promise<ReviewsRun> {
    const { reviews, say, strikes } = this.#options;
    const entries = { api: "api.ts", review: "review.ts", curator: "curator.ts" };
    this.#workers = await buildWorkers(join(this.#stateDir, "built"), entries);
    say(`${reviews} reviews, at least as many kills. Seed ${this.#options.seed}.`);
    const kills = Math.max(reviews, strikes?.length ?? 0);
    const spareUntil = Date.now() + SPARE_MS;
    // A short run does not need to hit every call.
    for (let spare = Math.min(SPARE_KILLS, reviews); ;) {
      const isEnough = this.#kills >= kills && this.#begun() >= reviews;
      if (isEnough && (strikes || this.#unhit().length === 0 || spare-- === 0 || Date.now() > spareUntil)) break;
      await this.#cycle(strikes?.[this.#kills]);
    }
    if (this.#world.passed.size === 0)
      throw new Error("No report of the Workers reached this run: it would find nothing.");
    const sessions = await this.#finish();
    await this.#kill();
    const owed = readOwed(this.#stateDir).filter((job) => !job.startsWith("drive"));
    const askedAgain = this.#world.askedAgain;
    const measured = measureReviews(this.#things, sessions, {
      owed,
      askedAgain,
      behind: this.#lag.open(),
      swept: this.#swept,
    });
    this.#report(measured);
    return { kills: this.#kills, indexRepairs: this.#lag.repairs(), unhit: this.#unhit(), ...measured };
  }

  async end(): Promise<void> {
    await this.#stack?.kill();
  }

  // ---- the kills ----

  async #cycle(given: Strike | undefined): Promise<void> {
    const { say } = this.#options;
    const { reviews, strikes } = this.#options;
    const isRandom = !strikes && this.#kills > 1 && this.#kills < reviews && this.#random() < RANDOM_SHARE;
    const strike = given ?? (isRandom || strikes ? {} : this.#aim());
    const dies = isRandom && this.#random() < 0.3 ? this.#random() * this.#bootMs * 1.2 : null;
    const struck: string[] = [];
    if (await this.#boot(strike, dies)) {
      await this.#beginNext();
      await this.#disturb();
      if (isRandom) await pause(this.#random() * RANDOM_MS);
      else await waitUntil(() => this.#isStruck(strike), STRIKE_MS);
      await this.#kill();
      for (const [worker, point] of this.#world.reached) {
        const name = `${worker} ${point}`;
        struck.push(name);
        this.#hits.set(name, (this.#hits.get(name) ?? 0) + 1);
      }
    } else this.#look();
    this.#kills += 1;
    const how = dies !== null ? "while it started" : struck.length > 0 ? struck.join(", ") : "at a random moment";
    say(`Kill ${this.#kills}: ${how}; ${this.#begun()} reviews begun, ${this.#lag.repairs()} indexes repaired`);
  }

  /** Half of the known calls that no kill has hit yet; any one call once all have been hit. */
  #aim(): Strike {
    return Object.fromEntries(
      STRUCK_WORKERS.map((worker) => {
        const known = [...(this.#world.passed.get(worker) ?? [])];
        const open = known.filter((point) => !this.#hits.has(`${worker} ${point}`));
        if (open.length === 0) return [worker, known.filter(() => this.#random() < 2 / known.length)];
        // The last few are all taken.
        return [worker, open.length <= FEW_CALLS ? open : open.filter(() => this.#random() < 0.5)];
      }),
    );
  }

  #isStruck(strike: Strike): boolean {
    const struckWorkers = STRUCK_WORKERS.filter((worker) => (strike[worker] ?? []).length > 0);
    return struckWorkers.length > 0 && struckWorkers.every((worker) => this.#world.reached.has(worker));
  }

  /** Starts the next task, in a profile whose last review has ended or else in a new profile. */
  async #beginNext(): Promise<void> {
    const isFree = ({ subjects }: Profile) => subjects.length < ROUNDS.length && this.#hasEnded(subjects.at(-1)!);
    const profile = this.#profiles.find(isFree) ?? (await this.#addProfile());
    const { client, id, subjects } = profile;
    const round = subjects.length;
    const { file, body, forgets } = ROUNDS[round]!;
    const { session } = await client.createSession();
    await client.putFile(session, file, body);
    const text = `In \`${file}\`, what is the mean of the column \`discharge\`? Round to two decimals.`;
    await client.postMessage(session, text, "task");
    subjects.push({ profile, round, session });
    if (forgets) for (const { store, id: fact } of await client.listMemory()) await client.forget(store, fact);
    await this.#send("age", { profile: id });
  }

  async #addProfile(): Promise<Profile> {
    const { key, profile } = await createClient({ url: this.#stack!.url, key: this.#token }).createProfile();
    const client = createClient({ url: this.#stack!.url, key, wait: (ms) => pause(Math.min(ms, 250)) });
    await addOverlappingSkills(client, profile);
    const added = { id: profile, client, subjects: [] };
    this.#profiles.push(added);
    return added;
  }

  /** Read from the files after the last kill. */
  #hasEnded({ session }: Subject): boolean {
    return [...this.#things.objects.keys()].some((key) => key.includes(`/${session}.`) && /\/(result|dead)$/.test(key));
  }

  /** Redelivers every known message, newest first; has the person request curation or a merge, and rate; fires the cron trigger. */
  async #disturb(): Promise<void> {
    const jobs = [...this.#things.objects.keys()].flatMap((key) => {
      const [, profile, review] = /^p\/([^/]+)\/reviews\/([^/]+)\/job$/.exec(key) ?? [];
      return profile && review && !this.#swept.has(review) ? [{ v: 1, profile, review }] : [];
    });
    const bodies = jobs.toSorted(() => this.#random() - 0.5).slice(0, REDELIVERIES);
    await this.#send("deliver", { queue: "reviews", bodies, times: REDELIVERIES });
    const curated = this.#profiles.toSorted(() => this.#random() - 0.5).slice(0, 2);
    const merges = findMerges(this.#things.objects);
    for (const { client, id } of curated) {
      const { run } = await client.runCurator(
        false,
        merges.every(({ profile }) => profile !== id),
      );
      const body = { v: 1, kind: "profile", profile: curated[0]!.id, run, dryRun: false };
      if (client === curated[0]!.client) await this.#send("deliver", { queue: "curation", bodies: [body], times: 2 });
    }
    const mergeMessages = merges.slice(-2).map(toMergeMessage);
    await this.#send("deliver", { queue: "curation", bodies: mergeMessages, times: REDELIVERIES });
    // The request ends with the handler, which may be killed.
    void this.#stack!.cron("talaria-curator").catch(() => {});
    const rated = this.#subjects().filter((subject) => ROUNDS[subject.round]!.rated && this.#hasEnded(subject));
    for (const subject of rated.slice(-2)) await rate(subject.profile.client, subject.session);
  }

  #report({ remarks }: ReviewDamage): void {
    const { say } = this.#options;
    say("Calls to a store, and how often a kill struck there:");
    const points = STRUCK_WORKERS.flatMap((worker) =>
      [...(this.#world.passed.get(worker) ?? [])].map((at) => `${worker} ${at}`),
    );
    for (const point of points.toSorted()) say(`  ${point.padEnd(40)}  ${this.#hits.get(point) ?? 0}`);
    say(`Reviews and merges whose requests were compared with the recorded ones: ${this.#world.recognised.size}`);
    for (const remark of remarks) say(`Remark: ${remark}`);
  }

  // ---- after the kills ----

  /** Lets everything finish without kills, redelivers each message once, and returns the sessions' state. */
  async #finish(): Promise<ReviewedSession[]> {
    await this.#boot({}, null);
    for (const end = Date.now() + SETTLED_MS; Date.now() < end; await pause(250)) {
      if ((await this.#states()).every(({ isDone, reviews }) => isDone && reviews.every(isOver))) break;
    }
    for (const subject of this.#subjects())
      if (ROUNDS[subject.round]!.rated) await rate(subject.profile.client, subject.session);
    this.#things = readStores(this.#stateDir);
    await this.#disturb();
    await waitUntil(() => readOwed(this.#stateDir).length === 0, 20_000);
    const merges = findMerges(this.#things.objects);
    const isAsked = ({ id }: Profile) => merges.some(({ profile }) => profile === id);
    await Promise.all(
      this.#profiles.map(async (profile) => {
        const { client, id } = profile;
        await curate(client, !isAsked(profile));
        for (const { run } of merges.filter((merge) => merge.profile === id)) await hasWorkEnded(client, run);
      }),
    );
    await pause(500); // a redelivery ends after the delivery that it repeats
    return this.#states();
  }

  #states(): Promise<ReviewedSession[]> {
    return Promise.all(
      this.#subjects().map(async ({ profile, round, session }) => {
        const { id, client } = profile;
        const [reviews, entries, { turns }] = await Promise.all([
          client.listReviews(session),
          client.entries(session),
          client.session(session),
        ]);
        const { expected, rated = false } = ROUNDS[round]!;
        const isDone = turns[0]?.state === "done";
        return { profile: id, session, entries, reviews, isDone, expected, rated };
      }),
    );
  }

  #subjects(): Subject[] {
    return this.#profiles.flatMap(({ subjects }) => subjects);
  }
  #begun(): number {
    return this.#subjects().length;
  }

  #unhit(): string[] {
    return STRUCK_WORKERS.flatMap((worker) =>
      [...(this.#world.passed.get(worker) ?? [])]
        .map((point) => `${worker} ${point}`)
        .filter((point) => !this.#hits.has(point)),
    );
  }

  // ---- the stack ----

  async #send(what: string, body: object): Promise<void> {
    const answer = await fetch(`${this.#stack!.url}/chaos/${what}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`/chaos/${what} answered ${answer.status}: ${await answer.text()}`);
  }

  async #kill(): Promise<void> {
    await this.#stack!.kill();
    this.#stack = null;
    this.#look();
  }

  /** Reads the stores after a kill, before the next start can repair anything. */
  #look(): void {
    this.#things = readStores(this.#stateDir);
    this.#lag.look(this.#things.objects);
  }

  /** Starts the stack; false when it was killed `diesAfterMs` after the start began. */
  async #boot(points: Strike, diesAfterMs: number | null): Promise<boolean> {
    this.#world.beginLife();
    const started = await startOrDie(
      { port: this.#port, stateDir: this.#stateDir, workers: this.#workers, vars: this.#vars(points) },
      diesAfterMs,
    );
    if (!started) return false;
    this.#stack = started.stack;
    this.#bootMs = started.bootMs;
    return true;
  }

  #vars(points: Strike): Record<string, string> {
    return {
      TALARIA_OPERATOR_TOKEN: this.#token,
      TALARIA_MODEL: "rehearsal",
      TALARIA_MODEL_REVIEW: "openai-chat:scripted",
      TALARIA_MODEL_CURATION: "openai-chat:scripted",
      OPENAI_BASE_URL: `http://127.0.0.1:${this.#port}/chaos/v1`,
      // No other variable names the recording server, and the URL policy would refuse it.
      TALARIA_SETTINGS: JSON.stringify({ ...SETTINGS, outbound: { allow: [this.#world.url] } }),
      TALARIA_CHAOS: JSON.stringify({ url: this.#world.url, points, old: this.#makeOld(), atStores: true }),
    };
  }

  /** The first review of a profile with three reviews, once nothing depends on it. */
  #makeOld(): string[] {
    const owed = readOwed(this.#stateDir);
    for (const { subjects } of this.#profiles) {
      const [first, ...later] = subjects;
      if (later.length < 2 || !this.#hasEnded(first!)) continue;
      const key = [...this.#things.objects.keys()].find((one) => one.includes(`/reviews/${first!.session}.`));
      const review = key?.split("/").at(-2);
      if (review && !owed.some((job) => job.includes(review))) this.#swept.add(review);
    }
    return [...this.#swept];
  }
}

function isOver({ state }: { state: string }): boolean {
  return state !== "waiting";
}
