// What goes out to chats, with a platform that fails in every way, and crashes after each row.
import { describe, expect, test } from "vitest";
import { err, ok } from "../../../core/errors.ts";
import { answer, createDeliveryRig, question, settled } from "../../support/channels/delivery-rig.ts";

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

describe("a platform that fails", () => {
  test("in the middle of three messages is sent the rest after its outage", async () => {
    const rig = createDeliveryRig();
    let isOut = true;
    rig.world.answer = (call) =>
      isOut && rig.calls.indexOf(call) > 0 ? err("channel_unavailable", "503") : ok({ id: "1" });
    rig.delivery.take(answer("one\n\ntwo\n\nthree"));
    await rig.delivery.sendDue();
    expect(rig.list()).toMatchObject([
      { state: "waiting", sent: 1, messages: 3, attempts: 1, error: { code: "channel_unavailable" } },
    ]);
    expect(rig.delivery.nextDue()).toBe(rig.clock.now() + 5_000);
    isOut = false;
    rig.clock.advance(5_000);
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["one", "two", "two", "three"]);
    expect(rig.list()).toMatchObject([{ state: "sent", sent: 3 }]);
    expect(rig.list()[0]).not.toHaveProperty("error");
  });

  test("is tried three times, and then the next delivery is", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = (call) =>
      "text" in call && call.text === "one" ? err("channel_unavailable", "500") : ok({ id: "1" });
    rig.delivery.take(answer("one"));
    rig.delivery.take(answer("two"));
    for (let i = 0; i < 5; i++) {
      await rig.delivery.sendDue();
      rig.clock.advance(HOUR);
    }
    expect(rig.texts()).toEqual(["one", "one", "one", "two"]);
    expect(rig.list()).toMatchObject([
      { state: "failed", attempts: 3, error: { code: "channel_unavailable" } },
      { state: "sent" },
    ]);
  });

  test("is told that a message may be a duplicate after a time-out that may have arrived", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () =>
      rig.calls.length === 1 ? err("channel_unreachable", "no answer", { maybeSent: true }) : ok({ id: "1" });
    rig.delivery.take(answer("one\n\ntwo"));
    await rig.delivery.sendDue();
    rig.clock.advance(5_000);
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["one", "(may be a duplicate)\none", "two"]);
    expect(rig.list()).toMatchObject([{ state: "sent", duplicate: true }]);
  });

  test("stays unsure through a refusal by rate", async () => {
    const rig = createDeliveryRig();
    const answers = [
      err("channel_unreachable", "", { maybeSent: true }),
      err("channel_rate_limited", "", { retryAfterMs: 1_000 }),
    ];
    rig.world.answer = () => answers.shift() ?? ok({ id: "1" });
    rig.delivery.take(answer("one"));
    for (let i = 0; i < 3; i++) {
      await rig.delivery.sendDue();
      rig.clock.advance(10_000);
    }
    expect(rig.texts().at(-1)).toBe("(may be a duplicate)\none");
  });

  test("is waited for as long as it asks, which is no attempt", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () =>
      rig.calls.length <= 5 ? err("channel_rate_limited", "429", { retryAfterMs: 30_000 }) : ok({ id: "1" });
    rig.delivery.take(answer("one"));
    for (let i = 0; i < 5; i++) {
      await rig.delivery.sendDue();
      expect(rig.delivery.nextDue()).toBe(rig.clock.now() + 30_000);
      rig.clock.advance(29_999);
      await rig.delivery.sendDue();
      expect(rig.calls).toHaveLength(i + 1);
      rig.clock.advance(1);
    }
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(Array(6).fill("one"));
    expect(rig.list()).toMatchObject([{ state: "sent" }]);
  });

  test("that cannot be reached at all is tried for a day", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => err("channel_unreachable", "refused");
    rig.delivery.take(answer("one"));
    const end = rig.clock.now() + 25 * HOUR;
    while (rig.clock.now() < end) {
      await rig.delivery.sendDue();
      rig.clock.advance(15 * 60_000);
    }
    expect(rig.calls.length).toBeGreaterThan(90);
    expect(new Set(rig.texts())).toEqual(new Set(["one"]));
    expect(rig.list()).toMatchObject([{ state: "failed", error: { code: "channel_unreachable" } }]);
  });

  test("by refusing a message for good ends it at once", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => err("channel_refused", "the bot was blocked");
    rig.delivery.take(answer("one"));
    await rig.delivery.sendDue();
    expect(rig.calls).toHaveLength(1);
    expect(rig.list()).toMatchObject([
      { state: "failed", error: { code: "channel_refused", message: "the bot was blocked" } },
    ]);
    expect(rig.failures).toMatchObject([{ code: "channel_refused" }]);
  });

  test("by refusing the token waits for the channel to be set up again", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => err("channel_auth_failed", "401");
    rig.delivery.take(answer("one"));
    await rig.delivery.sendDue();
    expect(rig.delivery.nextDue()).toBe(rig.clock.now() + 15 * 60_000);
    rig.world.answer = () => ok({ id: "1" });
    rig.delivery.wake("telegram");
    await rig.delivery.sendDue();
    expect(rig.list()).toMatchObject([{ state: "sent" }]);
  });

  test("by throwing has made an attempt that may have arrived", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => {
      if (rig.calls.length === 1) throw new TypeError("a bug");
      return ok({ id: "1" });
    };
    rig.delivery.take(answer("one"));
    await rig.delivery.sendDue();
    rig.clock.advance(5_000);
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["one", "(may be a duplicate)\none"]);
  });

  test("in one chat does not keep another waiting", async () => {
    const rig = createDeliveryRig({ chats: { c1: {}, c2: {} } });
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.world.answer = async (call) => {
      if (call.chat === "c1") await promise;
      return ok({ id: "1" });
    };
    rig.delivery.take(answer("stuck"));
    rig.delivery.take(answer("behind"));
    const sending = rig.delivery.sendDue();
    rig.delivery.take(answer("free", { origin: { chat: "c2" } }));
    void rig.delivery.sendDue();
    await expect.poll(() => rig.list().at(-1)?.state).toBe("sent");
    rig.delivery.take(answer("later", { origin: { chat: "c2" } }));
    void rig.delivery.sendDue();
    await expect.poll(() => rig.list().at(-1)?.state).toBe("sent");
    expect(rig.texts()).toEqual(["stuck", "free", "later"]);
    resolve();
    await sending;
    expect(rig.texts()).toEqual(["stuck", "free", "later", "behind"]);
  });
});

