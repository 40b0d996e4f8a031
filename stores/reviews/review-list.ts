// All reviews of a profile, as a listing of their keys shows them: the list of a page, the newest time, and the deletion of old ones.
// Called by review-store.ts alone. Reads no bodies.
import type { Bucket, ReviewStore } from "../../core/ports.ts";
import { type ProfileId, type ReviewId, type SessionId, fromReviewId } from "../../core/schemas/ids.ts";
import { ReviewResult, type ReviewState } from "../../core/schemas/learning/review.ts";
import { prefixOf } from "../keys.ts";
import { checkRecord, deleteAll, listObjects } from "../objects.ts";

export type ReviewList = Pick<ReviewStore, "list" | "newest" | "sweep">;

export function createReviewList({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): ReviewList {
  const folder = prefixOf("reviewJob", { profile });

  async function list(session?: SessionId) {
    const found = new Map<ReviewId, { state: ReviewState; at: number }>();
    const prefix = folder + (session ? `${session}.` : "");
    for await (const { key, uploaded, customMetadata } of listObjects(bucket, prefix, { metadata: true })) {
      const [review = "", kind = ""] = key.split("/").slice(-2);
      const line = found.get(review) ?? { state: "waiting", at: uploaded.getTime() };
      if (kind === "job") line.at = uploaded.getTime();
      if (kind === "result") line.state = checkRecord(FinishedState, key, customMetadata?.state);
      if (kind === "dead" && line.state === "waiting") line.state = "dead";
      found.set(review, line);
    }
    const lines = [...found].map(([review, line]) => ({ review, ...line }));
    lines.sort((a, b) => b.at - a.at || compareIds(b.review, a.review));
    return lines;
  }

  async function newest(): Promise<number | null> {
    let at: number | null = null;
    for await (const { uploaded } of listObjects(bucket, folder)) at = Math.max(at ?? 0, uploaded.getTime());
    return at;
  }

  /** The outcome is deleted last. Otherwise an interrupted deletion would leave a review that looks unfinished. */
  async function sweep(before: number): Promise<number> {
    const keys = new Map<ReviewId, string[]>();
    const kept = new Set<ReviewId>();
    for await (const { key, uploaded } of listObjects(bucket, folder)) {
      const review = key.split("/").at(-2)!;
      keys.set(review, [...(keys.get(review) ?? []), key]);
      if (uploaded.getTime() >= before) kept.add(review);
    }
    const old = [...keys].filter(([review]) => !kept.has(review));
    const oldKeys = old.flatMap(([, ofReview]) => ofReview);
    await deleteAll(
      bucket,
      oldKeys.filter((key) => !isOutcome(key)),
    );
    await deleteAll(bucket, oldKeys.filter(isOutcome));
    return old.length;
  }

  return { list, newest, sweep };
}

const FinishedState = ReviewResult.shape.state;

function isOutcome(key: string): boolean {
  return /\/(result|dead)$/.test(key);
}

/** Orders by session, then by range: the order in which a session's reviews were made. */
function compareIds(a: ReviewId, b: ReviewId): number {
  const [x, y] = [fromReviewId(a), fromReviewId(b)];
  if (x.session !== y.session) return x.session < y.session ? -1 : 1;
  return x.from - y.from || x.to - y.to;
}
