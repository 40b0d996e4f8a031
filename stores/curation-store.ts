// Due markers, leases, notes, plans and reports of curation over a bucket, for all profiles. Used by the curator Worker, and by
// the API for reports and policy. Plans are create-only; leases, notes and policy use compare-and-swap.
import * as z from "zod";
import type { Bucket, CurationStore, DueMarker } from "../core/ports.ts";
import {
  CurationAllowance,
  CurationPlan,
  CurationRun,
  CurationSpent,
  CurationWork,
  CuratorNotes,
  NO_NOTES,
  Policy,
  WorkId,
} from "../core/schemas/learning/curation.ts";
import { CurationId, type Day, type ProfileId, Sha256, type SkillName, fromCurationId } from "../core/schemas/ids.ts";
import { shardOf } from "../core/schemas/learning/digest.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import {
  createOnce,
  deleteAll,
  getAll,
  listFolders,
  listObjects,
  parseRecord,
  readRecord,
  swapObject,
} from "./objects.ts";
import { createWorkStore } from "./work-store.ts";

/** `curation/lease`: `until` in milliseconds since 1970. An expired lease is ignored. */
const Lease = z.object({ v: z.literal(1), run: CurationId, work: WorkId.optional(), until: z.int().min(0) });
type Lease = z.infer<typeof Lease>;

/** `checking/<name>`: a check run of a text that has started. One that never ended means its Worker was stopped by it. */
const Checking = z.object({ v: z.literal(1), text: Sha256, at: z.int() });

// Few retries suffice: the lease keeps two runs of one profile apart, and a person rarely changes the policy twice in a second.
const SWAP_ATTEMPTS = 5;

export interface CurationStoreOptions {
  bucket: Bucket;
  /** Profiles on one page of a shard. */
  pageProfiles?: number;
}

