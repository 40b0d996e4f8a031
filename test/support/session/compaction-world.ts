// A session's log with a conversation, and the ports that compaction needs, for tests that write the entries themselves. It counts
// the rows that are read, and can crash at any write.
import type { Message, Model } from "../../../core/agent/contract.ts";
import { type Result, ok } from "../../../core/errors.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { Sql } from "../../../core/ports.ts";
import { type Entry, type JsonObject, NO_STATS, NO_USAGE, type Part, type Usage } from "../../../core/schemas/entry.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { createKeeper } from "../../../core/session/compaction/compact.ts";
import type { PlacedEvent } from "../../../core/session/readers/events.ts";
import { readHistory, toMessages } from "../../../core/session/prompt/history.ts";
import { type Log, createLog } from "../../../core/session/log.ts";
import { createTables } from "../../../core/session/schema.ts";
import type { CompactionContext, CompactionOptions } from "../../../core/session/compaction/shorten.ts";
import { createTestClock } from "../clock.ts";
import { createWords } from "./conversation.ts";
import { createNodeSql } from "../bindings/node-sql.ts";
import { Crash } from "./session-harness.ts";

export interface Step {
  text?: string;
  usage?: Partial<Usage>;
  calls?: { name?: string; args?: JsonObject; result?: Part[]; failed?: boolean }[];
}

export type CompactionWorld = ReturnType<typeof createCompactionWorld>;

export function createCompactionWorld(options: {
  models: Partial<Record<"compaction" | "turn", Model[]>>;
  context?: Partial<Settings["context"]>;
  window?: number;
}) {
  const sql = createNodeSql();
  createTables(sql);
  const clock = createTestClock();
  const settings = { ...DEFAULTS, context: { ...DEFAULTS.context, ...options.context } };
  const window = options.window ?? 8_000;
  const events: PlacedEvent[] = [];
  let rowsRead = 0;
  let prompts = 0;
  /** A second writer besides the engine's. Each reads what the other wrote. */
  const whole = () => createLog(sql);

  /** `crashAt`: the first write that fails, counted from 1. */
  function boot(crashAt = Infinity): { context: CompactionContext; log: Log } {
    let writes = 0;
    const mortal: Sql = {
      run<Row>(query: string, ...values: (string | number | null | Uint8Array)[]): Row[] {
        if (!/^\s*SELECT/i.test(query) && ++writes >= crashAt) throw new Crash(`at write ${writes}`);
        const rows = sql.run<Row>(query, ...values);
        rowsRead += rows.length;
        return rows;
      },
      transaction: (work) => sql.transaction(work),
    };
    const log = createLog(mortal);
    const context: CompactionContext = {
      host: {
        session: "01J00000000000000000000000",
        sql: mortal,
        clock,
        random: () => 0.5,
        settings,
        models(slot) {
          const models = (slot === "compaction" ? options.models.compaction : undefined) ?? options.models.turn;
          const [first, ...rest] = models ?? [];
          if (!first) return { ok: false, failure: { code: "model_not_configured", message: "No model." } };
          return ok([first, ...rest]);
        },
      },
      log,
      hub: { emit: (event) => void events.push(event) },
      async refreshPrompt() {
        log.setMeta("prompt", { v: 1, text: `prompt ${++prompts}` });
        return `prompt ${prompts}`;
      },
    };
    return { context, log };
  }

  const life = boot();

  return {
    ...life,
    boot,
    clock,
    events,
    window,
    rowsRead: () => rowsRead,
    prompts: () => prompts,
    entries: (): Entry[] => whole().entries(1),

    /** Starts a turn, with its input in the log. */
    begin(text: string): number {
      const turn = (whole().lastTurn()?.n ?? 0) + 1;
      const n = whole().nextEntry();
      put({ kind: "user", n, turn, parts: [{ source: "principal", text }] });
      whole().putTurn({
        n: turn,
        state: "running",
        waiting: null,
        input: n,
        final: null,
        attempts: 1,
        stats: NO_STATS,
        startedAt: clock.now(),
        endedAt: null,
        more: {},
      });
      return turn;
    },
    /** Adds one answer with the results of its calls. Without a reported usage, sizes are estimated. */
    answer(turn: number, { text = "", usage, calls = [] }: Step = {}): Message[] {
      const n = whole().nextEntry();
      const madeCalls = calls.map(({ name = "terminal", args = { command: `run ${n}` } }, i) => ({
        id: `c${n}-${i}`,
        name,
        args,
      }));
      const answer = {
        calls: madeCalls,
        stop: madeCalls.length > 0 ? ("tools" as const) : ("end" as const),
        usage: { ...NO_USAGE, ...usage },
        model: "scripted:test",
      };
      put({ kind: "assistant", n, turn, parts: text === "" ? [] : [{ source: "own", text }], answer });
      for (const [i, call] of madeCalls.entries()) {
        const { result = [{ source: "outcome" as const, text: '{"done":true}' }], failed = false } = calls[i]!;
        put({ kind: "tool", n: n + 1 + i, turn, parts: result, state: "done", call, step: 0, failed, prepared: {} });
      }
      return toMessages(whole().entries(n));
    },
    end(turn: number): void {
      whole().putTurn({ ...whole().turn(turn)!, state: "done", final: whole().nextEntry() - 1, endedAt: clock.now() });
    },
    history(turn: number, log = life.log): Message[] {
      log.forget();
      return readHistory({ log }, whole().turn(turn)!);
    },
    fit(
      turn: number,
      messages: Message[],
      more: {
        step?: number;
        overflow?: boolean;
        usage?: Usage;
        signal?: AbortSignal;
        in?: CompactionContext;
        with?: CompactionOptions;
      } = {},
    ): Promise<Result<{ messages: Message[]; system?: string }>> {
      const context = more.in ?? life.context;
      context.log.forget();
      const keeper = createKeeper(context, turn, more.with ?? {});
      const { step = 0, overflow = false, usage = null, signal = new AbortController().signal } = more;
      return keeper.fit({ step, messages, contextWindow: window, usage, overflow, signal });
    },
  };

  function put(entry: Record<string, unknown>): void {
    whole().put({ v: 1, at: clock.now(), ...entry } as Entry);
  }
}

/** Adds a turn with `steps` calls. Each result has `chars` characters from a file. */
export function work(world: CompactionWorld, request: string, steps: number, chars: number): void {
  const turn = world.begin(request);
  for (let i = 0; i < steps; i++) {
    const result: Part[] = [
      { source: "outcome", text: '{"exit_code":0}' },
      { source: "content", text: JSON.stringify({ stdout: createWords(chars, 100 * turn + i) }) },
    ];
    world.answer(turn, { text: `Step ${i}.`, calls: [{ result }] });
  }
  world.answer(turn, { text: "Done." });
  world.end(turn);
}

/** Adds a turn without tool calls. */
export function talk(world: CompactionWorld, request: string, reply: string): void {
  const turn = world.begin(request);
  world.answer(turn, { text: reply });
  world.end(turn);
}
