// Runs a recorded turn again with nothing changed, and compares: entries, files, what the models were asked, the turn's stats, and that the
// replay has left nothing outside its own storage.
import { expect } from "vitest";
import type { Entry, TurnStats } from "../../../core/schemas/entry.ts";
import type { ReplayReport } from "../../../core/schemas/learning/experiment.ts";
import type { SessionHost } from "../../../core/session/context.ts";
import { createReplayEngine } from "../../../core/session/replay/replay-engine.ts";
import { createNodeSql } from "../bindings/node-sql.ts";
import { createTestClock } from "../clock.ts";
import type { RecordedWorld } from "./recorded-world.ts";
import { type StoredFile, readFiles } from "./stored-state.ts";
import { type PlayedCall, toBytes } from "./tape.ts";

const REPLAY = "01J0000000000000000000REPA";
const EXPERIMENT = "01J0000000000000000000EXPA";
/** A replay runs days after its turn. */
const LATER_MS = 3 * 86_400_000 + 12_345;
const MAX_ALARMS = 60;

export interface Replayed {
  report: ReplayReport;
  entries: Entry[];
  files: StoredFile[];
  stats: TurnStats;
  requests: PlayedCall[];
  /** Requests that nobody had made in the recorded session. */
  strangers: string[];
  /** Calls of ports that reach outside. */
  outward: string[];
  reports: string[];
}

/** `change`: breaks something on purpose, to see that the comparison fails. */
export async function replayTurn(world: RecordedWorld, n: number): Promise<Replayed> {
  const sql = createNodeSql();
  const clock = createTestClock(world.clock.now() + LATER_MS);
  const { host: recorded, engine: source } = world.life();
  const background = new Set<Promise<void>>();
  const reports: string[] = [];
  const outward: string[] = [];
  let alarmAt: number | null = null;
  const host: SessionHost = {
    ...watchPorts(recorded, outward),
    session: REPLAY,
    sql,
    clock,
    alarm: { set: async (at) => void (alarmAt = at) },
    background(work) {
      background.add(work);
      void work.catch(() => {}).finally(() => background.delete(work));
    },
    report: (what, error) => reports.push(`${what}: ${String(error)}`),
  };
  let report: ReplayReport | null = null;
  const engine = createReplayEngine(host, {
    source: () => ({
      readReplay: async (turn, need) => structuredClone(await source.readReplay(turn, structuredClone(need))),
    }),
    readText: async () => ({ ok: true, value: null }),
    report: async (_, made) => void (report = structuredClone(made)),
  });
  const order = {
    ...{ v: 1 as const, id: REPLAY, experiment: EXPERIMENT, source: { session: recorded.session, turn: n } },
    ...{ arm: "recorded" as const, skill: "nothing", budget: { tokens: 1e9, usdMicros: 1e12 } },
  };
  const played = await world.tape.play(world.isOfOldPrompt(n), async () => {
    const begun = await engine.begin(order);
    if (!begun.ok) return begun;
    for (let wakes = 0; report === null && alarmAt !== null && wakes < MAX_ALARMS; wakes++) {
      clock.advance(Math.max(0, alarmAt - clock.now()));
      alarmAt = null;
      await engine.alarm();
      while (background.size > 0) await Promise.allSettled(background);
    }
    return begun;
  });
  if (!played.value.ok) throw new Error(played.value.failure.message);
  if (report === null) throw new Error(`turn ${n} was not reported: ${reports.join("; ")}`);
  const entries: Entry[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page = engine.entryPage({ after, limit: 1_000 });
    entries.push(...page.entries);
    after = page.next === undefined ? null : Number(page.next);
  }
  return {
    report,
    entries,
    files: readFiles(sql)!,
    stats: (report as ReplayReport).stats,
    requests: played.asked,
    strangers: played.strangers,
    outward,
    reports,
  };
}

/** All fields but `at`. */
export function withoutTimes(entries: Entry[]): unknown[] {
  return entries.map((entry) => JSON.parse(toBytes({ ...entry, at: 0 })) as unknown);
}

