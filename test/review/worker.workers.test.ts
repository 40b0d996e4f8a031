// The wiring of the review Worker over real R2 and KV: the messages of the queue, and what is stored afterwards.
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { toBucket } from "../../stores/platform/r2.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import type { Env } from "../../workers/review/env.ts";
import worker from "../../workers/review/index.ts";
import { SESSION, assistant, sampleJob, user } from "../learning/sample.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";

const bindings = env as unknown as Env;

/** Delivers one message. Rehearsal is the model: no key is configured. */
async function deliver(body: unknown, { queue = "talaria-reviews", over = {} as Partial<Env> } = {}) {
  const { SKILLS, MEMORY } = bindings;
  const batch = createMessageBatch(queue, [{ id: "m1", timestamp: new Date(), attempts: 1, body }]);
  await worker.queue(batch, { SKILLS, MEMORY, ...over });
  const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext());
  return { explicitAcks, retryMessages };
}

const ACKED = { explicitAcks: ["m1"], retryMessages: [] };

async function putJob() {
  const profile = newProfileId();
  const entries = [user(1, "Hello, who are you?"), assistant(2, "I am Talaria.")];
  const job = sampleJob({ profile, entries, grant: { tokens: 100_000, expiresAt: Date.now() + 60_000 } });
  const reviews = createReviewStore({ bucket: toBucket(bindings.SKILLS), profile });
  await reviews.putJob(job);
  return { reviews, job, message: { v: 1, profile, review: job.review } };
}

it("a review is run, and its result is stored in R2", async () => {
  const { reviews, job, message } = await putJob();
  expect(await deliver(message)).toEqual(ACKED);
  expect(await reviews.outcome(job.review)).toMatchObject({
    state: "done",
    summary: "Nothing worth keeping.",
    modelCalls: 1,
  });
  expect(await reviews.watermark(SESSION)).toBe(2);
  expect(await deliver(message)).toEqual(ACKED);
});

it("a review whose script has just grown is retried later", async () => {
  const { reviews, job, message } = await putJob();
  await reviews.createStep(job.review, 0, { v: 1, kind: "start", at: Date.now() });
  expect(await deliver(message)).toEqual({ explicitAcks: [], retryMessages: [{ msgId: "m1" }] });
  expect(await reviews.outcome(job.review)).toBeNull();
});

it("a model that is not configured is a counted failure", async () => {
  const { reviews, job, message } = await putJob();
  const over = { TALARIA_MODEL: "openai:some-model", TALARIA_SETTINGS: '{"review":{"maxFailures":1}}' };
  expect(await deliver(message, { over })).toEqual(ACKED);
  expect(await reviews.outcome(job.review)).toMatchObject({ code: "model_not_configured" });
});

it("a dead letter becomes a tombstone", async () => {
  const { reviews, job, message } = await putJob();
  expect(await deliver(message, { queue: "talaria-reviews-dead" })).toEqual(ACKED);
  expect(await reviews.outcome(job.review)).toMatchObject({ code: "undeliverable" });
});

it("a malformed message is acknowledged", async () => {
  expect(await deliver({ hello: "there" })).toEqual(ACKED);
});

it("invalid settings stop the Worker with a message that names them", async () => {
  const { message } = await putJob();
  await expect(deliver(message, { over: { TALARIA_SETTINGS: "{" } })).rejects.toThrow("TALARIA_SETTINGS is not JSON.");
});