describe("a window of time", () => {
  test("that is closed holds what is said until the person writes", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => err("channel_window_closed", "24 hours are over");
    rig.delivery.take(answer("one"));
    rig.delivery.take(answer("two"));
    await rig.delivery.sendDue();
    rig.clock.advance(48 * HOUR);
    await rig.delivery.sendDue();
    expect(rig.delivery.nextDue()).toBeNull();
    expect(rig.list()).toMatchObject([
      { state: "held", error: { code: "channel_window_closed" } },
      { state: "waiting" },
    ]);
    rig.world.answer = () => ok({ id: "1" });
    rig.delivery.reopen("c1");
    rig.delivery.say({ id: "now", chat: "c1", text: "three" });
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["one", "one", "two", "three"]);
  });

  test("of an interaction is outlived by a message of its own", async () => {
    const rig = createDeliveryRig({ chats: { c1: { context: { token: "expired" } } } });
    rig.world.answer = (call) =>
      "withContext" in call ? err("channel_window_closed", "15 minutes are over") : ok({ id: "1" });
    rig.delivery.take(answer("late"));
    await rig.delivery.sendDue();
    expect(rig.calls).toEqual([
      { does: "send", chat: "c1", text: "late", withContext: true },
      { does: "send", chat: "c1", text: "late" },
    ]);
    expect(rig.list()).toMatchObject([{ state: "sent" }]);
  });
});

