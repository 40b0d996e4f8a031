// The Session object in workerd: what the engine's tests show over node:sqlite holds in a real object, also after an eviction.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import type { SessionEnv } from "../../durable-objects/session/host.ts";
import { Session } from "../../durable-objects/session/session.ts";
import { textOf } from "../../core/schemas/entry.ts";
import type { SessionRpc } from "../../workers/api/sessions/session-rpc.ts";
import { collect } from "../support/session/collect-events.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";

async function open() {
  const name = `${newProfileId()}/${ulid()}`;
  const stub = sessionOf(name);
  await stub.create({ learning: "on", title: "A test" });
  return stub;
}

function sessionOf(name: string): SessionRpc & DurableObjectStub {
  return env.SESSION.getByName(name) as unknown as SessionRpc & DurableObjectStub;
}

function must<T>(result: { ok: true; value: T } | { ok: false; failure: { code: string } }): T {
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}

const CALL = { id: "c1", name: "write_file", args: { path: "a.txt", content: "Once." } };
const APPROVAL = "ab".repeat(10);

/** A session whose first turn waits for a person, as parking it leaves its rows. */
async function openParked() {
  const stub = await open();
  await runInDurableObject(stub, async (_session, { storage }) => {
    const [since, until] = [Date.now(), Date.now() + 3_600_000];
    const base = { v: 1, turn: 1, at: since };
    const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
    const answer = { calls: [CALL], stop: "tools", usage, model: "demo" };
    const entries = [
      { ...base, n: 1, kind: "user", parts: [{ source: "principal", text: "Hello" }] },
      { ...base, n: 2, kind: "assistant", parts: [], answer },
      { ...base, n: 3, kind: "notice", parts: [{ source: "own", text: "May it?" }], code: "approval_asked" },
    ];
    for (const entry of entries) storage.sql.exec("INSERT INTO entry VALUES(?, 1, ?)", entry.n, JSON.stringify(entry));
    const stats = JSON.stringify({ modelCalls: 1, toolCalls: 0, failedCalls: 0, usage });
    const more = JSON.stringify({ parked: { for: "approval", id: APPROVAL, since, until, newest: 1 } });
    const row = "INSERT INTO turn VALUES(1, 'parked', NULL, 1, NULL, 1, ?, ?, NULL, ?, NULL)";
    storage.sql.exec(row, stats, since, more);
    const asked = {
      ...{ v: 2, kind: "command", id: APPROVAL, state: "waiting", turn: 1, tool: CALL.name, summary: "a.txt" },
      ...{ reasons: [], allowance: null, askedAt: since, until, decidedAt: null, by: null, scope: null, reason: null },
    };
    storage.sql.exec("INSERT INTO meta VALUES(?, ?)", `approval:${APPROVAL}`, JSON.stringify(asked));
    storage.sql.exec('INSERT INTO job VALUES(\'drive\', ?, 0, \'{"kind":"drive","paused":true}\')', until);
    await storage.setAlarm(until);
  });
  await evictDurableObject(stub);
  return stub;
}