/** Fails unless the replay gives the turn again. */
export async function expectExact(world: RecordedWorld, n: number): Promise<void> {
  const before = await world.dump();
  const asked = world.tape.count();
  const run = await replayTurn(world, n);
  const field = world.isOfOldPrompt(n) ? "unprompted" : "request";
  const row = world.turns().find((turn) => turn.n === n)!;
  expectSame(`turn ${n}: report of the object`, run.reports, []);
  expectSame(`turn ${n}: request`, toAsked(run.requests, field), toAsked(world.tape.calls(n), field));
  expectSame(`turn ${n}: entry`, withoutTimes(run.entries), withoutTimes(world.entriesOf(n)));
  expectSame(`turn ${n}: request that was never made`, run.strangers, []);
  expectSame(`turn ${n}: file`, run.files, world.filesAfter(n)!);
  expect(run.stats, `turn ${n}: stats`).toEqual(row.stats);
  const code = row.reason === "answer" ? null : row.reason;
  expect(run.report, `turn ${n}: report`).toMatchObject({ end: "answered", code, left: null });
  expectSame(`turn ${n}: call of a port that reaches outside`, run.outward, []);
  expect(world.tape.count(), `turn ${n}: models were asked in the recording session`).toBe(asked);
  expect((await world.dump()) === before, `turn ${n}: what is stored has not changed`).toBe(true);
}

/** Fails unless the turn is not run. */
export async function expectRefused(world: RecordedWorld, n: number): Promise<void> {
  const before = await world.dump();
  const { report, requests, outward } = await replayTurn(world, n);
  expect(report, `turn ${n}: report`).toMatchObject({ end: "failed", code: "not_replayable" });
  expect([requests, outward]).toEqual([[], []]);
  expect((await world.dump()) === before, `turn ${n}: what is stored has not changed`).toBe(true);
}

const SHOWN_CHARS = 700;

/** Tells the first item that differs, from a little before the first character that does. */
function expectSame(what: string, got: unknown[], wanted: unknown[]): void {
  for (let i = 0; i < Math.max(got.length, wanted.length); i++) {
    const [mine, its] = [toBytes(got[i]) ?? "none", toBytes(wanted[i]) ?? "none"];
    if (mine === its) continue;
    let at = 0;
    while (mine[at] === its[at]) at++;
    const from = Math.max(0, at - 80);
    const clip = (text: string) => text.slice(from, from + SHOWN_CHARS);
    throw new Error(`${what} ${i + 1} differs at ${at}\n  replayed: ${clip(mine)}\n  recorded: ${clip(its)}`);
  }
}

/** Each once: what failed, or was lost with its object, was asked again. What only gave a notice is copied with it. */
function toAsked(calls: PlayedCall[], field: "request" | "unprompted"): string[] {
  const asked = calls.filter(({ slot }) => slot !== "vision" && slot !== "approval");
  return [...new Set(asked.map((call) => `${call.model} ${call[field]}`))];
}

/** Reads that a replay may make itself: of what its prompt is built over. */
const OWN_READS = new Set(["memoryProvider.tools", "memoryProvider.name"]);
const OUTWARD = [
  ...[
    "account",
    "queue",
    "reviews",
    "hooks",
    "channels",
    "goals",
    "profileJobs",
    "children",
    "board",
    "mcp",
    "web",
    "memoryProvider",
  ],
  ...["imageMaker", "outbound", "exec", "archive", "messages", "sessions", "pending", "evidence"],
] as const;

/** Notes each call of a port that reaches outside. */
function watchPorts(host: SessionHost, outward: string[]): SessionHost {
  const ports = OUTWARD.flatMap((name) => {
    const port = host[name];
    return port ? [[name, watch(port, name, outward)]] : [];
  });
  return { ...host, ...Object.fromEntries(ports) };
}

function watch<Port extends object>(port: Port, name: string, outward: string[]): Port {
  return new Proxy(port, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown;
      const path = `${name}.${String(key)}`;
      if (typeof value === "function" && !OWN_READS.has(path)) {
        return (...asked: unknown[]) => {
          outward.push(path);
          return Reflect.apply(value, target, asked) as unknown;
        };
      }
      return value && typeof value === "object" ? watch(value, path, outward) : value;
    },
  });
}
