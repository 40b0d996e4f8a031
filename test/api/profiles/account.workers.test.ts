// The Account object: what it stores, what it refuses, and what survives an eviction.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { Result } from "../../../core/errors.ts";
import type { CreatedKey } from "../../../core/schemas/api.ts";
import { ALL_SCOPES } from "../../../core/schemas/keys/scope.ts";
import type { Account } from "../../../durable-objects/account.ts";
import { createProfileId, createSecret, parseKey } from "../../../durable-objects/account-key.ts";
import { OPERATOR, START_MS, ask, createProfile, createSession, env } from "../api-calls.ts";

async function openAccount() {
  const profile = createProfileId();
  const account = env.ACCOUNT.getByName(profile);
  await account.init(profile);
  return { profile, account };
}

/** A desk that is held keeps its object from being evicted. */
async function revokeKey(account: DurableObjectStub<Account>, id: string): Promise<Result<null>> {
  using desk = await account.keyDesk();
  return (await desk.revoke(id)) as Result<null>;
}

async function createKey(account: DurableObjectStub<Account>): Promise<{ id: string; key: string; secret: string }> {
  using desk = await account.keyDesk();
  const created = (await desk.create({ label: "k" }, BY_OPERATOR)) as Result<CreatedKey>;
  if (!created.ok) throw new Error(created.failure.message);
  const { id, key } = created.value;
  return { id, key, secret: parseKey(key)!.secret };
}

const BY_OPERATOR = { name: "operator", scopes: ALL_SCOPES };
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FA";

