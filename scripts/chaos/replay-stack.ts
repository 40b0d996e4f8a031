// Tries texts on earlier turns on the real stack and kills the whole stack with SIGKILL at random moments while experiments and their replays
// run. Called by chaos.ts. What became of them is read through the API (replay-measure.ts), and from what reached the doubles outside.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, createClient } from "../../cli/connection/client.ts";
import type { Stack } from "../stack/stack.ts";
import { Experiment } from "../../core/schemas/learning/experiment.ts";
import { ExperimentList } from "../../core/schemas/learning/experiment-api.ts";
import { SkillEvidence } from "../../core/schemas/learning/evidence.ts";
import { mulberry32 } from "../seeded.ts";
import { readOperatorToken } from "../stack/local-state.ts";
import { freePort } from "../stack/processes.ts";
import { buildWorkers } from "./build.ts";
import { type MeasuredReplays, countReplays } from "./replay-measure.ts";
import { LOOK_UP, MCP_NAME, PROBED, PROBE_READ, PROBE_SEND, QUESTION, SEND, writeText } from "./replay-script.ts";
import { type ReplayWorld, startReplayWorld } from "./replay-world.ts";
import { runAndClear, startOrDie } from "./stack.ts";

export interface ReplayStackOptions {
  kills: number;
  seed: number;
  say(line: string): void;
}

export interface ReplayStackRun extends MeasuredReplays {
  kills: number;
}

/** Production settings, except shorter waits, and without reviews: nothing else spends or sends. */
const SETTINGS = { turn: { leaseMs: 1_000, titles: false, maxAttempts: 100 }, review: { enabled: false } };
/** What a person grants for one experiment. */
const TOKENS = 20_000_000;
const REQUEST_MS = 10_000;
/** A kill comes within so long after an experiment was asked for. */
const RANDOM_MS = 5_000;
/** How long the turns before, and the experiments after the last kill, may take: an alarm that was cut off comes again after two minutes. */
const WORK_MS = 120_000;
const END_MS = 480_000;

const table = readFileSync(resolve(import.meta.dirname, "../../test/fixtures/chaos/river-gauges.csv"), "utf8");
/** The turns that are run again, by what their model does beside the work. The last one cannot be run again. */
const TURNS = [QUESTION, `${QUESTION} ${LOOK_UP} 1.`, `${QUESTION} ${LOOK_UP} 2.`, `${QUESTION} ${SEND} 3.`];
/** What the tried texts have the model do first. */
const PROBES = ["", `${PROBE_SEND} 4`, `${PROBE_READ} 5`];

export async function runReplaysOnStack(options: ReplayStackOptions): Promise<ReplayStackRun> {
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-chaos-"));
  const world = await startReplayWorld();
  const run = new ReplayChaos(options, stateDir, world);
  return runAndClear(run, { world, stateDir });
}

class ReplayChaos {
  readonly #options: ReplayStackOptions;
  readonly #stateDir: string;
  readonly #world: ReplayWorld;
  readonly #random: () => number;
  readonly #accepted = new Map<number, string>();
  readonly #sessions: string[] = [];
  #workers: Parameters<typeof startOrDie>[0]["workers"];
  #stack: Stack | null = null;
  #key = "";
  #kills = 0;

  constructor(options: ReplayStackOptions, stateDir: string, world: ReplayWorld) {
    this.#options = options;
    this.#stateDir = stateDir;
    this.#world = world;
    this.#random = mulberry32(options.seed);
  }

