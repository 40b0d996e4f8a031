// Takes a purged text out of the records that quote it: pending changes, reviews and curation. Called by the API and by an
// Account, on a person's order. These records expire by themselves; this does not wait for that.
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
  /** Whether a text holds some of what is erased. */
  holds(text: string): boolean;
  /** The value of a record without it. */
  without(value: unknown): unknown;
}

/** An invocation has 10,000 calls; the newest records are read first, and what is left expires by itself. */
const MAX_READS = 2_500;
/** Each takes up to eight calls. What else holds the text is deleted as a whole, a thousand records a call. */
const MAX_REWRITES = 200;

/** `unread`: records that were not looked at. */
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
  const found = read.filter((one) => one !== null);
  const rewritten = found.slice(0, MAX_REWRITES);
  await endReviews(options, rewritten);
  await endWorks(options, rewritten);
  for (const { key, body } of rewritten) await eraseIn(options, key, body);
  await deleteAll(
    bucket,
    found.slice(MAX_REWRITES).map(({ key }) => key),
  );
  return { erased: found.length, unread: keys.length - newest.length };
}

async function readText(bucket: Bucket, key: string): Promise<string | null> {
  const found = await bucket.get(key);
  return found && found.text();
}

/** One that has not ended would go on from a script that says something else now. */
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

/** Goes no further, and says nothing of what it had read; what it has changed stays told. */
async function endWork(
  { bucket, profile, now }: Pick<CopiesOptions, "bucket" | "profile" | "now">,
  { run, work }: { run: CurationId; work: WorkId },
): Promise<void> {
  const key = keyOf("curationWork", { profile, run, work });
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const ended = CurationWork.parse({
    ...{ v: 1, run, work, state: "cancelled", note: ENDED },
    ...{ changes: [], merges: [], refused: [], modelCalls: 0, usage, spent: [], finishedAt: now },
  });
  await bucket.put(key, JSON.stringify(ended), { ifAbsent: true });
}

/** Works of a curation that were shown a session's words: their scripts go, and their closing words. */
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

/** What can be said without the text is said without it; the rest is deleted. */
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

/** A pending change without its text would be carried out as something else: it has none, and goes. */
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
