// Reviews of one profile over a bucket: the job, the script of steps, failures, and the result or tombstone. The Session writes
// the job and the review Worker the rest; the API reads. Create-only except for the watermark.
import * as z from "zod";
import type { Bucket, ReviewStore } from "../core/ports.ts";
import { type ProfileId, type ReviewId, type SessionId, fromReviewId } from "../core/schemas/ids.ts";
import { ReviewDead, ReviewJob, ReviewResult, type ReviewState, ReviewStep } from "../core/schemas/learning/review.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import {
  checkRecord,
  createOnce,
  deleteAll,
  mapObjects,
  listObjects,
  parseRecord,
  readRecord,
  swapObject,
} from "./objects.ts";

/** `reviewed/<session>`: a finished review covers the entries up to this one. */
const Watermark = z.object({ v: z.literal(1), entry: z.int().min(0) });

// Few retries suffice: only two deliveries of one review raise a watermark at the same time, and to the same entry.
const RAISE_ATTEMPTS = 5;

export function createReviewStore({ bucket, profile }: { bucket: Bucket; profile: ProfileId }): ReviewStore {
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
    const there = await createOnce(bucket, key, JSON.stringify(ReviewStep.parse(step)));
    return { step: parseRecord(ReviewStep, key, there.body), won: there.won };
  }

  async function countFailure(review: ReviewId, code: string, message: string): Promise<number> {
    const body = JSON.stringify({ v: 1, code, message });
    let n = 0;
    for await (const { key } of listReview(review)) if (slotsOf("reviewFailure", key)) n++;
    while (!(await createOnce(bucket, keyOf("reviewFailure", { profile, review, n: ++n }), body)).won);
    return n;
  }

  async function finish(result: ReviewResult): Promise<ReviewResult> {
    const key = keyOf("reviewResult", { profile, review: result.review });
    // The state is also stored as metadata, so that a listing of reviews reads no bodies.
    const body = JSON.stringify(ReviewResult.parse(result));
    return parseRecord(ReviewResult, key, (await createOnce(bucket, key, body, { state: result.state })).body);
  }

  async function outcome(review: ReviewId) {
    const result = await readRecord(bucket, ReviewResult, keyOf("reviewResult", { profile, review }));
    if (result) return result.value;
    return (await readRecord(bucket, ReviewDead, keyOf("reviewDead", { profile, review })))?.value ?? null;
  }

  async function list(session?: SessionId) {
    const found = new Map<ReviewId, { state: ReviewState; at: number }>();
    const prefix = prefixOf("reviewJob", { profile }) + (session ? `${session}.` : "");
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

  async function readWatermark(session: SessionId) {
    return readRecord(bucket, Watermark, keyOf("reviewed", { profile, session }));
  }

  async function raiseWatermark(session: SessionId, entry: number): Promise<void> {
    const key = keyOf("reviewed", { profile, session });
    let last = "";
    for (let attempt = 0; attempt < RAISE_ATTEMPTS; attempt++) {
      const stored = await readWatermark(session);
      if (stored && stored.value.entry >= entry) return;
      const swapped = await swapObject(bucket, key, JSON.stringify({ v: 1, entry }), stored?.etag ?? null);
      if (swapped.outcome === "won") return;
      last = swapped.outcome === "unknown" ? swapped.message : "another writer came first";
    }
    throw new Error(`The watermark of the session ${session} could not be raised: ${last}`);
  }

  /** The outcome is deleted last. Otherwise an interrupted deletion would leave a review that looks unfinished. */
  async function sweep(before: number): Promise<number> {
    const keys = new Map<ReviewId, string[]>();
    const kept = new Set<ReviewId>();
    for await (const { key, uploaded } of listObjects(bucket, prefixOf("reviewJob", { profile }))) {
      const review = key.split("/").at(-2)!;
      keys.set(review, [...(keys.get(review) ?? []), key]);
      if (uploaded.getTime() >= before) kept.add(review);
    }
    const old = [...keys].filter(([review]) => !kept.has(review));
    const all = old.flatMap(([, some]) => some);
    const isOutcome = (key: string) => /\/(result|dead)$/.test(key);
    for (const some of [all.filter((key) => !isOutcome(key)), all.filter(isOutcome)]) await deleteAll(bucket, some);
    return old.length;
  }

  async function newest(): Promise<number | null> {
    let at: number | null = null;
    for await (const { uploaded } of listObjects(bucket, prefixOf("reviewJob", { profile }))) {
      at = Math.max(at ?? 0, uploaded.getTime());
    }
    return at;
  }

  async function markBusy(session: SessionId, server: string | null): Promise<void> {
    const key = keyOf("busy", { profile, session });
    if (server === null) return deleteAll(bucket, [key]);
    await bucket.put(key, "", { customMetadata: { server } });
  }

  async function isBusy(server: string, since: number): Promise<boolean> {
    const prefix = prefixOf("busy", { profile });
    for await (const { uploaded, customMetadata } of listObjects(bucket, prefix, { metadata: true })) {
      if (customMetadata?.server === server && uploaded.getTime() >= since) return true;
    }
    return false;
  }

  return {
    newest,
    markBusy,
    isBusy,
    async putJob(job) {
      const key = keyOf("reviewJob", { profile, review: job.review });
      await createOnce(bucket, key, JSON.stringify(ReviewJob.parse(job)));
    },
    job: async (review) =>
      (await readRecord(bucket, ReviewJob, keyOf("reviewJob", { profile, review })))?.value ?? null,
    script,
    createStep,
    countFailure,
    finish,
    async putTombstone(dead) {
      const key = keyOf("reviewDead", { profile, review: dead.review });
      await createOnce(bucket, key, JSON.stringify(ReviewDead.parse(dead)));
    },
    outcome,
    list,
    watermark: async (session) => (await readWatermark(session))?.value.entry ?? 0,
    raiseWatermark,
    sweep,
  };
}

const FinishedState = ReviewResult.shape.state;

/** Orders by session, then by range: the order in which a session's reviews were made. */
function compareIds(a: ReviewId, b: ReviewId): number {
  const [x, y] = [fromReviewId(a), fromReviewId(b)];
  if (x.session !== y.session) return x.session < y.session ? -1 : 1;
  return x.from - y.from || x.to - y.to;
}
