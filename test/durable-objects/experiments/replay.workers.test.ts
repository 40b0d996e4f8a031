// The objects of experiments in workerd: a real session whose turn is run again, in an object that nothing lists, and that goes with its session
// and its profile.
import { evictDurableObject, listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { ulid } from "ulid";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { ReplayOrder } from "../../../core/experiments/ports.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { ReplayReport } from "../../../core/schemas/learning/experiment.ts";
import type { Replay } from "../../../durable-objects/replay/replay.ts";
import { START_MS, ask, createProfile, createSession, env, fetchApi } from "../../api/api-calls.ts";

const soon = { timeout: 15_000, interval: 20 };
/** Separated by semicolons, with commas in numbers and a row of units: rehearsal fails before it knows. */
const PLANTS = "site;height\n;cm\nnorth;10,5\nsouth;12,5\neast;n/a\n";

let profile: string;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

type ReplayStub = Pick<Replay, "begin" | "look" | "entryPage" | "erase"> & DurableObjectStub;
const openRun = (id: string) => env.REPLAY.getByName(`${profile}/${id}`) as unknown as ReplayStub;

async function say(session: string, text: string): Promise<void> {
  const headers = { accept: "text/event-stream" };
  await (await fetchApi("POST", `/v1/sessions/${session}/messages`, { key, body: { text }, headers })).text();
}

async function workOnPlants(): Promise<string> {
  const session = await createSession(key);
  await ask("PUT", `/v1/sessions/${session}/files/plants.csv`, { key, body: PLANTS });
  await say(session, "What is the mean of `height` in `plants.csv`?");
  return session;
}

async function entriesOf(session: string): Promise<Entry[]> {
  return ((await ask("GET", `/v1/sessions/${session}/entries`, { key })).body as { entries: Entry[] }).entries;
}

function order(session: string): ReplayOrder {
  const budget = { tokens: 1_000_000, usdMicros: 0 };
  const source = { session, turn: 1 };
  return { v: 1, id: ulid(), experiment: ulid(), source, arm: "recorded", skill: "plant-tables", budget };
}

async function run(asked: ReplayOrder): Promise<ReplayReport> {
  const replay = openRun(asked.id);
  expect(await replay.begin(asked)).toEqual({ ok: true, value: null });
  return vi.waitUntil(async () => (await replay.look())?.report, soon) as Promise<ReplayReport>;
}

/** Without the time at which each was written. */
const timeless = (entries: Entry[]) => entries.map(({ at: _, ...entry }) => entry);

async function tablesOf(stub: DurableObjectStub): Promise<string[]> {
  return runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
      )
      .toArray()
      .map(({ name }) => name),
  );
}

describe("a run of a recorded turn", () => {
  it("gives the turn again, in an object that no list has", async () => {
    const session = await workOnPlants();
    const asked = order(session);
    const report = await run(asked);
    expect(report).toMatchObject({ end: "answered", code: null });
    expect(report.lines.every(({ kind }) => kind === "replay")).toBe(true);
    const page = (await openRun(asked.id).entryPage({ after: 0, limit: 100 }))!;
    const recorded = await entriesOf(session);
    expect(recorded.length).toBeGreaterThan(4);
    expect(timeless(page.entries)).toEqual(timeless(recorded));
    const listed = (await ask("GET", "/v1/sessions", { key })).body as { sessions: { session: string }[] };
    expect(listed.sessions.map((one) => one.session)).toEqual([session]);
    for (const path of [`/v1/sessions/${asked.id}`, `/v1/sessions/${asked.id}/entries`]) {
      expect((await ask("GET", path, { key })).status).toBe(404);
    }
  });

  it("goes on where an eviction cut it off, and reports once", async () => {
    const session = await workOnPlants();
    const asked = order(session);
    const replay = openRun(asked.id);
    await replay.begin(asked);
    await evictDurableObject(replay);
    await replay.begin(asked);
    await vi.waitUntil(async () => {
      await runDurableObjectAlarm(replay);
      return (await replay.look())?.report;
    }, soon);
    const page = (await replay.entryPage({ after: 0, limit: 100 }))!;
    expect(timeless(page.entries)).toEqual(timeless(await entriesOf(session)));
  });

  it("leaves a tombstone when it is erased: a late order begins nothing", async () => {
    const session = await workOnPlants();
    const asked = order(session);
    await run(asked);
    const replay = openRun(asked.id);
    await replay.erase();
    await replay.erase();
    expect(await tablesOf(replay)).toEqual(["tombstone"]);
    expect(await replay.begin(asked)).toMatchObject({ ok: false, failure: { code: "session_gone" } });
    expect([await replay.look(), await replay.entryPage({ after: 0, limit: 10 })]).toEqual([null, null]);
    await evictDurableObject(replay);
    expect(await replay.begin(asked)).toMatchObject({ ok: false, failure: { code: "session_gone" } });
  });
});

void listDurableObjectIds;
