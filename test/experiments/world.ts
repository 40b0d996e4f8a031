// The experiments of a profile over node:sqlite and the stores' doubles, with turns that can be run again and replays that a test scripts. It can
// crash before and after every write, and be opened again on what was stored.
import type { ModelChain } from "../../core/agent/contract.ts";
import { err, ok } from "../../core/errors.ts";
import { createExperiments } from "../../core/experiments/experiments.ts";
import type {
  ExperimentHost,
  Experiments,
  NewExperiment,
  RecordedTurn,
  ReplayOrder,
} from "../../core/experiments/ports.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { SkillNext, Sql } from "../../core/ports.ts";
import { NO_STATS, NO_USAGE } from "../../core/schemas/entry.ts";
import { type TurnId, fromTurnId, toTurnId } from "../../core/schemas/ids.ts";
import { hashFiles, textOfFiles } from "../../core/schemas/learning/digest.ts";
import type { Experiment, ReplayReport } from "../../core/schemas/learning/experiment.ts";
import type { Evidence } from "../../core/schemas/skill.ts";
import type { Booking } from "../../core/schemas/usage.ts";
import type { RunChecks } from "../../core/skills/checks.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { createTestClock } from "../support/clock.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { JUDGE } from "../support/skills/reviews.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { adjustment, creation, extension } from "../support/skills/skills.ts";
import { toUlid } from "../support/ulid.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";

export const SESSION = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
export const SKILL = "tables";
export const MODEL = "scripted:test";

export class Crash extends Error {
  override name = "Crash";
}

export const textOf = (body: string) => textOfFiles(hashFiles({ "SKILL.md": body }));
/** The two texts of the skill. */
export const [FIRST, SECOND] = [textOf("one"), textOf("one\ntwo")];

export type Answer = Partial<ReplayReport> & { calls?: number; failedCalls?: number; tokens?: number };

export interface WorldOptions {
  /** By number; those without a value are like `turn(n)`. */
  turns?: Record<number, Partial<RecordedTurn>>;
  /** Numbers of turns that are similar. */
  similar?: number[];
  /** What a run reports; `null`: it never does. */
  answer?: (order: ReplayOrder, nth: number) => Answer | null;
  granted?: number;
  /** The setting `learning.verdicts`. */
  verdicts?: boolean;
  judges?: ModelChain;
  runChecks?: RunChecks;
  /** What happens while a run is being erased. */
  whileErasing?: (id: string) => Promise<void>;
}

/** A turn with seven calls whose answer, 42, the person has accepted. */
export function turn(n: number, more: Partial<RecordedTurn> = {}, session = SESSION): RecordedTurn {
  const id = toTurnId(session, n);
  const stats = { ...NO_STATS, modelCalls: 4, toolCalls: 7, failedCalls: 2, usage: { ...NO_USAGE, input: 7_000 } };
  return {
    ...{
      turn: id,
      replayability: { replayable: true },
      request: `Count the rows of table ${n}.`,
      said: "",
      called: [],
      endedAt: n,
    },
    ...{ model: MODEL, stats, answer: "42", outcome: "success", judge: "rating", exit: "success", loaded: [] },
    accepted: { turn: id, text: "42", isOwn: true },
    ...more,
  };
}

export type World = ReturnType<typeof createWorld>;

