// What goes out to chats: once, in order, also after a crash at any row.
import { describe, expect, test } from "vitest";
import { err, ok } from "../../../core/errors.ts";
import { answer, createDeliveryRig, question } from "../../support/channels/delivery-rig.ts";

const HOUR = 3_600_000;

describe("a delivery", () => {
  test("is sent once, however often it is handed over", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(answer("hello"));
    rig.delivery.take(answer("hello"));
    await rig.delivery.sendDue();
    rig.delivery.take(answer("hello"));
    await rig.delivery.sendDue();
    expect(rig.calls).toEqual([{ does: "send", chat: "c1", text: "hello" }]);
    expect(rig.list()).toMatchObject([{ state: "sent", kind: "answer", turn: 1, messages: 1, sent: 1 }]);
    expect(rig.delivery.nextDue()).toBeNull();
    expect(rig.failures).toEqual([null]);
  });

  test("leaves no words in the ledger once it was sent", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(answer("a secret"));
    expect(rig.sql.run<{ body: string }>("SELECT body FROM channel_delivery")[0]!.body).toContain("a secret");
    await rig.delivery.sendDue();
    expect(rig.sql.run("SELECT body FROM channel_delivery")).toEqual([{ body: null }]);
  });

  test("is sent in the order of its chat", async () => {
    const rig = createDeliveryRig({ chats: { c1: {}, c2: {} } });
    for (const text of ["1", "2", "3"]) rig.delivery.take(answer(text));
    rig.delivery.say({ id: "w", chat: "c1", text: "4" });
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["1", "2", "3", "4"]);
  });

  test("answers the message in a group, and nothing in a direct chat", async () => {
    const rig = createDeliveryRig({ chats: { c1: { kind: "group" }, c2: {} } });
    rig.delivery.take(answer("one\n\ntwo"));
    rig.delivery.take(answer("three", { origin: { chat: "c2", message: "8" } }));
    await rig.delivery.sendDue();
    const replies = rig.calls.map((call) => ("replyTo" in call ? [call.chat, call.replyTo] : [call.chat]));
    expect(replies.toSorted()).toEqual([["c1"], ["c1", "7"], ["c2"]]);
  });

  test("is sent without the reply if the platform refuses it with one", async () => {
    const rig = createDeliveryRig({ chats: { c1: { kind: "group" } } });
    rig.world.answer = (call) => ("replyTo" in call ? err("channel_refused", "no such message") : ok({ id: "1" }));
    rig.delivery.take(answer("hi"));
    await rig.delivery.sendDue();
    expect(rig.list()).toMatchObject([{ state: "sent" }]);
    expect(rig.calls).toHaveLength(2);
  });
});

describe("a crash", () => {
  test("after any write loses nothing, and marks what may have arrived", async () => {
    let crashes = 0;
    for (let crashAt = 1; crashAt < 60; crashAt++) {
      const rig = createDeliveryRig();
      rig.delivery.take(answer("one\n\ntwo\n\nthree"));
      const run = rig.sql.run.bind(rig.sql);
      let writes = 0;
      // The object dies: nothing of it is written any more.
      rig.sql.run = ((query: string, ...values: never[]) => {
        if (/^\s*(INSERT|UPDATE|DELETE)/.test(query) && ++writes > crashAt) throw new Error("crash");
        return run(query, ...values);
      }) as typeof rig.sql.run;
      await rig.delivery.sendDue();
      const before = rig.texts().length;
      rig.sql.run = run;
      if (writes <= crashAt) break;
      crashes += 1;
      const wasSending = rig.sql.run<{ flying: number }>("SELECT flying FROM channel_delivery")[0]!.flying === 1;
      rig.reboot();
      await rig.delivery.sendDue();
      rig.clock.advance(HOUR);
      await rig.delivery.sendDue();
      expect(rig.list()).toMatchObject([{ state: "sent", sent: 3 }]);
      const texts = rig.texts();
      expect([...new Set(texts.map((text) => text.replace("(may be a duplicate)\n", "")))]).toEqual([
        "one",
        "two",
        "three",
      ]);
      expect(texts.length).toBeLessThanOrEqual(4);
      // Each repeated one says so.
      if (texts.length === 4) expect(texts[before]).toMatch(/^\(may be a duplicate\)\n/);
      if (wasSending) expect(rig.list()[0]).toMatchObject({ duplicate: true });
    }
    expect(crashes).toBeGreaterThan(5);
  });

  test("in each of three attempts ends the delivery", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(answer("poison"));
    for (let life = 0; life < 5; life++) {
      rig.world.answer = () => new Promise(() => {}); // the object dies while it waits
      void rig.delivery.sendDue();
      await new Promise((resolve) => setImmediate(resolve));
      rig.reboot();
    }
    expect(rig.texts()).toEqual(["poison", "(may be a duplicate)\npoison", "(may be a duplicate)\npoison"]);
    expect(rig.list()).toMatchObject([{ state: "failed", error: { code: "cut_off" }, attempts: 3 }]);
  });

  test("leaves an alarm that takes up what was being sent", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(answer("x"));
    rig.world.answer = () => new Promise(() => {});
    void rig.delivery.sendDue();
    await new Promise((resolve) => setImmediate(resolve));
    expect(rig.delivery.nextDue()).toBe(rig.clock.now() + 60_000);
    rig.reboot();
    expect(rig.delivery.nextDue()).toBe(rig.clock.now() + 60_000);
  });
});

