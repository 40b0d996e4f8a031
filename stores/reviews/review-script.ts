// The script of a review over a bucket: one create-only object per step, and one per failed run. Called by review-store.ts alone.
import type { Bucket, ReviewStore } from "../../core/ports.ts";
import type { ProfileId, ReviewId } from "../../core/schemas/ids.ts";
import { ReviewStep } from "../../core/schemas/learning/review.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { createOnce, listObjects, mapObjects, parseRecord } from "../objects.ts";

export type ReviewScript = Pick<ReviewStore, "script" | "createStep" | "countFailure">;

export function createReviewScript({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): ReviewScript {
  /** Every object of one review. */
  function listReview(review: ReviewId) {
    return listObjects(bucket, prefixOf("reviewStep", { profile, review }));
  }

  async function script(review: ReviewId) {
    const keys: string[] = [];
    let newestAt = 0;
    for await (const { key, uploaded } of listReview(review)) {
      const slots = slotsOf("reviewStep", key);
      if (!slots) continue;
      if (Number(slots.step) !== keys.length) throw new Error(`The step before ${key} is missing.`);
      keys.push(key);
      newestAt = Math.max(newestAt, uploaded.getTime());
    }
    const bodies = await mapObjects(
      keys,
      (key) => bucket.get(key),
      (object) => object.text(),
    );
    const steps = keys.map((key, at) => parseRecord(ReviewStep, key, bodies[at] ?? ""));
    return { steps, newestAt };
  }

  async function createStep(review: ReviewId, n: number, step: ReviewStep) {
    const key = keyOf("reviewStep", { profile, review, step: n });
    const stored = await createOnce(bucket, key, JSON.stringify(ReviewStep.parse(step)));
    return { step: parseRecord(ReviewStep, key, stored.body), won: stored.won };
  }

  /** Failures are numbered from 1. A number that another delivery took is skipped. */
  async function countFailure(review: ReviewId, code: string, message: string): Promise<number> {
    const body = JSON.stringify({ v: 1, code, message });
    let n = 0;
    for await (const { key } of listReview(review)) if (slotsOf("reviewFailure", key)) n++;
    for (;;) {
      n++;
      const { won } = await createOnce(bucket, keyOf("reviewFailure", { profile, review, n }), body);
      if (won) return n;
    }
  }

  return { script, createStep, countFailure };
}