describe("a chat or channel that is gone", () => {
  test("is said in the ledger", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(answer("x", { origin: { chat: "gone" } }));
    await rig.delivery.sendDue();
    expect(rig.list()).toMatchObject([{ platform: null, state: "failed", error: { code: "chat_gone" } }]);
    rig.world.channel = err("channel_not_found", "There is no such channel.");
    rig.delivery.take(answer("y"));
    await rig.delivery.sendDue();
    expect(rig.list()[1]).toMatchObject({ state: "failed", error: { code: "channel_not_found" } });
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

describe("the message of progress", () => {
  test("becomes the answer", async () => {
    const rig = createDeliveryRig();
    rig.world.progress = "p1";
    rig.delivery.take(answer("one\n\ntwo"));
    await rig.delivery.sendDue();
    expect(rig.calls).toEqual([
      { does: "edit", chat: "c1", id: "p1", text: "one" },
      { does: "send", chat: "c1", text: "two" },
    ]);
  });

  test("that cannot be edited is followed by the answer", async () => {
    const rig = createDeliveryRig();
    rig.world.progress = "p1";
    rig.world.answer = (call) => (call.does === "edit" ? err("channel_refused", "too old") : ok({ id: "1" }));
    rig.delivery.take(answer("one"));
    await rig.delivery.sendDue();
    expect(rig.calls).toEqual([
      { does: "edit", chat: "c1", id: "p1", text: "one" },
      { does: "send", chat: "c1", text: "one" },
    ]);
  });

  test("is edited again after a time-out, without a remark", async () => {
    const rig = createDeliveryRig();
    rig.world.progress = "p1";
    rig.world.answer = () =>
      rig.calls.length === 1 ? err("channel_unreachable", "", { maybeSent: true }) : ok({ id: "1" });
    rig.delivery.take(answer("one"));
    await rig.delivery.sendDue();
    rig.clock.advance(5_000);
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["one", "one"]);
    expect(rig.list()[0]).not.toHaveProperty("duplicate");
  });
});

describe("a question", () => {
  test("has buttons, of which each means one answer in its own chat", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    expect(rig.calls).toMatchObject([
      { buttons: ["Allow once token1", "Allow for session token2", "Always allow token3", "Deny token4"] },
    ]);
    const press = (token: string, id = "c1") => rig.delivery.press(token, "telegram", { id, kind: "direct" });
    const approval = "a".repeat(20);
    const { session } = question();
    expect(press("token2")).toEqual({
      state: "open",
      means: { does: "approve", session, approval, scope: "session" },
      chat: "c1",
    });
    expect(press("token4")).toMatchObject({ means: { does: "deny", approval } });
    expect(press("token1", "another chat")).toEqual({ state: "over" });
    expect(rig.delivery.press("token1", "slack", { id: "c1", kind: "direct" })).toEqual({ state: "over" });
    expect(press("guessed")).toEqual({ state: "over" });
  });

  test("that was decided elsewhere loses its buttons, and says what was decided", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    rig.delivery.take(settled("Allowed once."));
    rig.delivery.take(settled("Allowed once."));
    expect(rig.delivery.press("token1", "telegram", { id: "c1", kind: "direct" })).toEqual({ state: "over" });
    await rig.delivery.sendDue();
    expect(rig.calls.slice(1)).toEqual([{ does: "edit", chat: "c1", id: "m1", text: "May I?\n\nAllowed once." }]);
    expect(rig.sql.run("SELECT body FROM channel_delivery WHERE body IS NOT NULL")).toEqual([]);
  });

  test("that was decided before it could be asked is not asked", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => err("channel_unreachable", "out");
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    rig.delivery.take(settled("Allowed once."));
    rig.world.answer = () => ok({ id: "1" });
    rig.delivery.take(answer("Done."));
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["May I?", "Done."]);
    expect(rig.list()).toMatchObject([{ kind: "question", state: "dropped" }, { state: "sent" }]);
  });

  test("is decided while it is being sent, and loses its buttons then", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => {
      if (rig.calls.length === 1) rig.delivery.take(settled("Denied."));
      return ok({ id: "m1" });
    };
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    expect(rig.calls).toMatchObject([{ does: "send" }, { does: "edit", id: "m1", text: "May I?\n\nDenied." }]);
  });

  test("that is settled during an outage loses its buttons after it", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    rig.delivery.take(settled("Denied."));
    rig.world.answer = () => err("channel_unavailable", "503");
    await rig.delivery.sendDue();
    rig.world.answer = () => ok({ id: "1" });
    rig.clock.advance(5_000);
    await rig.delivery.sendDue();
    expect(rig.calls.map(({ does }) => does)).toEqual(["send", "edit", "edit"]);
    expect(rig.list().at(-1)).toMatchObject({ kind: "settled", state: "sent" });
  });

  test("is asked in words alone where there are no buttons", async () => {
    const rig = createDeliveryRig({ capabilities: { buttons: 0, edit: false } });
    rig.delivery.take(question());
    rig.delivery.take(answer("Done."));
    await rig.delivery.sendDue();
    rig.delivery.take(settled("Allowed."));
    await rig.delivery.sendDue();
    expect(rig.calls).toEqual([
      { does: "send", chat: "c1", text: "May I?" },
      { does: "send", chat: "c1", text: "Done." },
    ]);
  });
});

