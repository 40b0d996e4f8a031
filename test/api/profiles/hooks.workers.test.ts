// Webhooks over HTTP: subscriptions, secrets that are shown once, and the log. Deliveries themselves are tested in test/hooks/ and,
// to a real receiver, in test/flows/. Here no receiver can be reached: the URL policy or the test's network refuses.
import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { toHookEvent } from "../../../core/hooks/hook-event.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import { toCurationId } from "../../../core/schemas/ids.ts";
import type { CurationRun } from "../../../core/schemas/learning/curation.ts";
import { createCurationStore } from "../../../stores/curation/curation-store.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { START_MS, ask, createProfile, createSession, env } from "../api-calls.ts";

let profile: string;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

const WANTED = { url: "https://receiver.example.com/in", events: ["turn.ended", "turn.ended"], description: "mine" };
const create = async (body: object = WANTED) =>
  (await ask("POST", "/v1/hooks", { key, body })).body as { id: string; secret: string };
const remove = (id: string) => ask("DELETE", `/v1/hooks/${id}`, { key });
const codeOf = async (asked: ReturnType<typeof ask>) => {
  const { status, body } = await asked;
  return [status, (body as { code?: string }).code];
};
const account = () => env.ACCOUNT.getByName(profile);

describe("a webhook", () => {
  it("shows its secret once, and never again", async () => {
    const { secret, ...hook } = await create();
    expect(hook).toEqual({ ...WANTED, id: hook.id, events: ["turn.ended"], createdAt: expect.any(Number) });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await ask("GET", `/v1/hooks/${hook.id}`, { key })).body).toEqual(hook);
    expect((await ask("GET", "/v1/hooks", { key })).body).toEqual({ hooks: [hook] });
    await runInDurableObject(account(), (_, state) => {
      const stored = state.storage.sql.exec("SELECT value FROM profile_setting WHERE section = 'hooks'").toArray();
      expect(stored.length).toBe(1);
      expect(JSON.stringify(stored)).not.toContain(secret.slice("whsec_".length));
    });
    expect((await remove(hook.id)).status).toBe(204);
    expect(await codeOf(ask("GET", `/v1/hooks/${hook.id}`, { key }))).toEqual([404, "hook_not_found"]);
  });

  it.each([
    ["http://receiver.example.com/", "https"],
    ["https://127.0.0.1/", "not public"],
    ["https://localhost/", "host"],
    ["ftp://receiver.example.com/", "http and https"],
    ["https://receiver.example.com:22/", "port"],
    ["nonsense", "valid URL"],
  ])("cannot be at %s", async (url, because) => {
    const answer = await ask("POST", "/v1/hooks", { key, body: { ...WANTED, url } });
    expect([answer.status, answer.body]).toMatchObject([422, { code: "url_refused" }]);
    expect((answer.body as { detail: string }).detail).toContain(because);
  });

  it("is refused with an event that does not exist", async () => {
    const body = { ...WANTED, events: ["turn.begun"] };
    expect(await codeOf(ask("POST", "/v1/hooks", { key, body }))).toEqual([400, "body_invalid"]);
  });

  it("is one of ten at most", async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create()));
    expect(await codeOf(ask("POST", "/v1/hooks", { key, body: WANTED }))).toEqual([409, "too_many_hooks"]);
    for (const { id } of made) await remove(id);
    const again = await create();
    expect(again.id).toMatch(/^hook_/);
    await remove(again.id);
  });

  it("has a new secret after a rotation, and both are kept for a day", async () => {
    const { id, secret } = await create();
    const rotated = (await ask("POST", `/v1/hooks/${id}/rotate`, { key })).body as {
      secret: string;
      previousUntil: number;
    };
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.previousUntil - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await remove(id);
    expect(await codeOf(ask("POST", `/v1/hooks/${id}/rotate`, { key }))).toEqual([404, "hook_not_found"]);
  });

  it("can be tested: the answer is the outcome, and the log has it", async () => {
    const { id } = await create();
    const { event, ...attempt } = (await ask("POST", `/v1/hooks/${id}/test`, { key })).body as Record<string, unknown>;
    expect(attempt).toEqual({ at: expect.any(Number), ms: expect.any(Number), error: "unreachable" });
    const log = (await ask("GET", `/v1/hooks/${id}/deliveries`, { key })).body;
    expect(log).toEqual({
      deliveries: [{ event, type: "ping", at: expect.any(Number), state: "failed", attempts: [attempt] }],
    });
    await remove(id);
  });

  it("of another profile is not found", async () => {
    const { id } = await create();
    const { key: other } = await createProfile();
    expect(await codeOf(ask("GET", `/v1/hooks/${id}`, { key: other }))).toEqual([404, "hook_not_found"]);
    expect(await codeOf(ask("DELETE", `/v1/hooks/${id}`, { key: other }))).toEqual([404, "hook_not_found"]);
    await remove(id);
  });
});

