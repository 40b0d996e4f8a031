// Removes a purged text from the records that quote it: pending changes, reviews and curation. Called by the API and by an
// Account, on a person's order. These records also expire by themselves; this removes the text at once.
import { MAX_CONNECTIONS, mapLimit } from "../core/map-limit.ts";
import type * as z from "zod";
import type { Bucket } from "../core/ports.ts";
import { CurationMerge, CurationPlan, CurationRun, CurationWork, WorkId } from "../core/schemas/learning/curation.ts";
import { CurationId, type ProfileId, ReviewId, type SessionId, fromReviewId } from "../core/schemas/ids.ts";
import { ReviewDead, ReviewJob, ReviewResult, ReviewStep } from "../core/schemas/learning/review.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { deleteAll, listObjects, readRecord } from "./objects.ts";

export interface CopiesOptions {
  bucket: Bucket;
  profile: ProfileId;
  now: number;
  /** Whether a text contains part of what is erased. */
  holds(text: string): boolean;
  /** A record's value with the erased text removed. */
  without(value: unknown): unknown;
}

/** [own] An invocation has 10,000 calls. The newest records are read first; the rest expire by themselves. */
const MAX_READS = 2_500;
/** [own] A rewrite takes up to eight calls. Further records that contain the text are deleted whole, a thousand a call. */
const MAX_REWRITES = 200;

/** Deletes fetched packages too. `unread`: how many records were not read. */
export async function eraseCopies(options: CopiesOptions): Promise<{ erased: number; unread: number }> {
  const { bucket, profile } = options;
  const keys: { key: string; at: number }[] = [];
  for (const kind of ["pending", "reviewJob", "curationPlan"] as const) {
    for await (const { key, uploaded } of listObjects(bucket, prefixOf(kind, { profile }))) {
      keys.push({ key, at: uploaded.getTime() });
    }
  }
  const newest = keys.sort((a, b) => b.at - a.at).slice(0, MAX_READS);
  const read = await mapLimit(newest, MAX_CONNECTIONS, async ({ key }) => {
    const body = await readText(bucket, key);
    return body !== null && options.holds(body) ? { key, body } : null;
  });
  const found = read.filter((record) => record !== null);
  const rewritten = found.slice(0, MAX_REWRITES);
  await endReviews(options, rewritten);
  await endWorks(options, rewritten);
  for (const { key, body } of rewritten) await eraseIn(options, key, body);
  await deleteAll(
    bucket,
    found.slice(MAX_REWRITES).map(({ key }) => key),
  );
  await deletePackages(options);
  return { erased: found.length, unread: keys.length - newest.length };
}

/** Fetched packages of the hub: kept for a day at most, and fetched again when they are looked at again. */
async function deletePackages({ bucket, profile }: CopiesOptions): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of listObjects(bucket, prefixOf("hubQuarantine", { profile }))) keys.push(key);
  if (keys.length > 0) await deleteAll(bucket, keys);
}

async function readText(bucket: Bucket, key: string): Promise<string | null> {
  const found = await bucket.get(key);
  return found && found.text();
}

/** Ends unfinished reviews: they would continue from a script that has changed. */
async function endReviews({ bucket, profile, now }: CopiesOptions, found: { key: string }[]): Promise<void> {
  for (const review of unique(found, "reviews", ReviewId)) {
    const slots = { profile, review };
    if (await bucket.get(keyOf("reviewResult", slots))) continue;
    if (await bucket.get(keyOf("reviewDead", slots))) continue;
    const { session } = fromReviewId(review);
    const message = "A person purged a text that this review had read.";
    const dead = ReviewDead.parse({ v: 1, review, session, code: "purged", message, at: now });
    await bucket.put(keyOf("reviewDead", slots), JSON.stringify(dead), { ifAbsent: true });
  }
}