describe("words of the channel itself", () => {
  test("may have buttons, which are closed when one was pressed", async () => {
    const rig = createDeliveryRig();
    const buttons = [{ label: "Notes", means: { does: "command" as const, text: "/topic notes" } }];
    rig.delivery.say({ id: "w1", chat: "c1", text: "Which topic?", buttons });
    await rig.delivery.sendDue();
    expect(rig.delivery.press("token1", "telegram", { id: "c1", kind: "direct" })).toMatchObject({
      means: { does: "command", text: "/topic notes" },
    });
    rig.delivery.closeButtons("w1", { id: "w1.closed", text: "Notes." });
    rig.delivery.closeButtons("w1", { id: "w1.closed", text: "Notes." });
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["Which topic?", "Which topic?\n\nNotes."]);
    expect(rig.delivery.press("token1", "telegram", { id: "c1", kind: "direct" })).toEqual({ state: "over" });
  });
});

describe("a file", () => {
  const BYTES = new Uint8Array(10);

  test("that the answer names is sent after its words", async () => {
    const rig = createDeliveryRig();
    rig.files.set("out/rain.csv", BYTES).set("chart.png", BYTES);
    rig.delivery.take(answer("Here: [the table](out/rain.csv).\nMEDIA:chart.png"));
    await rig.delivery.sendDue();
    expect(rig.calls).toEqual([
      { does: "send", chat: "c1", text: "Here: the table." },
      { does: "file", chat: "c1", name: "rain.csv", mediaType: "text/csv", bytes: 10 },
      { does: "file", chat: "c1", name: "chart.png", mediaType: "image/png", bytes: 10 },
    ]);
  });

  test("that is too large, empty or has vanished is named in words", async () => {
    const rig = createDeliveryRig();
    rig.files.set("big.zip", new Uint8Array(1_001)).set("empty.txt", new Uint8Array());
    rig.delivery.take(answer("MEDIA:big.zip\nMEDIA:empty.txt\nMEDIA:gone.pdf"));
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual([
      "(The file is too large for Telegram, which takes 0 MB: big.zip)",
      "(The file is empty: empty.txt)",
      "(The file is not there any more: gone.pdf)",
    ]);
    expect(rig.list()).toMatchObject([{ state: "sent", sent: 3 }]);
  });

  test("is not sent where the platform takes none", async () => {
    const rig = createDeliveryRig({ capabilities: { filesOut: false } });
    rig.files.set("a.txt", BYTES);
    rig.delivery.take(answer("MEDIA:a.txt"));
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["(Telegram takes no files from me: a.txt)"]);
  });

  test("waits for its session", async () => {
    const rig = createDeliveryRig();
    rig.files.set("a.txt", BYTES);
    rig.world.isSessionDown = true;
    rig.delivery.take(answer("MEDIA:a.txt"));
    await rig.delivery.sendDue();
    expect(rig.list()).toMatchObject([{ state: "waiting", attempts: 0 }]);
    rig.world.isSessionDown = false;
    rig.clock.advance(60_000);
    await rig.delivery.sendDue();
    expect(rig.calls).toMatchObject([{ does: "file", name: "a.txt" }]);
  });

  test("that may have arrived is announced as a duplicate", async () => {
    const rig = createDeliveryRig();
    rig.files.set("a.txt", BYTES);
    rig.world.answer = () =>
      rig.calls.length === 1 ? err("channel_unreachable", "", { maybeSent: true }) : ok({ id: "1" });
    rig.delivery.take(answer("MEDIA:a.txt"));
    await rig.delivery.sendDue();
    rig.clock.advance(5_000);
    await rig.delivery.sendDue();
    expect(rig.calls).toMatchObject([
      { does: "file" },
      { does: "send", text: "(may be a duplicate): a.txt" },
      { does: "file" },
    ]);
    expect(rig.list()).toMatchObject([{ state: "sent", duplicate: true }]);
  });
});

describe("pauses between messages", () => {
  test("are kept: short ones are slept through, long ones by the alarm", async () => {
    const rig = createDeliveryRig({ limits: { editEveryMs: 1_000 } });
    const at: number[] = [];
    rig.world.answer = () => {
      at.push(rig.clock.now());
      return ok({ id: "1" });
    };
    rig.delivery.take(answer("one\n\ntwo\n\nthree"));
    await rig.delivery.sendDue();
    expect(at.map((ms) => ms - at[0]!)).toEqual([0, 1_000, 2_000]);
    const slow = createDeliveryRig({ limits: { editEveryMs: 60_000 } });
    slow.delivery.take(answer("one\n\ntwo"));
    await slow.delivery.sendDue();
    expect(slow.texts()).toEqual(["one"]);
    expect(slow.delivery.nextDue()).toBe(slow.clock.now() + 60_000);
    slow.clock.advance(60_000);
    await slow.delivery.sendDue();
    expect(slow.texts()).toEqual(["one", "two"]);
  });
});
