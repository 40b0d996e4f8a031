// Due markers, leases, notes, plans and reports of curation over a bucket, for all profiles. Used by the curator Worker, and by
// the API for reports and policy. Plans are create-only; leases, notes and policy use compare-and-swap.
import type { Bucket, CurationStore } from "../../core/ports.ts";
import { CurationSpent } from "../../core/schemas/learning/curation.ts";
import { isGone } from "../deleted.ts";
import { keyOf } from "../keys.ts";
import { createOnce } from "../objects.ts";
import { beginCheck, releaseLease, takeLease } from "./curation-lease.ts";
import {
  listRuns,
  putPlan,
  putReport,
  readNewest,
  readOpenPlan,
  readPlan,
  readReport,
  readResults,
  sweepRuns,
} from "./curation-runs.ts";
import { clearDue, listDueProfiles, listDueShards, markSweep, readLastActive } from "./due-markers.ts";
import { changeNotes, changePolicy, readNotes, readPolicy, takeAllowance } from "./shared-records.ts";
import { createWorkStore } from "./work-store.ts";

export interface CurationStoreOptions {
  bucket: Bucket;
  /** Profiles on one page of a shard. */
  pageProfiles?: number;
}

export function createCurationStore({ bucket, pageProfiles = 100 }: CurationStoreOptions): CurationStore {
  return {
    // ---- which profiles are due ----
    dueShards: (before, marker) => listDueShards(bucket, before, marker),
    dueProfiles: (day, shard, page) => listDueProfiles(bucket, day, shard, { ...page, limit: pageProfiles }),
    clearDue: (day, profile, marker) => clearDue(bucket, day, profile, marker),
    markSweep: (day, profile) => markSweep(bucket, day, profile),
    lastActive: (profile) => readLastActive(bucket, profile),
    isGone: (profile) => isGone(bucket, profile),

    // ---- who may run ----
    lease: (profile, run, now, until, work) => takeLease(bucket, { profile, run, work }, { now, until }),
    release: (profile, run, work) => releaseLease(bucket, { profile, run, work }),
    beginCheck: (profile, skill, check) => beginCheck(bucket, { profile, skill }, check),
    endCheck: (profile, skill) => bucket.delete(keyOf("curationCheck", { profile, name: skill })),

    // ---- what runs share ----
    policy: (profile) => readPolicy(bucket, profile),
    changePolicy: (profile, next) => changePolicy(bucket, profile, next),
    notes: (profile) => readNotes(bucket, profile),
    changeNotes: (profile, next) => changeNotes(bucket, profile, next),
    takeAllowance: (profile, day, run) => takeAllowance(bucket, profile, day, run),
    putSpent: async (profile, spent) => {
      const { run, work } = spent;
      const key = keyOf("curationSpent", { profile, run, work });
      await createOnce(bucket, key, JSON.stringify(CurationSpent.parse(spent)));
    },

    // ---- runs ----
    putPlan: (plan) => putPlan(bucket, plan),
    plan: (profile, run) => readPlan(bucket, profile, run),
    openPlan: (profile, since) => readOpenPlan(bucket, profile, since),
    work: (profile, run, work) => createWorkStore({ bucket, profile, run, work }),
    works: (profile, run) => readResults(bucket, profile, run),
    putReport: (run, markdown) => putReport(bucket, run, markdown),
    report: (profile, run) => readReport(bucket, profile, run),
    runs: (profile) => listRuns(bucket, profile),
    newest: (profile) => readNewest(bucket, profile),
    sweep: (profile, before, kept) => sweepRuns(bucket, profile, before, kept),
  };
}
