// A profile with data of every kind, marked with words that occur nowhere else, and a listing of everything the stores
// hold for that profile: all of R2, all of KV, every table of every Durable Object.
import { listDurableObjectIds, runInDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { expect, vi } from "vitest";
import { toCurationId } from "../../../core/schemas/ids.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { keyOf } from "../../../stores/keys.ts";
import { sampleJob, user, assistant } from "../../learning/sample.ts";
import { ask, createProfile, createSession, env, fetchApi } from "../api-calls.ts";

type StoredPlace = { place: string; body: string };

/** Names of Durable Objects by id. Only the object itself knows its name. */
const nameById = new Map<string, string>();

/** Every object, key and row of a profile, as text. */
async function listStores(profile: string): Promise<StoredPlace[]> {
  const found: StoredPlace[] = [];
  let cursor: string | undefined;
  do {
    const page = await env.SKILLS.list({ cursor, include: ["customMetadata"] });
    for (const { key, customMetadata } of page.objects) {
      if (!key.includes(profile)) continue;
      const body = (await (await env.SKILLS.get(key))?.text()) ?? "";
      found.push({ place: `r2 ${key}`, body: `${body}\n${JSON.stringify(customMetadata ?? {})}` });
    }
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor);
  let from: string | undefined;
  do {
    const page: KVNamespaceListResult<unknown> = await env.MEMORY.list({ cursor: from });
    for (const { name, metadata } of page.keys) {
      if (!name.includes(profile)) continue;
      found.push({ place: `kv ${name}`, body: `${await env.MEMORY.get(name)}\n${JSON.stringify(metadata ?? {})}` });
    }
    from = page.list_complete ? undefined : page.cursor;
  } while (from);
  const { SESSION, ACCOUNT, ARCHIVE, WEBHOOKS, CHANNELS, AGENDA, BOARD, EXPERIMENTS, REPLAY } = env;
  const namespaces = { SESSION, ACCOUNT, ARCHIVE, WEBHOOKS, CHANNELS, AGENDA, BOARD, EXPERIMENTS, REPLAY };
  for (const [kind, namespace] of Object.entries(namespaces) as [string, DurableObjectNamespace][]) {
    for (const id of await listDurableObjectIds(namespace)) {
      const known = nameById.get(String(id));
      if (known !== undefined && !known.includes(profile)) continue;
      const rows = await runInDurableObject(namespace.get(id), (_, state) => {
        nameById.set(String(id), state.id.name ?? "");
        return state.id.name?.includes(profile) ? readTables(state, `${kind} ${state.id.name}`) : [];
      });
      found.push(...rows);
    }
  }
  return found;
}

const latin1 = new TextDecoder("latin1");

function readTables({ storage }: DurableObjectState, place: string): StoredPlace[] {
  const tables = storage.sql
    .exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    )
    .toArray();
  return tables.map(({ name }) => {
    const rows = storage.sql.exec(`SELECT * FROM "${name}"`).toArray();
    const text = JSON.stringify(rows, (_, value: unknown) =>
      value instanceof ArrayBuffer ? latin1.decode(value) : value,
    );
    return { place: `${place} ${name}`, body: text };
  });
}

/** Places under a profile whose key or body contains one of the words. */
export async function findPlaces(profile: string, ...words: string[]): Promise<string[]> {
  return (await listStores(profile))
    .filter(({ place, body }) => words.some((word) => `${place}\n${body}`.includes(word)))
    .map(({ place }) => place)
    .toSorted();
}

const soon = { timeout: 15_000, interval: 50 };

export async function createFullProfile() {
  const { profile, key } = await createProfile();
  const session = await createSession(key);
  const say = async (text: string) => {
    const headers = { accept: "text/event-stream" };
    const path = `/v1/sessions/${session}/messages`;
    await (await fetchApi("POST", path, { key, body: { text }, headers })).text();
  };
  await ask("PUT", `/v1/sessions/${session}/files/zebrafile.csv`, { key, body: "name,price\na,1\nzebracell,2\n" });
  await say("What is the mean of `price` in `zebrafile.csv`? Mind the zebraquestion.");
  await vi.waitUntil(async () => (await env.ARCHIVE.getByName(profile).turnsOf({ limit: 10 })).length > 0, soon);
  const files = (word: string) => ({
    "SKILL.md": `---\nname: zebra-skill\ndescription: Reads ${word} tables.\n---\n\n# Tables\n\nThe ${word} stands in column 2.\n`,
  });
  for (const word of ["zebraone", "zebratwo"]) {
    const put = await ask("PUT", "/v1/skills/zebra-skill", { key, body: { files: files(word) } });
    expect(put.status).toBe(200);
  }
  await ask("POST", "/v1/memory", { key, body: { store: "memory", content: "The zebrafact is kept in Basel." } });
  await ask("PUT", `/v1/sessions/${session}/goal`, { key, body: { text: "Find the zebragoal.", maxTurns: 1 } });
  const goal = async () => (await ask("GET", `/v1/sessions/${session}/goal`, { key })).body as { state: string };
  await vi.waitUntil(async () => (await goal()).state === "paused", soon);
  const bucket = toBucket(env.SKILLS);
  const reviews = createReviewStore({ bucket, profile });
  const entries = [user(1, "Mind the zebraquestion. The zebraone stands in column 2."), assistant(2, "I did.")];
  const grant = { tokens: 100_000, expiresAt: Date.now() + 3_600_000 };
  const job = { ...sampleJob({ profile, entries, grant }), session, review: `${session}.1-2` };
  await reviews.putJob(job);
  const run = toCurationId(Date.now(), Math.random);
  await bucket.put(
    keyOf("curationReport", { profile, run }),
    "# Curation\n\nThe zebraone stands in column 2.\nKept line.\n",
  );
  return { profile, key, session, say, reviews, job, run, files };
}

/** Makes every outstanding erasure of an Account due, and runs its alarm. */
export async function passErasures(profile: string): Promise<void> {
  const account = env.ACCOUNT.getByName(profile);
  await runInDurableObject(account, async (_, state) => {
    const has = state.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'erasure'").toArray().length > 0;
    if (!has) return;
    state.storage.sql.exec("UPDATE erasure SET due = 1 WHERE due IS NOT NULL");
    await state.storage.setAlarm(Date.now() + 60_000);
  });
  await runDurableObjectAlarm(account);
}

/**
 * Runs the Archive's alarms until no index has a word of an erased message. An erasure itself only takes the first steps of a merge, see
 * docs/STORAGE.md.
 */
export async function finishMerges(profile: string): Promise<void> {
  const archive = env.ARCHIVE.getByName(profile);
  const isMerged = () =>
    runInDurableObject(
      archive,
      (_, { storage }) => storage.sql.exec("SELECT 1 FROM message_merge").toArray().length === 0,
    );
  await vi.waitUntil(async () => {
    await runDurableObjectAlarm(archive);
    return isMerged();
  }, soon);
}
