// Verdicts of a review, from its closing words to the evidence of a skill. A real review writes them from the session's job,
// and the session stores them.
import { expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { runReview } from "../../../core/learning/review/review.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { createMemoryStore } from "../../../stores/memory-store.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { SKILL, SKILL_MD } from "../../review/script.ts";
import { collect } from "../../support/session/collect.ts";
import { JUDGE } from "../../support/skills/reviews.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { PROFILE, createSessionHarness } from "../../support/session/session-harness.ts";
import { creation } from "../../support/skills/skills.ts";

const view: ScriptLine = { calls: [{ name: "skill_view", args: { name: SKILL } }] };
const write: ScriptLine = { calls: [{ name: "write_file", args: { path: "a.txt", content: "x" } }] };
const done: ScriptLine = { text: "Done." };
const quiet = { afterModelCalls: 1_000, minValue: 1, memoryAfterTurns: 1_000, similarTurns: 1_000 };

/** A turn under a skill, the person's next message, and `/refine`, whose review ends with `closing`. */
async function runTurnAndReview(reply: string, closing: string) {
  const model = createScriptedModel([view, write, done, done, done]);
  const harness = createSessionHarness({ model, settings: { review: quiet } });
  const { bucket, kv, clock } = harness;
  const given = { bucket, profile: PROFILE, clock, random: () => 0.5 };
  const skills = createSkillStore({ ...given, swapMs: 1_000 });
  const evidence = createEvidenceStore({ bucket, profile: PROFILE, judge: JUDGE });
  const reviews = createReviewStore({ bucket, profile: PROFILE });
  await skills.change(creation(SKILL, SKILL_MD, "learn"));
  const { text } = (await skills.head(SKILL))!;
  const life = harness.boot();
  const say = async (words: string) => {
    expect(await life.engine.post({ text: words })).toMatchObject({ ok: true });
    await life.settled();
  };
  await life.engine.create({ learning: "on", title: "" });
  await say("Add up the column");
  await say(reply);
  await say("/refine");
  const end = await runReview({
    ...{ job: (await reviews.job(harness.sent[0]!.review))!, reviews, skills, seeds: {}, settings: DEFAULTS, clock },
    ...{ memory: createMemoryStore({ kv, profile: PROFILE, clock, overlayMs: 0 }) },
    ...{ pending: createPendingStore(given), random: () => 0.5, signal: new AbortController().signal },
    models: [createScriptedModel([{ text: closing }])],
  });
  for (let wakes = 0; harness.sql.run("SELECT 1 FROM job").length > 0 && wakes < 9; wakes++) await life.wake();
  const observed = life.engine.observation(1);
  return {
    result: end.state === "finished" ? end.result : null,
    observation: observed.ok ? observed.value.observation! : null,
    evidence: (await collect(evidence.list(SKILL))).map(
      ({ turn, judge, outcome }) => `${turn.at(-1)} ${judge} ${outcome}`,
    ),
    verdict: (await evidence.fold(SKILL)).texts[text],
    archived: harness.records.turns({ limit: 9 }).find(({ turn }) => turn.endsWith("-1")),
    life,
  };
}

const closing = (line: string) => `Nothing worth keeping.\n${line}`;
/** A message that no rule understands. */
const INDIRECT = "My accountant counted the rows by hand and arrived somewhere else entirely";

it("a review's verdict is evidence of its own rank, overrides the rules' verdict, and is booked once", async () => {
  const verdict = { entry: 7, verdict: "failure", correction: true, words: "arrived somewhere else" };
  const world = await runTurnAndReview(INDIRECT, closing('verdict 7: failure correction "arrived somewhere else"'));
  expect(world.result).toMatchObject({ note: "Nothing worth keeping.", verdicts: [verdict], refused: [] });
  expect(world.evidence).toEqual(["1 exit success", "1 reviewer failure"]);
  expect(world.observation).toMatchObject({
    ...{ outcome: "failure", judge: "reviewer", corrections: [{ entry: 7 }] },
    judgements: [{ judge: "exit" }, { judge: "reviewer", outcome: "failure" }],
  });
  expect(world.verdict).toMatchObject({ uses: 1, successes: 0, failures: 1 });
  expect(world.archived).toMatchObject({ outcome: "failure", judge: "reviewer" });
  // A person's rating ranks above it.
  await world.life.engine.rate(1, { rating: "up" });
  await world.life.settled();
  const rated = world.life.engine.observation(1);
  expect(rated.ok && rated.value.observation).toMatchObject({ outcome: "success", judge: "rating" });
});

it("a review that reads no verdict in a message withdraws the rules' verdict", async () => {
  const world = await runTurnAndReview("That's wrong.", closing("verdict 7: none"));
  expect(world.evidence).toEqual(["1 exit success", "1 message failure", "1 reviewer unknown"]);
  expect(world.observation).toMatchObject({ outcome: "unknown", judge: "reviewer" });
  expect(world.verdict).toMatchObject({ uses: 1, successes: 0, failures: 0 });
});

it("if neither the rules nor the review found a verdict, nothing is booked", async () => {
  const world = await runTurnAndReview(INDIRECT, closing("verdict 7: none"));
  expect(world.evidence).toEqual(["1 exit success"]);
});

it("words that the person did not write judge nothing", async () => {
  const world = await runTurnAndReview(INDIRECT, closing('verdict 7: success "perfect"'));
  expect(world.result).toMatchObject({ refused: [{ tool: "verdicts", code: "verdict_words_unknown" }] });
  expect(world.evidence).toEqual(["1 exit success"]);
});

it("a verdict on a message that judges no turn is ignored", async () => {
  const world = await runTurnAndReview(INDIRECT, closing('verdict 1: success "Add up"'));
  expect(world.evidence).toEqual(["1 exit success"]);
});
