// What experiments cost a turn that has nothing to do with them: nothing. Counted are the statements of a session over two turns, the rows that
// they write, and the requests of its ports.
import { expect, it } from "vitest";
import type { SessionHost } from "../../core/session/context.ts";
import { createCounter } from "../support/bindings/counted.ts";
import { createSessionHarness } from "../support/session/session-harness.ts";
import { type ScriptLine, createScriptedModel } from "../support/wires/scripted-model.ts";

const SCRIPT: ScriptLine[] = [
  ...[{ calls: [{ id: "1", name: "write_file", args: { path: "a.txt", content: "one" } }] }, { text: "Written." }],
  ...[{ calls: [{ id: "2", name: "terminal", args: { command: "cat a.txt" } }] }, { text: "Read." }],
];

/** Until the session has nothing left to do. No review begins. */
async function countTurns(replayTokens: number, host: Partial<SessionHost> = {}) {
  const counter = createCounter();
  const settings = { review: { replayTokens } };
  const harness = createSessionHarness({ model: createScriptedModel(SCRIPT), counter, host, settings });
  const statements: string[] = [];
  const { sql } = harness;
  const { run } = sql;
  sql.run = (query, ...values) => {
    statements.push(query);
    return run.call(sql, query, ...values) as never;
  };
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  for (const text of ["Write.", "Read."]) {
    expect(await life.engine.post({ text })).toMatchObject({ ok: true });
    await life.settled();
  }
  for (let wakes = 0; harness.alarmAt() !== null && wakes < 9; wakes++) await life.wake();
  expect([harness.alarmAt(), harness.sent, life.reports]).toEqual([null, [], []]);
  const rows = run.call(sql, "SELECT total_changes() AS n")[0] as { n: number };
  return { statements, rows: rows.n, calls: counter.byKind };
}

/** Any call is one too many. */
const untouched = {
  take: () => Promise.reject(new Error("An experiment was asked for.")),
} as unknown as NonNullable<SessionHost["experiments"]>;

/** The figures of these turns in the version before experiments. Another part that costs more, or less, changes them. */
const BEFORE = {
  statements: 110,
  written: 51,
  rows: 37,
  calls: { "r2 get": 5, "r2 put": 2, "kv list": 2, account: 2, archive: 4 },
};

it("a turn costs what it did before there were experiments, without a grant, and with one where no review begins", async () => {
  const without = await countTurns(0, { experiments: untouched });
  const { statements, rows, calls } = without;
  const written = statements.filter((query) => !/^\s*SELECT/i.test(query)).length;
  expect({ statements: statements.length, written, rows, calls }).toEqual(BEFORE);
  expect(await countTurns(100_000, { experiments: untouched })).toEqual(without);
});
