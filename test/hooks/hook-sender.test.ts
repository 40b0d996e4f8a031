// Deliveries over a real database, a real sealer and the real way out, with a scripted receiver that verifies each signature with the
// package `standardwebhooks`.
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { openDeliveryRows } from "../../core/hooks/delivery-rows.ts";
import { toHookEvent } from "../../core/hooks/hook-event.ts";
import { createHookSender } from "../../core/hooks/hook-sender.ts";
import { toHookSecret } from "../../core/hooks/sign-hook.ts";
import { createOutbound } from "../../core/outbound/outbound.ts";
import type { Clock, Fetch } from "../../core/ports.ts";
import type { HookSetting } from "../../core/schemas/profile/hooks.ts";
import { openSealer } from "../../wiring/sealing.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs";
const HOOK = "hook_000000000001";
const URL_ = "https://receiver.example.com/in";
const POLICY = { ports: [], allow: ["http://localhost:9000"], configured: [] };
const MINUTE = 60_000;

type Reply = number | Response | "never" | "down";

/** `replies`: one for each request, the last one for all further. */
async function setUp(replies: Reply[], changes: Partial<HookSetting> = {}) {
  let now = Date.now(); // the package refuses timestamps that are five minutes off
  let late = false;
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener("abort", () => resolve());
        if (!late) return;
        now += ms;
        resolve();
      }),
  };
  const sealer = openSealer({ TALARIA_SEALING_KEY: "a sealing key of this test" }, PROFILE);
  if (!sealer.ok) throw new Error(sealer.failure.message);
  const secrets = [1, 2].map((byte) => toHookSecret(new Uint8Array(32).fill(byte)));
  const [sealed, other] = await Promise.all(secrets.map((secret) => sealer.value.seal(secret)));
  const hook: HookSetting = { v: 1, url: URL_, events: ["turn.ended"], createdAt: 1, secret: sealed!, ...changes };
  const hooks: Record<string, HookSetting> = { [HOOK]: hook };
  const sent: { url: string; headers: Record<string, string>; body: string; redirect: unknown }[] = [];
  const sql = createNodeSql();
  const reports: string[] = [];
  const fetch: Fetch = async (input, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    sent.push({ url: String(input), headers, body: String(init.body), redirect: init.redirect });
    const reply = replies[Math.min(sent.length, replies.length) - 1]!;
    if (reply === "down") throw new TypeError("connection refused");
    if (reply === "never") return new Promise(() => undefined);
    return typeof reply === "number" ? new Response(null, { status: reply }) : reply;
  };
  const rows = openDeliveryRows(sql);
  const boot = () =>
    createHookSender({
      ...{ rows, clock, sealer, policy: POLICY, outbound: createOutbound({ fetch, clock, policy: POLICY }) },
      readHooks: () => hooks,
      disable: (id) => (hooks[id] = { ...hooks[id]!, disabledAt: clock.now() }),
      report: (what, error) => reports.push(`${what}: ${String(error)}`),
    });
  let sender = boot();
  const toEvent = (about: string) =>
    toHookEvent({ profile: PROFILE, type: "turn.ended", about, at: now, data: { turn: about } });
  return {
    ...{ rows, hooks, sent, sql, secrets, other: other!, reports, toEvent },
    now: () => now,
    sender: () => sender,
    restart: () => void (sender = boot()),
    add: (about: string, to = HOOK) => rows.add(to, toEvent(about), now),
    advance: (ms: number) => void (now += ms),
    becomeLate: () => void (late = true),
    log: () => rows.list(HOOK),
    verify(n: number, secret = secrets[0]!) {
      return new Webhook(secret).verify(sent[n]!.body, sent[n]!.headers);
    },
  };
}

