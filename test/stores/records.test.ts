// Evidence, reviews and curation over the double: the kits, and lost responses.
import { describe, expect, it } from "vitest";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { describeCurationStore } from "../conformance/curation-store.ts";
import { describeEvidenceStore } from "../conformance/evidence-store.ts";
import { describeReviewStore } from "../conformance/review-store.ts";
import { collect } from "../support/session/collect.ts";
import { createCrashingBucket } from "../support/bindings/crashing-bucket.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { JUDGE, SESSION, curationPlan, evidence, intent, reviewJob, reviewResult } from "../support/skills/reviews.ts";

for (const [name, pageSize] of [
  ["the double", undefined],
  ["the double with short pages", 2],
] as const) {
  describeEvidenceStore(name, () => createMemoryBucket({ faults: { pageSize } }));
  describeReviewStore(name, () => createMemoryBucket({ faults: { pageSize } }));
  describeCurationStore(name, () => createMemoryBucket({ faults: { pageSize } }));
}

const REVIEW = `${SESSION}.1-12`;
const RUN = "20260105T090000Z-aaaa";

describe("over a bucket that writes and loses every response", () => {
  const setUp = () => {
    const bucket = createMemoryBucket({ faults: { loseAnswerOneIn: 1 } });
    const profile = newProfileId();
    return { bucket, profile, reviews: createReviewStore({ bucket, profile }) };
  };

  it("only the writer of a step wins it", async () => {
    const { reviews } = setUp();
    expect(await reviews.createStep(REVIEW, 0, intent(0, "mine"))).toEqual({ step: intent(0, "mine"), won: true });
    expect(await reviews.createStep(REVIEW, 0, intent(0, "theirs"))).toEqual({ step: intent(0, "mine"), won: false });
  });

  it("results, watermarks, leases, plans and stats are stored", async () => {
    const { bucket, profile, reviews } = setUp();
    expect(await reviews.finish(reviewResult(REVIEW))).toEqual(reviewResult(REVIEW));
    await reviews.raiseWatermark(SESSION, 12);
    expect(await reviews.watermark(SESSION)).toBe(12);
    expect([await reviews.countFailure(REVIEW, "a", "b"), await reviews.countFailure(REVIEW, "c", "d")]).toEqual([
      1, 2,
    ]);
    const curation = createCurationStore({ bucket });
    expect(await curation.lease(profile, RUN, 0, 100)).toBe(true);
    await curation.release(profile, RUN);
    expect(await curation.lease(profile, RUN.replace("aaaa", "bbbb"), 0, 100)).toBe(true);
    const plan = curationPlan(profile, RUN);
    expect(await curation.putPlan(plan)).toEqual(plan);
    const store = createEvidenceStore({ bucket, profile, judge: JUDGE });
    await store.put(evidence(1));
    await store.markActive("2026-01-05");
    expect([
      await store.fold("tables"),
      await collect(store.list("tables")),
      await store.activeDays("2026-01-05"),
    ]).toEqual([
      {
        ...{ v: 2, skill: "tables", uses: 1, successes: 1, failures: 0, lastUsedDay: "2026-01-05" },
        texts: { [evidence(1).text]: expect.objectContaining({ verdict: "trial", uses: 1 }) },
      },
      [evidence(1)],
      ["2026-01-05"],
    ]);
  });
});

it("a put that wrote nothing is an error, and nothing is stored", async () => {
  const bucket = createMemoryBucket({ faults: { failOneIn: 1 } });
  const profile = newProfileId();
  const reviews = createReviewStore({ bucket, profile });
  await expect(reviews.createStep(REVIEW, 0, intent(0))).rejects.toThrow(/10001/);
  await expect(reviews.raiseWatermark(SESSION, 12)).rejects.toThrow(/10001/);
  expect(await createCurationStore({ bucket }).lease(profile, RUN, 0, 100)).toBe(false);
  expect(bucket.keys()).toEqual([]);
});

it("a fold returns its own count even if the store's rate limit keeps it from saving the count", async () => {
  const clock = { now: () => 1_000 };
  const bucket = createMemoryBucket({ clock, faults: { isRateLimited: true } });
  const profile = newProfileId();
  const store = createEvidenceStore({ bucket, profile, judge: JUDGE });
  await store.put(evidence(1));
  expect(await store.fold("tables")).toMatchObject({ uses: 1 });
  await store.put(evidence(2));
  expect(await store.fold("tables")).toMatchObject({ uses: 2 });
  clock.now = () => 3_000;
  const counted = await store.fold("tables");
  expect(JSON.parse(await (await bucket.get(`p/${profile}/stats/tables`))!.text())).toEqual(counted);
});

it("a fold counts more than a thousand uses", async () => {
  const store = createEvidenceStore({ bucket: createMemoryBucket(), profile: newProfileId(), judge: JUDGE });
  for (let turn = 1; turn <= 1_050; turn++) await store.put(evidence(turn));
  expect(await store.fold("tables")).toMatchObject({ uses: 1_050, successes: 1_050 });
});

it("a sweep deletes a review's outcome last, and nothing of a review that has grown since", async () => {
  let now = 1_000;
  const bucket = createMemoryBucket({ clock: { now: () => now } });
  const profile = newProfileId();
  const store = createReviewStore({ bucket, profile });
  const young = `${SESSION}.20-30`;
  for (const review of [REVIEW, young]) {
    await store.putJob(reviewJob(profile, review));
    for (let n = 0; n < 12; n++) await store.createStep(review, n, intent(n));
    await store.finish(reviewResult(review));
  }
  now = 2_000;
  await store.countFailure(young, "a", "b");
  const dying = createCrashingBucket(bucket, { atCall: 3, afterwards: false });
  await expect(createReviewStore({ bucket: dying, profile }).sweep(2_000)).rejects.toThrow("killed");
  expect(bucket.keys().filter((key) => key.includes(REVIEW))).toEqual([`p/${profile}/reviews/${REVIEW}/result`]);
  expect([await store.sweep(2_000), await store.list()]).toMatchObject([1, [{ review: young, state: "done" }]]);
});
