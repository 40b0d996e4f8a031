// The Session object in workerd: what the engine's tests show over node:sqlite holds in a real object, also after an eviction.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { Session, type SessionEnv } from "../../durable-objects/session/session.ts";
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
