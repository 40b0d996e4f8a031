// The settings of a person over HTTP: what is shown, what is refused, and that nothing widens what the operator allows.
import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeAll, expect, it } from "vitest";
import { START_MS, ask as askApi, createProfile } from "../api-calls.ts";

const ask = askApi as (...asked: Parameters<typeof askApi>) => Promise<{ status: number; body: any }>;
const variables = bindings as unknown as { TALARIA_SETTINGS?: string };
const before = variables.TALARIA_SETTINGS;

function setOperator(settings: object): void {
  variables.TALARIA_SETTINGS = JSON.stringify(settings);
}

beforeAll(async () => void (await createProfile()), START_MS);
afterEach(() => {
  if (before === undefined) delete variables.TALARIA_SETTINGS;
  else variables.TALARIA_SETTINGS = before;
});

it("are the operator's until they are changed, and again after `null`", async () => {
  const { key } = await createProfile();
  const get = async () => (await ask("GET", "/v1/settings", { key })).body.settings["turn.busy"];
  expect(await get()).toMatchObject({ value: "queue", operator: "queue", own: null });
  const patched = await ask("PATCH", "/v1/settings", { key, body: { "turn.busy": "steer", learning: "off" } });
  expect(patched.body.settings["turn.busy"]).toMatchObject({ value: "steer", own: "steer" });
  const back = await ask("PATCH", "/v1/settings", { key, body: { "turn.busy": null } });
  expect(back.body.settings["turn.busy"]).toMatchObject({ value: "queue", own: null });
  expect(back.body.settings.learning).toMatchObject({ value: "off", operator: "on", own: "off" });
});

it("name where everything else is set, and each of those routes answers", async () => {
  const { key } = await createProfile();
  const { elsewhere } = (await ask("GET", "/v1/settings", { key })).body;
  const answers = await Promise.all(Object.values<string>(elsewhere).map((path) => ask("GET", path, { key })));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

it("refuse what allows more than the operator does, and then change nothing", async () => {
  setOperator({ budget: { profileDayUsd: 2 }, review: { enabled: false }, skills: { writeApproval: true } });
  const { key } = await createProfile();
  const cases: object[] = [
    { "budget.profileDayUsd": 3 },
    { "budget.profileDayUsd": 0 },
    { "review.enabled": true },
    { "skills.writeApproval": false },
    { "turn.maxSteps": 501 },
    { "review.afterModelCalls": 9 },
  ];
  for (const body of cases) {
    const { status, body: problem } = await ask("PATCH", "/v1/settings", { key, body: { ...body, learning: "off" } });
    expect([status, problem.code]).toEqual([422, "setting_too_wide"]);
    expect(problem.detail).toContain("Allowed:");
  }
  const { settings } = (await ask("GET", "/v1/settings", { key })).body;
  expect(Object.values<{ own: unknown }>(settings).filter(({ own }) => own !== null)).toEqual([]);
  expect(settings["budget.profileDayUsd"].allowed).toEqual({ min: 0, max: 2 });
});

it("are cut when the operator allows less afterwards", async () => {
  const { key } = await createProfile();
  await ask("PATCH", "/v1/settings", { key, body: { "turn.maxUsd": 100 } });
  setOperator({ turn: { maxUsd: 5 } });
  const { settings } = (await ask("GET", "/v1/settings", { key })).body;
  expect(settings["turn.maxUsd"]).toMatchObject({ value: 5, operator: 5, own: 100 });
});

it("refuse unknown names, wrong values, and models and personalities that do not exist", async () => {
  const { key } = await createProfile();
  const refused = async (body: object) => {
    const answer = await ask("PATCH", "/v1/settings", { key, body });
    return [answer.status, answer.body.code];
  };
  expect(await refused({ "turn.leaseMs": 5_000 })).toEqual([400, "field_unknown"]);
  expect(await refused({ turn: { busy: "steer" } })).toEqual([400, "field_unknown"]);
  expect(await refused({ "turn.busy": "later" })).toEqual([400, "body_invalid"]);
  expect(await refused({ model: "a:b" })).toEqual([422, "unknown_model"]);
  expect(await refused({ personality: "nobody" })).toEqual([422, "unknown_personality"]);
  expect(await refused({ personality: "constructor" })).toEqual([422, "unknown_personality"]);
});