describe("an event", () => {
  test("is posted once, signed as Standard Webhooks asks, and logged without its body", async () => {
    const { add, sender, sent, verify, log, sql } = await setUp([204]);
    add("t-1");
    await sender().sendDue();
    expect(sent).toMatchObject([{ url: URL_, redirect: "manual", headers: { "content-type": "application/json" } }]);
    expect(verify(0)).toMatchObject({ type: "turn.ended", data: { profile: PROFILE, turn: "t-1" } });
    expect(log()).toMatchObject([
      { event: sent[0]!.headers["webhook-id"], state: "delivered", attempts: [{ status: 204 }] },
    ]);
    expect(sql.run("SELECT body, due FROM hook_delivery")).toEqual([{ body: null, due: null }]);
    expect(sender().nextDue()).toBeNull();
    await sender().sendDue();
    expect(sent.length).toBe(1);
  });

  test("is refused by the verifier when a byte of it is changed, and under another secret", async () => {
    const { add, sender, sent, verify, secrets } = await setUp([200]);
    add("t-1");
    await sender().sendDue();
    expect(() => verify(0, secrets[1])).toThrow("No matching signature");
    sent[0]!.body = sent[0]!.body.replace("t-1", "t-2");
    expect(() => verify(0)).toThrow("No matching signature");
  });

  test("is attempted three times, after 10 seconds and 2 minutes, with one id and one body", async () => {
    const { add, sender, sent, verify, log, advance } = await setUp([500, 404, 503, 200]);
    add("t-1");
    await sender().sendDue();
    expect(log()).toMatchObject([{ state: "waiting", attempts: [{ status: 500 }] }]);
    advance(9_999);
    await sender().sendDue();
    expect(sent.length).toBe(1);
    advance(1);
    await sender().sendDue();
    expect(sent.length).toBe(2);
    advance(2 * MINUTE - 1);
    await sender().sendDue();
    expect(sent.length).toBe(2);
    advance(1);
    await sender().sendDue();
    advance(60 * MINUTE);
    await sender().sendDue();
    expect(log()).toMatchObject([{ state: "failed", attempts: [{ status: 500 }, { status: 404 }, { status: 503 }] }]);
    expect(new Set(sent.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(3);
    expect(sender().nextDue()).toBeNull();
    expect(sent.length).toBe(3);
    advance(-60 * MINUTE);
    expect(verify(2)).toMatchObject({ type: "turn.ended" });
  });

  test("that is reported twice is delivered once", async () => {
    const { add, sender, sent, log } = await setUp([200]);
    add("t-1");
    add("t-1");
    await sender().sendDue();
    add("t-1");
    await sender().sendDue();
    expect([sent.length, log().length]).toEqual([1, 1]);
  });

  test("survives the end of the object before and during its delivery", async () => {
    const { add, sender, sent, restart, log } = await setUp(["never", 200]);
    add("t-1");
    restart();
    void sender().sendDue();
    await expect.poll(() => sent.length).toBe(1);
    restart();
    await sender().sendDue();
    expect(sent.map(({ headers }) => headers["webhook-id"])).toEqual([log()[0]!.event, log()[0]!.event]);
    expect(log()).toMatchObject([{ state: "delivered", attempts: [{ status: 200 }] }]);
  });

  test("that is answered with a redirect is not sent to its target", async () => {
    const { add, sender, sent, log } = await setUp([new Response(null, { status: 307, headers: { location: URL_ } })]);
    add("t-1");
    await sender().sendDue();
    expect([sent.length, log()[0]]).toMatchObject([1, { state: "waiting", attempts: [{ status: 307 }] }]);
  });
});

describe("a receiver", () => {
  test("that answers 410 is disabled, and gets nothing that waits", async () => {
    const { add, sender, sent, log, hooks, advance } = await setUp([410]);
    add("t-1");
    add("t-2");
    await sender().sendDue();
    advance(MINUTE);
    await sender().sendDue();
    expect(sent.length).toBe(1);
    expect(hooks[HOOK]!.disabledAt).toBeTypeOf("number");
    expect(
      log()
        .map(({ state, error = "attempted" }) => `${state} ${error}`)
        .toSorted(),
    ).toEqual(["failed attempted", "failed hook_disabled"]);
  });

  test("that does not answer is left after ten seconds, and its other events wait ten more", async () => {
    const { add, sender, sent, log, becomeLate, advance } = await setUp(["never", "never", 200]);
    becomeLate();
    add("t-1");
    add("t-2");
    await sender().sendDue();
    expect(sent.length).toBe(1);
    expect(log().flatMap(({ attempts }) => attempts)).toMatchObject([{ error: "timed_out", ms: 10_000 }]);
    const due = sender().nextDue()!;
    advance(9_999);
    await sender().sendDue();
    expect(sent.length).toBe(1);
    advance(1);
    expect(due).toBeGreaterThan(0);
    await sender().sendDue();
    expect(sent.length).toBe(2);
  });

  test("that is down does not hold up another one", async () => {
    const { add, sender, sent, hooks, rows } = await setUp(["down", 200]);
    hooks.hook_000000000002 = { ...hooks[HOOK]!, url: "https://other.example.com/" };
    add("t-1");
    add("t-1", "hook_000000000002");
    await sender().sendDue();
    expect(sent.length).toBe(2);
    const states = [HOOK, "hook_000000000002"].map((id) => rows.list(id)[0]!.state);
    expect(states.toSorted()).toEqual(["delivered", "waiting"]);
  });

  test("may answer with a body that never ends: it is not read", async () => {
    const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1_000_000)) });
    const { add, sender, log } = await setUp([new Response(endless, { status: 200 })]);
    add("t-1");
    await sender().sendDue();
    expect(log()).toMatchObject([{ state: "delivered" }]);
    expect(endless.locked).toBe(false);
  });

  test.each([
    ["http://receiver.example.com/", "plain http"],
    ["https://10.0.0.7/", "a private address"],
    ["https://metadata.google.internal/", "an inner name"],
    ["https://user:pass@receiver.example.com/", "credentials"],
  ])("at %s gets nothing: %s", async (url) => {
    const { add, sender, sent, log } = await setUp([200], { url });
    add("t-1");
    await sender().sendDue();
    expect([sent.length, log()]).toMatchObject([0, [{ attempts: [{ error: "url_refused" }] }]]);
  });

  test("may be on this machine if the operator excepts its origin", async () => {
    const { add, sender, log } = await setUp([200], { url: "http://localhost:9000/in" });
    add("t-1");
    await sender().sendDue();
    expect(log()).toMatchObject([{ state: "delivered" }]);
  });

  test("that was deleted leaves no log", async () => {
    const { add, sender, sent, hooks, sql } = await setUp([200]);
    add("t-1");
    delete hooks[HOOK];
    await sender().sendDue();
    expect([sent.length, sql.run("SELECT * FROM hook_delivery")]).toEqual([0, []]);
  });
});

