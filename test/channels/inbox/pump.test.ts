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

describe("the parts of an album", () => {
  function toPart(id: string, more: Partial<InboundMessage> = {}): InboundMessage {
    const files = [{ kind: "image" as const, ref: id }];
    return { ...toMessage(id), text: "", addressed: false, album: "1.99", message: id, files, ...more };
  }

  function setUpAlbum() {
    const set = setUp();
    const carried: InboundMessage[] = [];
    const run = () => {
      const { rows, clock } = set;
      const carry = async ({ event }: { event: unknown }) => void carried.push(event as InboundMessage);
      return createPump({ ...{ rows, clock, carry }, giveUp: () => undefined, report: () => undefined }).run();
    };
    return { ...set, run, messages: carried };
  }

  it("are one message once no more come: the caption is its text, also after a kill between two of them", async () => {
    const { add, run, messages, clock, rows } = setUpAlbum();
    add(toPart("a"));
    clock.advance(900);
    await run();
    add(toPart("b", { text: "Which is best?", addressed: true }));
    add(toMessage("after"));
    clock.advance(900);
    await run(); // a new pump each time: nothing of the wait is in memory
    add(toPart("c"));
    expect(add(toPart("c"))).toBe(false);
    expect([messages, rows.nextDue()]).toEqual([[], clock.now() + 1_000]);
    clock.advance(1_000);
    await run();
    expect(messages.map(({ id, text, addressed }) => [id, text, addressed])).toEqual([
      ["a", "Which is best?", true],
      ["after", "after", true],
    ]);
    expect(messages[0]!.files.map(({ ref }) => ref)).toEqual(["a", "b", "c"]);
    expect([rows.waiting(), add(toPart("b"))]).toEqual([0, false]);
  });

  it("that come too late, from somebody else or as an edit are messages of their own, and none is lost", async () => {
    const { add, run, messages, clock } = setUpAlbum();
    add(toPart("a"));
    add(toPart("eve", { from: { id: "8", name: "Eve", isBot: false } }));
    add(toPart("edit", { edited: true, text: "better words" }));
    add(toPart("elsewhere", { chat: { id: "2", kind: "group" } }));
    clock.advance(1_000);
    add(toPart("late"));
    clock.advance(1_000);
    await run();
    expect(messages.map(({ id, files }) => [id, files.length]).toSorted()).toEqual(
      ["a", "edit", "elsewhere", "eve", "late"].map((id) => [id, 1]),
    );
  });

  it("that come while the first one is tried again are a message of their own, since the session may have the first", async () => {
    const { add, run, messages, clock, rows } = setUpAlbum();
    add(toPart("a"));
    clock.advance(1_000);
    const carry = () => Promise.reject(new Error("cut off"));
    await createPump({ ...{ rows, clock, carry }, giveUp: () => undefined, report: () => undefined }).run();
    add(toPart("b"));
    clock.advance(2_000);
    await run();
    expect(messages.map(({ id, files }) => [id, files.length])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  it("wait no longer than ten seconds, and no message has more than fifty files", async () => {
    const { add, run, messages, clock } = setUpAlbum();
    for (let n = 0; n < 60; n++) {
      add(toPart(`p${n}`));
      clock.advance(200);
      await run();
    }
    expect(messages.map(({ files }) => files.length)).toEqual([50]);
    clock.advance(1_000);
    await run();
    expect(messages.map(({ files }) => files.length)).toEqual([50, 10]);
  });

  it("make the whole message content if one of them is forwarded", async () => {
    const { add, run, messages, clock } = setUpAlbum();
    add(toPart("a"));
    add(toPart("b", { forwarded: true, replyTo: { text: "quoted", ofBot: false } }));
    clock.advance(1_000);
    await run();
    expect(messages).toMatchObject([{ id: "a", forwarded: true, replyTo: { text: "quoted" } }]);
  });
});
