// An operator's own server may answer one request at a time, so a review waits while a turn of its profile runs there.
import { describe, expect, it } from "vitest";
import type { ReviewResult } from "../../core/schemas/learning/review.ts";
import { sampleJob } from "../learning/sample.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { PROFILE as HARNESS_PROFILE, createSessionHarness } from "../support/session/session-harness.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { LINES, SKILL } from "./script.ts";
import { createWorld } from "./world.ts";

const SERVER = "a1b2c3d4e5f60718";
const OTHER = "01JAAAAAAAAAAAAAAAAAAAAAAA";

async function waitingWorld(server: string | undefined = SERVER) {
  const job = sampleJob({ createdAt: Date.UTC(2026, 0, 5, 9) });
  const world = await createWorld(LINES, { job, ...(server !== undefined && { server }) });
  world.clock.advance(Math.max(0, job.createdAt - world.clock.now()));
  return world;
}

describe("a review on the operator's own server", () => {
  it("waits while a turn of its profile runs there, and then completes in full", async () => {
    const world = await waitingWorld();
    await world.reviews.markBusy(OTHER, SERVER);
    const first = world.start();
    expect(await first.deliver()).toEqual({ act: "retry", delaySeconds: 30 });
    expect(first.model.requests).toEqual([]);
    await world.reviews.markBusy(OTHER, null);
    world.clock.advance(60_000);
    await world.deliverToEnd();
    expect((await world.reviews.outcome(world.job.review)) as ReviewResult).toMatchObject({
      state: "done",
      lessons: [{ skill: SKILL }, { skill: SKILL }, { kind: "memory" }],
    });
  });

  it("stops between two model calls when a turn begins, and later continues from there", async () => {
    const world = await waitingWorld();
    const first = world.start();
    const { stream } = first.model;
    first.model.stream = async function* (...asked) {
      if (first.model.requests.length === 1) await world.reviews.markBusy(OTHER, SERVER);
      yield* stream.apply(first.model, asked);
    };
    expect(await first.deliver()).toEqual({ act: "retry", delaySeconds: 30 });
    expect(first.model.requests).toHaveLength(2);
    await world.reviews.markBusy(OTHER, null);
    world.clock.advance(60_000);
    const { asked } = await world.deliverToEnd();
    expect(asked).toBe(LINES.length - 2);
  });

  it("ignores marks of other servers and expired marks, and stops waiting after a limit", async () => {
    const world = await waitingWorld();
    await world.reviews.markBusy(OTHER, "ffffffffffffffff");
    expect(await world.start().deliver()).toEqual({ act: "ack" });

    const left = await waitingWorld();
    await left.reviews.markBusy(OTHER, SERVER);
    left.clock.advance(11 * 60_000);
    expect(await left.start().deliver()).toEqual({ act: "ack" });

    const long = await waitingWorld();
    long.clock.advance(16 * 60_000);
    await long.reviews.markBusy(OTHER, SERVER);
    expect(await long.start().deliver()).toEqual({ act: "ack" });
  });

  it("ignores the marks when a provider serves the model", async () => {
    const world = await createWorld(LINES, { job: sampleJob() });
    await world.reviews.markBusy(OTHER, SERVER);
    expect(await world.start().deliver()).toEqual({ act: "ack" });
  });
});

describe("a turn", () => {
  it.each([
    [SERVER, [true, false]],
    [undefined, [false, false]],
  ])("on the server %s is marked while it runs: %j", async (server, noted) => {
    const seen: boolean[] = [];
    const scripted = createScriptedModel([{ text: "Hello." }]);
    const harness = createSessionHarness({
      model: {
        ...scripted,
        ...(server && { isOwn: true, server }),
        async *stream(...asked) {
          seen.push(await reviews.isBusy(SERVER, 0));
          yield* scripted.stream(...asked);
        },
      },
    });
    const reviews = createReviewStore({ bucket: harness.bucket, profile: HARNESS_PROFILE });
    const life = harness.boot();
    await life.engine.create({ learning: "on", title: "" });
    await life.engine.post({ text: "Hi." });
    await life.settled();
    seen.push(await reviews.isBusy(SERVER, 0));
    expect(seen).toEqual(noted);
  });
});
