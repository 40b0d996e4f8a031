// Single attempts, with a platform that fails in every way.
import { describe, expect, test } from "vitest";
import { err, ok } from "../../../core/errors.ts";
import { answer, createDeliveryRig } from "../../support/channels/delivery-rig.ts";

const HOUR = 3_600_000;

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

  test("is the chat's: a message in one session of it opens it for the others, and for no other chat", async () => {
    const rig = createDeliveryRig({ chats: { work: { id: "ada" }, home: { id: "ada" }, elsewhere: { id: "ben" } } });
    rig.world.answer = () => err("channel_window_closed", "24 hours are over");
    for (const chat of ["work", "elsewhere"]) rig.delivery.take(answer(chat, { origin: { chat } }));
    await rig.delivery.sendDue();
    rig.world.answer = () => ok({ id: "1" });
    rig.delivery.reopen("home");
    await rig.delivery.sendDue();
    expect(rig.list()).toMatchObject([
      { chat: "work", state: "sent" },
      { chat: "elsewhere", state: "held" },
    ]);
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

  test("that the platform refuses is named in words, and the next is sent", async () => {
    const rig = createDeliveryRig();
    rig.files.set("a.exe", BYTES).set("b.txt", BYTES);
    rig.world.answer = (call) =>
      "name" in call && call.name === "a.exe" ? err("channel_refused", "no programs") : ok({ id: "1" });
    rig.delivery.take(answer("Both:\nMEDIA:a.exe\nMEDIA:b.txt"));
    await rig.delivery.sendDue();
    expect(rig.calls.map((call) => ("text" in call ? call.text : "name" in call && call.name))).toEqual([
      "Both:",
      "a.exe",
      "(Telegram did not take the file: a.exe)",
      "b.txt",
    ]);
    expect(rig.list()).toMatchObject([{ state: "sent", sent: 3 }]);
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
