// A goal in real objects: the Agenda tells the session, which works at it with the model that ships, whose answers are no verdicts.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { ProfileSettings } from "../../../core/schemas/profile/settings.ts";
import type { Agenda } from "../../../durable-objects/agenda/agenda.ts";
import { START_MS, ask, createProfile, createSession, env, fetchApi } from "../../api/api-calls.ts";

const soon = { timeout: 15_000, interval: 20 };
let profile: string;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

async function say(session: string, text: string): Promise<void> {
  const headers = { accept: "text/event-stream" };
  await (await fetchApi("POST", `/v1/sessions/${session}/messages`, { key, body: { text }, headers })).text();
}

interface ShownGoal {
  state: string;
  reason: string;
  turns: number;
  session: string;
}

async function readGoal(id: string): Promise<ShownGoal> {
  return (await ask("GET", `/v1/goals/${id}`, { key })).body as ShownGoal;
}

/** The prompt that the session's model reads. */
async function readPrompt(session: string): Promise<string> {
  const stub = env.SESSION.getByName(`${profile}/${session}`);
  return runInDurableObject(stub, async (_, { storage }) => {
    const [row] = storage.sql.exec<{ value: string }>("SELECT value FROM meta WHERE key = 'prompt'").toArray();
    return (JSON.parse(row!.value) as { text: string }).text;
  });
}

describe("a goal", () => {
  it("whose judge answers garbage pauses after three turns; other sessions know it from their next epoch; it moves, and leaves with its session", async () => {
    const [first, second] = [await createSession(key), await createSession(key)];
    await say(second, "hi");
    const made = await ask("POST", "/v1/goals", { key, body: { session: first, text: "Find the zebragoal." } });
    expect(made).toMatchObject({ status: 201, body: { state: "active", session: first } });
    const { id } = made.body as { id: string };
    await vi.waitUntil(async () => (await readGoal(id)).state === "paused", soon);
    expect(await readGoal(id)).toMatchObject({ turns: 3, reason: "The judge gave no verdict 3 times in a row." });
    const { body } = await ask("GET", `/v1/sessions/${first}`, { key });
    expect((body as { turns: unknown[] }).turns).toHaveLength(3);

    // The settings that a key is known with are a few seconds old.
    ({ key } = (await ask("POST", "/v1/keys", { key, body: {} })).body as { key: string });
    await say(second, "hi again");
    expect(await readPrompt(second)).not.toContain("zebragoal");
    await say(second, "/refresh");
    expect(await readPrompt(second)).toContain(`- Find the zebragoal. (paused, session ${first})`);
    await say(first, "/refresh");
    expect(await readPrompt(first)).not.toContain("zebragoal");

    await ask("POST", `/v1/goals/${id}`, { key, body: { do: "move", session: second } });
    await ask("POST", `/v1/goals/${id}`, { key, body: { do: "resume" } });
    await vi.waitUntil(async () => (await readGoal(id)).state === "paused", soon);
    expect(await readGoal(id)).toMatchObject({ turns: 3, session: second });
    expect((await ask("GET", `/v1/sessions/${second}/goal`, { key })).body).toMatchObject({ id });
    expect((await ask("GET", `/v1/sessions/${first}/goal`, { key })).status).toBe(404);

    const agenda = env.AGENDA.getByName(profile) as unknown as Pick<Agenda, "checkUp" | "forgetSession"> &
      DurableObjectStub;
    expect(await agenda.checkUp()).toEqual({
      ...{ alarm: null, due: null, jobs: { jobs: 0, late: [], stopped: [], lost: [] }, boards: [], roles: [] },
      goals: [{ id, session: second, state: "paused", reason: "The judge gave no verdict 3 times in a row." }],
    });
    await agenda.forgetSession(first);
    expect((await ask("GET", "/v1/goals", { key })).body).toMatchObject({ goals: [{ id }] });
    await agenda.forgetSession(second);
    expect((await ask("GET", "/v1/goals", { key })).body).toEqual({ goals: [] });
    const account = env.ACCOUNT.getByName(profile) as unknown as { readSettings(): Promise<ProfileSettings> };
    expect((await account.readSettings()).sections.goals).toEqual({});
  });
});

describe("a goal whose objects are evicted", () => {
  it("goes on by the alarm of its session, with each continuation once", async () => {
    const session = await createSession(key);
    const made = await ask("POST", "/v1/goals", { key, body: { session, text: "Find the zebragoal." } });
    const { id } = made.body as { id: string };
    const stub = env.SESSION.getByName(`${profile}/${session}`) as unknown as DurableObjectStub;
    await evictDurableObject(stub);
    await evictDurableObject(env.AGENDA.getByName(profile) as unknown as DurableObjectStub);
    await vi.waitUntil(async () => {
      await runDurableObjectAlarm(stub);
      return (await readGoal(id)).state === "paused";
    }, soon);
    const { body } = await ask("GET", `/v1/sessions/${session}/entries`, { key });
    const { entries } = body as { entries: { kind: string; goal?: { serial: number } }[] };
    expect(entries.flatMap(({ kind, goal }) => (kind === "user" ? [goal?.serial] : []))).toEqual([1, 2, 3]);
  });
});

describe("a check-up of the Agenda", () => {
  it("sets an alarm that was lost", async () => {
    const { profile: own, key: ownKey } = await createProfile();
    await ask("POST", "/v1/jobs", { key: ownKey, body: { name: "brief", schedule: "every 2h", prompt: "Say hi." } });
    const agenda = env.AGENDA.getByName(own) as unknown as Pick<Agenda, "checkUp"> & DurableObjectStub;
    const { alarm, due } = await agenda.checkUp();
    expect(alarm).toBe(due);
    await runInDurableObject(agenda, (_, { storage }) => storage.deleteAlarm());
    expect(await agenda.checkUp()).toMatchObject({ alarm: null, due, jobs: { jobs: 1 } });
    expect(await agenda.checkUp()).toMatchObject({ alarm: due });
  });
});