async function endWorks({ bucket, profile, now }: CopiesOptions, found: { key: string }[]): Promise<void> {
  const works = new Set(found.flatMap(({ key }) => /\/curation\/([^/]+\/work\/[^/]+)\//.exec(key)?.[1] ?? []));
  for (const place of works) {
    const [run, , work] = place.split("/");
    await endWork({ bucket, profile, now }, { run: CurationId.parse(run), work: WorkId.parse(work) });
  }
}

const ENDED = "A person purged a text that this work had read.";

/** The work goes no further and its own text is removed. What it has already changed is still reported. */
async function endWork(
  { bucket, profile, now }: Pick<CopiesOptions, "bucket" | "profile" | "now">,
  { run, work }: { run: CurationId; work: WorkId },
): Promise<void> {
  const key = keyOf("curationWork", { profile, run, work });
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const ended = CurationWork.parse({
    v: 1,
    run,
    work,
    state: "cancelled",
    note: ENDED,
    changes: [],
    merges: [],
    refused: [],
    modelCalls: 0,
    usage,
    spent: [],
    finishedAt: now,
  });
  await bucket.put(key, JSON.stringify(ended), { ifAbsent: true });
}

/** Removes the scripts and final notes of curation work that was shown a session's words. */
export async function eraseWorksOfSession(
  { bucket, profile, now }: Pick<CopiesOptions, "bucket" | "profile" | "now">,
  session: SessionId,
): Promise<number> {
  let erased = 0;
  const prefix = prefixOf("curationPlan", { profile });
  for await (const { key, customMetadata } of listObjects(bucket, prefix, { metadata: true })) {
    const begun = slotsOf("curationStep", key);
    if (!begun || !customMetadata?.sessions?.split(" ").includes(session)) continue;
    const slots = { profile, run: begun.run, work: begun.work };
    await endWork({ bucket, profile, now }, { run: CurationId.parse(begun.run), work: WorkId.parse(begun.work) });
    const result = await readRecord(bucket, CurationWork, keyOf("curationWork", slots));
    if (result && result.value.note !== ENDED) {
      await bucket.put(keyOf("curationWork", slots), JSON.stringify({ ...result.value, note: ENDED, refused: [] }));
    }
    const keys: string[] = [];
    for await (const step of listObjects(bucket, prefixOf("curationStep", slots))) {
      if (slotsOf("curationStep", step.key)) keys.push(step.key);
    }
    await deleteAll(bucket, keys);
    erased += keys.length;
  }
  return erased;
}

function unique(found: { key: string }[], folder: string, schema: typeof ReviewId): string[] {
  const ids = found.flatMap(({ key }) => {
    const [, , first, second] = key.split("/");
    return first === folder && schema.safeParse(second).success ? [second!] : [];
  });
  return [...new Set(ids)];
}

/** Rewrites the record without the text where that is possible, and deletes it otherwise. */
async function eraseIn({ bucket, without, holds }: CopiesOptions, key: string, body: string): Promise<void> {
  if (key.endsWith("/REPORT.md")) {
    const lines = body.split("\n").filter((line) => !holds(line));
    await bucket.put(key, lines.join("\n"));
    return;
  }
  const schema = schemaOf(key);
  const parsed = schema?.safeParse(without(JSON.parse(body)));
  if (!parsed?.success || holds(JSON.stringify(parsed.data))) return deleteAll(bucket, [key]);
  const state =
    key.endsWith("/result") && "state" in (parsed.data as object) ? (parsed.data as ReviewResult).state : "";
  await bucket.put(key, JSON.stringify(parsed.data), state === "" ? {} : { customMetadata: { state } });
}

/** A pending change has no schema here: without its text it would carry out something else, so it is deleted. */
function schemaOf(key: string): z.ZodType | null {
  if (slotsOf("reviewJob", key)) return ReviewJob;
  if (slotsOf("reviewStep", key) || slotsOf("curationStep", key)) return ReviewStep;
  if (slotsOf("reviewResult", key)) return ReviewResult;
  if (slotsOf("reviewDead", key)) return ReviewDead;
  if (slotsOf("curationPlan", key)) return CurationPlan;
  if (slotsOf("curationRun", key)) return CurationRun;
  if (slotsOf("curationMerge", key)) return CurationMerge;
  if (slotsOf("curationWork", key)) return CurationWork;
  return null;
}
