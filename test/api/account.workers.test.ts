// The Account object itself: what it stores, what it never does, and what survives an eviction.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { Result } from "../../core/errors.ts";
import type { CreatedKey } from "../../core/schemas/api.ts";
import type { Account } from "../../durable-objects/account.ts";
import { createProfileId, createSecret, parseKey } from "../../durable-objects/account-key.ts";
import { START_MS, env } from "./api-calls.ts";

async function openAccount() {
  const profile = createProfileId();
  const account = env.ACCOUNT.getByName(profile);
  await account.init(profile);
  return { profile, account };
}

async function createKey(account: DurableObjectStub<Account>): Promise<{ id: string; key: string; secret: string }> {
  const created = (await account.createKey("k")) as Result<CreatedKey>;
  if (!created.ok) throw new Error(created.failure.message);
  const { id, key } = created.value;
  return { id, key, secret: parseKey(key)!.secret };
}

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FA";

describe("an account", () => {
  beforeAll(async () => void (await openAccount()), START_MS);

  it("that was never made knows nothing and stores nothing", async () => {
    const account = env.ACCOUNT.getByName(createProfileId());
    expect(await account.check(createSecret())).toBe(false);
    expect(await account.listKeys()).toEqual([]);
    expect(await account.listSessions()).toEqual([]);
    expect(await account.revokeKey("key_000000000000")).toBe(false);
    expect(await account.createKey("k")).toMatchObject({ ok: false, failure: { code: "profile_not_found" } });
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

  it("knows its keys and its sessions after an eviction, and is not emptied by a second init", async () => {
    const { account, profile } = await openAccount();
    const { secret, id } = await createKey(account);
    const info = { session: `${SESSION}A`, title: "t", learning: "off" as const, createdAt: 5 };
    await account.registerSession(info);
    await evictDurableObject(account);
    await account.init(profile);
    expect(await account.check(secret)).toBe(true);
    expect(await account.check(createSecret())).toBe(false);
    expect(await account.listSessions()).toEqual([info]);
    expect(await account.revokeKey(id)).toBe(true);
    await evictDurableObject(account);
    expect(await account.check(secret)).toBe(false);
    expect(await account.revokeKey(id)).toBe(false);
  });

  it("lists sessions newest first and each once", async () => {
    const { account } = await openAccount();
    const info = (end: string) => ({ session: SESSION + end, title: end, learning: "on" as const, createdAt: 1 });
    for (const end of ["B", "A", "C", "B"]) await account.registerSession(info(end));
    expect(await account.listSessions()).toEqual([info("C"), info("B"), info("A")]);
  });
});

describe("a review slot", () => {
  const request = { session: `${SESSION}A`, now: 1_000_000, perProfileMs: 120_000, urgent: false };

  it("goes to one session at a time and is free again when its time is over", async () => {
    const { account } = await openAccount();
    const other = { ...request, session: `${SESSION}B` };
    expect(await account.reserveReview(request)).toEqual({ granted: true });
    expect(await account.reserveReview({ ...other, now: 1_119_999 })).toEqual({ granted: false, retryAt: 1_120_000 });
    expect(await account.reserveReview({ ...other, now: 1_120_000 })).toEqual({ granted: true });
    expect(await account.reserveReview({ ...request, now: 1_120_001 })).toEqual({ granted: false, retryAt: 1_240_000 });
  });

  it("is granted again to who holds it and did not hear so, an eviction between", async () => {
    const { account } = await openAccount();
    await account.reserveReview(request);
    await evictDurableObject(account);
    expect(await account.reserveReview({ ...request, now: 1_000_500 })).toEqual({ granted: true });
    const other = { ...request, session: `${SESSION}B`, now: 1_000_600 };
    expect(await account.reserveReview(other)).toEqual({ granted: false, retryAt: 1_120_000 });
  });

  it("is neither taken nor waited for by what is urgent", async () => {
    const { account } = await openAccount();
    await account.reserveReview(request);
    expect(await account.reserveReview({ ...request, session: `${SESSION}B`, urgent: true })).toEqual({
      granted: true,
    });
    const after = { ...request, session: `${SESSION}C`, now: 1_120_000 };
    expect(await account.reserveReview(after)).toEqual({ granted: true });
  });
});
