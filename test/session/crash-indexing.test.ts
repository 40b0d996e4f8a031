// Turns of every kind crash at every write of any port: an observed one, a command, one of a session of an earlier version, while the Archive
// sometimes fails. The index then equals the log, with nothing twice and the turns in their order.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../core/schemas/entry.ts";
import { toMessages } from "../../core/session/index-messages.ts";
import { must } from "../support/session/scripted-session.ts";
import { Crash, type SessionLife, createSessionHarness } from "../support/session/session-harness.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { stepOfCrashes } from "../support/thorough.ts";

interface World {
  learning: "on" | "off";
  /** The session forgets that it is indexed, and the index forgets the session, before the last turn. */
  isOld?: boolean;
  /** The first put of a turn fails. */
  isFlaky?: boolean;
  /** Each message is posted in another year. */
  isLong?: boolean;
}

/** Two worlds that are alike take turns. */
const STEP = stepOfCrashes(2);

async function runWithCrash({ learning, isOld = false, isFlaky = false, isLong = false }: World, crashAt: number) {
  const model = createScriptedModel(
    Array.from({ length: 60 }, () => (request) => {
      const last = request.messages.at(-1)!;
      if (last.role === "tool") return { text: "Done." };
      return { calls: [{ id: `c${request.messages.length}`, name: "skills_list", args: {} }] };
    }),
  );
  const failed = new Set<number>();
  let sent = 0;
  const harness = createSessionHarness({
    model,
    settings: { review: { afterModelCalls: 1_000, minValue: 1 } },
    onMessages({ turn }) {
      sent += 1;
      if (!isFlaky || failed.has(turn)) return;
      failed.add(turn);
      throw new Error("unreachable");
    },
  });
  const settle = async (life: SessionLife) => {
    await life.settled();
    const isOpen = () => harness.sql.run("SELECT 1 FROM job").length > 0;
    for (let wakes = 0; isOpen() && harness.alarmAt() !== null && wakes < 60; wakes++) await life.wake();
  };
  const awaitYear = (year: number) => {
    if (isLong) harness.clock.advance(Math.max(0, Date.UTC(year, 0, 2) - harness.clock.now()));
  };
  const drive = async (life: SessionLife) => {
    await life.engine.create({ learning, title: "" });
    for (const [i, text] of ["List the skills", "/pending"].entries()) {
      awaitYear(2026 + i);
      expect(await life.engine.post({ text, key: text })).toMatchObject({ ok: true });
      await settle(life);
    }
  };
  const drivePart = async (life: SessionLife) => {
    if (!isOld) await drive(life);
    awaitYear(2028);
    expect(await life.engine.post({ text: "Again", key: "Again" })).toMatchObject({ ok: true });
    await settle(life);
  };
  if (isOld) {
    const earlier = harness.boot();
    await drive(earlier);
    earlier.kill();
    harness.sql.run("UPDATE meta SET value = json_remove(value, '$.indexed') WHERE key = 'session'");
    harness.messages.eraseSession(
      harness.archiveSql.run<{ session: string }>("SELECT session FROM message")[0]!.session,
    );
    harness.archiveSql.run("DELETE FROM message_turn");
  }
  const writesBefore = harness.crashPoints();
  const first = harness.boot({ crashAt });
  await drivePart(first).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
  await first.settled();
  const second = harness.boot();
  await drivePart(second);
  return { harness, sent, writes: harness.crashPoints() - writesBefore, entries: must(second.engine.entries(0)) };
}

/** What the index must have: the messages of the log. */
function messagesOf(entries: Entry[]): string[] {
  return toMessages(entries).map(({ n, role, text }) => {
    const { turn } = entries.find((entry) => entry.n === n)!;
    return `${turn} ${n} ${role} ${text}`;
  });
}

describe.each([
  ["that learns", { learning: "on" }, 1],
  ["that does not learn", { learning: "off" }, 2],
  ["of an earlier version", { learning: "on", isOld: true }, 1],
  ["whose Archive fails once for each turn", { learning: "on", isFlaky: true }, 2],
  ["that lives through two New Years", { learning: "on", isLong: true }, 1],
  ["that lives through two New Years and does not learn", { learning: "off", isLong: true }, 2],
] as [string, World, number][])("the index of a session %s", async (_, world, place) => {
  const { writes } = await runWithCrash(world, Infinity);

  it.each([
    Infinity,
    ...Array.from({ length: writes }, (_unused, i) => i + 1).filter((n) => n % STEP === place % STEP),
  ])("equals its log after a crash at write %i", async (at) => {
    const { harness, entries } = await runWithCrash(world, at);
    const parts = harness.parts
      .sqls()
      .map((sql) =>
        sql.run<{ turn: number; n: number; role: string; text: string; place: number }>(
          "SELECT turn, n, role, text, place FROM message ORDER BY id",
        ),
      );
    const rows = parts.flat();
    expect(rows.map(({ turn, n, role, text }) => `${turn} ${n} ${role} ${text}`)).toEqual(messagesOf(entries));
    for (const part of parts) expect(part.map(({ place }) => place)).toEqual(part.map((_row, i) => i + 1));
    expect([...harness.parts.others.keys()]).toEqual(world.isLong ? [2027, 2028] : []);
    expect(new Set(rows.map(({ turn }) => turn)).size).toBe(3);
    expect(harness.sql.run("SELECT id FROM job")).toEqual([]);
  });
});