describe("a session object", () => {
  it("streams a turn, and the same events again to a reader that joins after an eviction", async () => {
    const stub = await open();
    const accepted = must(await stub.post({ text: "Hello" }));
    const events = await collect(must(await stub.events({ turn: 1 })));
    expect(events.at(-1)?.event).toMatchObject({ type: "turn_end", state: "done" });
    const text = (list: typeof events) =>
      list.map(({ event }) => (event.type === "text_delta" ? event.text : "")).join("");

    await evictDurableObject(stub);
    expect(text(await collect(must(await stub.events({ turn: 1 }))))).toBe(text(events));
    const middle = events.find(({ event }) => event.type === "text_delta")!;
    expect(text(await collect(must(await stub.events({ after: middle.id }))))).toBe(
      text(events).slice(Number(middle.id.split(".")[1])),
    );
    expect(await stub.detail()).toMatchObject({ state: "idle", turns: [{ turn: accepted.turn, state: "done" }] });
  });

  it("accepts a message once per key, before and after an eviction", async () => {
    const stub = await open();
    const first = must(await stub.post({ text: "Hello", key: "k" }));
    await evictDurableObject(stub);
    expect(must(await stub.post({ text: "Hello", key: "k" }))).toEqual({ ...first, replayed: true });
    expect(await stub.post({ text: "Other", key: "k" })).toMatchObject({ failure: { code: "idempotency_conflict" } });
    await collect(must(await stub.events({ turn: 1 })));
    expect(
      must(await stub.entryPage({ after: 0, limit: 100 }))
        .entries.filter((entry) => entry.kind === "user")
        .map(textOf),
    ).toEqual(["Hello"]);
  });

  it("resumes a crashed turn by its alarm, without any request", async () => {
    const stub = await open();
    // The state after a crash: the input is accepted, the alarm is armed, and no drive runs.
    await runInDurableObject(stub, async (_session, state) => {
      const entry = { v: 1, n: 1, turn: 1, at: 0, kind: "user", parts: [{ source: "principal", text: "Hello" }] };
      const stats = {
        modelCalls: 0,
        toolCalls: 0,
        failedCalls: 0,
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      };
      state.storage.sql.exec("INSERT INTO entry VALUES(1, 1, ?)", JSON.stringify(entry));
      state.storage.sql.exec(
        "INSERT INTO turn VALUES(1, 'running', NULL, 1, NULL, 1, ?, 0, NULL, NULL, NULL)",
        JSON.stringify(stats),
      );
      state.storage.sql.exec("INSERT INTO job VALUES('drive', 0, 0, '{\"kind\":\"drive\"}')");
      await state.storage.setAlarm(Date.now() + 60_000);
    });
    await evictDurableObject(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    const events = await collect(must(await stub.events({ turn: 1 })));
    expect(events.at(-1)?.event).toMatchObject({ type: "turn_end", state: "done" });
    expect(await stub.detail()).toMatchObject({ turns: [{ attempts: 2, state: "done" }] });
  });

  it("is still parked after an eviction, also if its alarm comes early, and goes on with the answer, twenty at once", async () => {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const stub = await openParked();
        expect(await stub.detail()).toMatchObject({ state: "busy", turns: [{ state: "parked" }] });
        await runDurableObjectAlarm(stub);
        expect(await stub.detail()).toMatchObject({ turns: [{ state: "parked", attempts: 1 }] });
        expect(must(await stub.listFiles())).toEqual([]);
        must(await stub.decideApproval(APPROVAL, { approve: true }));
        const events = await collect(must(await stub.events({ turn: 1 })));
        expect(events.at(-1)?.event).toMatchObject({ type: "turn_end", state: "done" });
        expect(events.filter(({ event }) => event.type === "tool_end")).toHaveLength(1);
        expect(await stub.detail()).toMatchObject({ turns: [{ state: "done", attempts: 1 }] });
        expect(must(await stub.listFiles())).toEqual([{ path: "a.txt", size: 5, writer: "own" }]);
      }),
    );
  });

  it("that is parked can be deleted: no alarm is left, and no answer counts", async () => {
    const stub = await openParked();
    await stub.detail();
    await runInDurableObject(stub, async (session, { storage }) => {
      await (session as Session).erase();
      expect(await storage.getAlarm()).toBeNull();
    });
    const failure = { code: "session_not_found" };
    expect(await stub.decideApproval(APPROVAL, { approve: true })).toMatchObject({ failure });
    await evictDurableObject(stub);
    expect(await stub.decideApproval(APPROVAL, { approve: true })).toMatchObject({ failure });
    expect(await runDurableObjectAlarm(stub)).toBe(false);
  });

  it("keeps waking while the settings are invalid, so that it continues once they are fixed", async () => {
    const stub = await open();
    await runInDurableObject(stub, async (_session, state) => {
      await state.storage.deleteAlarm();
      const misled = new Session(state, { ...(env as unknown as SessionEnv), TALARIA_SETTINGS: "not JSON" });
      await misled.alarm();
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now());
      await expect(misled.detail()).rejects.toThrow("TALARIA_SETTINGS is not JSON.");
    });
  });

  it("keeps the workspace after an eviction", async () => {
    const stub = await open();
    must(await stub.putFile("data/a.txt", new TextEncoder().encode("hello")));
    await evictDurableObject(stub);
    expect(new TextDecoder().decode(must(await stub.getFile("data/a.txt")))).toBe("hello");
    expect(must(await stub.listFiles())).toEqual([{ path: "data/a.txt", size: 5, writer: "principal" }]);
  });

  it("is unknown until it is created", async () => {
    const stub = sessionOf(`${newProfileId()}/${ulid()}`);
    expect(await stub.detail()).toBeNull();
    expect(await stub.post({ text: "Hello" })).toMatchObject({ ok: false, failure: { code: "session_not_found" } });
  });
});
