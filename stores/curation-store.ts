// Due markers, leases, plans and reports of curation over a bucket, for all profiles. Used by the curator Worker, and by
// the API for reports and policy. A plan is create-only; a lease and its release are compare-and-swap.
import * as z from "zod";
import type { Bucket, CurationStore } from "../core/ports.ts";
import { CurationPlan, CurationRun, Policy } from "../core/schemas/curation.ts";
import { CurationId, type Day, type ProfileId } from "../core/schemas/ids.ts";
import { shardOf } from "../core/schemas/digest.ts";
import { keyOf, prefixOf, slotsOf } from "./keys.ts";
import { createOnce, listFolders, listObjects, parseRecord, readRecord, swapObject } from "./objects.ts";

/** `curation/lease`: `until` in milliseconds since 1970; a past one binds nobody. */
const Lease = z.object({ v: z.literal(1), run: CurationId, until: z.int().min(0) });

export interface CurationStoreOptions {
  bucket: Bucket;
  /** Profiles on one page of a shard. */
  pageProfiles?: number;
}

export function createCurationStore({ bucket, pageProfiles = 100 }: CurationStoreOptions): CurationStore {
  async function* dueShards(before: Day): AsyncGenerator<{ day: Day; shard: string }> {
    for await (const day of listFolders(bucket, prefixOf("due", {}))) {
      if (day >= before) return;
      for await (const shard of listFolders(bucket, prefixOf("due", { day }))) yield { day, shard };
    }
  }

  /** The cursor is the last profile of the page: it stays good while markers are cleared. */
  async function dueProfiles(day: Day, shard: string, cursor?: string) {
    const startAfter = cursor === undefined ? undefined : keyOf("due", { day, shard, profile: cursor });
    const profiles: ProfileId[] = [];
    for await (const { key } of listObjects(bucket, prefixOf("due", { day, shard }), { startAfter })) {
      if (profiles.length === pageProfiles) return { profiles, cursor: profiles.at(-1) };
      profiles.push(slotsOf("due", key)!.profile);
    }
    return { profiles };
  }

  async function lease(profile: ProfileId, run: CurationId, now: number, until: number): Promise<boolean> {
    const key = keyOf("curationLease", { profile });
    const held = await readRecord(bucket, Lease, key);
    if (held && held.value.run !== run && held.value.until > now) return false;
    const body = JSON.stringify({ v: 1, run, until } satisfies z.infer<typeof Lease>);
    const swapped = await swapObject(bucket, key, body, held?.etag ?? null);
    if (swapped.outcome === "won") return true;
    // Lost, or not known: what is there now decides.
    const after = await readRecord(bucket, Lease, key);
    return after?.body === body;
  }

  async function release(profile: ProfileId, run: CurationId): Promise<void> {
    const key = keyOf("curationLease", { profile });
    const held = await readRecord(bucket, Lease, key);
    if (held?.value.run !== run) return;
    // Not a delete: that one has no condition, and would end the lease of whoever has taken it over. A swap that fails
    // leaves a lease that ends by itself.
    await swapObject(bucket, key, JSON.stringify({ v: 1, run, until: 0 }), held.etag);
  }

  async function policy(profile: ProfileId): Promise<Policy> {
    const stored = await readRecord(bucket, Policy, keyOf("policy", { profile }));
    return stored?.value ?? Policy.parse({ v: 1 });
  }

  async function putPlan(plan: CurationPlan): Promise<CurationPlan> {
    const key = keyOf("curationPlan", { profile: plan.profile, run: plan.run });
    const there = await createOnce(bucket, key, JSON.stringify(CurationPlan.parse(plan)));
    return parseRecord(CurationPlan, key, there.body);
  }

  async function openPlan(profile: ProfileId): Promise<CurationPlan | null> {
    const planned = new Set<CurationId>();
    const reported = new Set<CurationId>();
    for await (const { key } of listObjects(bucket, prefixOf("curationPlan", { profile }))) {
      const plan = slotsOf("curationPlan", key);
      if (plan) planned.add(plan.run);
      const run = slotsOf("curationRun", key);
      if (run) reported.add(run.run);
    }
    const [oldest] = [...planned].filter((run) => !reported.has(run)).sort();
    if (oldest === undefined) return null;
    return (await readRecord(bucket, CurationPlan, keyOf("curationPlan", { profile, run: oldest })))!.value;
  }

  async function putReport(run: CurationRun, markdown: string): Promise<void> {
    const slots = { profile: run.profile, run: run.run };
    const key = keyOf("curationRun", slots);
    if (await bucket.get(key)) return;
    await bucket.put(keyOf("curationReport", slots), markdown);
    // Last: with it the run is finished.
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

  async function runs(profile: ProfileId): Promise<CurationId[]> {
    const found: CurationId[] = [];
    for await (const run of listFolders(bucket, prefixOf("curationPlan", { profile }))) found.unshift(run);
    return found;
  }

  return {
    dueShards,
    dueProfiles,
    clearDue: (day, profile) => bucket.delete(keyOf("due", { day, shard: shardOf(profile), profile })),
    lease,
    release,
    policy,
    async putPolicy(profile, policy) {
      await bucket.put(keyOf("policy", { profile }), JSON.stringify(Policy.parse(policy)));
    },
    putPlan,
    openPlan,
    putReport,
    report,
    runs,
  };
}
