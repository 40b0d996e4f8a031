// The objects of a chaos run over replays in one process: the experiments of a profile, its replays and its ledger, over node:sqlite, with a clock
// that is moved. All of them die together at a point, as a process does: before or after a write of a database, a write of the store, the setting of
// an alarm, or a call of another object. The session whose turns are run again outlives them. Used by replays.ts.
import type { Model, Tool } from "../../core/agent/contract.ts";
import { succeed } from "../../core/agent/tool-result.ts";
import { ok } from "../../core/errors.ts";
import { createExperiments } from "../../core/experiments/experiments.ts";
import type { ExperimentHost, Experiments, ReplayPort } from "../../core/experiments/ports.ts";
import { toJudge } from "../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Bucket, Sql } from "../../core/ports.ts";
import type { Answer } from "../../core/schemas/entry.ts";
import { type Booking, sumUsageLines } from "../../core/schemas/usage.ts";
import type { SessionHost } from "../../core/session/context.ts";
import type { ReplayEngine } from "../../core/session/replay/contract.ts";
import { createReplayEngine } from "../../core/session/replay/replay-engine.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createMemoryBucket } from "../../test/support/bindings/memory-bucket.ts";
import { createNodeSql } from "../../test/support/bindings/node-sql.ts";
import type { TestClock } from "../../test/support/clock.ts";
import { PROFILE, type createSessionHarness } from "../../test/support/session/session-harness.ts";
import * as z from "zod";
import { MCP_NAME, answerMarked } from "./replay-script.ts";

/** The process died here. Nothing that belongs to it may go on. */
class Killed extends Error {
  override name = "Killed";
}

export interface Source {
  harness: ReturnType<typeof createSessionHarness>;
  host: SessionHost;
  engine: ReturnType<ReturnType<typeof createSessionHarness>["boot"]>["engine"];
}

/** An object's storage and its alarm. `isErased`: it was deleted, and stays so. */
interface Place {
  sql: Sql;
  alarmAt: number | null;
  isErased: boolean;
}

export type ReplayObjects = ReturnType<typeof createReplayObjects>;

