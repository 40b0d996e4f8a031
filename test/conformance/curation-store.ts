// What a CurationStore must do over any bucket: asked over the double and over R2 itself.
import { describe, expect, it } from "vitest";
import type { Bucket } from "../../core/ports.ts";
import { shardOf } from "../../core/schemas/digest.ts";
import { createCurationStore } from "../../stores/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence-store.ts";
import { collect } from "../support/collect.ts";
import { newProfileId } from "../support/profile-ids.ts";
import { curationPlan, curationRun } from "../support/reviews.ts";

const RUNS = ["20260105T090000Z-aaaa", "20260106T090000Z-bbbb", "20260107T090000Z-cccc"] as const;

export function describeCurationStore(name: string, make: () => Bucket): void {
  const setUp = () => {
    const bucket = make();
    return { bucket, profile: newProfileId(), store: createCurationStore({ bucket, pageProfiles: 2 }) };
  };

  describe(`${name}: due markers`, () => {
    it("are found by past day and shard, oldest first, and paged while they are cleared", async () => {
      const { bucket, store } = setUp();
      // Markers are shared by all profiles, so each run has days of its own.
      const year = 1_000 + Math.floor(Math.random() * 8_000);
      const [first, second, today] = [`${year}-01-01`, `${year}-01-02`, `${year}-01-03`];
      const profiles = Array.from({ length: 400 }, newProfileId);
      const [shard, members] = [...Map.groupBy(profiles, shardOf)].sort((a, b) => b[1].length - a[1].length)[0]!;
      expect(members.length).toBeGreaterThan(2);
      for (const profile of members) await createEvidenceStore({ bucket, profile }).markActive(second!);
      const stranger = profiles.find((profile) => shardOf(profile) !== shard)!;
      await createEvidenceStore({ bucket, profile: stranger }).markActive(first!);
      await createEvidenceStore({ bucket, profile: stranger }).markActive(today!);

      const due = (await collect(store.dueShards(today!))).filter(({ day }) => day >= first!);
      expect(due).toEqual([
        { day: first, shard: shardOf(stranger) },
        { day: second, shard },
      ]);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.dueProfiles(second!, shard, cursor);
        expect(page.profiles.length).toBeLessThanOrEqual(2);
        for (const profile of page.profiles) await store.clearDue(second!, profile);
        seen.push(...page.profiles);
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(members.toSorted());
      expect(await store.dueProfiles(second!, shard)).toEqual({ profiles: [] });
      expect((await collect(store.dueShards(today!))).filter(({ day }) => day >= first!)).toHaveLength(1);
    });
  });

  describe(`${name}: the lease of a profile`, () => {
    it("is held by one run until it ends, is given back, or is renewed by its holder", async () => {
      const { store, profile } = setUp();
      const [mine, theirs] = RUNS;
      expect(await store.lease(profile, mine, 0, 100)).toBe(true);
      expect(await store.lease(profile, theirs, 99, 200)).toBe(false);
      expect(await store.lease(profile, mine, 99, 150)).toBe(true);
      expect(await store.lease(profile, theirs, 149, 250)).toBe(false);
      expect(await store.lease(profile, theirs, 150, 250)).toBe(true);
      // Who has lost it can neither renew nor give back what is another's.
      expect(await store.lease(profile, mine, 160, 300)).toBe(false);
      await store.release(profile, mine);
      expect(await store.lease(profile, mine, 170, 300)).toBe(false);
      await store.release(profile, theirs);
      expect(await store.lease(profile, mine, 170, 300)).toBe(true);
    });

    it("is won by one of ten that ask at once", async () => {
      const { store, profile } = setUp();
      const runs = Array.from({ length: 10 }, (_, n) => `20260105T090000Z-aaa${n}`);
      const won = await Promise.all(runs.map((run) => store.lease(profile, run, 0, 100)));
      expect(won.filter(Boolean)).toHaveLength(1);
    });
  });

  describe(`${name}: plans, reports, policy`, () => {
    it("keep the first plan of a run", async () => {
      const { store, profile } = setUp();
      const plan = curationPlan(profile, RUNS[0]);
      expect(await store.putPlan(plan)).toEqual(plan);
      expect(await store.putPlan({ ...plan, at: 77 })).toEqual(plan);
    });

    it("show the oldest plan without a report as open", async () => {
      const { store, profile } = setUp();
      expect(await store.openPlan(profile)).toBe(null);
      for (const run of RUNS.toReversed()) await store.putPlan(curationPlan(profile, run));
      await store.lease(profile, RUNS[0], 0, 100);
      expect((await store.openPlan(profile))?.run).toBe(RUNS[0]);
      await store.putReport(curationRun(profile, RUNS[0]), "# One");
      expect(await store.openPlan(profile)).toEqual(curationPlan(profile, RUNS[1]));
      expect(await store.runs(profile)).toEqual(RUNS.toReversed());
    });

    it("keep the first report of a run", async () => {
      const { store, profile } = setUp();
      expect(await store.report(profile, RUNS[0])).toBe(null);
      await store.putReport(curationRun(profile, RUNS[0], 6), "# One");
      await store.putReport(curationRun(profile, RUNS[0], 7), "# Two");
      expect(await store.report(profile, RUNS[0])).toEqual({
        run: curationRun(profile, RUNS[0], 6),
        markdown: "# One",
      });
    });

    it("have no report, and stay open, when the writer was killed between its two objects", async () => {
      const { bucket, store, profile } = setUp();
      await store.putPlan(curationPlan(profile, RUNS[0]));
      await bucket.put(`p/${profile}/curation/${RUNS[0]}/REPORT.md`, "# Half");
      expect(await store.report(profile, RUNS[0])).toBe(null);
      expect((await store.openPlan(profile))?.run).toBe(RUNS[0]);
      await store.putReport(curationRun(profile, RUNS[0]), "# Whole");
      expect((await store.report(profile, RUNS[0]))?.markdown).toBe("# Whole");
      expect(await store.openPlan(profile)).toBe(null);
    });

    it("give the default policy until one is put", async () => {
      const { store, profile } = setUp();
      expect(await store.policy(profile)).toEqual({ v: 1, keepSkills: [] });
      await store.putPolicy(profile, { v: 1, keepSkills: ["tables"] });
      expect(await store.policy(profile)).toEqual({ v: 1, keepSkills: ["tables"] });
    });
  });
}