export function createWorld(options: WorldOptions = {}) {
  const { similar = [], answer = (): Answer => ({}), granted = 1_000_000, verdicts = true } = options;
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const sql = createNodeSql();
  const skills = createSkillStore({ bucket, profile, clock, random: createSeededRandom(1), swapMs: 10_000 });
  const evidence = createEvidenceStore({ bucket, profile, judge: JUDGE });
  const replays = new Map<string, { order: ReplayOrder; report: ReplayReport | null; activeAt: number }>();
  const seen = {
    orders: new Map<string, ReplayOrder>(),
    erased: new Set<string>(),
    erasures: 0,
    bookings: new Map<string, Booking>(),
    told: new Map<string, string>(),
    followers: 0,
    /** What the webhooks were told, once for each revision. */
    withdrawn: new Map<string, object>(),
    reports: [] as string[],
    /** What each write was, in order: a crash may come at any of them. */
    writes: [] as string[],
  };
  const reserved = new Map<string, number>();
  const settings = {
    ...DEFAULTS,
    learning: { ...DEFAULTS.learning, verdicts },
  };
  const grant = { tokens: granted };
  let alarmAt: number | null = null;
  let ids = 0;

  function open({ crashAt = Infinity }: { crashAt?: number } = {}): Experiments & { isDead(): boolean } {
    const isDead = { now: false };
    let [points, inside] = [0, false];
    const point = (what: string): void => {
      if (isDead.now) throw new Crash();
      if (inside) return;
      seen.writes.push(what);
      if (++points !== crashAt) return;
      isDead.now = true;
      throw new Crash();
    };
    /** An effect, before and after which it may crash. */
    const effect =
      <Args extends unknown[], T>(what: string, work: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        point(`before ${what}`);
        const value = await work(...args);
        point(`after ${what}`);
        return value;
      };
    const gated: Sql = {
      run(query, ...values) {
        if (!/^\s*SELECT/i.test(query)) point(query);
        else if (isDead.now) throw new Crash();
        return sql.run(query, ...values);
      },
      transaction(work) {
        point("transaction");
        inside = true;
        try {
          return sql.transaction(work);
        } finally {
          inside = false;
        }
      },
    };
    const host: ExperimentHost = {
      sql: gated,
      alarm: { set: effect("alarm", async (at: number | null) => void (alarmAt = at)) },
      clock,
      random: createSeededRandom(2),
      newId: () => toUlid(clock.now() + ids++, "X"),
      settings,
      skills: {
        ...skills,
        change: effect("change", skills.change.bind(skills)),
        noteUse: effect("noteUse", skills.noteUse.bind(skills)),
      },
      evidence: { ...evidence, put: effect("evidence", evidence.put.bind(evidence)) },
      turns: {
        async describe(asked) {
          if (asked.session !== SESSION) return null;
          // Ten entries a turn.
          const n = "turn" in asked ? asked.turn : Math.ceil(asked.entry / 10);
          return turn(n, options.turns?.[n] ?? {});
        },
        findSimilar: async () => similar.map((n) => toTurnId(SESSION, n)),
      },
      replays: {
        begin: effect("begin", async (order: ReplayOrder) => {
          if (fromTurnId(toTurnId(order.source.session, order.source.turn)).session !== SESSION)
            return err("session_gone", "");
          seen.orders.set(order.id, order);
          if (!seen.erased.has(order.id) && !replays.has(order.id)) {
            replays.set(order.id, { order, report: null, activeAt: clock.now() });
          }
          return ok(null);
        }),
        async look(id) {
          const run = replays.get(id);
          return run ? { report: run.report, activeAt: run.activeAt } : null;
        },
        erase: effect("erase", async (id: string) => {
          seen.erasures++;
          await options.whileErasing?.(id);
          seen.erased.add(id);
          replays.delete(id);
        }),
      },
      budget: {
        async reserve({ id, tokens }) {
          const left = reserved.get(id) ?? Math.min(tokens, grant.tokens);
          if (left <= 0) return null;
          reserved.set(id, left);
          return { tokens: left, usdMicros: 0, ofDay: granted };
        },
        book: effect("book", async (booking: Booking, id: string) => {
          if (seen.bookings.has(booking.id)) return;
          seen.bookings.set(booking.id, booking);
          const used = booking.lines.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
          reserved.set(id, Math.max(0, (reserved.get(id) ?? 0) - used));
        }),
        release: effect("release", async (id: string) => void reserved.delete(id)),
      },
      models: () => ok([createScriptedModel([])] as const),
      ...(options.judges && { judges: options.judges }),
      ...(options.runChecks && { runChecks: options.runChecks }),
      tell: effect("tell", async (_session: string, id: string, text: string) => {
        if (seen.told.has(id) && seen.told.get(id) !== text) throw new Error("told twice");
        seen.told.set(id, text);
      }),
      tellFollowers: effect("tellFollowers", async () => void seen.followers++),
      tellHooks: effect("tellHooks", async (told: { skill: string; rev: number }) => {
        seen.withdrawn.set(`${told.skill} ${told.rev}`, told);
      }),
      report: (what, error) => {
        if (!(error instanceof Crash)) seen.reports.push(`${what}: ${String(error)}`);
      },
    };
    const experiments = createExperiments(host);
    return Object.assign(experiments, { isDead: () => isDead.now });
  }

  function toReport(order: ReplayOrder): ReplayReport | null {
    const nth = [...seen.orders.values()].filter(
      (one) => one.arm === order.arm && one.source.turn === order.source.turn,
    ).length;
    const given = answer(order, nth);
    if (given === null) return null;
    const { calls = 7, failedCalls = 0, tokens = 7_000, ...more } = given;
    const usage = { ...NO_USAGE, input: tokens };
    return {
      ...{ v: 1, end: "answered", code: null, answer: "42", exit: "success", loaded: order.arm !== "without" },
      ...{ contradicted: false, failedWords: [], refusedWords: [], workedWords: [], left: null, endedAt: clock.now() },
      stats: { ...NO_STATS, modelCalls: 4, toolCalls: calls, failedCalls, usage },
      lines: [{ kind: "replay", model: MODEL, source: "none", calls: 4, usage, usdMicros: 0 }],
      ...more,
    };
  }

  return {
    ...{ clock, sql, skills, evidence, replays, seen, reserved, grant, open },
    alarmAt: () => alarmAt,
    /** Makes the skill with `FIRST`, then `SECOND`. */
    async makeSkill(more: SkillNext = {}, texts: 1 | 2 = 2): Promise<void> {
      await skills.change(creation(SKILL, "one", "one", { origin: "review", state: "trial", ...more }));
      if (texts === 2) await skills.change(extension(SKILL, "two", "two", 1));
    },
    adjust: (next: SkillNext, op = "adjust") => skills.change(adjustment(SKILL, next, op)),
    head: async () => (await skills.head(SKILL))!,
    async evidenceOf(): Promise<Evidence[]> {
      const all: Evidence[] = [];
      for await (const one of evidence.list(SKILL)) all.push(one);
      return all;
    },
    /** Every replay that has begun reports. */
    async play(experiments: Experiments): Promise<void> {
      for (const [id, run] of replays) {
        if (run.report) continue;
        run.report = toReport(run.order);
        if (run.report) await experiments.takeReport(id, run.report);
      }
    },
    /** Lets alarms fire and replays report until everything has ended. */
    async runToEnd(experiments: Experiments, maxAlarms = 200): Promise<void> {
      for (let alarms = 0; alarms < maxAlarms; alarms++) {
        const open = (await experiments.list({ limit: 100 })).filter(({ state }) => state !== "done");
        if (open.length === 0 || alarmAt === null) return;
        if (alarmAt > clock.now()) clock.advance(alarmAt - clock.now());
        await experiments.alarm();
        await this.play(experiments);
      }
      throw new Error("It does not end.");
    },
    async tryText(experiments: Experiments, asked: NewExperiment): Promise<Experiment> {
      const taken = await experiments.take(asked);
      if (!taken.ok) throw new Error(taken.failure.message);
      await this.runToEnd(experiments);
      const read = await experiments.read(taken.value.id);
      if (!read.ok) throw new Error(read.failure.message);
      return read.value;
    },
  };
}

export const cite = (n: number) => `${SESSION}/${n * 10}#outcome`;

/** A revision that a review wrote, from turns 1 and 2. */
export function asked(more: Partial<NewExperiment> = {}): NewExperiment {
  return {
    ...{ key: "review:1", skill: SKILL, occasion: "revision", rev: 2, text: SECOND, parent: null },
    ...{ citations: [cite(1)], about: "counts rows", session: SESSION },
    ...more,
  };
}

export function turnIds(...numbers: number[]): TurnId[] {
  return numbers.map((n) => toTurnId(SESSION, n));
}