export function createCurationStore({ bucket, pageProfiles = 100 }: CurationStoreOptions): CurationStore {
  async function* dueShards(before: Day, marker: DueMarker = "due"): AsyncGenerator<{ day: Day; shard: string }> {
    for await (const day of listFolders(bucket, prefixOf(marker, {}))) {
      if (day >= before) return;
      for await (const shard of listFolders(bucket, prefixOf(marker, { day }))) yield { day, shard };
    }
  }

  /** The cursor is the last profile of the page, so it stays valid while markers are cleared. */
  async function dueProfiles(
    day: Day,
    shard: string,
    { cursor, marker = "due" }: { cursor?: string; marker?: DueMarker } = {},
  ) {
    const startAfter = cursor === undefined ? undefined : keyOf(marker, { day, shard, profile: cursor });
    const profiles: ProfileId[] = [];
    for await (const { key } of listObjects(bucket, prefixOf(marker, { day, shard }), { startAfter })) {
      if (profiles.length === pageProfiles) return { profiles, cursor: profiles.at(-1) };
      profiles.push(slotsOf(marker, key)!.profile);
    }
    return { profiles };
  }

  async function lastActive(profile: ProfileId): Promise<{ last: Day | null; before: Day | null }> {
    let [last, before]: (Day | null)[] = [null, null];
    for await (const { key } of listObjects(bucket, prefixOf("active", { profile }))) {
      [last, before] = [slotsOf("active", key)!.day, last];
    }
    return { last: last ?? null, before: before ?? null };
  }

  async function newest(profile: ProfileId): Promise<number | null> {
    const [run] = await runs(profile);
    return run === undefined ? null : fromCurationId(run);
  }

  async function lease(
    profile: ProfileId,
    run: CurationId,
    now: number,
    until: number,
    work?: WorkId,
  ): Promise<boolean> {
    const key = keyOf("curationLease", { profile });
    const held = await readRecord(bucket, Lease, key);
    // A lease that the run holds for itself passes to the first piece of its work that asks.
    const isOurs = held?.value.run === run && (held.value.work ?? work) === work;
    if (held && !isOurs && held.value.until > now) return false;
    const body = JSON.stringify({ v: 1, run, work, until } satisfies Lease);
    const swapped = await swapObject(bucket, key, body, held?.etag ?? null);
    if (swapped.outcome === "won") return true;
    // The swap was lost or its result is unknown; the lease that is stored now decides.
    const after = await readRecord(bucket, Lease, key);
    return after?.body === body;
  }

  async function release(profile: ProfileId, run: CurationId, work?: WorkId): Promise<void> {
    const key = keyOf("curationLease", { profile });
    const held = await readRecord(bucket, Lease, key);
    if (held?.value.run !== run || held.value.work !== work) return;
    // Not a delete: deletes are unconditional and would end the lease of a run that has taken it over. If this swap fails,
    // the lease expires.
    await swapObject(bucket, key, JSON.stringify({ v: 1, run, work, until: 0 } satisfies Lease), held.etag);
  }

  async function policy(profile: ProfileId): Promise<Policy> {
    const stored = await readRecord(bucket, Policy, keyOf("policy", { profile }));
    return stored?.value ?? Policy.parse({ v: 1 });
  }

  async function takeAllowance(profile: ProfileId, day: Day, run: CurationId): Promise<CurationAllowance | null> {
    const key = keyOf("curationAllowance", { profile });
    const stored = await readRecord(bucket, CurationAllowance, key);
    if (!stored || stored.value.day !== day) return null;
    const { usedBy } = stored.value;
    if (usedBy !== null) return usedBy === run ? stored.value : null;
    const taken = { ...stored.value, usedBy: run };
    const { outcome } = await swapObject(bucket, key, JSON.stringify(taken), stored.etag);
    return outcome === "won" ? taken : null;
  }

  /** Reads, changes and swaps until no other writer was faster. An unchanged value is not written. */
  async function change<T>(key: string, schema: z.ZodType<T>, absent: T, next: (value: T) => T): Promise<T> {
    let last = "";
    for (let attempt = 0; attempt < SWAP_ATTEMPTS; attempt++) {
      const stored = await readRecord(bucket, schema, key);
      const value = schema.parse(next(stored?.value ?? absent));
      const body = JSON.stringify(value);
      if (body === stored?.body) return value;
      const swapped = await swapObject(bucket, key, body, stored?.etag ?? null);
      if (swapped.outcome === "won") return value;
      last = swapped.outcome === "unknown" ? swapped.message : "another writer came first";
    }
    throw new Error(`The object ${key} could not be changed: ${last}`);
  }

  async function putPlan(plan: CurationPlan): Promise<CurationPlan> {
    const key = keyOf("curationPlan", { profile: plan.profile, run: plan.run });
    const there = await createOnce(bucket, key, JSON.stringify(CurationPlan.parse(plan)));
    return parseRecord(CurationPlan, key, there.body);
  }

  async function readPlan(profile: ProfileId, run: CurationId): Promise<CurationPlan | null> {
    return (await readRecord(bucket, CurationPlan, keyOf("curationPlan", { profile, run })))?.value ?? null;
  }

  async function openPlan(profile: ProfileId, since?: CurationId): Promise<CurationPlan | null> {
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
    return readPlan(profile, oldest);
  }

  async function putReport(run: CurationRun, markdown: string): Promise<void> {
    const slots = { profile: run.profile, run: run.run };
    const key = keyOf("curationRun", slots);
    if (await bucket.get(key)) return;
    await bucket.put(keyOf("curationReport", slots), markdown);
    // Written last: it marks the run as finished.
    await createOnce(bucket, key, JSON.stringify(CurationRun.parse(run)));
  }

  async function report(profile: ProfileId, run: CurationId) {
    const stored = await readRecord(bucket, CurationRun, keyOf("curationRun", { profile, run }));
    if (!stored) return null;
    const key = keyOf("curationReport", { profile, run });
    const markdown = await bucket.get(key);
    if (!markdown) throw new Error(`The report ${key} is missing.`);
    return { run: stored.value, markdown: await markdown.text() };
  }

  async function works(profile: ProfileId, run: CurationId): Promise<CurationWork[]> {
    const keys: string[] = [];
    for await (const { key } of listObjects(bucket, prefixOf("curationWork", { profile, run }))) {
      if (slotsOf("curationWork", key)) keys.push(key);
    }
    const bodies = await getAll(
      keys,
      (key) => bucket.get(key),
      (object) => object.text(),
    );
    return bodies.flatMap((body, at) => (body === null ? [] : [parseRecord(CurationWork, keys[at]!, body)]));
  }

  async function runs(profile: ProfileId): Promise<CurationId[]> {
    const found: CurationId[] = [];
    for await (const run of listFolders(bucket, prefixOf("curationPlan", { profile }))) found.unshift(run);
    return found;
  }

  /** The plan is deleted before the report. A plan without a report would be carried out again. */
  async function sweep(profile: ProfileId, before: number, kept: CurationId[]): Promise<number> {
    const [parts, reports, texts]: [string[], string[], string[]] = [[], [], []];
    const swept = new Set<CurationId>();
    const prefix = prefixOf("curationPlan", { profile });
    for await (const { key } of listObjects(bucket, prefix)) {
      const { data: run } = CurationId.safeParse(key.slice(prefix.length).split("/")[0]);
      if (run === undefined || kept.includes(run)) continue;
      // Run ids sort by time.
      if (fromCurationId(run) >= before) break;
      swept.add(run);
      (slotsOf("curationRun", key) ? reports : slotsOf("curationReport", key) ? texts : parts).push(key);
    }
    for (const keys of [parts, reports, texts]) await deleteAll(bucket, keys);
    return swept.size;
  }

  async function beginCheck(
    profile: ProfileId,
    skill: SkillName,
    { text, now: at, since }: { text: Sha256; now: number; since: number },
  ): Promise<boolean> {
    const key = keyOf("curationCheck", { profile, name: skill });
    const begun = await readRecord(bucket, Checking, key);
    if (begun?.value.text === text && begun.value.at >= since) return false;
    await bucket.put(key, JSON.stringify({ v: 1, text, at } satisfies z.infer<typeof Checking>));
    return true;
  }

  return {
    dueShards,
    dueProfiles,
    clearDue: (day, profile, marker = "due") => bucket.delete(keyOf(marker, { day, shard: shardOf(profile), profile })),
    markSweep: async (day, profile) =>
      void (await createOnce(bucket, keyOf("sweep", { day, shard: shardOf(profile), profile }), "")),
    lastActive,
    newest,
    lease,
    release,
    isGone: async (profile) => (await bucket.get(keyOf("gone", { profile }))) !== null,
    policy,
    changePolicy: (profile, next) => change(keyOf("policy", { profile }), Policy, Policy.parse({ v: 1 }), next),
    notes: async (profile) =>
      (await readRecord(bucket, CuratorNotes, keyOf("curatorNotes", { profile })))?.value ?? NO_NOTES,
    changeNotes: (profile, next) =>
      change(keyOf("curatorNotes", { profile }), CuratorNotes, NO_NOTES, (notes) => {
        const changed = next(notes);
        // An ETag depends on the body alone. A value that was changed and changed back must get a new one, so that a
        // concurrent writer notices.
        return JSON.stringify(changed) === JSON.stringify(notes) ? notes : { ...changed, seq: notes.seq + 1 };
      }),
    takeAllowance,
    putSpent: async (profile, spent) => {
      const { run, work } = spent;
      const key = keyOf("curationSpent", { profile, run, work });
      await createOnce(bucket, key, JSON.stringify(CurationSpent.parse(spent)));
    },
    putPlan,
    plan: readPlan,
    openPlan,
    putReport,
    report,
    work: (profile, run, work) => createWorkStore({ bucket, profile, run, work }),
    works,
    runs,
    sweep,
    beginCheck,
    endCheck: (profile, skill) => bucket.delete(keyOf("curationCheck", { profile, name: skill })),
  };
}
