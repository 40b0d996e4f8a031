// What the person reads about a review in their session, by the setting for notices.
import { expect, it } from "vitest";
import { textOf } from "../../../core/schemas/entry.ts";
import type { Lesson } from "../../../core/schemas/learning/review.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { reviewResult } from "../../support/skills/reviews.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { PROFILE, createSessionHarness } from "../../support/session/session-harness.ts";

const lesson: Lesson = {
  ...{ kind: "memory", store: "user", action: "add", id: "a".repeat(64), text: "Prefers tea.", citations: [] },
  preview: '+ "Prefers tea."',
};

it("a review's kinds of work are stored with its turns and in the Archive, and the first kind of a turn is kept", async () => {
  const model = createScriptedModel([{ text: "Hello." }, { text: "Hello again." }]);
  const harness = createSessionHarness({ model, settings: { review: { afterModelCalls: 0, notice: "off" } } });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  await life.engine.post({ text: "Hi." });
  await life.settled();
  const reviews = createReviewStore({ bucket: harness.bucket, profile: PROFILE });
  const named = [
    { turn: 1, kind: "greet a visitor" },
    { turn: 1, kind: "say goodbye" },
    { turn: 99, kind: "nothing at all" },
    { turn: 2, kind: "x".repeat(200) },
  ];
  await reviews.finish({ ...reviewResult(harness.sent[0]!.review, "done", "Nothing."), kinds: named });
  await life.engine.post({ text: "Hi again." });
  await life.settled();
  const kind = { text: "greet a visitor", by: "review" };
  const seen = life.engine.observation(1);
  expect(seen.ok && seen.value.observation?.kind).toEqual(kind);
  expect(harness.records.turns({ limit: 9 }).map((turn) => turn.kind)).toEqual([undefined, kind]);
  expect(harness.sql.run("SELECT id FROM job WHERE id LIKE 'kinds%'")).toEqual([]);
});

it.each([
  ["off", []],
  ["on", ["Learned: remembered 1 fact."]],
  ["verbose", ['Learned: remembered 1 fact. · user: + "Prefers tea."']],
] as const)("with notices %s the session shows %j", async (notice, told) => {
  const model = createScriptedModel([{ text: "Hello." }, { text: "Hello again." }]);
  const harness = createSessionHarness({ model, settings: { review: { afterModelCalls: 0, notice } } });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  await life.engine.post({ text: "Hi." });
  await life.settled();
  const { review } = harness.sent[0]!;
  const reviews = createReviewStore({ bucket: harness.bucket, profile: PROFILE });
  const result = reviewResult(review, "done", "Learned: remembered 1 fact.");
  await reviews.finish({ ...result, lessons: [lesson] });
  await life.engine.post({ text: "Hi again." });
  await life.settled();
  const entries = life.engine.entries(0);
  const notices = (entries.ok ? entries.value : []).filter(
    (entry) => entry.kind === "notice" && entry.code === "learned",
  );
  expect(notices.map(textOf)).toEqual(told);
});

it.each([
  ["wants to read it", { chat: "c1", learned: true }, ["Hello again.", "Learned: remembered 1 fact."]],
  ["does not", { chat: "c1" }, ["Hello again."]],
] as const)("a chat that %s is told of what was learned accordingly", async (_, channel, told) => {
  const model = createScriptedModel([{ text: "Hello." }, { text: "Hello again." }]);
  const taken: string[] = [];
  const channels = { take: async ({ text }: { text: string }) => void taken.push(text) };
  const settings = { review: { afterModelCalls: 0, notice: "on" as const } };
  const harness = createSessionHarness({ model, channels, settings });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  await life.engine.post({ text: "Hi." });
  await life.settled();
  const reviews = createReviewStore({ bucket: harness.bucket, profile: PROFILE });
  const result = reviewResult(harness.sent[0]!.review, "done", "Learned: remembered 1 fact.");
  await reviews.finish({ ...result, lessons: [lesson] });
  await life.engine.post({ text: "Hi again.", channel });
  await life.settled();
  expect(taken.toSorted()).toEqual(told);
});
