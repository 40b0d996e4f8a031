// Training over the API: who may, what is refused to everybody, consent, and the kept status, over a service that follows
// docs/TRAINING.md.
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { TrainingJobInfo } from "../../core/schemas/training.ts";
import worker from "../../workers/api/index.ts";
import { TRAINING_TOKEN, TRAINING_URL, type TrainingDouble, createTrainingDouble } from "../support/training.ts";
import { OPERATOR, START_MS, type Answer, ask, createProfile, env, expectProblem } from "./api-calls.ts";

const REQUEST = { baseModel: "Qwen/Qwen3-8B", format: "sharegpt" };

let key: string;
let profile: string;
let double: TrainingDouble;

beforeAll(async () => {
  ({ key, profile } = await createProfile());
}, START_MS);
beforeEach(() => {
  double = createTrainingDouble();
  vi.stubGlobal("fetch", (input: RequestInfo, init?: RequestInit) => double.answer(new Request(input, init)));
});
afterEach(() => void vi.unstubAllGlobals());

/** A request to a deployment that has a training service. */
async function call(method: string, path: string, body?: object, more: Record<string, string> = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
  const request = new Request(`https://talaria.test${path}`, {
    ...{ method, headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const vars = { TALARIA_TRAINING_URL: TRAINING_URL, TALARIA_TRAINING_TOKEN: TRAINING_TOKEN };
  const response = await worker.fetch(request, { ...env, ...vars });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
const jobOf = ({ body }: Answer) => body as TrainingJobInfo;

it("is not there without the operator's variables, and says which to set", async () => {
  const answer = await ask("POST", "/v1/training/jobs", { key, body: REQUEST });
  expectProblem(answer, 409, "training_unavailable", "No training service");
  expect((answer.body as { detail: string }).detail).toContain("TALARIA_TRAINING_URL and TALARIA_TRAINING_TOKEN");
  expect((await ask("GET", "/v1/training/jobs", { key })).body).toEqual({ jobs: [] });
});

it("needs an admin key: a key that reads and writes is refused, and the operator's token is no key of a profile", async () => {
  const made = await ask("POST", "/v1/keys", { key, body: { scopes: ["read", "write"] } });
  const { key: daily } = made.body as { key: string };
  for (const [method, path] of [
    ["GET", "/v1/training/jobs"],
    ["GET", "/v1/training/models"],
    ["POST", "/v1/training/jobs/trn_000000000000/stop"],
  ] as const) {
    expect((await ask(method, path, { key: daily })).body).toMatchObject({ code: "scope_missing" });
    expect((await ask(method, path, { key: OPERATOR })).status).toBe(401);
  }
});

it("refuses locked fields, each by name, before anything is stored or asked", async () => {
  const config = { "tinker.lora_rank": 64, lora_rank: 64, "env.group_size": 8 };
  const answer = await call("POST", "/v1/training/jobs", { ...REQUEST, config });
  expect(answer).toMatchObject({ status: 422, body: { code: "training_field_locked" } });
  const { errors } = answer.body as { errors: { path: string }[] };
  expect(errors.map(({ path }) => path)).toEqual(["config.tinker.lora_rank", "config.lora_rank"]);
  expect(double.requests).toEqual([]);
  expect((await ask("GET", "/v1/training/jobs", { key })).body).toEqual({ jobs: [] });
});

it("makes one job for each key, sends data only with consent, and notes each step in the audit log", async () => {
  const idempotency = { "idempotency-key": "one" };
  const made = await call("POST", "/v1/training/jobs", REQUEST, idempotency);
  expect(made.status).toBe(201);
  const { id } = jobOf(made);
  const at = `/v1/training/jobs/${id}`;
  expect(jobOf(await call("POST", "/v1/training/jobs", REQUEST, idempotency)).id).toBe(id);
  expect(double.jobs).toHaveLength(1);

  expect((await call("POST", `${at}/data`)).body).toMatchObject({ code: "trajectories_not_allowed" });
  await ask("PUT", "/v1/trajectories/consent", { key, body: { allowed: true } });
  const sent = jobOf(await call("POST", `${at}/data`));
  expect(sent.dataset).toMatchObject({ examples: 0, isWhole: true });
  expect((await call("POST", `${at}/start`)).body).toMatchObject({ code: "training_data_missing" });

  const early = await call("GET", at);
  expect([early.headers.get("retry-after"), jobOf(early).nextStatusAt]).toEqual([null, null]);
  expect(jobOf(await call("POST", `${at}/stop`)).state).toBe("stopped");
  expect((await call("POST", `${at}/results`)).body).toMatchObject({ code: "training_state" });
  const audit = (await ask("GET", "/v1/audit", { key })).body as { entries: { act: string; target: string }[] };
  const acts = audit.entries.filter(({ act }) => act.startsWith("training_"));
  expect(acts.map(({ act, target }) => `${act} ${target}`).toSorted()).toEqual(
    ["training_create", "training_create", "training_data_send", "training_stop"].map((act) => `${act} ${id}`),
  );
});

it("shows the kept status with the time of the next one while the service may not be asked", async () => {
  const { id } = jobOf(await call("POST", "/v1/training/jobs", REQUEST));
  const part = { sha256: "0".repeat(64), bytes: 1, examples: 1 };
  using desk = await env.ACCOUNT.getByName(profile).trainingDesk();
  await desk.change(id, { do: "add_part", at: 0, part, next: null });
  double.answerWith((route) => (route.endsWith("/start") ? Response.json({ state: "running" }) : null));
  const started = await call("POST", `/v1/training/jobs/${id}/start`);
  expect(jobOf(started).state).toBe("running");
  const before = double.requests.length;
  const kept = await call("GET", `/v1/training/jobs/${id}`);
  expect(double.requests).toHaveLength(before);
  const wait = Number(kept.headers.get("retry-after"));
  expect([wait > 29 * 60, wait <= 30 * 60, jobOf(kept).nextStatusAt! > Date.now()]).toEqual([true, true, true]);
});

it("names no tool of the MCP server", async () => {
  const accept = "application/json, text/event-stream";
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept };
  const request = new Request("https://talaria.test/mcp", { method: "POST", headers, body: JSON.stringify(list) });
  const text = await (await worker.fetch(request, env)).text();
  expect(text).toContain("send_message");
  expect(text).not.toMatch(/train/i);
});
