// A turn of a session, run again over a storage of its own: what a Replay object does, over node:sqlite. The calls to the source cross as RPC
// copies them. It can crash at any write and be booted again.
import { type Result, ok } from "../../../core/errors.ts";
import type { ReplayOrder } from "../../../core/experiments/ports.ts";
import type { Sql } from "../../../core/ports.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import type { ReplayReport } from "../../../core/schemas/learning/experiment.ts";
import type { SessionHost } from "../../../core/session/context.ts";
import type { SessionEngine } from "../../../core/session/engine.ts";
import type { ReplaySource } from "../../../core/session/replay/contract.ts";
import { createReplayEngine } from "../../../core/session/replay/replay-engine.ts";
import type { TestClock } from "../clock.ts";
import { createNodeSql } from "../bindings/node-sql.ts";
import { Crash, SESSION } from "./session-harness.ts";

export interface ReplayRunOptions {
  /** The host that the source's engine was made with: its stores, models and settings. */
  host: SessionHost;
  source: Pick<SessionEngine, "readReplay">;
  order?: Partial<ReplayOrder>;
  /** What the arm's text is. */
  text?: FileBodies | null;
  /** Runs before a report is taken. It may throw. */
  onReport?(): void;
}

export function toOrder(order: Partial<ReplayOrder> = {}): ReplayOrder {
  return {
    ...{ v: 1, id: "01J00000000000000000000R00", experiment: "01J00000000000000000000E00" },
    ...{
      source: { session: SESSION, turn: 1 },
      arm: "recorded",
      skill: "the-skill",
      budget: { tokens: 0, usdMicros: 0 },
    },
    ...order,
  };
}

export function createReplayRun({ host, source, order, text = null, onReport }: ReplayRunOptions) {
  const sql = createNodeSql();
  const reports: ReplayReport[] = [];
  const asked = toOrder(order);
  let alarmAt: number | null = null;
  let writes = 0;
  let pages = 0;

  /** `crashAt`: the write at which this life ends, counted from 1. */
  function boot({ crashAt = Infinity } = {}) {
    let isAlive = true;
    let count = 0;
    const background = new Set<Promise<void>>();
    const faults: string[] = [];
    const step = (isWrite: boolean) => {
      if (isAlive && isWrite && ++count >= crashAt) isAlive = false;
      if (!isAlive) throw new Crash(`at ${count}`);
      if (isWrite) writes++;
    };
    const mortal: Sql = {
      run: (query, ...values) => {
        step(!/^\s*SELECT/i.test(query));
        return sql.run(query, ...values);
      },
      transaction: (work) => {
        step(false);
        return sql.transaction(work);
      },
    };
    const reading: ReplaySource = {
      async readReplay(...need) {
        step(false);
        pages++;
        return structuredClone(source.readReplay(...structuredClone(need)));
      },
    };
    const engine = createReplayEngine(
      {
        ...host,
        session: "of no session",
        sql: mortal,
        alarm: {
          set: async (at) => {
            step(true);
            alarmAt = at;
          },
        },
        background(work) {
          background.add(work);
          void work.catch(() => {}).finally(() => background.delete(work));
        },
        report: (what, error) => faults.push(`${what}: ${String(error)}`),
      },
      {
        source: () => reading,
        readText: async (): Promise<Result<FileBodies | null>> => ok(text),
        async report(_order, report) {
          step(true);
          onReport?.();
          reports.push(structuredClone(report));
        },
      },
    );
    const settled = async () => {
      while (background.size > 0) await Promise.allSettled(background);
    };
    return {
      engine,
      faults,
      settled,
      isDead: () => !isAlive,
      begin: () => engine.begin(asked),
      /** Fires alarms as the platform would, until none is set or this life has ended. */
      async run(most = 60) {
        for (let fired = 0; alarmAt !== null && isAlive; fired++) {
          if (fired >= most) throw new Error(`it never ends: ${faults.join("; ")}`);
          const early = alarmAt - host.clock.now();
          if (early > 0) (host.clock as TestClock).advance(early);
          const firedAt = alarmAt;
          alarmAt = null;
          await engine.alarm().catch(() => void (alarmAt ??= firedAt));
          await settled();
        }
      },
      entries: (): Entry[] => engine.entryPage({ after: 0, limit: 1_000 }).entries,
    };
  }

  return { boot, sql, reports, order: asked, writes: () => writes, pages: () => pages };
}