  async all(): Promise<ReplayStackRun> {
    const { kills, say, seed } = this.#options;
    this.#workers = await buildWorkers(join(this.#stateDir, "built"), {});
    await this.#boot();
    await this.#work();
    const before = await this.#look();
    const heard = this.#world.arrivals.length;
    say(`${TURNS.length} turns were recorded, with ${heard} requests to doubles outside. Seed ${seed}.`);
    for (let n = 1; this.#kills < kills; n++) {
      const asking = this.#ask(n);
      await pause(this.#random() * RANDOM_MS);
      await this.#stack!.kill();
      await asking; // a request without an answer is sent again after the start
      this.#kills++;
      say(`Kill ${this.#kills}: ${this.#accepted.size} of ${n} experiments were accepted`);
      await this.#boot();
    }
    await this.#ask(kills);
    const began = Date.now();
    while (Date.now() < began + END_MS && (await this.#countOpen()) > 0) await pause(500);
    say(`All experiments ended ${Math.round((Date.now() - began) / 1_000)} s after the last start.`);
    const measured = await this.#measure(before, heard);
    for (const remark of measured.remarks) say(`Remark: ${remark}`);
    return { kills: this.#kills, ...measured };
  }

  async end(): Promise<void> {
    await this.#stack?.kill();
  }

  get #client(): Client {
    return createClient({ url: this.#stack!.url, key: this.#key });
  }

  async #boot(): Promise<void> {
    const { url } = this.#world;
    const vars = {
      TALARIA_OPERATOR_TOKEN: readOperatorToken(this.#stateDir),
      TALARIA_MODEL: "openai-chat:rehearsal",
      OPENAI_BASE_URL: `${url}/v1`,
      SEARXNG_URL: url,
      TALARIA_SETTINGS: JSON.stringify({ ...SETTINGS, outbound: { allow: [url] } }),
    };
    const port = await freePort();
    const started = await startOrDie({ port, stateDir: this.#stateDir, workers: this.#workers, vars }, null);
    this.#stack = started!.stack;
  }

  // ---- the turns that are run again ----

  async #work(): Promise<void> {
    const operator = createClient({ url: this.#stack!.url, key: readOperatorToken(this.#stateDir) });
    this.#key = (await operator.createProfile()).key;
    const { url } = this.#world;
    await this.#client.send("POST /v1/hooks", { body: { url: `${url}/hook`, events: ["turn.ended"] } });
    await this.#client.send("PUT /v1/mcp/servers/{server}", {
      params: { server: MCP_NAME },
      body: { url: `${url}/mcp` },
    });
    for (const text of TURNS) {
      const { session } = await this.#client.createSession({ learning: "on" });
      this.#sessions.push(session);
      await this.#client.putFile(session, "gauges.csv", table);
      await this.#client.send("POST /v1/sessions/{session}/messages", { params: { session }, body: { text } });
      await this.#until(async () => (await this.#client.session(session)).state === "idle");
      await this.#client.rate(session, 1, { rating: "up" });
      await this.#until(async () => (await this.#client.observation(session, 1)).observation?.judge === "rating");
    }
    const isHeard = () => this.#world.arrivals.filter(({ double }) => double === "hook").length >= TURNS.length;
    await this.#until(async () => isHeard() && (await this.#look()).turns === TURNS.length);
    const told = await Promise.all(this.#sessions.map((session) => this.#client.observation(session, 1)));
    const able = told.filter(({ replayability }) => replayability.replayable).length;
    if (able !== TURNS.length - 1) throw new Error(`${able} turns can be run again: this run would measure nothing.`);
  }

  async #until(isSo: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + WORK_MS; !(await isSo()); await pause(100)) {
      if (Date.now() > end) throw new Error("The turns before the kills did not end.");
    }
  }

  /** Turns that are learned from, and tokens of turns. */
  async #look(): Promise<{ turns: number; spent: number }> {
    const { turns } = await this.#client.learning();
    return { turns: turns.seen, spent: await this.#tokensOf("turn") };
  }

  async #tokensOf(kind: string): Promise<number> {
    const { lines } = await this.#client.usage({ by: "kind" });
    return lines.find(({ key }) => key === kind)?.tokens ?? 0;
  }

  // ---- experiments ----

  /** Asks for those up to `n` that were not accepted yet. Ends at the first request without an answer. */
  async #ask(n: number): Promise<void> {
    for (let at = 1; at <= n; at++) {
      if (this.#accepted.has(at)) continue;
      const made = await this.#take(at).catch(() => null);
      if (!made) return;
      this.#accepted.set(at, made.id);
    }
  }

  async #take(n: number): Promise<Experiment> {
    const name = `reading-gauges-${n}`;
    const params = { name };
    const files = { "SKILL.md": writeText(name, PROBES[n % PROBES.length]!) };
    await this.#client.putSkill(name, files);
    return this.#client.call(Experiment, "POST /v1/skills/{name}/replay", {
      params,
      body: { tokens: TOKENS },
      headers: { "idempotency-key": `try-${n}` },
      signal: AbortSignal.timeout(REQUEST_MS),
    });
  }

  async #list() {
    const listed = await this.#client.list(ExperimentList, "GET /v1/experiments", ({ experiments }) => experiments);
    return listed.items;
  }

  async #countOpen(): Promise<number> {
    const lines = await this.#list().catch(() => null);
    return lines?.filter(({ state }) => state !== "done").length ?? 1;
  }

  // ---- what became of them ----

  async #measure(before: { turns: number; spent: number }, heard: number): Promise<MeasuredReplays> {
    const experiments: Experiment[] = [];
    for (const { id } of await this.#list()) {
      const params = { experiment: id };
      experiments.push(await this.#client.call(Experiment, "GET /v1/experiments/{experiment}", { params }));
    }
    const { say } = this.#options;
    const runs = experiments.flatMap((one) => one.runs.filter(({ replay, report }) => replay && report));
    const ends = [...Map.groupBy(runs, ({ report }) => report!.end)].map(([end, of]) => `${of.length} ${end}`);
    const outcomes = [...Map.groupBy(experiments, ({ outcome }) => outcome)].map(([of, all]) => `${all.length} ${of}`);
    say(`${experiments.length} experiments (${outcomes.join(", ")}), ${runs.length} replays (${ends.join(", ")}).`);
    if (runs.length === 0) throw new Error("No turn was run again: this run measured nothing.");
    return countReplays({
      experiments,
      accepted: new Set(this.#accepted.values()),
      booked: await this.#tokensOf("replay"),
      evidence: await this.#readEvidence(experiments),
      outward: this.#world.arrivals.slice(heard).map(({ double, what }) => `${double}: ${what.slice(0, 200)}`),
      traces: await this.#findTraces(before),
    });
  }

  async #readEvidence(experiments: Experiment[]): Promise<Map<string, string[]>> {
    const evidence = new Map<string, string[]>();
    for (const { skill, text } of experiments) {
      const read = await this.#client.call(SkillEvidence, "GET /v1/skills/{name}/evidence", {
        params: { name: skill },
      });
      const ofText = read.uses.filter((use) => use.text === text);
      const turns = ofText.flatMap(({ turn, judgements }) =>
        judgements.filter(({ judge }) => judge === "replay").map(() => turn),
      );
      evidence.set(text, turns);
    }
    return evidence;
  }

  async #findTraces(before: { turns: number; spent: number }): Promise<string[]> {
    const listed = (await this.#client.listSessions()).map(({ session }) => session);
    const found = await this.#client.search({ q: PROBED });
    const now = await this.#look();
    return [
      ...listed.filter((id) => !this.#sessions.includes(id)).map((id) => `the session ${id} is listed`),
      ...found.results.map(({ turn }) => `a search finds the answer of a replay, as ${turn}`),
      ...(now.turns === before.turns ? [] : [`${now.turns - before.turns} turns more are learned from`]),
      ...(now.spent === before.spent ? [] : [`${now.spent - before.spent} tokens more are booked for turns`]),
    ];
  }
}
