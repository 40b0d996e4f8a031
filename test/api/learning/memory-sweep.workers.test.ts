// Removed memory entries of a profile that has gone quiet. Its Account's alarm sweeps them; one active day sets the alarm.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { memoryId } from "../../../core/schemas/memory.ts";
import { keyOf } from "../../../stores/keys.ts";
import { START_MS, ask, createProfile, env } from "../api-calls.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

beforeAll(async () => void (await createProfile()), START_MS);

/** A fact that was removed long ago. */
async function putRemovedFact(profile: string, text: string): Promise<void> {
  const slots = { profile, store: "memory" as const, hash: memoryId(text), op: "old" };
  await env.MEMORY.put(keyOf("memoryAdd", slots), JSON.stringify({ v: 1, text, at: 1, origin: "user" }));
  await env.MEMORY.put(keyOf("memoryRemove", slots), JSON.stringify({ v: 1, at: 2, by: "old" }));
}

const listRecordKinds = async (profile: string) => {
  const { keys } = await env.MEMORY.list({ prefix: `p/${profile}/memory/` });
  return keys.map(({ name }) => name.split("/").at(-1)![0]);
};

const getAccount = (profile: string) => env.ACCOUNT.getByName(profile);
const readAlarm = (profile: string) => runInDurableObject(getAccount(profile), (_, state) => state.storage.getAlarm());

/** Runs the alarm as if its days had passed. */
async function runAlarm(profile: string): Promise<void> {
  await runInDurableObject(getAccount(profile), (_, state) => {
    state.storage.sql.exec("UPDATE account_state SET sweep_due = 1 WHERE sweep_due IS NOT NULL");
  });
  expect(await runDurableObjectAlarm(getAccount(profile))).toBe(true);
}

it("a removed fact is deleted after its retention days, its removal record a day later; then the Account sleeps", async () => {
  const { profile, key } = await createProfile();
  expect(await readAlarm(profile)).toBeNull();
  const content = "Said and taken back.";
  await ask("POST", "/v1/memory", { key, body: { store: "memory", content } });
  const forgotten = await ask("DELETE", `/v1/memory/memory/${memoryId(content)}`, { key });
  expect(forgotten.status).toBe(200);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  expect(await readAlarm(profile)).toBe(today + (DEFAULTS.memory.sweepDays + 2) * DAY_MS);

  await putRemovedFact(profile, "Of long ago.");
  await runAlarm(profile);
  // A fact that was removed today is kept for its retention time.
  expect((await listRecordKinds(profile)).toSorted()).toEqual(["+", "-", "-"]);
  const again = (await readAlarm(profile))!;
  expect(Math.round((again - Date.now()) / HOUR_MS)).toBe(25);

  const slots = { profile, store: "memory" as const, hash: memoryId("Of long ago."), op: "old" };
  const swept = { v: 1, at: 2, by: "old", swept: Date.now() - 2 * DAY_MS };
  await env.MEMORY.put(keyOf("memoryRemove", slots), JSON.stringify(swept), { metadata: swept });
  await runAlarm(profile);
  expect((await listRecordKinds(profile)).toSorted()).toEqual(["+", "-"]);
  expect(await readAlarm(profile)).toBeNull();
});

it("a sweep that exceeds the limit of one alarm continues some minutes later", async () => {
  const { profile, key } = await createProfile();
  const facts = Array.from({ length: 1_001 }, (_, n) => `Fact ${n} of long ago.`);
  for (let at = 0; at < facts.length; at += 100) {
    await Promise.all(facts.slice(at, at + 100).map((text) => putRemovedFact(profile, text)));
  }
  await ask("POST", "/v1/memory", { key, body: { store: "user", content: "Keeps the day active." } });
  await ask("DELETE", `/v1/memory/user/${memoryId("Keeps the day active.")}`, { key });
  await runAlarm(profile);
  const added = async () => (await env.MEMORY.list({ prefix: `p/${profile}/memory/` })).keys.length;
  expect(await added()).toBe(1_000);
  expect(Math.round(((await readAlarm(profile))! - Date.now()) / 60_000)).toBe(2);
  await runAlarm(profile);
  const { keys } = await env.MEMORY.list({ prefix: `p/${profile}/memory/` });
  expect(keys.filter(({ name }) => name.includes("/+"))).toEqual([]);
  expect(Math.round(((await readAlarm(profile))! - Date.now()) / HOUR_MS)).toBe(25);
}, 60_000);
