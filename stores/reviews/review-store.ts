// Reviews of one profile over a bucket: the job and the outcome of each, which is a result or a tombstone. The Session writes the job
// and the review Worker the rest; the API reads. Create-only. The script, the list and the sessions are files of their own.
import type { Bucket, ReviewStore } from "../../core/ports.ts";
import type { ProfileId, ReviewId } from "../../core/schemas/ids.ts";
import { ReviewDead, ReviewJob, ReviewResult } from "../../core/schemas/learning/review.ts";
import { keyOf } from "../keys.ts";
import { createOnce, parseRecord, readRecord } from "../objects.ts";
import { createReviewList } from "./review-list.ts";
import { createReviewScript } from "./review-script.ts";
import { createReviewSessions } from "./review-sessions.ts";

export function createReviewStore({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): ReviewStore {
  async function putJob(job: ReviewJob): Promise<void> {
    const key = keyOf("reviewJob", { profile, review: job.review });
    await createOnce(bucket, key, JSON.stringify(ReviewJob.parse(job)));
  }

  async function job(review: ReviewId): Promise<ReviewJob | null> {
    return (await readRecord(bucket, ReviewJob, keyOf("reviewJob", { profile, review })))?.value ?? null;
  }

  async function finish(result: ReviewResult): Promise<ReviewResult> {
    const key = keyOf("reviewResult", { profile, review: result.review });
    // The state is also stored as metadata, so that a listing of reviews reads no bodies.
    const body = JSON.stringify(ReviewResult.parse(result));
    return parseRecord(ReviewResult, key, (await createOnce(bucket, key, body, { state: result.state })).body);
  }

  async function putTombstone(dead: ReviewDead): Promise<void> {
    const key = keyOf("reviewDead", { profile, review: dead.review });
    await createOnce(bucket, key, JSON.stringify(ReviewDead.parse(dead)));
  }

  async function outcome(review: ReviewId): Promise<ReviewResult | ReviewDead | null> {
    const result = await readRecord(bucket, ReviewResult, keyOf("reviewResult", { profile, review }));
    if (result) return result.value;
    return (await readRecord(bucket, ReviewDead, keyOf("reviewDead", { profile, review })))?.value ?? null;
  }

  return {
    putJob,
    job,
    finish,
    putTombstone,
    outcome,
    ...createReviewScript({ bucket, profile }),
    ...createReviewList({ bucket, profile }),
    ...createReviewSessions({ bucket, profile }),
  };
}
