// Measures the subjects of bench:turn in one run, in alternating turns. First-token time and tool-step time are compared with direct
// calls of the same model server. Rows and alarms are counted for whole turns. Called by turn.ts and its test.
import { askDirectly, recordTurn } from "../support/subjects/direct.ts";
import { median, quantile, roundToHundredths, subtractCounts } from "../support/figures.ts";
import type { ScriptedModelServer } from "../support/model-server.ts";
import { type Order, PLAIN_ORDER } from "../support/orders.ts";
import type { MeterReading } from "../support/subjects/ours.ts";
import type { Conversation, Subject } from "../support/subjects/subject.ts";

export interface TimeFigures {
  addedFirstTokenMs: { p50: number; p95: number };
  perStepMs: number;
}
/** One subject's part of the bench's last line. */
export interface Figures extends TimeFigures {
  rowsWritten10Steps: number;
  rowsWritten400Chunks: number;
  alarms10Steps: number;
}

/** The figures and the measurements from which they are computed, for the report. */
export interface Details {
  figures: Figures | TimeFigures;
  directFirstMs: number;
  /** Time from sending the message until the model server has received its request. */
  beforeModelMs: number;
  directTurnMs: number;
  turnMs: number;
  /** `null` for subjects whose rows are not counted. */
  writes: { tenSteps: StorageWrites; tenStepsAgain: StorageWrites; chunks400: StorageWrites } | null;
}

export interface StorageWrites {
  rows: number;
  by: Record<string, number>;
  alarms: number;
  keyValueWrites: number;
  /** No alarm was set at the end, so all work after the turn was done. */
  settled: boolean;
}

export interface MeasureOptions {
  server: ScriptedModelServer;
  subjects: Subject[];
  /** Subjects for counting rows. Each conversation has its own profile, so that reviews do not wait for one another. */
  forRows: Subject[];
  turns: number;
  /** Timeout for the work after a turn. */
  settleMs: number;
  say(line: string): void;
}

const STEPS = 10;
/** A provider's typical pace. Without a gap, a long answer would arrive in one piece. */
const GAP_MS = 5;
/** Conversations are replaced after this many turns, so that they stay short. bench:growth measures long ones. */
const TURNS_A_CONVERSATION = 10;
const WARM_UP_TURNS = 20;
const POLL_MS = 250;
/** Pause for the work after a turn, so that it does not slow down the next subject. */
const PAUSE_MS = 40;
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

let runs = 0;
const order = (fields: Partial<Order>): Order => ({ ...PLAIN_ORDER, run: `t${++runs}`, ...fields });

export async function measureTurns(options: MeasureOptions): Promise<Map<Subject["name"], Details>> {
  const { subjects, forRows, say } = options;
  say("rows and alarms");
  const writes = new Map(
    await Promise.all(forRows.map(async (subject) => [subject.name, await measureWrites(subject, options)] as const)),
  );
  say(`first token, ${options.turns} turns each`);
  const first = await measureFirstToken(options);
  say(`tool steps, ${options.turns} turns each`);
  const steps = await measureSteps(options);
  return new Map(
    subjects.map(({ name }) => {
      const { direct, added, beforeModelMs } = first.get(name)!;
      const { directTurnMs, turnMs } = steps.get(name)!;
      const written = writes.get(name) ?? null;
      const figures = {
        addedFirstTokenMs: {
          p50: roundToHundredths(quantile(added, 0.5)),
          p95: roundToHundredths(quantile(added, 0.95)),
        },
        perStepMs: roundToHundredths((turnMs - directTurnMs) / STEPS),
        ...(written && toRowFigures(written)),
      };
      return [name, { figures, directFirstMs: direct, beforeModelMs, directTurnMs, turnMs, writes: written }] as const;
    }),
  );
}

function toRowFigures({ tenSteps, tenStepsAgain, chunks400 }: NonNullable<Details["writes"]>) {
  return {
    rowsWritten10Steps: Math.max(tenSteps.rows, tenStepsAgain.rows),
    rowsWritten400Chunks: chunks400.rows,
    alarms10Steps: Math.max(tenSteps.alarms, tenStepsAgain.alarms),
  };
}