describe("a chat or channel that is gone", () => {
  test("keeps nothing of what is handed over later", () => {
    const rig = createDeliveryRig();
    rig.delivery.take(answer("x", { origin: { chat: "gone" } }));
    rig.delivery.take(answer("[SILENT]", { origin: { chat: "gone" } }));
    rig.delivery.take(question({ id: "q2", origin: { chat: "gone" } }));
    rig.delivery.say({ id: "w", chat: "gone", text: "x" });
    expect(rig.sql.run("SELECT * FROM channel_delivery")).toEqual([]);
    expect(rig.delivery.nextDue()).toBeNull();
  });

  test("is said in the ledger of what was taken before", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(answer("x"));
    rig.world.channel = err("channel_not_found", "There is no such channel.");
    await rig.delivery.sendDue();
    expect(rig.list()).toMatchObject([{ state: "failed", error: { code: "channel_not_found" } }]);
    rig.world.channel = ok(null);
    rig.delivery.take(answer("y"));
    rig.chats.clear();
    await rig.delivery.sendDue();
    expect(rig.list()[1]).toMatchObject({ platform: "telegram", state: "failed", error: { code: "chat_gone" } });
    expect(rig.calls).toEqual([]);
  });

  test("waits while the channel cannot be opened", async () => {
    const rig = createDeliveryRig();
    rig.world.channel = err("sealing_key_missing", "no key");
    rig.delivery.take(answer("x"));
    await rig.delivery.sendDue();
    expect(rig.list()).toMatchObject([{ state: "waiting", attempts: 0, error: { code: "sealing_key_missing" } }]);
    rig.world.channel = ok(null);
    rig.clock.advance(5_000);
    await rig.delivery.sendDue();
    expect(rig.list()).toMatchObject([{ state: "sent" }]);
  });

  test("is forgotten with its session and its platform", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    rig.delivery.forgetSession(question().session);
    expect(rig.sql.run("SELECT * FROM channel_delivery")).toEqual([]);
    expect(rig.sql.run("SELECT * FROM channel_button")).toEqual([]);
    rig.delivery.setHome("telegram", "c1");
    rig.delivery.say({ id: "w", chat: "c1", text: "x" });
    rig.delivery.forgetPlatform("telegram");
    expect(rig.list()).toEqual([]);
    expect(rig.delivery.home("telegram")).toBeNull();
  });

  test("of a session that is deleted while its message is sent leaves nothing", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => {
      rig.delivery.forgetSession(answer("").session);
      return ok({ id: "1" });
    };
    rig.delivery.take(answer("one\n\ntwo"));
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["one"]);
    expect(rig.list()).toEqual([]);
  });
});

