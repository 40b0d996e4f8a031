// A session whose turns are recorded, so that each can be run again and compared: what its models were asked, and its files after each turn.
// It can crash at any write of a turn and goes on in a new object.
import { expect } from "vitest";
import type { Model, ModelSlot } from "../../../core/agent/contract.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { Replayability } from "../../../core/schemas/learning/experiment.ts";
import type { SessionHost } from "../../../core/session/context.ts";
import type { SessionEngine } from "../../../core/session/engine.ts";
import { type ScriptLine, createScriptedModel } from "../wires/scripted-model.ts";
import { type HarnessOptions, type SessionLife, Crash, createSessionHarness } from "../session/session-harness.ts";
import { type SessionOptions, must } from "../session/scripted-session.ts";
import { type StoredFile, dumpSql, dumpStores, readFiles } from "./stored-state.ts";
import { type Tape, createTape } from "./tape.ts";

export type Message = Parameters<SessionEngine["post"]>[0];
export type RecordedWorld = Awaited<ReturnType<typeof createRecordedWorld>>;
export type WorldOptions = Omit<SessionOptions, "model"> & {
  /** How the session comes to be. Default: it is created. */
  begin?(engine: SessionEngine): Promise<unknown>;
  /** Ports that have models, which must be recorded. */
  withTape?(tape: Tape): Partial<SessionHost>;
};

const MAX_ALARMS = 60;
/** Between a turn and the next message. */
const PAUSE_MS = 1_000;

/** `answers`: a model, or its answers in order. */
export async function createRecordedWorld(answers: Model | ScriptLine[], options: WorldOptions = {}) {
  const { learning = "on", kind, begin, withTape, models = {}, ...rest } = options;
  const tape: Tape = createTape(() => running());
  const slots = Object.entries(models).map(([slot, chain]) => [
    slot,
    chain.map((model) => tape.wrap(model, slot as ModelSlot)),
  ]);
  const harness = createSessionHarness({
    ...rest,
    model: tape.wrap(Array.isArray(answers) ? createScriptedModel(answers) : answers),
    models: Object.fromEntries(slots) as NonNullable<HarnessOptions["models"]>,
    host: { ...rest.host, ...withTape?.(tape) },
    settings: { ...rest.settings, review: { enabled: false, ...rest.settings?.review } },
  });
  const { sql } = harness;
  const files = new Map<number, StoredFile[]>();
  let life: SessionLife = harness.boot();
  if (begin) await begin(life.engine);
  else await life.engine.create({ learning, title: "", ...(kind && { kind }) });

  function running(): number {
    return (
      sql.run<{ n: number }>("SELECT n FROM turn WHERE state IN ('running', 'parked') ORDER BY n LIMIT 1")[0]?.n ?? 0
    );
  }

  /** Of two turns that end without a pause, only the last is followed by a moment at which nothing else has changed its files. */
  async function settle(): Promise<void> {
    await life.settled();
    const [newest] = sql.run<{ n: number }>(
      "SELECT max(n) AS n FROM turn WHERE state IN ('done', 'failed', 'stopped')",
    );
    if (newest?.n && running() === 0 && !files.has(newest.n)) files.set(newest.n, readFiles(sql)!);
  }

  async function say(message: string | Message): Promise<void> {
    harness.clock.advance(PAUSE_MS);
    const posted = await life.engine.post(typeof message === "string" ? { text: message } : message);
    expect(posted).toMatchObject({ ok: true });
    await settle();
  }

  /** Alarms until nothing is to do. */
  /** `states`: of turns that are waited for. */
  async function drain(states = "'running', 'parked'"): Promise<void> {
    const isOpen = () => sql.run(`SELECT n FROM turn WHERE state IN (${states})`).length > 0;
    for (let wakes = 0; isOpen() && wakes < MAX_ALARMS; wakes++) {
      await life.wake();
      await settle();
    }
  }

  return {
    ...harness,
    tape,
    life: () => life,
    engine: () => life.engine,
    say,
    settle,
    drain,
    /** As `say`, but the object ends at this moment of the turn and goes on in a new one. False: the turn has fewer such moments. */
    async sayAndCrash(message: string | Message, at: number | readonly number[]): Promise<boolean> {
      const post = typeof message === "string" ? { text: message } : message;
      const keyed = { ...post, key: `crash-${sql.run("SELECT n FROM turn").length}` };
      const points = [at].flat();
      harness.clock.advance(PAUSE_MS);
      life.crashIn(points[0]!);
      await attempt(() => life.engine.post(keyed));
      let hasCrashed = life.isDead();
      for (const next of points.slice(1)) {
        if (!life.isDead()) break;
        life = harness.boot({ crashAt: next });
        await attempt(() => life.engine.post(keyed));
      }
      if (life.isDead()) life = harness.boot();
      life.crashIn(Infinity);
      expect(await life.engine.post(keyed)).toMatchObject({ ok: true });
      await settle();
      await drain("'running'");
      return hasCrashed;
    },
    entries: (): Entry[] => must(life.engine.entries(0)),
    /** Of the turn, from its input to its last entry. */
    entriesOf(n: number): Entry[] {
      const row = life.engine.detail()!.turns.find((turn) => turn.n === n)!;
      return this.entries().filter((entry) => entry.turn === n && entry.n >= row.input! && entry.n <= row.final!);
    },
    turns: () => life.engine.detail()!.turns,
    /** `steered`: the message joined another turn. `null`: the turn was copied from another session, which describes it. */
    replayability(n: number): Replayability | null {
      const { into } = life.engine.detail()!.turns.find((turn) => turn.n === n)!;
      if (into !== undefined) return { replayable: false, reason: "steered", why: `It joined turn ${into}.` };
      return life.engine.describeTurn({ turn: n })?.replayability ?? null;
    },
    /** The turn began with the prompt of an epoch that is over. It is made again over what there is now, so it may differ. */
    isOfOldPrompt(n: number): boolean {
      const [prompt] = sql.run<{ text: string; at: number }>(
        "SELECT value ->> '$.text' AS text, value ->> '$.at' AS at FROM meta WHERE key = 'prompt'",
      );
      const first = tape.calls(n).find(({ slot }) => slot === "turn");
      const answer = this.entriesOf(n).find(({ kind }) => kind === "assistant");
      if (!prompt || !first || !answer) return false;
      return prompt.at > answer.at || (JSON.parse(first.request) as { system: string }).system !== prompt.text;
    },
    filesAfter: (n: number): StoredFile[] | null => files.get(n) ?? readFiles(sql, n + 1),
    put: (path: string, text: string) => must(life.engine.putFile(path, new TextEncoder().encode(text))),
    /** Everything that is stored for the session and its profile, or was sent. */
    dump: async () =>
      JSON.stringify([
        dumpSql(sql),
        dumpSql(harness.archiveSql),
        await dumpStores(harness),
        harness.sent,
        harness.booked,
      ]),
  };

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    await life.settled();
  }
}
