// What the person reads of a review in their session, by how much the operator wants told.
import { expect, it } from "vitest";
import { textOf } from "../../core/schemas/entry.ts";
import type { Lesson } from "../../core/schemas/review.ts";
import { createReviewStore } from "../../stores/review-store.ts";
import { reviewResult } from "../support/reviews.ts";
import { createScriptedModel } from "../support/scripted-model.ts";
import { PROFILE, createSessionHarness } from "../support/session-harness.ts";

const lesson: Lesson = {
  ...{ kind: "memory", store: "user", action: "add", id: "a".repeat(64), text: "Prefers tea.", citations: [] },
  preview: '+ "Prefers tea."',
};

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
