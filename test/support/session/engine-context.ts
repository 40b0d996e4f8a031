// The context that the parts of a session's engine share, over node:sqlite and the stores' doubles, for tests of single parts. It
// counts requests to R2 and KV. It can crash at any write and be reopened on what was stored.
import { err } from "../../../core/errors.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { Sql } from "../../../core/ports.ts";
import type { Learning } from "../../../core/schemas/api.ts";
import { NO_STATS, type Part, type ToolEntry } from "../../../core/schemas/entry.ts";
import type { EngineContext, SessionHost } from "../../../core/session/context.ts";
import { createHub } from "../../../core/session/readers/hub.ts";
import { createJobs } from "../../../core/session/jobs.ts";
import type { TurnRow } from "../../../core/session/log-turns.ts";
import { createLog } from "../../../core/session/log.ts";
import { createImageRows } from "../../../core/session/images/image-rows.ts";
import { createOverlay } from "../../../core/session/memory/overlay.ts";
import { createTables } from "../../../core/session/schema.ts";
import { createLogTaint } from "../../../core/session/learning/taint.ts";
import { createWorkspace } from "../../../core/workspace/workspace.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { createMemoryStore } from "../../../stores/memory-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createTestClock } from "../clock.ts";
import { createMemoryBucket } from "../bindings/memory-bucket.ts";
import { createMemoryKv } from "../bindings/memory-kv.ts";
import { createNodeSql } from "../bindings/node-sql.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs";
export const SESSION = "01J00000000000000000000000";

/** A simulated power cut. */
export class PowerCut extends Error {
  override name = "PowerCut";
}

export function createEngineContext({ learning = "on" }: { learning?: Learning } = {}) {
  const sql = createNodeSql();
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const kv = createMemoryKv({ clock });
  const requestedSlots: string[] = [];
  const reports: string[] = [];
  createTables(sql);

  /** One lifetime of the object. `crashAt`: the first write that fails, counted from 1. All later writes fail too. */
  function open({ crashAt = Infinity }: { crashAt?: number } = {}): EngineContext {
    let writes = 0;
    const mortal: Sql = {
      run(query, ...values) {
        if (writes >= crashAt || (!/^\s*SELECT/i.test(query) && ++writes >= crashAt)) throw new PowerCut();
        return sql.run(query, ...values);
      },
      transaction: (work) => sql.transaction(work),
    };
    const settings = DEFAULTS;
    const watched = <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get(target, key) {
          if (typeof key === "string" && ["get", "getUnless", "list", "put"].includes(key)) requestedSlots.push(key);
          return Reflect.get(target, key) as unknown;
        },
      });
    const unused = () => {
      throw new Error("nothing here uses this");
    };
    const host: SessionHost = {
      profile: PROFILE,
      session: SESSION,
      sql: mortal,
      alarm: { set: async () => undefined },
      clock,
      random: () => 0.5,
      token: () => "0123456789abcdef",
      settings,
      models: () => err("model_not_configured", "There is no model here."),
      seeds,
      skills: createSkillStore({ bucket: watched(bucket), profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 }),
      memory: (overlay) =>
        createMemoryStore({ kv: watched(kv), profile: PROFILE, clock, overlayMs: settings.memory.overlayMs, overlay }),
      evidence: {
        put: unused,
        list: unused,
        fold: unused,
        counted: unused,
        lastCounts: unused,
        markActive: unused,
        activeDays: unused,
      },
      reviews: new Proxy({} as SessionHost["reviews"], { get: () => unused }),
      queue: { send: unused },
      account: new Proxy({} as SessionHost["account"], { get: () => unused }),
      background: () => undefined,
      report: (what, error) => reports.push(`${what}: ${String(error)}`),
    };
    const { maxFileBytes, maxWorkspaceBytes } = settings.turn;
    const log = createLog(mortal);
    return {
      host,
      log,
      jobs: createJobs(host),
      hub: createHub(clock),
      overlay: createOverlay(mortal),
      images: createImageRows(mortal),
      taint: createLogTaint(createLog(mortal)),
      workspace: createWorkspace({
        sql: mortal,
        clock,
        maxFileBytes,
        maxBytes: maxWorkspaceBytes,
        turn: () => log.newestBegun(),
      }),
      meta: () => ({ v: 1, learning, title: "", createdAt: 0 }),
      storedMeta: () => ({ v: 1, learning, title: "", createdAt: 0 }),
      changeMeta: unused,
      markIndexed: unused,
      setIndexYear: unused,
      rename: unused,
      continueGoal: unused,
    };
  }

  /** The profile's stores as another session or the review Worker opens them. */
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
  const memory = createMemoryStore({ kv, profile: PROFILE, clock, overlayMs: 0 });
  return { open, clock, sql, skills, memory, asked: requestedSlots, reports };
}

/** Starts a turn and writes its input entry. */
export function beginTurn({ log, host }: EngineContext, text = "Go on."): TurnRow {
  const n = (log.lastTurn()?.n ?? 0) + 1;
  const input = log.nextEntry();
  const startedAt = host.clock.now();
  log.put({ v: 1, n: input, turn: n, at: startedAt, kind: "user", parts: [{ source: "principal", text }] });
  const waits = { waiting: null, final: null, endedAt: null, more: {} };
  const turn: TurnRow = { n, state: "running", input, attempts: 1, stats: NO_STATS, startedAt, ...waits };
  log.putTurn(turn);
  return turn;
}

export function endTurn({ log, host }: EngineContext, turn: TurnRow): void {
  log.putTurn({ ...turn, state: "done", endedAt: host.clock.now() });
}

/** Writes a call with its result. */
export function putCall({ log, host }: EngineContext, turn: TurnRow, name: string, done: Partial<ToolEntry>): void {
  const parts: Part[] = [{ source: "outcome", text: "{}" }];
  const call = { id: `call-${log.nextEntry()}`, name, args: {} };
  const base = { v: 1 as const, n: log.nextEntry(), turn: turn.n, at: host.clock.now(), kind: "tool" as const };
  log.put({ ...base, state: "done", call, step: 0, failed: false, prepared: {}, parts, ...done });
}
