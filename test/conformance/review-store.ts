// The conformance kit of ReviewStore. It runs over the bucket double and over R2 itself.
import { describe, expect, it } from "vitest";
import type { Bucket } from "../../core/ports.ts";
import type { ReviewDead } from "../../core/schemas/learning/review.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { OTHER_SESSION, SESSION, intent, reviewJob, reviewResult } from "../support/skills/reviews.ts";

const REVIEW = `${SESSION}.1-12`;

export function describeReviewStore(name: string, make: () => Bucket): void {
  const setUp = () => {
    const bucket = make();
    const profile = newProfileId();
    const open = () => createReviewStore({ bucket, profile });
    return { bucket, profile, open, store: open() };
  };

  describe(`${name}: a review`, () => {
    it("keeps the first job that was put", async () => {
      const { store, profile } = setUp();
      expect(await store.job(REVIEW)).toBe(null);
      await store.putJob(reviewJob(profile, REVIEW, 1));
      await store.putJob(reviewJob(profile, REVIEW, 2));
      expect(await store.job(REVIEW)).toEqual(reviewJob(profile, REVIEW, 1));
    });

    it("returns a script in order, past the tenth step, with the time it last grew", async () => {
      const { store } = setUp();
      expect(await store.script(REVIEW)).toEqual({ steps: [], newestAt: 0 });
      const startedAt = Date.now() - 1_000;
      const steps = Array.from({ length: 14 }, (_, n) => intent(n));
      for (const [n, step] of steps.entries()) {
        expect(await store.createStep(REVIEW, n, step)).toEqual({ step, won: true });
      }
      await store.createStep(`${SESSION}.1-1`, 0, intent(77));
      await store.countFailure(REVIEW, "x", "y");
      const script = await store.script(REVIEW);
      expect(script.steps).toEqual(steps);
      expect(script.newestAt).toBeGreaterThan(startedAt);
    });

    it("lets two deliveries follow one script", async () => {
      const { open } = setUp();
      const both = await Promise.all(["first", "second"].map((by) => open().createStep(REVIEW, 0, intent(0, by))));
      const [winner] = both.filter(({ won }) => won);
      expect(both.filter(({ won }) => won)).toHaveLength(1);
      expect(both.map(({ step }) => step)).toEqual([winner!.step, winner!.step]);
      expect(await open().createStep(REVIEW, 0, intent(0, "third"))).toEqual({ step: winner!.step, won: false });
    });

    it("refuses a script with a missing step", async () => {
      const { store } = setUp();
      await store.createStep(REVIEW, 0, intent(0));
      await store.createStep(REVIEW, 2, intent(2));
      await expect(store.script(REVIEW)).rejects.toThrow(/The step before .*\/0002 is missing/);
    });

    it("counts each failed run once", async () => {
      const { store, open } = setUp();
      expect(await store.countFailure(REVIEW, "crash", "one")).toBe(1);
      expect(await store.countFailure(REVIEW, "crash", "one")).toBe(2);
      const both = await Promise.all(["a", "b"].map((message) => open().countFailure(REVIEW, "crash", message)));
      expect(both.sort()).toEqual([3, 4]);
    });

    it("has the first result as its outcome", async () => {
      const { store } = setUp();
      expect(await store.outcome(REVIEW)).toBe(null);
      const first = reviewResult(REVIEW, "done", "first");
      expect(await store.finish(first)).toEqual(first);
      expect(await store.finish(reviewResult(REVIEW, "superseded", "second"))).toEqual(first);
      expect(await store.outcome(REVIEW)).toEqual(first);
    });

    it("has a tombstone as its outcome until there is a result", async () => {
      const { store } = setUp();
      const dead: ReviewDead = { v: 1, review: REVIEW, session: SESSION, code: "crash", message: "Five times.", at: 1 };
      await store.putTombstone(dead);
      await store.putTombstone({ ...dead, message: "Again." });
      expect(await store.outcome(REVIEW)).toEqual(dead);
      await store.finish(reviewResult(REVIEW));
      expect(await store.outcome(REVIEW)).toEqual(reviewResult(REVIEW));
    });

    it("names the key of an unparsable step", async () => {
      const { store, bucket, profile } = setUp();
      const key = `p/${profile}/reviews/${REVIEW}/0000`;
      await bucket.put(key, '{"v":1,"kind":"start"}');
      await expect(store.script(REVIEW)).rejects.toThrow(`The record ${key} does not parse: at:`);
    });
  });

  describe(`${name}: the reviews of a profile`, () => {
    it("are listed newest first with their states, for one session or for all", async () => {
      const { store, profile } = setUp();
      const [first, second, third, fourth] = [1, 5, 30, 100].map((from) => `${SESSION}.${from}-${from + 1}`);
      const other = `${OTHER_SESSION}.1-2`;
      for (const review of [other, first!, second!, third!, fourth!]) {
        await store.putJob(reviewJob(profile, review));
        await store.createStep(review, 0, intent(0));
      }
      await store.finish(reviewResult(second!));
      await store.finish(reviewResult(third!, "superseded"));
      await store.putTombstone({ v: 1, review: first!, session: SESSION, code: "crash", message: "x", at: 1 });
      const ofSession = [
        { review: fourth, state: "waiting" },
        { review: third, state: "superseded" },
        { review: second, state: "done" },
        { review: first, state: "dead" },
      ];
      expect(await store.list(SESSION)).toMatchObject(ofSession);
      expect(await store.list()).toMatchObject([...ofSession, { review: other, state: "waiting" }]);
    });

    it("are swept as a whole once their newest object is old enough", async () => {
      const { store, bucket, profile } = setUp();
      await store.putJob(reviewJob(profile, REVIEW));
      await store.createStep(REVIEW, 0, intent(0));
      await store.finish(reviewResult(REVIEW));
      await store.putJob(reviewJob(profile, `${OTHER_SESSION}.1-2`));
      await store.raiseWatermark(SESSION, 12);
      const { uploaded } = (await bucket.get(`p/${profile}/reviews/${REVIEW}/result`))!;
      expect(await store.sweep(uploaded.getTime())).toBe(0);
      expect(await store.list()).toHaveLength(2);
      expect(await store.sweep(Date.now() + 60_000)).toBe(2);
      expect([await store.list(), await store.outcome(REVIEW), await store.watermark(SESSION)]).toEqual([[], null, 12]);
    });

    it("have one watermark per session, which never falls", async () => {
      const { store, open } = setUp();
      expect(await store.watermark(SESSION)).toBe(0);
      await store.raiseWatermark(SESSION, 12);
      await store.raiseWatermark(SESSION, 7);
      expect([await store.watermark(SESSION), await store.watermark(OTHER_SESSION)]).toEqual([12, 0]);
      await Promise.all([30, 20].map((entry) => open().raiseWatermark(SESSION, entry)));
      expect(await store.watermark(SESSION)).toBe(30);
    });
  });
}