/** `killAt`: the points at which the process dies, counted from 1 over all its lives. */
export function createReplayObjects({ host: session, engine, harness }: Source, killAt: readonly number[]) {
  const clock: TestClock = harness.clock;
  const bucket = createMemoryBucket({ clock });
  const experimentsPlace: Place = { sql: createNodeSql(), alarmAt: null, isErased: false };
  const replayPlaces = new Map<string, Place>();
  const booked = new Map<string, Booking>();
  const outward: string[] = [];
  const faults: string[] = [];
  let [points, kills, life, ids] = [0, 0, 0, 0];

  const isDead = (mine: number) => mine !== life;
  function pass(mine: number): void {
    if (isDead(mine)) throw new Killed("it is dead");
    if (!killAt.includes(++points)) return;
    kills++;
    life++;
    throw new Killed(`at ${points}`);
  }

  /** Everything of one life of the process. */
  function boot() {
    const mine = life;
    const background = new Set<Promise<void>>();
    const keep = (work: Promise<void>) => {
      background.add(work);
      void work.catch(() => {}).finally(() => background.delete(work));
    };
    const around = async <T>(work: () => T | Promise<T>): Promise<T> => {
      pass(mine);
      const value = structuredClone(await work());
      pass(mine);
      return value;
    };
    const toMortal = (place: Place): Sql => ({
      run(query, ...values) {
        if (isDead(mine)) throw new Killed("it is dead");
        if (/^\s*SELECT/i.test(query)) return place.sql.run(query, ...values);
        pass(mine);
        return place.sql.run(query, ...values);
      },
      transaction(work) {
        if (isDead(mine)) throw new Killed("it is dead");
        const value = place.sql.transaction(work);
        pass(mine);
        return value;
      },
    });
    const toAlarm = (place: Place) => ({
      set: (at: number | null) => around(() => void (place.alarmAt = place.isErased ? null : at)),
    });
    const report = (what: string, error: unknown) => {
      if (!isDead(mine)) faults.push(`${what}: ${String(error)}`);
    };
    const mortalBucket: Bucket = {
      ...bucket,
      put: (...given) => around(() => bucket.put(...given)),
      delete: (...given) => around(() => bucket.delete(...given)),
    };
    const skills = createSkillStore({
      bucket: mortalBucket,
      profile: PROFILE,
      clock,
      random: () => 0.5,
      swapMs: 1_000,
    });
    const engines = new Map<string, ReplayEngine>();

    function open(id: string): ReplayEngine {
      const place = replayPlaces.get(id) ?? { sql: createNodeSql(), alarmAt: null, isErased: false };
      replayPlaces.set(id, place);
      const known = engines.get(id);
      if (known) return known;
      const replayHost = { ...watch(session, outward), skills, sql: toMortal(place), alarm: toAlarm(place) };
      const made = createReplayEngine(
        { ...replayHost, session: "of no session", models: () => ok([MODEL]), background: keep, report },
        {
          source: () => ({ readReplay: (...asked) => around(() => engine.readReplay(...asked)) }),
          readText: ({ experiment, arm }) => around(() => experiments.readText(experiment, arm as "with")),
          report: ({ id: of }, said) => around(() => experiments.takeReport(of, said)),
        },
      );
      engines.set(id, made);
      return made;
    }
    const replays: ReplayPort = {
      begin: (order) =>
        around(async () => {
          if (replayPlaces.get(order.id)?.isErased) throw new Error("an erased replay was begun");
          return open(order.id).begin(order);
        }),
      look: (id) => around(() => (replayPlaces.has(id) && !replayPlaces.get(id)!.isErased ? open(id).look() : null)),
      erase: (id) =>
        around(() => {
          engines.get(id)?.end();
          replayPlaces.set(id, { sql: createNodeSql(), alarmAt: null, isErased: true });
        }),
    };
    const host: ExperimentHost = {
      ...{ sql: toMortal(experimentsPlace), alarm: toAlarm(experimentsPlace), clock, random: () => 0.5 },
      newId: () => `01JZ${String(++ids).padStart(22, "0")}`,
      settings: DEFAULTS,
      skills,
      evidence: createEvidenceStore({ bucket: mortalBucket, profile: PROFILE, judge: toJudge(DEFAULTS.learning) }),
      turns: {
        describe: (asked) => around(() => engine.describeTurn(asked)),
        findSimilar: async () => [],
      },
      replays,
      budget: {
        reserve: ({ id, tokens }) =>
          around(() => ({ tokens: Math.max(0, tokens - sumOf(ofGrant(id))), usdMicros: 0, ofDay: tokens })),
        book: (booking, grant) =>
          around(() => {
            if (!booked.has(booking.id)) booked.set(booking.id, { ...booking, session: grant });
          }),
        release: () => around(() => {}),
      },
      models: () => ok([MODEL]),
      tell: () => around(() => {}),
      report,
    };
    const experiments: Experiments = createExperiments(host);
    return {
      experiments,
      open,
      isDead: () => isDead(mine),
      async settled() {
        while (background.size > 0) await Promise.allSettled(background);
      },
    };
  }

  const sumOf = (bookings: Iterable<Booking>) =>
    [...bookings].reduce((sum, { lines }) => sum + sumUsageLines(lines).tokens, 0);
  const ofGrant = (grant: string) => [...booked.values()].filter((booking) => booking.session === grant);
  let live = boot();

  /** Repeats what a caller repeats until it is answered. */
  async function call<T>(work: (now: typeof live) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work(live);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        await live.settled();
        live = boot();
      }
    }
  }

  /** Fires the alarm that is due first, as the platform does: again if the process died in it. False: none is set before `until`. */
  async function fireNext(until: number): Promise<boolean> {
    const set = [experimentsPlace, ...replayPlaces.values()].filter(({ alarmAt }) => alarmAt !== null);
    const [next] = set.toSorted((a, b) => a.alarmAt! - b.alarmAt!);
    if (!next || next.alarmAt! > until) return false;
    if (next.alarmAt! > clock.now()) clock.advance(next.alarmAt! - clock.now());
    const at = next.alarmAt;
    next.alarmAt = null;
    const [id] = [...replayPlaces].find(([, place]) => place === next) ?? [];
    const now = live;
    const fire = async () => (id === undefined ? now.experiments.alarm() : now.open(id).alarm());
    await fire().catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
    await now.settled();
    if (!now.isDead()) return true;
    next.alarmAt ??= at;
    live = boot();
    return true;
  }

  return {
    ...{ bucket, call, fireNext, outward, faults, clock },
    points: () => points,
    kills: () => kills,
    booked: () => sumOf(booked.values()),
    replays: () => [...replayPlaces].map(([id, { isErased }]) => ({ id, isErased })),
  };
}

const MODEL: Model = {
  name: "openai-chat:rehearsal",
  contextWindow: 200_000,
  async *stream(request) {
    const answer = await answerMarked(request);
    const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };
    const stop: Answer["stop"] = answer.calls.length > 0 ? "tools" : "end";
    yield { type: "done", answer: { ...answer, stop, usage, model: "openai-chat:rehearsal" } };
  },
};

/** The tools outside that the script's model calls. `happened`: what they did. */
export function createOutsideTools(happened: string[]): Tool[] {
  const make = (name: string, effect: Tool["effect"]): Tool => ({
    ...{ name, effect, description: `The tool ${name}.`, toolset: "mcp", parameters: z.looseObject({}) },
    async run(args: object) {
      happened.push(`${name} ${JSON.stringify(args)}`);
      return succeed({ ok: true }, { content: { text: "It is 7." } });
    },
  });
  return [make("web_search", "read"), make(`mcp_${MCP_NAME}_rate`, "read"), make(`mcp_${MCP_NAME}_send`, "unkeyed")];
}

const OUTWARD = [
  "hooks",
  "channels",
  "queue",
  "account",
  "archive",
  "messages",
  "reviews",
  "pending",
  "evidence",
] as const;

/** The host of a session whose ports to the outside note what is asked of them. Its tools outside note it themselves. */
function watch(host: SessionHost, outward: string[]): SessionHost {
  const watched = OUTWARD.flatMap((name) => {
    const port: unknown = host[name];
    if (typeof port !== "object" || port === null) return [];
    const noted = Object.entries(port).map(([method, call]) => [
      method,
      (...given: unknown[]) => {
        outward.push(`${name} ${method}`);
        return Reflect.apply(call as () => unknown, port, given);
      },
    ]);
    return [[name, Object.fromEntries(noted)]];
  });
  return { ...host, ...Object.fromEntries(watched), moreTools: createOutsideTools(outward) };
}

export { MODEL as REPLAY_MODEL };