describe("a secret", () => {
  test("and the one before it both sign, until the rotation is over", async () => {
    const world = await setUp([200]);
    const { add, sender, hooks, verify, secrets, advance, other, sent } = world;
    const until = Date.now() + MINUTE;
    hooks[HOOK] = { ...hooks[HOOK]!, secret: other, previous: { secret: hooks[HOOK]!.secret, until } };
    add("t-1");
    await sender().sendDue();
    expect(verify(0, secrets[0])).toEqual(verify(0, secrets[1]));
    advance(2 * MINUTE);
    add("t-2");
    await sender().sendDue();
    expect(() => verify(1, secrets[0])).toThrow("No matching signature");
    expect(verify(1, secrets[1])).toMatchObject({ type: "turn.ended" });
    expect(JSON.stringify(sent)).not.toContain("whsec_");
  });

  test("sealed with a lost key is an attempt that says so, and nothing is sent unsigned", async () => {
    const { add, sender, sent, log } = await setUp([200], { secret: "v1.AAAA.AAAA" });
    add("t-1");
    await sender().sendDue();
    expect([sent.length, log()]).toMatchObject([0, [{ attempts: [{ error: "secret_unreadable" }] }]]);
  });

  test("that replaced one sealed with a lost key signs alone", async () => {
    const previous = { secret: "v1.AAAA.AAAA", until: Date.now() + MINUTE };
    const { add, sender, sent, verify, log } = await setUp([200], { previous });
    add("t-1");
    await sender().sendDue();
    expect(verify(0)).toMatchObject({ type: "turn.ended" });
    expect(sent[0]!.headers["webhook-signature"]!.split(" ")).toHaveLength(1);
    expect(log()).toMatchObject([{ state: "delivered" }]);
  });
});

describe("the log", () => {
  test("keeps the last hundred ended deliveries, for a week", async () => {
    const { add, sender, log, advance, rows, now } = await setUp([200]);
    for (let n = 0; n < 130; n++) {
      advance(1);
      add(`t-${n}`);
      await sender().sendDue();
    }
    expect(log().length).toBe(100);
    const newest = log()[0]!.event;
    advance(7 * 24 * 60 * MINUTE);
    add("late");
    expect(log().map(({ state }) => state)).toEqual(["waiting"]);
    expect(log()[0]!.event).not.toBe(newest);
    await sender().sendDue();
    advance(7 * 24 * 60 * MINUTE);
    rows.tidy(now());
    expect(log()).toEqual([]);
  });

  test("says which events were given up because too many waited", async () => {
    const { add, log } = await setUp([200]);
    for (let n = 0; n < 203; n++) add(`t-${n}`);
    const full = log().filter(({ error }) => error === "queue_full");
    expect([full.length, log().length]).toEqual([3, 203]);
    expect(full[0]).toMatchObject({ state: "failed", attempts: [] });
  });

  test("loses what a deleted session has sent or would send", async () => {
    const { rows, toEvent, log } = await setUp([200]);
    const session = "01J00000000000000000000001";
    rows.add(HOOK, { ...toEvent("a"), session }, 1);
    rows.add(HOOK, toEvent("b"), 1);
    rows.forgetSession(session);
    expect(log().map(({ event }) => event)).toEqual([toEvent("b").id]);
  });
});
