// The routes of jobs, over the real bindings: a job is made, armed, changed, run and deleted.
import { beforeAll, describe, expect, it } from "vitest";
import type { JobDetail } from "../../../core/schemas/agenda/job-api.ts";
import { START_MS, ask, createProfile, createSession, expectProblem, fetchApi } from "../api-calls.ts";

let key: string;
beforeAll(async () => void ({ key } = await createProfile()), START_MS);

const body = { name: "brief", schedule: "every weekday at 8 Europe/Berlin", prompt: "Say hi." };

describe("a job", () => {
  it("answers with its next run, is listed, changed, paused, resumed and deleted", async () => {
    const made = await ask("POST", "/v1/jobs", { key, body });
    expect(made).toMatchObject({
      status: 201,
      body: { name: "brief", timeZone: "Europe/Berlin", author: { by: "owner" } },
    });
    const { due } = made.body as { due: number };
    expect(due).toBeGreaterThan(Date.now());
    expect((await ask("GET", "/v1/jobs", { key })).body).toMatchObject({ jobs: [{ name: "brief", due }] });
    expectProblem(await ask("POST", "/v1/jobs", { key, body }), 409, "job_exists", "There is such a job");

    const changed = await ask("PATCH", "/v1/jobs/brief", { key, body: { schedule: "in 2h" } });
    expect((changed.body as { due: number }).due).toBeLessThan(Date.now() + 3 * 60 * 60_000);
    const paused = await ask("POST", "/v1/jobs/brief/pause", { key, body: { why: "Holidays." } });
    expect(paused.body).toMatchObject({ due: null, paused: { cause: "person", why: "Holidays." } });
    expect((await ask("POST", "/v1/jobs/brief/resume", { key })).body).toMatchObject({
      paused: null,
      due: expect.any(Number),
    });
    expect((await ask("DELETE", "/v1/jobs/brief", { key })).status).toBe(204);
    expectProblem(await ask("GET", "/v1/jobs/brief", { key }), 404, "job_not_found", "No such job");
  });

  it("runs by hand in a session of the kind `job`, once at a time", async () => {
    await ask("POST", "/v1/jobs", { key, body: { ...body, name: "now" } });
    const begun = await ask("POST", "/v1/jobs/now/run", { key });
    expect(begun).toMatchObject({ status: 202, body: { trigger: "manual", name: "now", session: expect.any(String) } });
    const { id, session } = begun.body as { id: string; session: string };
    await expect
      .poll(async () => (await ask("GET", "/v1/jobs/now/runs", { key })).body, { timeout: 20_000 })
      .toMatchObject({ runs: [{ id, state: expect.stringMatching(/completed|failed/), tokens: expect.any(Number) }] });
    expect((await ask("GET", `/v1/sessions/${session}`, { key })).body).toMatchObject({
      title: "Job now",
      kind: "job",
    });
  });

  it("is made and run once for each Idempotency-Key", async () => {
    const headers = { "idempotency-key": "monday" };
    const make = () => ask("POST", "/v1/jobs", { key, headers, body: { ...body, name: "keyed" } });
    expect((await make()).body).toEqual((await make()).body);
    const other = await ask("POST", "/v1/jobs", { key, headers, body: { ...body, name: "other" } });
    expectProblem(other, 409, "op_reused", "Idempotency key already used for something else");
    const long = { "idempotency-key": "k".repeat(255) };
    await ask("POST", "/v1/jobs", { key, headers: long, body: { ...body, name: "long" } });
    expect((await ask("GET", "/v1/jobs/long", { key })).status).toBe(200);
    const run = async () => ((await ask("POST", "/v1/jobs/keyed/run", { key, headers })).body as { id: string }).id;
    const first = await run();
    expect(await run()).toBe(first);
    expect((await ask("GET", "/v1/jobs/keyed/runs", { key })).body).toMatchObject({ runs: [{ id: first }] });
  });

  it("is set by a session's agent with the tool, in the agent's name, and by its person with /jobs", async () => {
    const session = await createSession(key);
    const say = async (text: string) => {
      const events = await fetchApi("POST", `/v1/sessions/${session}/messages`, {
        ...{ key, body: { text }, headers: { accept: "text/event-stream" } },
      });
      await events.text(); // until the turn has ended
    };
    const args = { action: "create", name: "by-agent", schedule: "every weekday at 8 Berlin", prompt: "Say hi." };
    await say(`call cronjob with ${JSON.stringify(args)}`);
    await say("/jobs add every weekday at 8 Berlin: Look outside.");
    const read = async (name: string) => ((await ask("GET", `/v1/jobs/${name}`, { key })).body as JobDetail).job;
    const [byAgent, byOwner] = [await read("by-agent"), await read("look-outside")];
    expect(byAgent).toMatchObject({ author: { by: "agent", session }, understood: "every weekday at 08:00" });
    expect(byOwner).toMatchObject({ author: { by: "owner" }, due: byAgent.due, timeZone: "Europe/Berlin" });
  });

  it("refuses what cannot be read, in words", async () => {
    const wrong = await ask("POST", "/v1/jobs", { key, body: { ...body, name: "x", schedule: "whenever" } });
    expectProblem(wrong, 422, "schedule_unreadable", "The schedule cannot be read", {
      facts: { examples: expect.any(Array) as string[] },
    });
    const zone = await ask("POST", "/v1/jobs", {
      key,
      body: { ...body, name: "x", schedule: "in 2h", timeZone: "Mars/Base" },
    });
    expectProblem(zone, 422, "time_zone_unknown", "No such time zone");
  });
});

describe("a schedule", () => {
  it("is read before a job is made of it: how it is understood, and its next five times", async () => {
    const query = new URLSearchParams({ schedule: "every weekday at 8", timeZone: "Europe/Berlin" });
    const { status, body: read } = await ask("GET", `/v1/schedule?${query}`, { key });
    const { next, ...rest } = read as { next: number[]; understood: string };
    expect([status, rest]).toEqual([200, { understood: "every weekday at 08:00", timeZone: "Europe/Berlin" }]);
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Berlin", timeStyle: "short" });
    expect(next.map((at) => clock.format(at))).toEqual(Array(5).fill("08:00"));
    expect(new Set(next).size).toBe(5);
  });

  it("that has one time has one next time, and one that cannot be read is refused", async () => {
    const once = await ask("GET", "/v1/schedule?schedule=in+30m", { key });
    expect((once.body as { next: number[] }).next).toHaveLength(1);
    const wrong = await ask("GET", "/v1/schedule?schedule=sometimes", { key });
    expect(wrong).toMatchObject({ status: 422, body: { code: "schedule_unreadable" } });
  });
});
