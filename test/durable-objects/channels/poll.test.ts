// Polling takes the path of a request: what was held ready is stored with the mark to go on from, and a second object does not repeat it.
import { describe, expect, it } from "vitest";
import { CHANNEL_SCHEMA, createChannelRows } from "../../../core/channels/inbox/channel-rows.ts";
import { INBOUND_SCHEMA, createInboundRows } from "../../../core/channels/inbox/inbound-rows.ts";
import { type Result, err, ok } from "../../../core/errors.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { DEFAULT_OPTIONS } from "../../../core/schemas/channels/channel-api.ts";
import type { ChannelsContext, OpenedChannel } from "../../../durable-objects/channels/context.ts";
import { createPoller } from "../../../durable-objects/channels/poll.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createTestClock } from "../../support/clock.ts";

type Polled = Result<{ texts: string[]; mark: string }>;

function setUp(answers: Polled[], { publicUrl = "", polls = "1" } = {}) {
  const sql = createNodeSql();
  for (const statement of [CHANNEL_SCHEMA, ...INBOUND_SCHEMA]) sql.run(statement);
  const clock = { ...createTestClock(), sleep: async () => {} };
  const channels = createChannelRows(sql);
  const inbound = createInboundRows(sql);
  const fresh = { self: null, verifiedAt: null, registered: null, lastError: null };
  channels.put("telegram", { v: 1, fields: "sealed", options: DEFAULT_OPTIONS, savedAt: 1, ...fresh });
  const marks: (string | null)[] = [];
  let stored = 0;
  const platform = {
    name: "telegram",
    async poll(_: unknown, mark: string | null): Promise<Polled> {
      marks.push(mark);
      const answer = answers.shift();
      if (!answer) channels.remove("telegram");
      return answer ?? ok({ texts: [], mark: "end" });
    },
    async parse({ text: id }: { text: string }) {
      const chat = { id: "1", kind: "direct" };
      const from = { id: "7", name: "Ada", isBot: false };
      return { events: [{ kind: "message", id, chat, from, at: 1, text: id, addressed: true, files: [] }] };
    },
  };
  const works: Promise<unknown>[] = [];
  const context = {
    ...{ sql, clock, channels, inbound, profile: "p" },
    env: { TALARIA_POLL_CHANNELS: polls },
    settings: () => ({ ...DEFAULTS, publicUrl }),
    async open(name: "telegram") {
      const row = channels.find(name);
      return row ? ok({ row, platform, channel: {} } as unknown as OpenedChannel) : err("channel_not_found", "Gone.");
    },
    arm: async () => {},
    background: (work: Promise<unknown>) => void works.push(work),
    report: () => {},
  } as unknown as ChannelsContext;
  const poller = createPoller(context, () => void stored++);
  const poll = async () => {
    await poller.begin();
    await Promise.all(works);
  };
  const ids = () => sql.run<{ id: string }>("SELECT id FROM channel_inbound ORDER BY n").map(({ id }) => id);
  return { poll, poller, marks, ids, channels, stored: () => stored };
}

describe("a channel at home", () => {
  it("is polled on from where it was, and stores each event once", async () => {
    const { poll, marks, ids, stored } = setUp([
      ok({ texts: ["1", "2"], mark: "2" }),
      ok({ texts: [], mark: "2" }),
      ok({ texts: ["2", "3"], mark: "3" }),
    ]);
    await poll();
    expect([marks, ids(), stored()]).toEqual([[null, "2", "2", "3"], ["1", "2", "3"], 2]);
  });

  it("goes on after the platform did not answer", async () => {
    const { poll, marks, ids } = setUp([err("channel_unavailable", "Bad gateway."), ok({ texts: ["1"], mark: "1" })]);
    await poll();
    expect([marks, ids()]).toEqual([[null, null, "1"], ["1"]]);
  });

  it.each([
    ["a public address", { publicUrl: "https://talaria.example" }],
    ["no wish to poll", { polls: "" }],
  ])("is not polled with %s", async (_, given) => {
    const { poll, marks } = setUp([ok({ texts: ["1"], mark: "1" })], given);
    await poll();
    expect(marks).toEqual([]);
  });

  it.each([
    [true, "a public address", { publicUrl: "https://talaria.example" }],
    [true, "none", {}],
    [false, "no wish to poll", { polls: "" }],
  ])("is watched (%s) with %s, so that a start without the address polls", (isWatched, _, given) => {
    const { poller, channels } = setUp([], given);
    expect(poller.isAtHome()).toBe(isWatched);
    channels.remove("telegram");
    expect(poller.isAtHome()).toBe(false);
  });
});
