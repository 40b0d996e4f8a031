// What came in is carried out once, in order within a lane: over a database that outlives the pump, which is killed at each step.
import { describe, expect, it } from "vitest";
import { INBOUND_SCHEMA, createInboundRows } from "../../../core/channels/inbox/inbound-rows.ts";
import { createPump } from "../../../core/channels/inbox/pump.ts";
import type { InboundMessage } from "../../../core/schemas/channels/inbound.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createTestClock } from "../../support/clock.ts";

function toMessage(id: string, chat = "1", thread?: string): InboundMessage {
  return {
    ...{ kind: "message", id, at: 1, text: id, addressed: true, files: [] },
    chat: { id: chat, kind: "group", ...(thread !== undefined && { thread }) },
    from: { id: "7", name: "Ada", isBot: false },
  };
}

function setUp() {
  const sql = createNodeSql();
  for (const statement of INBOUND_SCHEMA) sql.run(statement);
  const clock = createTestClock();
  const rows = createInboundRows(sql);
  const carried: string[] = [];
  const lost: string[] = [];
  const reported: unknown[] = [];
  const start = (carry: (id: string) => Promise<void> = async (id) => void carried.push(id)) =>
    createPump({
      ...{ rows, clock },
      carry: ({ id }) => carry(id),
      giveUp: ({ id }) => void lost.push(id),
      report: (_, error) => void reported.push(error),
    });
  const add = (message: InboundMessage) => rows.add("telegram", message, clock.now());
  return { sql, clock, rows, carried, lost, reported, start, add };
}

describe("what came in", () => {
  it("is stored once for each id of a platform, also when it was carried out", async () => {
    const { add, rows, start, carried, clock } = setUp();
    expect([add(toMessage("a")), add(toMessage("a")), rows.add("slack", toMessage("a"), clock.now())]).toEqual([
      true,
      false,
      true,
    ]);
    await start().run();
    expect([add(toMessage("a")), carried, rows.waiting()]).toEqual([false, ["a", "a"], 0]);
    clock.advance(8 * 86_400_000 + 1);
    rows.tidy(clock.now());
    expect(add(toMessage("a"))).toBe(true);
  });

  it("is carried out in order within a place, and beside other places", async () => {
    const { add, start, carried } = setUp();
    ["a1", "a2", "a3"].forEach((id) => add(toMessage(id, "a")));
    ["b1", "b2"].forEach((id) => add(toMessage(id, "b")));
    add(toMessage("t1", "a", "thread"));
    const waiting = Promise.withResolvers<void>();
    const pump = start(async (id) => {
      if (id === "a1") await waiting.promise;
      carried.push(id);
      if (id === "b2") waiting.resolve();
    });
    await pump.run();
    expect(carried.filter((id) => id.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
    expect(carried.indexOf("b2")).toBeLessThan(carried.indexOf("a1"));
    expect(carried).toContain("t1");
  });

  it("is carried out again if the object died before that was noted, and by the next object only what is left", async () => {
    const { add, start, carried, rows } = setUp();
    ["a", "b"].forEach((id) => add(toMessage(id)));
    const dying = start(async (id) => {
      carried.push(id);
      await new Promise(() => undefined); // the object dies here
    });
    void dying.run();
    await Promise.resolve();
    expect([carried, rows.waiting()]).toEqual([["a"], 2]);
    await start().run();
    expect([carried, rows.waiting()]).toEqual([["a", "a", "b"], 0]);
  });

  it("is tried again after a failure, before later messages of the place, and given up after sixteen", async () => {
    const { add, start, carried, lost, clock, rows, reported } = setUp();
    add(toMessage("bad"));
    const pump = start(async (id) => {
      if (id === "bad") throw new Error("no session");
      carried.push(id);
    });
    await pump.run();
    add(toMessage("later"));
    for (let n = 0; n < 20 && rows.waiting() > 0; n++) {
      expect(carried).toEqual([]);
      clock.advance(Math.max(0, rows.nextDue()! - clock.now()));
      await pump.run();
    }
    expect([lost, carried, reported.length]).toEqual([["bad"], ["later"], 16]);
  });

  it("waits unread for the version that wrote it, and holds up no other place", async () => {
    const { add, start, carried, sql, rows, clock } = setUp();
    add(toMessage("newer", "a"));
    sql.run("UPDATE channel_inbound SET body = json_set(body, '$.v', 2)");
    add(toMessage("now", "b"));
    await start().run();
    expect([carried, rows.waiting()]).toEqual([["now"], 1]);
    expect(rows.nextDue()! - clock.now()).toBe(60 * 60_000);
  });

  it("of a channel that is removed meanwhile is not carried out", async () => {
    const { add, start, carried, rows } = setUp();
    ["a", "b"].forEach((id) => add(toMessage(id)));
    await start(async (id) => {
      carried.push(id);
      rows.forget("telegram");
    }).run();
    expect(carried).toEqual(["a"]);
  });
});
