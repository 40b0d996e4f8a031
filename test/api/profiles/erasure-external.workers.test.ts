// The deletion of a profile reaches the external memory, by the Account's alarm.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, inject, it, vi } from "vitest";
import { START_MS, ask, createProfile, env } from "../api-calls.ts";

// The erasure waits two seconds for writers in progress.
vi.setConfig({ testTimeout: 60_000 });
beforeAll(async () => void (await createProfile()), START_MS);

it("a deleted profile is erased from the external memory after the answer, and its Account is waiting until then", async () => {
  const { profile, key } = await createProfile();
  const account = env.ACCOUNT.get(env.ACCOUNT.idFromName(profile));
  await runInDurableObject(account, (object) => {
    // The server answers 404: it knows nothing of the profile.
    const named = { TALARIA_MEMORY_PROVIDER: "mem0", MEM0_API_KEY: "key", MEM0_BASE_URL: inject("modelServer") };
    Object.assign(object, { env: { ...env, ...named } });
  });
  const external = () =>
    runInDurableObject(account, (_, { storage }) =>
      storage.sql.exec("SELECT id, pass FROM erasure WHERE kind = 'external'").toArray(),
    );
  const deleted = await ask("DELETE", `/v1/profiles/${profile}?confirm=${profile}`, { key });
  expect(deleted.status).toBe(202);
  expect(await external()).toEqual([{ id: profile, pass: 0 }]);
  await runDurableObjectAlarm(account);
  expect(await external()).toEqual([{ id: profile, pass: 1 }]);
});
