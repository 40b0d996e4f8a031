// A platform that could not be asked is asked again, ever more seldom, until it has answered or a week is over.
import { describe, expect, it } from "vitest";
import { CHANNEL_SCHEMA, createChannelRows } from "../../../core/channels/inbox/channel-rows.ts";
import { type Result, err, ok } from "../../../core/errors.ts";
import { DEFAULT_OPTIONS } from "../../../core/schemas/channels/channel-api.ts";
import type { ChannelsContext, OpenedChannel } from "../../../durable-objects/channels/context.ts";
import { createProber } from "../../../durable-objects/channels/probe.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createTestClock } from "../../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/telegram/p";
const SELF = { id: "42", name: "bot" };
const OUT = err("channel_unreachable", "No route.");

function setUp(world: { probe: Result<typeof SELF>; register?: Result<null> }) {
  const sql = createNodeSql();
  sql.run(CHANNEL_SCHEMA);
  const clock = createTestClock();
  const channels = createChannelRows(sql);
  const savedAt = clock.now();
  const fresh = { self: null, verifiedAt: null, registered: null, lastError: null, retryAt: savedAt };
  channels.put("telegram", { v: 1, fields: "sealed", options: DEFAULT_OPTIONS, savedAt, ...fresh });
  const asked: number[] = [];
  const platform = {
    name: "telegram",
    async probe() {
      asked.push(clock.now() - savedAt);
      return world.probe;
    },
    register: async () => world.register ?? ok(null),
  };
  const reports: unknown[] = [];
  const context = {
    ...{ clock, channels, arm: async () => {}, report: (what: string) => reports.push(what) },
    async open(name: "telegram") {
      const row = channels.find(name);
      return ok({ row, platform, channel: { address: ADDRESS } } as unknown as OpenedChannel);
    },
  } as unknown as ChannelsContext;
  // A new one each time: nothing is kept in memory.
  const askDue = () => createProber(context, () => []).askDue();
  return { sql, world, clock, asked, askDue, reports, channels, channel: () => channels.find("telegram")!.channel };
}

describe("a channel that was saved while its platform was out", () => {
  it("asks again, ever more seldom, and no more after a week", async () => {
    const { askDue, asked, clock, channels, channel } = setUp({ probe: OUT });
    for (let due: number | null = clock.now(); due !== null; due = channels.nextProbe()) {
      clock.advance(Math.max(0, due - clock.now()));
      await askDue();
    }
    expect(asked.slice(0, 8).map((ms) => ms / 1_000)).toEqual([0, 30, 60, 120, 240, 480, 960, 1_860]);
    expect(asked.at(-1)! - asked.at(-2)!).toBe(15 * 60_000);
    expect(asked.at(-1)! / 86_400_000).toBeCloseTo(7, 1);
    expect(channel()).toMatchObject({ self: null, verifiedAt: null, lastError: { code: "channel_unreachable" } });
  });

  it("knows its bot and has its address at the platform once that answers, and asks no more", async () => {
    const { askDue, asked, world, clock, channel } = setUp({ probe: OUT });
    await askDue();
    Object.assign(world, { probe: ok(SELF), register: OUT });
    clock.advance(30_000);
    await askDue();
    expect(channel()).toMatchObject({ self: SELF, registered: null, lastError: { code: "channel_unreachable" } });
    world.register = ok(null);
    clock.advance(60_000);
    await askDue();
    expect(channel()).toMatchObject({ self: SELF, registered: ADDRESS, lastError: null, retryAt: null });
    clock.advance(86_400_000);
    await askDue();
    expect(asked).toHaveLength(3);
  });

  it("is not asked for what the platform has refused, nor twice at once, nor where a newer version wrote it", async () => {
    const refused = setUp({ probe: err("channel_auth_failed", "Unauthorized.") });
    await Promise.all([refused.askDue(), refused.askDue()]);
    expect([refused.asked.length, refused.channels.nextProbe()]).toEqual([1, null]);
    const newer = setUp({ probe: OUT });
    newer.sql.run("UPDATE channel SET body = json_set(body, '$.v', 2)");
    await newer.askDue();
    expect([newer.asked, newer.channels.nextProbe(), newer.reports]).toEqual([[], null, []]);
  });
});
