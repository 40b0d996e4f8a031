// The objects of experiments in workerd: a real session whose turn is run again, in an object that nothing lists, and that goes with its session
// and its profile.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { ulid } from "ulid";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { ReplayOrder } from "../../../core/experiments/ports.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { ReplayReport } from "../../../core/schemas/learning/experiment.ts";
import { ProfileId } from "../../../core/schemas/ids.ts";
import type { HookEvent } from "../../../core/schemas/profile/hooks.ts";
import type { Experiments } from "../../../durable-objects/experiments/experiments.ts";
import { toExperimentHost } from "../../../durable-objects/experiments/host.ts";
import type { Replay } from "../../../durable-objects/replay/replay.ts";
import { OPERATOR, START_MS, ask, createProfile, createSession, env, fetchApi } from "../../api/api-calls.ts";

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
const timeless = (entries: Entry[]) => entries.map((entry) => ({ ...entry, at: 0 }));

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

  it.each([
    ["its tables", "UPDATE meta SET value = '9' WHERE key = 'schema'"],
    ["its order", "UPDATE meta SET value = json_set(value, '$.v', 9) WHERE key = 'replay'"],
  ])("stays as it is where a newer version wrote %s, until it is erased", async (_, change) => {
    const session = await workOnPlants();
    const asked = order(session);
    await run(asked);
    const replay = openRun(asked.id);
    await runInDurableObject(replay, (_object, { storage }) => void storage.sql.exec(change));
    const stored = () =>
      runInDurableObject(replay, (_object, { storage }) =>
        ["meta", "turn", "entry", "job"].map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
      );
    await evictDurableObject(replay);
    const before = await stored();
    await runInDurableObject(replay, async (instance) => {
      const object = instance as unknown as Replay;
      await expect(object.look()).rejects.toThrow("state_newer");
      await expect(object.entryPage({ after: 0, limit: 10 })).rejects.toThrow("state_newer");
      await expect(object.begin(asked)).rejects.toThrow("state_newer");
      await object.alarm();
    });
    const next = await runInDurableObject(replay, (_object, { storage }) => storage.getAlarm());
    expect(next).toBeGreaterThan(Date.now());
    expect(await stored()).toEqual(before);
    await replay.erase();
    expect(await tablesOf(replay)).toEqual(["tombstone"]);
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

interface Shown {
  id: string;
  state: string;
  outcome: string | null;
  why: string;
  runsUntil: number;
  turns: { turn: string; request: string | null }[];
  runs: { replay: string | null; state: string; report: { answer: string | null } | null }[];
  tokens: { used: number };
}

const LESSON = [
  "---",
  "name: plant-tables",
  "description: Computes the mean of a column such as height in plants.csv, a table of plants.",
  "---",
  "",
  "# Plant tables",
  "",
  "Columns are separated by semicolons. Numbers have a decimal comma. The second line has units. `n/a` marks no value.",
  "",
].join("\n");

const toFiles = (text: string) => ({
  "SKILL.md": text,
  "talaria-requests.md": "- What is the mean of `height` in `plants.csv`?\n",
});

async function readExperiment(id: string): Promise<Shown> {
  const { status, body } = await ask("GET", `/v1/experiments/${id}`, { key });
  expect(status).toBe(200);
  return body as Shown;
}

/** A lesson on two recorded turns, tried to its end. */
async function tryLesson(): Promise<{ session: string; experiment: Shown; runs: string[] }> {
  const session = await workOnPlants();
  await say(session, "What is the mean of `height` in `plants.csv`, please?");
  const archive = env.ARCHIVE.getByName(profile);
  await vi.waitUntil(async () => (await archive.turnsOf({ limit: 10 })).length >= 2, soon);
  await ask("PUT", "/v1/skills/plant-tables", { key, body: { files: toFiles(LESSON) } });
  const asked = await ask("POST", "/v1/skills/plant-tables/replay", { key, body: { tokens: 2_000_000 } });
  expect(asked.status).toBe(202);
  const { id } = asked.body as Shown;
  await vi.waitUntil(async () => (await readExperiment(id)).state === "done", soon);
  const experiment = await readExperiment(id);
  const runs = experiment.runs.flatMap(({ replay }) => replay ?? []);
  return { session, experiment, runs };
}

describe("an experiment with a lesson", () => {
  it("runs the turns that are like it, shows nowhere but in its result, and goes with its session", async () => {
    ({ profile, key } = await createProfile());
    const { session, experiment, runs } = await tryLesson();
    expect(experiment).toMatchObject({ outcome: "helps", why: expect.stringMatching(/^Tried on 2 earlier turns: /) });
    expect(runs.length).toBeGreaterThan(0);
    const object = env.EXPERIMENTS.getByName(profile);
    // Nobody has to call for its runs to be erased.
    expect(await runInDurableObject(object, (_, { storage }) => storage.getAlarm())).toBe(experiment.runsUntil);
    const { body: usage } = await ask("GET", "/v1/usage?by=kind", { key });
    const booked = (usage as { lines: { key: string; tokens: number }[] }).lines.find((line) => line.key === "replay");
    expect(booked!.tokens).toBe(experiment.tokens.used);
    const listed = (await ask("GET", "/v1/sessions", { key })).body as { sessions: { session: string }[] };
    expect(listed.sessions.map((one) => one.session)).toEqual([session]);
    expect(await env.ARCHIVE.getByName(profile).turnsOf({ limit: 10 })).toHaveLength(2);

    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
    for (const id of runs) expect(await tablesOf(openRun(id))).toEqual(["tombstone"]);
    const left = await readExperiment(experiment.id);
    expect(left).toMatchObject({ outcome: experiment.outcome, why: experiment.why });
    expect(left.turns.every(({ request }) => request === null)).toBe(true);
    expect(left.runs.every(({ report }) => report === null || report.answer === null)).toBe(true);
  });

  it("keeps no words of a text that a person purges", async () => {
    ({ profile, key } = await createProfile());
    const { experiment, runs } = await tryLesson();
    const changed = toFiles(LESSON.replace("Numbers have a decimal comma.", "Numbers are odd."));
    await ask("PUT", "/v1/skills/plant-tables", { key, body: { files: changed } });
    expect((await ask("POST", "/v1/skills/plant-tables/purge", { key, body: { rev: 1 } })).status).toBe(200);
    for (const id of runs) expect(await tablesOf(openRun(id))).toEqual(["tombstone"]);
    const left = await readExperiment(experiment.id);
    expect(left.runs.every(({ report }) => report === null || report.answer === null)).toBe(true);
    expect(left.outcome).toBe(experiment.outcome);
  });

  it("is gone with its profile: a late request makes nothing", async () => {
    ({ profile, key } = await createProfile());
    const { runs } = await tryLesson();
    expect((await ask("DELETE", `/v1/profiles/${profile}`, { key: OPERATOR })).status).toBe(204);
    const object = env.EXPERIMENTS.getByName(profile) as unknown as Experiments & DurableObjectStub;
    await vi.waitUntil(async () => (await tablesOf(object)).includes("tombstone"), soon);
    expect(await tablesOf(object)).toEqual(["tombstone"]);
    for (const id of runs) expect(await tablesOf(openRun(id))).toEqual(["tombstone"]);
    expect(await object.take({} as never)).toMatchObject({ ok: false, failure: { code: "profile_gone" } });
    expect(await object.list({ limit: 10 })).toEqual([]);
  });
});

describe("a profile without experiments", () => {
  it("has no such object, whatever it does and reads", async () => {
    ({ profile, key } = await createProfile());
    const session = await workOnPlants();
    expect((await ask("GET", "/v1/experiments", { key })).body).toEqual({ experiments: [] });
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
    expect(await tablesOf(env.EXPERIMENTS.getByName(profile))).toEqual([]);
  });
});

it("a text that an experiment withdrew is one event of the profile's webhooks, without a session", async () => {
  const taken: [string, HookEvent][] = [];
  const getByName = (name: string) => ({ takeHookEvent: async (event: HookEvent) => void taken.push([name, event]) });
  const place = { profile: ProfileId.parse(profile), settings: DEFAULTS };
  const host = toExperimentHost({ storage: {} } as never, { ...env, ACCOUNT: { getByName } } as never, place);
  const withdrawn = { skill: "tables", state: "archived", rev: 3, inPart: false, experiment: ulid() } as const;
  for (let attempts = 0; attempts < 2; attempts++) await host.tellHooks!(withdrawn);
  const [[name, event], again] = taken as [[string, HookEvent], [string, HookEvent]];
  expect([name, event.type, event.session, again[1].id]).toEqual([profile, "skill.withdrawn", undefined, event.id]);
  expect(JSON.parse(event.body)).toMatchObject({ type: "skill.withdrawn", data: { profile, ...withdrawn } });
});
