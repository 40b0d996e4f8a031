// Carries out a plan on a real engine over node:sqlite, where the power can fail at any write, and collects every violated invariant.
// Deterministic: everything runs on microtasks and a manual clock, and nothing waits for real time. Used by simulation.test.ts.
import * as z from "zod";
import type { Tool } from "../../core/agent/contract.ts";
import { succeed } from "../../core/agent/tool-result.ts";
import { Entry, textOf } from "../../core/schemas/entry.ts";
import { Crash, createSessionHarness } from "../support/session/session-harness.ts";
import type { Action, Effect, Plan, Script } from "./plan.ts";
import { READERS } from "./plan.ts";
import { createProvider, ticks, toMessageText } from "./provider.ts";
import { createReader } from "./readers.ts";

const MAX_WAKES = 80;
const PAUSES = [1_000, 2_000];

interface TurnFacts {
  n: number;
  state: string;
  final: number | null;
}

export interface Simulated {
  /** Violated invariants, in words. */
  faults: string[];
  /** Kinds of events that happened, so that the test can tell whether all of them ever do. */
  met: string[];
}

export async function simulate({ learning, accountAway, bucketAway, actions }: Plan): Promise<Simulated> {
  const faults: string[] = [];
  const scripts: Script[] = [];
  /** The turns of accepted inputs, by message. */
  const accepted = new Map<string, number>();
  const sent = new Map<string, string[]>();
  const unsure = new Set<string>();
  const firstSeen = new Map<number, string>();
  /** By stored text: the log is read after every action. */
  const parsed = new Map<string, Entry>();
  let accountIsAway = accountAway;
  let bucketIsAway = bucketAway;

  const tools = (["read", "keyed", "unkeyed"] as const).map((effect) => toTool(effect, sent));
  const provider = createProvider(scripts, () => countCompactions());
  const harness = createSessionHarness({
    model: provider,
    tools,
    settings: {
      review: { enabled: false },
      turn: { pausesMs: PAUSES, maxAttempts: 40, noProgressMs: 365 * 24 * 3_600_000 },
      context: { minTailMessages: 1, protectFirst: 1 },
    },
    account: {
      async book() {
        if (accountIsAway-- > 0) throw new Error("The Account is away.");
      },
    },
  });
  const { sql, bucket } = harness;
  const { get } = bucket;
  bucket.get = async (key) => {
    if (bucketIsAway-- > 0) throw new Error("The bucket is away.");
    return get(key);
  };
  const readers = Array.from({ length: READERS }, (_, i) => createReader(`reader ${i}`));
  let life = harness.boot();
  await life.engine.create({ learning, title: "" });

  function countCompactions(): number {
    return readLog().filter((entry) => entry.kind === "compaction").length;
  }
  function readLog(): Entry[] {
    return sql.run<{ body: string }>("SELECT body FROM entry ORDER BY n").map(({ body }) => {
      const known = parsed.get(body);
      if (known) return known;
      const entry = Entry.parse(JSON.parse(body));
      parsed.set(body, entry);
      return entry;
    });
  }
  function readTurns(): TurnFacts[] {
    return sql.run<TurnFacts>("SELECT n, state, final FROM turn ORDER BY n");
  }

  /** Checks what is stored now, whether or not the engine runs. */
  function checkStored(): void {
    for (const entry of readLog()) {
      const bytes = JSON.stringify(settledPart(entry));
      const before = firstSeen.get(entry.n);
      if (before !== undefined && before !== bytes) faults.push(`entry ${entry.n} was ${before} and became ${bytes}`);
      firstSeen.set(entry.n, bytes);
    }
    const jobs = sql.run("SELECT id FROM job").length;
    const open = readTurns().some(({ state }) => state === "queued" || state === "running");
    if (open && jobs === 0) faults.push("a turn is open, and no job is there to take it up");
    if (jobs > 0 && harness.alarmAt() === null) faults.push("something is to be done, and no alarm is set");
  }

  /** A keyed call is repeated after a power cut, unless the person has interrupted the turn meanwhile. */
  function mayBeUnknown(effect: string): boolean {
    const interrupted = actions.some(({ action }) => action.do === "post" && action.busy === "interrupt");
    return effect === "unkeyed" || (effect === "keyed" && interrupted);
  }

  /** Restarts the engine after a power cut. */
  function revive(): void {
    if (!life.isDead()) return;
    for (const entry of readLog()) {
      if (entry.kind === "tool" && entry.state === "open" && mayBeUnknown(entry.call.name)) unsure.add(entry.call.id);
    }
    for (const reader of readers) reader.leave();
    life = harness.boot();
  }

  /** A client without a response retries with the same key. */
  async function post(text: string, busy: "queue" | "steer" | "interrupt"): Promise<void> {
    for (;;) {
      const posted = await life.engine.post({ text, key: text, busy }).catch(() => null);
      if (posted?.ok) return void accepted.set(text, accepted.size + 1);
      if (posted) return void faults.push(`a post was refused: ${posted.failure.code}`);
      if (!life.isDead()) return void faults.push("a post failed in a living session");
      revive();
    }
  }

  async function carryOut(action: Action): Promise<void> {
    switch (action.do) {
      case "post":
        scripts.push(action.script);
        return post(toMessageText(scripts.length - 1), action.busy);
      case "refresh":
      case "compress":
        // The text is also the key, so each text must be different.
        return post(
          `/${action.do}${action.do === "compress" ? ` ${accepted.size}` : " ".repeat(accepted.size)}`,
          "queue",
        );
      case "stop":
        return void (await life.engine.stop().catch(() => null));
      case "cut":
        return life.kill();
      case "cutAt":
        return life.crashIn(action.writes);
      case "wake":
        void life.wake().catch(() => {}); // the power failed; the alarm fires again
        return;
      case "join":
        return join(action.reader);
      case "leave":
        return readers[action.reader]!.leave();
    }
  }

  function join(n: number): void {
    const reader = readers[n]!;
    reader.leave();
    try {
      const events = life.engine.events({ after: reader.after() ?? "0.0" });
      if (events.ok) void reader.read(events.value);
      else faults.push(`a reader was refused: ${events.failure.code}`);
    } catch (error) {
      if (!(error instanceof Crash)) throw error; // the reader joins again later
    }
  }

  for (const { action, ticks: count } of actions) {
    revive();
    await carryOut(action);
    await ticks(count);
    if (life.isDead()) await ticks(5); // the platform notices that an alarm failed
    checkStored();
  }

  // The power no longer fails. The object is evicted once more, and only its alarm drives it.
  life.kill();
  revive();
  for (let wakes = 0; harness.alarmAt() !== null && wakes < MAX_WAKES; wakes++) {
    await life.wake();
    checkStored();
  }
  await life.settled();
  if (harness.alarmAt() !== null) faults.push("the chain of alarms does not end");
  checkStored();

  const log = readLog();
  const turns = readTurns();
  faults.push(...findTurnFaults(log, turns, [...accepted.keys()]), ...findCallFaults(log, sent, unsure));

  const ended = turns.filter(({ state }) => state !== "steered").map(({ n, state }) => ({ n, state }));
  for (const [i, reader] of readers.entries()) {
    join(i);
    while (reader.isReading()) await ticks(10);
    faults.push(...reader.faults, ...reader.compare(log, ended));
  }
  const met = [
    ...log.map(nameKind),
    ...turns.map(({ state }) => `turn ${state}`),
    ...readers.flatMap(({ met }) => met),
  ];
  return { faults: [...faults, ...provider.faults], met };
}

