// Runs jobs on the real stack and kills the whole stack with SIGKILL: at points of the Agenda and of the runs' sessions, and at random
// moments. Called by chaos.ts. What became of each slot is read through the API, and from the requests that the runs' tools made.
import { setTimeout as pause } from "node:timers/promises";
import { JobInfo, JobRunInfo } from "../../core/schemas/agenda/job-api.ts";
import { mulberry32 } from "../seeded.ts";
import { type MeasuredJobs, type WantedJob, countJobs, readJobs, readRuns } from "./job-measure.ts";
import { type LifePoint, type Lives, describePoint, withLives } from "./life.ts";
import { writeThing } from "./worker-script.ts";

export interface JobsOptions {
  kills: number;
  seed: number;
  say(line: string): void;
}

export interface JobsRun extends MeasuredJobs {
  kills: number;
  /** Points at which no stack died. */
  unhit: string[];
}

/** Production settings, except shorter waits. */
const SETTINGS = {
  turn: { leaseMs: 1_000, titles: false, maxAttempts: 100 },
  review: { enabled: false },
  jobs: { claimMs: 10_000, failures: 20 },
};
/** The Agenda that nobody calls wakes by its alarm after a minute. */
const POINT_MS = 70_000;
const REQUEST_MS = 10_000;
/** How long runs may take after the last kill: an alarm, a claim, the work. */
const END_MS = 180_000;
const RANDOM_SHARE = 0.1;
const RANDOM_MS = 2_000;
const MINUTE_MS = 60_000;
const FAR = "in 300d";
/** Jobs that are made for each kill, beside one that is run by hand, and those that run every minute all the time. */
const ONCE = 3;
const REPEATED = 5;

export function runJobs({ kills, seed, say }: JobsOptions): Promise<JobsRun> {
  return withLives(SETTINGS, (lives) => new JobChaos(lives, { kills, seed, say }).all());
}

class JobChaos {
  readonly #lives: Lives;
  readonly #options: JobsOptions;
  readonly #random: () => number;
  readonly #wanted: WantedJob[] = [];
  readonly #accepted = new Map<string, WantedJob>();
  #creating: Promise<void> = Promise.resolve();
  #kills = 0;

  constructor(lives: Lives, options: JobsOptions) {
    this.#lives = lives;
    this.#options = options;
    this.#random = mulberry32(options.seed);
  }

  async all(): Promise<JobsRun> {
    const { kills, say, seed } = this.#options;
    this.#want("in 1s");
    this.#want(FAR);
    await this.#create();
    const learned = await this.#lives.learn(async () => (await this.#countOpen()) === 0);
    // Those of the making of the first job come once.
    const points = learned.filter(({ point }) => !point.at.includes("job_count"));
    await this.#lives.kill(); // nothing was at work, so it counts as no kill
    say(`The Agenda and a run's session pass ${points.length} points. Seed ${seed}.`);
    for (let i = 0; i < REPEATED; i++) this.#want("every 1m");
    const unhit = new Set(points.map(({ point }) => describePoint(point)));
    for (let at = 0; this.#kills < kills; at++) {
      // The last kill, between claim and message: afterwards nobody calls the Agenda, so the rest depends on its alarm.
      if (this.#kills === kills - 1) await this.#kill({ who: "agenda", at: "before session post" }, false);
      else if (this.#random() < RANDOM_SHARE) await this.#kill(null, false);
      else {
        const { point } = points[Math.floor((this.#kills * points.length) / kills)]!;
        const skip = point.who === "agenda" ? Math.floor(this.#random() * ONCE) : 0;
        if (await this.#kill({ ...point, skip }, at % 10 === 9)) unhit.delete(describePoint(point));
      }
    }
    await this.#lives.boot(null);
    await this.#create();
    const began = Date.now();
    while (Date.now() < began + END_MS && (await this.#countOpen()) > 0) await pause(500);
    say(`All work ended ${Math.round((Date.now() - began) / 1_000)} s after the last start.`);
    const measured = await countJobs(
      await readJobs(this.#lives.client, this.#accepted.values()),
      this.#lives.world.arrivals,
      began,
    );
    for (const remark of measured.remarks) say(`Remark: ${remark}`);
    return { kills: this.#kills, unhit: [...unhit], ...measured };
  }

  /** `isQuiet`: nobody calls the Agenda, so it goes on by its alarm alone. `null`: at a random moment. */
  async #kill(point: LifePoint | null, isQuiet: boolean): Promise<boolean> {
    await this.#lives.boot(point);
    if (!isQuiet) {
      for (let i = 0; i < ONCE; i++) this.#want("in 1s");
      this.#want(FAR);
      this.#creating = this.#create();
    }
    if (!point) await pause(this.#random() * RANDOM_MS);
    const hit = point !== null && (await this.#lives.untilReached(POINT_MS));
    await this.#lives.kill();
    await this.#creating;
    this.#kills++;
    const where = point ? `${describePoint(point)}${hit ? "" : " (not passed)"}` : "at random";
    this.#options.say(`Kill ${this.#kills}: ${where}${isQuiet ? ", by its alarm" : ""}`);
    return hit;
  }

  #want(schedule: string): void {
    const thing = this.#wanted.length + 1;
    this.#wanted.push({
      ...{ thing, name: `job-${thing}`, schedule },
      everyMs: schedule.startsWith("every") ? MINUTE_MS : 0,
      byHand: schedule === FAR,
    });
  }

  /** Makes what is wanted and was not accepted yet, in order. Ends at the first request without an answer. */
  async #create(): Promise<void> {
    for (const job of this.#wanted) {
      if (this.#accepted.has(job.name)) continue;
      const made = await this.#make(job).catch(() => false);
      if (!made) return;
      this.#accepted.set(job.name, job);
    }
  }

  async #make({ name, schedule, thing, byHand }: WantedJob): Promise<true> {
    const { client } = this.#lives;
    await client.call(JobInfo, "POST /v1/jobs", {
      body: { name, schedule, prompt: writeThing(thing, "plain") },
      headers: { "idempotency-key": `make-${thing}` },
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    if (byHand) {
      await client.call(JobRunInfo, "POST /v1/jobs/{job}/run", {
        params: { job: name },
        headers: { "idempotency-key": `run-${thing}` },
        signal: AbortSignal.timeout(REQUEST_MS),
      });
    }
    return true;
  }

  /** Jobs that run once and have not, and open runs of the others. */
  async #countOpen(): Promise<number> {
    let open = 0;
    for (const { name, everyMs } of this.#accepted.values()) {
      const runs = await readRuns(this.#lives.client, name).catch(() => []);
      const isOpen = runs.some(({ endedAt }) => endedAt === null);
      if (isOpen || (everyMs === 0 && runs.length === 0)) open++;
    }
    return open;
  }
}
