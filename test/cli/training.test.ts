// `talaria training`, against a fake API: what it requests, prints, asks and refuses.
import { expect, it } from "vitest";
import { answerJson, answerProblem } from "../support/fake-api.ts";
import { ask } from "../support/run-talaria.ts";

const ID = "trn_0123456789ab";
const AT = `/v1/training/jobs/${ID}`;
const job = (more: object = {}) => ({
  ...{ id: ID, state: "pending", baseModel: "m", format: "sharegpt", filter: {}, config: {}, locked: {} },
  dataset: { parts: 1, examples: 2, bytes: 9, isWhole: false, sha256: null },
  ...{ progress: null, failure: null, contradiction: null, results: null, createdAt: 1, changedAt: 1, endedAt: null },
  ...{ askedAt: null, nextStatusAt: null, ...more },
});
const whole = job({ dataset: { parts: 1, examples: 2, bytes: 9, isWhole: true, sha256: null } });
const running = { ...whole, state: "running", nextStatusAt: 1_767_682_800_000 };

it("makes a job, sends its pages until it is whole, repeats one that was not taken, and starts it", async () => {
  const words = ["training", "start", "--format", "sharegpt", "--base-model", "m", "--yes"];
  const { requests, stdout, stderr } = await ask(
    [...words, "--set", "env.group_size=8", "--set", "env.name=x"],
    [
      ...[answerJson(201, job()), answerJson(200, job()), answerProblem(503, "training_unreachable")],
      ...[answerJson(200, whole), answerJson(200, running)],
    ],
  );
  const body = '{"format":"sharegpt","baseModel":"m","filter":{},"config":{"env.group_size":8,"env.name":"x"}}';
  const data = `POST ${AT}/data`;
  expect(requests).toEqual([`POST /v1/training/jobs ${body}`, data, data, data, `POST ${AT}/start`]);
  expect(stdout).toBe(
    `${ID}: running, for m, 2 examples in 1 part\nThe service is asked again from 2026-01-06 07:00.\n`,
  );
  expect(stderr).toContain(`talaria training start --job ${ID}`);
});

it("goes on with a job that was interrupted, and asks before conversations leave", async () => {
  const { requests } = await ask(
    ["training", "start", "--job", ID, "--yes"],
    [answerJson(200, whole), answerJson(200, running)],
  );
  expect(requests).toEqual([`GET ${AT}`, `POST ${AT}/start`]);
  const left = await ask(["training", "start", "--job", ID], [], { typed: "n", columns: 80 });
  expect([left.requests, left.stderr]).toEqual([[], expect.stringContaining("conversations, redacted")]);
  expect((await ask(["training", "start", "--format", "sharegpt"], [])).stderr).toContain("--base-model");
});

it("stops a job after a question, and shows its results with the evaluation before and after", async () => {
  expect((await ask(["training", "stop", ID], [])).code).toBe(2);
  const stopped = await ask(["training", "stop", ID, "--yes"], [answerJson(200, job({ state: "stopped" }))]);
  expect(stopped.requests).toEqual([`POST ${AT}/stop`]);
  const evaluation = { before: { accuracy: 0.41 }, after: { accuracy: 0.57, constructor: 1 } };
  const done = job({ state: "completed", results: { adapter: "a-1", evaluation } });
  const { stdout, requests } = await ask(["training", "results", ID], [answerJson(200, done)]);
  expect(requests).toEqual([`POST ${AT}/results`]);
  expect(stdout).toContain("adapter a-1\nbefore → after: accuracy 0.41 → 0.57, constructor – → 1");
  const model = {
    v: 1,
    name: `m+${ID}`,
    base: "m",
    adapter: "a-1",
    dataset: "0".repeat(64),
    evaluation,
    job: ID,
    at: 1,
  };
  const models = await ask(["training", "models"], [answerJson(200, { models: [model] })]);
  expect(models.stdout).toContain("accuracy 0.41 → 0.57, constructor – → 1");
});