describe("the ledger", () => {
  test("is kept for 30 days and read page by page", async () => {
    const rig = createDeliveryRig();
    for (const text of ["1", "2"]) rig.delivery.take(answer(text));
    rig.clock.advance(29 * 24 * HOUR);
    rig.delivery.take(answer("3"));
    rig.delivery.tidy();
    const first = rig.delivery.list({ limit: 2 });
    expect(first.page.map(({ id }) => id)).toEqual(["d-3", "d-2"]);
    expect(rig.delivery.list({ limit: 2, before: first.next }).page.map(({ id }) => id)).toEqual(["d-1"]);
    rig.clock.advance(25 * HOUR);
    rig.delivery.tidy();
    expect(rig.list().map(({ id }) => id)).toEqual(["d-3"]);
  });

  test("leaves a row of a newer version to that version", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(answer("x"));
    rig.sql.run(`UPDATE channel_delivery SET body = '{"v":2}'`);
    await rig.delivery.sendDue();
    expect(rig.reports.join()).toContain("state_newer");
    expect(rig.delivery.nextDue()).toBe(rig.clock.now() + 60_000);
    expect(rig.sql.run("SELECT body FROM channel_delivery")).toEqual([{ body: '{"v":2}' }]);
  });
});

describe("silence", () => {
  test("is kept in a group, and put in words after a person's direct message", async () => {
    const rig = createDeliveryRig({ chats: { c1: { kind: "group" }, c2: {} } });
    rig.delivery.take(answer("[SILENT]"));
    rig.delivery.take(answer(" no_reply \n", { id: "b", origin: { chat: "c2", message: "8" } }));
    rig.delivery.take(answer("NO REPLY", { id: "c", origin: { chat: "c2" } }));
    rig.delivery.take(answer("The token is [SILENT].", { id: "d" }));
    await rig.delivery.sendDue();
    expect(rig.list().map(({ state }) => state)).toEqual(["silent", "sent", "silent", "sent"]);
    expect(rig.texts().toSorted()).toEqual(["(The agent has nothing to say to this.)", "The token is [SILENT]."]);
  });

  test.each(["[SILENT]\nMEDIA:a.csv", "MEDIA:a.csv\n\n`[SILENT]`  ", "![a](a.csv) NO_REPLY"])(
    "beside a file sends the file alone: %j",
    async (text) => {
      const rig = createDeliveryRig();
      rig.files.set("a.csv", new Uint8Array(3));
      rig.delivery.take(answer(text));
      await rig.delivery.sendDue();
      expect(rig.calls).toMatchObject([{ does: "file", name: "a.csv" }]);
      expect(rig.list()).toMatchObject([{ state: "sent" }]);
    },
  );

  test("beside a file that has vanished says so", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(answer("[SILENT]\nMEDIA:a.csv"));
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["(The file is not there any more: a.csv)"]);
  });

  test.each(["[SILENT]\n\nTwo words.", "I say [SILENT] to it.", "Two words. [SILENT]"])(
    "within an answer is a word of it: %j",
    async (text) => {
      const rig = createDeliveryRig();
      rig.delivery.take(answer(text));
      await rig.delivery.sendDue();
      expect(rig.texts().join("\n\n")).toBe(text);
    },
  );
});

describe("the home chat", () => {
  test("is told what no conversation asked for", async () => {
    const rig = createDeliveryRig({ chats: { c1: {}, c2: {} } });
    expect(rig.delivery.sendHome(null, { id: "j1", text: "done" })).toMatchObject({
      failure: { code: "channel_no_home" },
    });
    rig.delivery.setHome("telegram", "c1");
    rig.clock.advance(1);
    rig.delivery.setHome("slack", "c2");
    expect(rig.delivery.sendHome(null, { id: "j1", text: "done" })).toEqual(ok({ chat: "c2" }));
    expect(rig.delivery.sendHome("telegram", { id: "j2", text: "found" })).toEqual(ok({ chat: "c1" }));
    expect(rig.delivery.sendHome("telegram", { id: "j2", text: "found" })).toEqual(ok({ chat: "c1" }));
    await rig.delivery.sendDue();
    expect(rig.texts().toSorted()).toEqual(["done", "found"]);
    rig.delivery.setHome("telegram", null);
    expect(rig.delivery.home("telegram")).toBeNull();
  });
});