describe("an account", () => {
  beforeAll(async () => void (await openAccount()), START_MS);

  it("that was never initialised knows nothing and stores nothing", async () => {
    const account = env.ACCOUNT.getByName(createProfileId());
    expect(await account.check(createSecret())).toMatchObject({ failure: { code: "key_unknown" } });
    expect(await account.keyDesk().list()).toEqual([]);
    expect(await account.listSessions({ limit: 100 })).toEqual([]);
    expect(await revokeKey(account, "key_000000000000")).toMatchObject({
      failure: { code: "profile_not_found" },
    });
    expect(await account.keyDesk().create({ label: "k" }, BY_OPERATOR)).toMatchObject({
      ok: false,
      failure: { code: "profile_not_found" },
    });
    const tables = await runInDurableObject(account, (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(tables).toEqual([]);
  });

  it("stores the hash of a secret and never the secret", async () => {
    const { account } = await openAccount();
    const { secret, key } = await createKey(account);
    const rows = await runInDurableObject(account, (_, state) =>
      state.storage.sql.exec("SELECT * FROM keys").toArray(),
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  it("keeps its keys and sessions after an eviction and after a second init", async () => {
    const { account, profile } = await openAccount();
    const { secret, id } = await createKey(account);
    const info = { session: `${SESSION}A`, title: "t", learning: "off" as const, createdAt: 5 };
    await account.registerSession(info);
    await evictDurableObject(account);
    await account.init(profile);
    expect(await account.check(secret)).toMatchObject({
      value: { id, scopes: ["read", "write", "admin"], settingsRev: 0 },
    });
    expect(await account.check(createSecret())).toMatchObject({ ok: false });
    expect(await account.listSessions({ limit: 100 })).toEqual([info]);
    expect(await revokeKey(account, id)).toMatchObject({ failure: { code: "last_key" } });
    await createKey(account);
    expect(await revokeKey(account, id)).toMatchObject({ ok: true });
    await evictDurableObject(account);
    expect(await account.check(secret)).toMatchObject({ failure: { code: "key_unknown" } });
    expect(await revokeKey(account, id)).toMatchObject({ failure: { code: "key_not_found" } });
  });

  it("that a newer version wrote allows reads and refuses every write", async () => {
    const { profile, key: first } = await createProfile();
    const account = env.ACCOUNT.getByName(profile);
    const session = await createSession(first);
    const { key } = await createKey(account); // this isolate has not cached the key when the newer version writes
    const dump = () =>
      runInDurableObject(account, async (_, { storage }) => [
        ...["keys", "session", "erasure", "usage_line", "booked"].map((table) =>
          storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
        ),
        await storage.getAlarm(),
      ]);
    await runInDurableObject(account, (_, { storage }) => {
      storage.sql.exec("INSERT OR REPLACE INTO account_state VALUES (1, 9, '2026-01-01', NULL)");
    });
    const before = await dump();
    for (const [method, path, body] of [
      ["POST", "/v1/sessions", {}],
      ["POST", `/v1/sessions/${session}/messages`, { text: "hello" }],
      ["DELETE", `/v1/sessions/${session}`, undefined],
      ["POST", "/v1/memory", { store: "memory", content: "A fact." }],
      ["DELETE", "/v1/keys/key_000000000000", undefined],
      ["DELETE", `/v1/profiles/${profile}?confirm=${profile}`, undefined],
      ["POST", "/v1/keys", { profile, label: "another" }],
    ] as const) {
      const as = path === "/v1/keys" ? OPERATOR : key;
      const answer = await ask(method, path, { key: as, body });
      expect([method, path, answer.status, answer.body]).toEqual([
        ...[method, path, 503],
        expect.objectContaining({ code: "state_newer", detail: expect.stringContaining("format 9; this one knows 2") }),
      ]);
    }
    expect((await ask("GET", "/v1/keys", { key })).status).toBe(200);
    expect((await ask("GET", "/v1/sessions", { key })).status).toBe(200);
    await expect(runInDurableObject(account, (object) => object.reserveReview({} as never))).rejects.toThrow(
      "state_newer",
    );
    expect(await dump()).toEqual(before);
  });

  it("gives an untitled session the title of a booking, however often the booking arrives", async () => {
    const { account } = await openAccount();
    const info = (end: string, title: string) => ({
      session: SESSION + end,
      title,
      learning: "on" as const,
      createdAt: 1,
    });
    await account.registerSession(info("A", ""));
    await account.registerSession(info("B", "Mine"));
    for (const end of ["A", "B", "A", "C"]) {
      const session = SESSION + end;
      await account.book({ id: `${session}.title`, session, at: 1, lines: [], title: "Rain" });
    }
    expect(await account.listSessions({ limit: 100 })).toEqual([info("B", "Mine"), info("A", "Rain")]);
  });

  it("lists each session once, newest first", async () => {
    const { account } = await openAccount();
    const info = (end: string) => ({ session: SESSION + end, title: end, learning: "on" as const, createdAt: 1 });
    for (const end of ["B", "A", "C", "B"]) await account.registerSession(info(end));
    expect(await account.listSessions({ limit: 100 })).toEqual([info("C"), info("B"), info("A")]);
  });
});

const HOUR = 60 * 60_000;
const DAY_LIMIT = { tokens: 1_000, usdMicros: 0 };
const GRANT = { tokens: 600, expiresAt: 1_000_000 + HOUR };

describe("a review slot", () => {
  const request = {
    review: `${SESSION}A.1-2`,
    session: `${SESSION}A`,
    now: 1_000_000,
    perProfileMs: 120_000,
    urgent: false,
    grant: GRANT,
    day: { tokens: 0, usdMicros: 0 },
  };
  const granted = { granted: true, grant: GRANT };
  const of = (end: string, n: number, more: Partial<typeof request> = {}) => ({
    ...request,
    session: SESSION + end,
    review: `${SESSION}${end}.${n}-${n + 1}`,
    ...more,
  });

  it("is held by one session at a time and is free after its timeout", async () => {
    const { account } = await openAccount();
    expect(await account.reserveReview(request)).toEqual(granted);
    expect(await account.reserveReview(of("B", 1, { now: 1_119_999 }))).toEqual({ granted: false, retryAt: 1_120_000 });
    expect(await account.reserveReview(of("B", 1, { now: 1_120_000 }))).toEqual(granted);
    expect(await account.reserveReview(of("A", 3, { now: 1_120_001 }))).toEqual({ granted: false, retryAt: 1_240_000 });
  });

  it("is granted again when its holder repeats the request, even after an eviction", async () => {
    const { account } = await openAccount();
    await account.reserveReview(request);
    await evictDurableObject(account);
    const later = { tokens: 5, expiresAt: 9 };
    expect(await account.reserveReview({ ...request, now: 1_000_500, grant: later })).toEqual(granted);
    expect(await account.reserveReview(of("B", 1, { now: 1_000_600 }))).toEqual({ granted: false, retryAt: 1_120_000 });
  });

  it("is neither taken nor awaited by an urgent review", async () => {
    const { account } = await openAccount();
    await account.reserveReview(request);
    expect(await account.reserveReview(of("B", 1, { urgent: true }))).toEqual(granted);
    expect(await account.reserveReview(of("C", 1, { now: 1_120_000 }))).toEqual(granted);
  });
});

describe("the ledger of an account", () => {
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
  const lines = [{ kind: "turn", model: "m:a", source: "none", calls: 1, usage, usdMicros: 0 }] as const;
  const booking = { id: `${SESSION}A-1`, session: `${SESSION}A`, at: 1_000_000, lines: [...lines] };
  const turn = { turn: `${SESSION}A-2`, session: `${SESSION}A`, now: 1_000_000, spent: { tokens: 0, usdMicros: 0 } };
  const day = { from: "1970-01-01", to: "1970-01-01", by: "day" } as const;

  it("counts a booking once, even across an eviction", async () => {
    const { account } = await openAccount();
    await account.book(booking);
    await evictDurableObject(account);
    await account.book(booking);
    expect((await account.usage(day))!.totals).toMatchObject({ calls: 1, tokens: 10, input: 1, cacheWrite: 4 });
  });

  it("keeps reservations across an eviction", async () => {
    const { account } = await openAccount();
    expect(await account.reserveTurn({ ...turn, day: DAY_LIMIT })).toEqual({ tokens: 100, usdMicros: 0 });
    await evictDurableObject(account);
    const other = { ...turn, turn: `${SESSION}B-1`, spent: { tokens: 900, usdMicros: 0 } };
    expect(await account.reserveTurn({ ...other, day: DAY_LIMIT })).toBeNull();
  });

  it("is created in an account that predates it", async () => {
    const { account } = await openAccount();
    await runInDurableObject(account, (_, { storage }) => {
      for (const table of ["booked", "usage_line", "reservation"]) storage.sql.exec(`DROP TABLE ${table}`);
    });
    await evictDurableObject(account);
    await account.book(booking);
    expect((await account.usage(day))!.totals.calls).toBe(1);
  });

  it("is not kept for a profile that has no account", async () => {
    const account = env.ACCOUNT.getByName(createProfileId());
    await account.book(booking);
    const tables = await runInDurableObject(account, (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(tables).toEqual([]);
  });
});
