// The Agenda object in workerd: its alarm runs a job that is due in a real Session, and a gate may not look inside.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, it } from "vitest";
import { START_MS, ask, createProfile, env } from "../../api/api-calls.ts";
import { answerTo, scriptObjects } from "../../support/wires/scripted-objects.ts";

const setScript = scriptObjects();
let profile = "";
let key = "";
beforeEach(async () => void ({ profile, key } = await createProfile()), START_MS);

const agenda = () => env.AGENDA.getByName(profile);
const PROMPT = "Say what is new today.";

/** Makes a job whose slot is a second ago, and fires the alarm that was set for it. */
async function runDue(more: object = {}): Promise<void> {
  const body = { name: "brief", schedule: "every 2h", prompt: PROMPT, ...more };
  expect((await ask("POST", "/v1/jobs", { key, body })).status).toBe(201);
  const change = "UPDATE job SET due = ?1, body = json_set(body, '$.nextAt', ?1, '$.plan.from', ?1)";
  await runInDurableObject(agenda(), (_, { storage }) => storage.sql.exec(change, Date.now() - 1_000).toArray());
  expect(await runDurableObjectAlarm(agenda())).toBe(true);
}
const runs = async () => (await ask("GET", "/v1/jobs/brief/runs", { key })).body;
const until = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 20_000, interval: 20 });

it("runs a job that is due by its alarm, once, and sets it for the next slot", async () => {
  const script = await setScript([answerTo(PROMPT, { text: "Nothing is new." })]);
  await runDue();
  await until(runs).toMatchObject({ runs: [{ state: "completed", outcome: "answered", output: "Nothing is new." }] });
  expect((await script.requests()).length).toBe(1);
  const { due } = ((await ask("GET", "/v1/jobs/brief", { key })).body as { job: { due: number } }).job;
  expect(due - Date.now()).toBeGreaterThan(60 * 60_000);
  const alarm = () => runInDurableObject(agenda(), (_, { storage }) => storage.getAlarm());
  await until(alarm).toBe(due);
});

it("never looks at a private address for a gate: the job pauses, and says why", async () => {
  const script = await setScript([]);
  await runDue({ gate: { url: "http://127.0.0.1/feed" } });
  await until(runs).toMatchObject({
    runs: [{ state: "failed", outcome: "config", error: expect.stringContaining("The URL is refused") }],
  });
  expect((await ask("GET", "/v1/jobs/brief", { key })).body).toMatchObject({
    job: { paused: { cause: "config" }, due: null },
  });
  expect(await script.requests()).toEqual([]);
});

it("lists a board exactly while it exists, also where it is made and erased at the same time", async () => {
  for (let n = 0; n < 5; n++) {
    await ask("PUT", "/v1/boards/main", { key });
    const calls = ["DELETE", "PUT", "PUT"].map((method) => ask(method, "/v1/boards/main", { key }));
    await Promise.all(calls);
    const { boards } = (await ask("GET", "/v1/boards", { key })).body as { boards: unknown[] };
    const { status } = await ask("GET", "/v1/boards/main/stats", { key });
    const named = runInDurableObject(env.ACCOUNT.getByName(profile), (_, { storage }) =>
      storage.sql.exec("SELECT key FROM profile_setting WHERE section = 'boards'").toArray(),
    );
    expect([boards.length, (await named).length]).toEqual(status === 200 ? [1, 1] : [0, 0]);
  }
});