/** Every accepted message is in the log once and in order, and every turn has ended. */
function findTurnFaults(log: Entry[], turns: TurnFacts[], wanted: string[]): string[] {
  const faults: string[] = [];
  for (const { n, state, final } of turns) {
    const entry = log.find((one) => one.n === final);
    if (!entry) faults.push(`turn ${n} (${state}) has no final entry`);
  }
  const inputs = log.filter((entry) => entry.kind === "user");
  const said = inputs.toSorted((a, b) => (a.steer?.accepted ?? a.turn) - (b.steer?.accepted ?? b.turn)).map(textOf);
  if (JSON.stringify(said) !== JSON.stringify(wanted)) {
    faults.push(`accepted ${JSON.stringify(wanted)}, log has ${JSON.stringify(said)}`);
  }
  if (turns.length !== wanted.length) faults.push(`${wanted.length} inputs made ${turns.length} turns`);
  return faults;
}

/**
 * No call ran twice without an id, and every result belongs to a call that ran. `sent`: the ids of each call's runs; `unsure`: calls
 * that a power cut may have left unknown.
 */
function findCallFaults(log: Entry[], sent: Map<string, string[]>, unsure: Set<string>): string[] {
  const faults: string[] = [];
  const unknown = log.filter(
    (entry) => entry.kind === "tool" && entry.parts.some(({ text }) => text.includes('"outcome_unknown"')),
  );
  for (const entry of unknown) {
    if (entry.kind === "tool" && !unsure.has(entry.call.id)) faults.push(`${entry.call.id} is unknown without a cut`);
  }
  for (const [call, keys] of sent) {
    if (keys[0] === "unkeyed" && keys.length > 1) faults.push(`unkeyed ${call} ran ${keys.length} times`);
    if (new Set(keys).size > 1) faults.push(`${call} ran under ${[...new Set(keys)].join(" and ")}`);
  }
  for (const entry of log) {
    if (entry.kind === "tool" && entry.state === "done" && !entry.failed && !sent.has(entry.call.id)) {
      faults.push(`${entry.call.id} has a result and never ran`);
    }
  }
  return faults;
}

function nameKind(entry: Entry): string {
  if (entry.kind === "notice") return `notice ${entry.code}`;
  if (entry.kind === "user" && entry.steer) return "steer";
  if (entry.kind !== "tool") return entry.kind;
  const code = /"code":"(\w+)"/.exec(entry.parts[0]?.text ?? "")?.[1];
  return entry.state === "open" ? "call without a result" : `${entry.call.name} ${entry.failed ? code : "done"}`;
}

/** The part of an entry that never changes. A call without a result may still get one. */
function settledPart(entry: Entry): unknown {
  return entry.kind === "tool" ? { n: entry.n, turn: entry.turn, call: entry.call, step: entry.step } : entry;
}

function toTool(effect: Effect, sent: Map<string, string[]>): Tool<{ call: string }> {
  return {
    name: effect,
    description: `Does something (${effect}).`,
    parameters: z.strictObject({ call: z.string().describe("Its name.") }),
    effect,
    async run({ call }, { op }) {
      await ticks(call.length % 5);
      sent.set(call, [...(sent.get(call) ?? []), effect === "keyed" ? op : effect]);
      await ticks(20);
      return succeed({ done: call });
    },
  };
}
