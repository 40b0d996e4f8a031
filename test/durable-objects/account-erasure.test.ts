// What an external memory keeps of a deleted profile is erased in passes of its own, which hold up no other erasure.
import { expect, it } from "vitest";
import { DAY_MS, type ProfileId } from "../../core/schemas/ids.ts";
import { type AccountEnv, ERASURE_SCHEMA, createErasures, eraseDue } from "../../durable-objects/account-erasure.ts";
import { withRoom } from "../../wiring/erasure-stores.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { createTestClock } from "../support/clock.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs" as ProfileId;
const HOUR_MS = 60 * 60_000;

function setUp(eraseExternal: () => Promise<void>) {
  const clock = createTestClock();
  const sql = createNodeSql();
  for (const statement of ERASURE_SCHEMA) sql.run(statement);
  const erasures = createErasures(sql);
  const asked: { profile: string; at: number }[] = [];
  const stores = withRoom({
    bucket: createMemoryBucket({ clock }),
    kv: createMemoryKv({ clock }),
    clock: { ...clock, sleep: async () => {} },
    swapMs: 60_000,
    eraseExternal: async (profile) => {
      asked.push({ profile, at: clock.now() - began });
      await eraseExternal();
    },
  });
  const object = { getByName: () => ({ erase: async () => {} }) };
  const env = {
    ARCHIVE: object,
    WEBHOOKS: object,
    CHANNELS: object,
    AGENDA: object,
    EXPERIMENTS: object,
  } as unknown as AccountEnv;
  const began = clock.now();
  erasures.begin("profile", PROFILE, began);
  erasures.begin("external", PROFILE, began);
  /** Runs the alarm whenever something is due, for as long as given. */
  async function runFor(ms: number) {
    const end = began + ms;
    for (let due = erasures.nextDue(); due !== null && due <= end; due = erasures.nextDue()) {
      if (due > clock.now()) clock.advance(due - clock.now());
      await eraseDue({ env, stores, profile: PROFILE, erasures, isGone: true });
    }
  }
  const row = (kind: string) =>
    sql.run<{ pass: number; due: number | null }>("SELECT pass, due FROM erasure WHERE kind = ?", kind)[0]!;
  return { asked, runFor, row, erasures };
}

it("at once, after an hour and after 30 days, because a session may have sent something meanwhile", async () => {
  const { asked, runFor, erasures } = setUp(async () => {});
  await runFor(40 * DAY_MS);
  expect(asked).toEqual([0, HOUR_MS, 30 * DAY_MS].map((at) => ({ profile: PROFILE, at })));
  expect(erasures.isOpen()).toBe(false);
});

it("a service that fails is asked each hour, while the profile itself is erased", async () => {
  let failures = 3;
  const { asked, runFor, row } = setUp(async () => {
    if (failures-- > 0) throw new Error("Hindsight answered 500.");
  });
  await runFor(0);
  expect([row("profile").pass, row("external").pass]).toEqual([1, 0]);
  await runFor(4 * HOUR_MS);
  expect(asked.map(({ at }) => at / HOUR_MS)).toEqual([0, 1, 2, 3, 3]);
  expect(row("external").pass).toBe(2);
});

it("a service that never answers is given up after 30 days", async () => {
  const { asked, runFor, erasures } = setUp(() => Promise.reject(new Error("Hindsight answered 401.")));
  await runFor(60 * DAY_MS);
  expect(asked).toHaveLength(30 * 24 + 1);
  expect(erasures.isOpen()).toBe(false);
});