describe("an event of a session", () => {
  const toEvent = (session: string, about: string) =>
    toHookEvent({ profile, type: "turn.ended", about, at: Date.now(), session, data: { turn: `${session}-1` } });
  const log = async (id: string) =>
    ((await ask("GET", `/v1/hooks/${id}/deliveries`, { key })).body as { deliveries: Record<string, unknown>[] })
      .deliveries;

  it("waits in the Account until it is sent, and leaves with its session", async () => {
    const [kept, erased] = [await createSession(key), await createSession(key)];
    const { id } = await create();
    for (const session of [kept, erased]) await account().takeHookEvent(toEvent(session, session));
    await expect.poll(async () => (await log(id)).flatMap(({ attempts }) => attempts)).toHaveLength(1);
    await runInDurableObject(account(), async (_, state) => {
      const alarm = await state.storage.getAlarm();
      expect(alarm! - Date.now()).toBeLessThanOrEqual(60_000);
    });
    expect((await ask("DELETE", `/v1/sessions/${erased}`, { key })).status).toBe(204);
    await account().takeHookEvent(toEvent(erased, "late"));
    expect(await log(id)).toMatchObject([{ session: kept, state: "waiting" }]);
    await remove(id);
    await runInDurableObject(account(), (_, state) => {
      expect(state.storage.sql.exec("SELECT * FROM hook_delivery").toArray()).toEqual([]);
    });
  });

  it("that no hook wants leaves nothing", async () => {
    const session = await createSession(key);
    const { id } = await create({ ...WANTED, events: ["budget.reached"] });
    await account().takeHookEvent(toEvent(session, "unwanted"));
    expect(await log(id)).toEqual([]);
    await remove(id);
  });
});

it("a skill that a curation withdrew is reported at the profile's next booking, once", async () => {
  const [mine, run] = [await createProfile(), toCurationId(Date.now() + 60_000, Math.random)];
  const stub = env.ACCOUNT.getByName(mine.profile);
  const body = { ...WANTED, events: ["skill.withdrawn"] };
  const { id } = (await ask("POST", "/v1/hooks", { key: mine.key, body })).body as { id: string };
  const store = createCurationStore({ bucket: toBucket(env.SKILLS) });
  const standing = { state: "trial" as const, rev: 3, text: "a".repeat(64) };
  const verdict = { skill: "tables", seq: 1, from: standing, verdict: "withdrawn", why: "w", result: "moved" } as const;
  const to = { state: "archived" as const, rev: 4, text: "a".repeat(64) };
  const known = { v: 1 as const, run, profile: mine.profile, dryRun: false, moves: [] } satisfies Partial<CurationRun>;
  await store.putPlan({ ...known, at: 1 });
  const changes = [{ skill: "tables", from: standing, to, reason: "r" }];
  const times = {
    startedAt: 1,
    finishedAt: 2,
    skills: 1,
    byState: { pending: 0, trial: 0, active: 0, stale: 0, archived: 1 },
  };
  await store.putReport({ ...known, ...times, verdicts: [verdict], changes, usage: NO_USAGE }, "report");
  await store.changeNotes(mine.profile, (notes) => ({ ...notes, last: run }));
  const session = await createSession(mine.key);
  await stub.book({ id: `${session}-1`, session, at: Date.now(), lines: [] });
  const types = async () =>
    ((await ask("GET", `/v1/hooks/${id}/deliveries`, { key: mine.key })).body as { deliveries: { type: string }[] })
      .deliveries;
  await expect.poll(types).toMatchObject([{ type: "skill.withdrawn" }]);
  await runInDurableObject(stub, (_, state) => {
    expect(state.storage.sql.exec("SELECT run FROM hook_curation").toArray()).toEqual([{ run }]);
  });
});

it("a profile that never had a webhook has no table for deliveries", async () => {
  const fresh = await createProfile();
  const stub = env.ACCOUNT.getByName(fresh.profile);
  await ask("GET", "/v1/hooks", { key: fresh.key });
  await runInDurableObject(stub, (_, state) => {
    const tables = state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'hook%'").toArray();
    expect(tables).toEqual([]);
  });
});
