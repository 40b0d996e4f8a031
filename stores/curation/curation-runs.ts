// The plans, results and reports of a profile's runs. Used by the curation store. Create-only; a sweep deletes the oldest.
import type { Bucket } from "../../core/ports.ts";
import { CurationId, type ProfileId, fromCurationId } from "../../core/schemas/ids.ts";
import { CurationPlan, CurationRun, CurationWork } from "../../core/schemas/learning/curation.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { createOnce, deleteAll, mapObjects, listFolders, listObjects, parseRecord, readRecord } from "../objects.ts";

export async function putPlan(bucket: Bucket, plan: CurationPlan): Promise<CurationPlan> {
  const key = keyOf("curationPlan", { profile: plan.profile, run: plan.run });
  const stored = await createOnce(bucket, key, JSON.stringify(CurationPlan.parse(plan)));
  return parseRecord(CurationPlan, key, stored.body);
}

export async function readPlan(bucket: Bucket, profile: ProfileId, run: CurationId): Promise<CurationPlan | null> {
  return (await readRecord(bucket, CurationPlan, keyOf("curationPlan", { profile, run })))?.value ?? null;
}

export async function readOpenPlan(
  bucket: Bucket,
  profile: ProfileId,
  since?: CurationId,
): Promise<CurationPlan | null> {
  const planned = new Set<CurationId>();
  const reported = new Set<CurationId>();
  // Of a run's objects the plan sorts first, except for its report.
  const startAfter = since && prefixOf("curationPlan", { profile, run: since });
  for await (const { key } of listObjects(bucket, prefixOf("curationPlan", { profile }), { startAfter })) {
    const plan = slotsOf("curationPlan", key);
    if (plan) planned.add(plan.run);
    const run = slotsOf("curationRun", key);
    if (run) reported.add(run.run);
  }
  const [oldest] = [...planned].filter((run) => !reported.has(run)).sort();
  if (oldest === undefined) return null;
  return readPlan(bucket, profile, oldest);
}

export async function putReport(bucket: Bucket, run: CurationRun, markdown: string): Promise<void> {
  const slots = { profile: run.profile, run: run.run };
  const key = keyOf("curationRun", slots);
  if (await bucket.get(key)) return;
  await bucket.put(keyOf("curationReport", slots), markdown);
  // Written last: it marks the run as finished.
  await createOnce(bucket, key, JSON.stringify(CurationRun.parse(run)));
}

export async function readReport(bucket: Bucket, profile: ProfileId, run: CurationId) {
  const stored = await readRecord(bucket, CurationRun, keyOf("curationRun", { profile, run }));
  if (!stored) return null;
  const key = keyOf("curationReport", { profile, run });
  const markdown = await bucket.get(key);
  if (!markdown) throw new Error(`The report ${key} is missing.`);
  return { run: stored.value, markdown: await markdown.text() };
}

export async function readResults(bucket: Bucket, profile: ProfileId, run: CurationId): Promise<CurationWork[]> {
  const keys: string[] = [];
  for await (const { key } of listObjects(bucket, prefixOf("curationWork", { profile, run }))) {
    if (slotsOf("curationWork", key)) keys.push(key);
  }
  const bodies = await mapObjects(
    keys,
    (key) => bucket.get(key),
    (object) => object.text(),
  );
  return bodies.flatMap((body, at) => (body === null ? [] : [parseRecord(CurationWork, keys[at]!, body)]));
}

export async function listRuns(bucket: Bucket, profile: ProfileId): Promise<CurationId[]> {
  const found: CurationId[] = [];
  for await (const run of listFolders(bucket, prefixOf("curationPlan", { profile }))) found.unshift(run);
  return found;
}

export async function readNewest(bucket: Bucket, profile: ProfileId): Promise<number | null> {
  const [run] = await listRuns(bucket, profile);
  return run === undefined ? null : fromCurationId(run);
}

/** The plan is deleted before the report. A plan without a report would be carried out again. */
export async function sweepRuns(
  bucket: Bucket,
  profile: ProfileId,
  before: number,
  kept: CurationId[],
): Promise<number> {
  const parts: string[] = [];
  const reports: string[] = [];
  const texts: string[] = [];
  const swept = new Set<CurationId>();
  const prefix = prefixOf("curationPlan", { profile });
  for await (const { key } of listObjects(bucket, prefix)) {
    const { data: run } = CurationId.safeParse(key.slice(prefix.length).split("/")[0]);
    if (run === undefined || kept.includes(run)) continue;
    // Run ids sort by time.
    if (fromCurationId(run) >= before) break;
    swept.add(run);
    if (slotsOf("curationRun", key)) reports.push(key);
    else if (slotsOf("curationReport", key)) texts.push(key);
    else parts.push(key);
  }
  for (const keys of [parts, reports, texts]) await deleteAll(bucket, keys);
  return swept.size;
}