async function measureFirstToken({ server, subjects, turns }: MeasureOptions) {
  const measured = subjects.map((subject) => ({
    subject,
    bodies: [] as string[],
    conversation: null as Conversation | null,
    direct: [] as number[],
    ours: [] as number[],
    beforeModel: [] as number[],
  }));
  const warmUp = Math.min(WARM_UP_TURNS, turns);
  for (let n = -warmUp; n < turns; n++) {
    for (const one of rotate(measured, n)) {
      if (!one.conversation || n % TURNS_A_CONVERSATION === 0) {
        await one.conversation?.close();
        one.conversation = await one.subject.open();
        await one.conversation.turn(order({}));
        one.bodies = await recordTurn(server, one.conversation, order({}));
      }
      await pause(PAUSE_MS);
      const direct = await askDirectly(server, one.bodies);
      const plain = order({});
      const ours = await one.conversation.turn(plain);
      const { calls } = await server.take(plain.run);
      if (n < 0) continue;
      one.beforeModel.push(calls[0]!.arrivedAt - ours.sentAt);
      one.direct.push(direct.firstMs);
      one.ours.push(ours.firstMs);
    }
  }
  for (const one of measured) await one.conversation?.close();
  return new Map(
    measured.map(({ subject, direct, ours, beforeModel }) => {
      const base = median(direct);
      const added = ours.map((ms) => ms - base);
      return [subject.name, { direct: base, added, beforeModelMs: median(beforeModel) }] as const;
    }),
  );
}

async function measureSteps({ server, subjects, turns }: MeasureOptions) {
  const measured = subjects.map((subject) => ({
    subject,
    bodies: [] as string[],
    direct: [] as number[],
    ours: [] as number[],
  }));
  const warmUp = Math.min(WARM_UP_TURNS / 4, turns);
  for (let n = -warmUp; n < turns; n++) {
    for (const one of rotate(measured, n)) {
      const conversation = await one.subject.open();
      await conversation.turn(order({}));
      const turn = order({ steps: STEPS });
      if (n === -warmUp) {
        one.bodies = await recordTurn(server, conversation, turn);
      } else {
        await pause(PAUSE_MS);
        const direct = await askDirectly(server, one.bodies);
        const ours = await conversation.turn(turn);
        if (n >= 0) {
          one.direct.push(direct.totalMs);
          one.ours.push(ours.totalMs);
        }
      }
      await conversation.close();
    }
  }
  return new Map(
    measured.map(({ subject, direct, ours }) => [subject.name, { directTurnMs: median(direct), turnMs: median(ours) }]),
  );
}

/** Rotates the order, so that the first subject changes from turn to turn. */
function rotate<Item>(items: Item[], n: number): Item[] {
  return items.map((_, i) => items[(i + Math.abs(n)) % items.length]!);
}

async function measureWrites(subject: Subject, { settleMs }: MeasureOptions) {
  const [tools, chunks] = await Promise.all([
    (async () => {
      const conversation = await subject.open();
      const tenSteps = await countWrites(conversation, order({ steps: STEPS }), settleMs);
      const tenStepsAgain = await countWrites(conversation, order({ steps: STEPS }), settleMs);
      await conversation.close();
      return { tenSteps, tenStepsAgain };
    })(),
    (async () => {
      const conversation = await subject.open();
      await conversation.turn(order({}));
      const chunks400 = await countWrites(conversation, order({ chunks: 400, gapMs: GAP_MS }), settleMs);
      await conversation.close();
      return { chunks400 };
    })(),
  ]);
  return { ...tools, ...chunks };
}

/** Counts the writes of a turn and of all work after it. */
async function countWrites(conversation: Conversation, turn: Order, settleMs: number): Promise<StorageWrites> {
  const before = await conversation.meter();
  await conversation.turn(turn);
  let after = await conversation.meter();
  for (const until = Date.now() + settleMs; after.alarmAt !== null && Date.now() < until;) {
    await pause(POLL_MS);
    after = await conversation.meter();
  }
  return subtract(after, before);
}

function subtract(after: MeterReading, before: MeterReading): StorageWrites {
  return {
    rows: after.rowsWritten - before.rowsWritten,
    by: subtractCounts(after.writtenBy, before.writtenBy),
    alarms: after.setAlarms - before.setAlarms,
    keyValueWrites: after.keyValueWrites - before.keyValueWrites,
    settled: after.alarmAt === null,
  };
}
