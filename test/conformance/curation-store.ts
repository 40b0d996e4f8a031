// The conformance kit of CurationStore. It runs over the bucket double and over R2 itself.
import { describe, expect, it } from "vitest";
import type { Bucket } from "../../core/ports.ts";
import { type CurationMerge, type CurationWork, NO_NOTES } from "../../core/schemas/learning/curation.ts";
import { shardOf } from "../../core/schemas/learning/digest.ts";
import { fromCurationId } from "../../core/schemas/ids.ts";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { collect } from "../support/session/collect.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { JUDGE, curationPlan, curationRun, intent } from "../support/skills/reviews.ts";

const RUNS = ["20260105T090000Z-aaaa", "20260106T090000Z-bbbb", "20260107T090000Z-cccc"] as const;

export function describeCurationStore(name: string, make: () => Bucket): void {
  const setUp = () => {
    const bucket = make();
    return { bucket, profile: newProfileId(), store: createCurationStore({ bucket, pageProfiles: 2 }) };
  };

  describe(`${name}: due markers`, () => {
    it("are listed by past day and shard, oldest first, and can be cleared while they are paged", async () => {
      const { bucket, store } = setUp();
      // All profiles share the markers, so each run uses different days.
      const year = 1_000 + Math.floor(Math.random() * 8_000);
      const [first, second, today] = [`${year}-01-01`, `${year}-01-02`, `${year}-01-03`];
      const profiles = Array.from({ length: 400 }, newProfileId);
      const [shard, members] = [...Map.groupBy(profiles, shardOf)].sort((a, b) => b[1].length - a[1].length)[0]!;
      expect(members.length).toBeGreaterThan(2);
      for (const profile of members) await createEvidenceStore({ bucket, profile, judge: JUDGE }).markActive(second!);
      const stranger = profiles.find((profile) => shardOf(profile) !== shard)!;
      await createEvidenceStore({ bucket, profile: stranger, judge: JUDGE }).markActive(first!);
      await createEvidenceStore({ bucket, profile: stranger, judge: JUDGE }).markActive(today!);

      const due = (await collect(store.dueShards(today!))).filter(({ day }) => day >= first!);
      expect(due).toEqual([
        { day: first, shard: shardOf(stranger) },
        { day: second, shard },
      ]);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.dueProfiles(second!, shard, { cursor });
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
    it("is held by one run until it expires or is released; only its holder can renew it", async () => {
      const { store, profile } = setUp();
      const [mine, theirs] = RUNS;
      expect(await store.lease(profile, mine, 0, 100)).toBe(true);
      expect(await store.lease(profile, theirs, 99, 200)).toBe(false);
      expect(await store.lease(profile, mine, 99, 150)).toBe(true);
      expect(await store.lease(profile, theirs, 149, 250)).toBe(false);
      expect(await store.lease(profile, theirs, 150, 250)).toBe(true);
      // A run that lost the lease can neither renew nor release it.
      expect(await store.lease(profile, mine, 160, 300)).toBe(false);
      await store.release(profile, mine);
      expect(await store.lease(profile, mine, 170, 300)).toBe(false);
      await store.release(profile, theirs);
      expect(await store.lease(profile, mine, 170, 300)).toBe(true);
    });

    it("passes from a run to its work, one piece at a time", async () => {
      const { store, profile } = setUp();
      const [run, other] = RUNS;
      expect(await store.lease(profile, run, 0, 100)).toBe(true);
      expect(await store.lease(profile, run, 1, 101, "rewrite.a")).toBe(true);
      // The run's own release does not end the work's lease.
      await store.release(profile, run);
      expect(await store.lease(profile, run, 2, 102, "rewrite.b")).toBe(false);
      await store.release(profile, run, "rewrite.b");
      expect(await store.lease(profile, other, 3, 103)).toBe(false);
      expect(await store.lease(profile, run, 4, 104, "rewrite.a")).toBe(true);
      await store.release(profile, run, "rewrite.a");
      expect(await store.lease(profile, other, 5, 105)).toBe(true);
    });

    it("is won by one of ten concurrent requests", async () => {
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

    it("have no report and stay open if the writer was killed between its two objects", async () => {
      const { bucket, store, profile } = setUp();
      await store.putPlan(curationPlan(profile, RUNS[0]));
      await bucket.put(`p/${profile}/curation/${RUNS[0]}/REPORT.md`, "# Half");
      expect(await store.report(profile, RUNS[0])).toBe(null);
      expect((await store.openPlan(profile))?.run).toBe(RUNS[0]);
      await store.putReport(curationRun(profile, RUNS[0]), "# Whole");
      expect((await store.report(profile, RUNS[0]))?.markdown).toBe("# Whole");
      expect(await store.openPlan(profile)).toBe(null);
    });

    it("return the default policy until it is changed, and keep both of two concurrent changes", async () => {
      const { store, profile } = setUp();
      expect(await store.policy(profile)).toEqual({ v: 1, keepSkills: [] });
      await store.changePolicy(profile, (policy) => ({ ...policy, keepSkills: ["tables"] }));
      await Promise.all([
        store.changePolicy(profile, (policy) => ({ ...policy, paused: true })),
        store.changePolicy(profile, (policy) => ({ ...policy, keepSkills: [...policy.keepSkills, "letters"] })),
      ]);
      expect(await store.policy(profile)).toEqual({ v: 1, keepSkills: ["tables", "letters"], paused: true });
    });

    it("show an open plan even if only runs after a given one are listed", async () => {
      const { store, profile } = setUp();
      for (const run of RUNS) await store.putPlan(curationPlan(profile, run));
      expect((await store.openPlan(profile, RUNS[0]))?.run).toBe(RUNS[1]);
      await store.putReport(curationRun(profile, RUNS[1]), "# Two");
      expect((await store.openPlan(profile, RUNS[0]))?.run).toBe(RUNS[2]);
      expect(await store.openPlan(profile, RUNS[2])).toBe(null);
    });

    it("show that a profile was deleted", async () => {
      const { bucket, store, profile } = setUp();
      expect(await store.isGone(profile)).toBe(false);
      await bucket.put(`p/${profile}/GONE`, "");
      expect(await store.isGone(profile)).toBe(true);
    });
  });

  describe(`${name}: a sweep of old runs`, () => {
    it("deletes all but kept and younger runs, each plan before its report", async () => {
      const { bucket, store, profile } = setUp();
      const [old, owed, young] = RUNS;
      for (const run of RUNS) {
        await store.putPlan(curationPlan(profile, run));
        await store.work(profile, run, "rewrite.tables").createStep(0, intent(0));
        await store.putReport(curationRun(profile, run), "# Report");
      }
      await store.lease(profile, young, 0, 100);
      const deleted: string[][] = [];
      const watched: Bucket = {
        ...bucket,
        async delete(keys) {
          deleted.push([keys].flat().map((key) => key.split(`${old}/`)[1]!));
          await bucket.delete(keys);
        },
      };
      const before = fromCurationId(young);
      expect(await createCurationStore({ bucket: watched }).sweep(profile, before, [owed])).toBe(1);
      expect(deleted).toEqual([["plan", "work/rewrite.tables/0000"], ["run.json"], ["REPORT.md"]]);
      expect(await store.runs(profile)).toEqual([young, owed]);
      expect(await store.lease(profile, owed, 0, 100)).toBe(false);
      expect(await store.sweep(profile, before, [owed])).toBe(0);
    });
  });

  describe(`${name}: running checks`, () => {
    it("are recorded until they end, and may start again only after a delay, or for another text", async () => {
      const { store, profile } = setUp();
      const [text, other] = ["a".repeat(64), "b".repeat(64)];
      expect(await store.beginCheck(profile, "tables", { text, now: 10, since: 0 })).toBe(true);
      expect(await store.beginCheck(profile, "tables", { text, now: 20, since: 10 })).toBe(false);
      expect(await store.beginCheck(profile, "letters", { text, now: 20, since: 10 })).toBe(true);
      await store.endCheck(profile, "letters");
      expect(await store.beginCheck(profile, "letters", { text, now: 21, since: 10 })).toBe(true);
      expect(await store.beginCheck(profile, "tables", { text, now: 21, since: 11 })).toBe(true);
      expect(await store.beginCheck(profile, "tables", { text: other, now: 22, since: 11 })).toBe(true);
    });
  });

  describe(`${name}: the notes for the next run`, () => {
    it("are changed by compare-and-swap, and not written when nothing differs", async () => {
      const { bucket, store, profile } = setUp();
      expect(await store.notes(profile)).toEqual(NO_NOTES);
      const met = (skill: string) =>
        store.changeNotes(profile, (notes) => ({
          ...notes,
          skills: { ...notes.skills, [skill]: { seen: "2026-01-05" } },
        }));
      await Promise.all([met("tables"), met("letters")]);
      const notes = await store.notes(profile);
      expect(notes).toMatchObject({
        seq: 2,
        skills: { tables: { seen: "2026-01-05" }, letters: { seen: "2026-01-05" } },
      });
      const before = (await bucket.get(`p/${profile}/curator`))!.etag;
      await met("tables");
      expect((await bucket.get(`p/${profile}/curator`))!.etag).toBe(before);
    });
  });

  describe(`${name}: work for a model`, () => {
    const work = "rewrite.tables";

    it("keeps the first put of each step of its script", async () => {
      const { store, profile } = setUp();
      const record = store.work(profile, RUNS[0], work);
      expect(await record.script()).toEqual({ steps: [], newestAt: 0 });
      expect((await record.createStep(0, intent(0))).won).toBe(true);
      expect(await record.createStep(0, intent(0, "second"))).toEqual({ step: intent(0), won: false });
      await record.createStep(1, intent(1));
      expect((await record.script()).steps).toEqual([intent(0), intent(1)]);
      expect((await store.work(profile, RUNS[1], work).script()).steps).toEqual([]);
    });

    it("keeps the first merge at each position and the first outcome, and is listed with its run", async () => {
      const { store, profile } = setUp();
      const record = store.work(profile, RUNS[0], work);
      await record.createStep(0, intent(0));
      const merge = curationMerge(RUNS[0], work);
      expect(await record.putMerge(merge)).toEqual(merge);
      expect(await record.putMerge({ ...merge, content: "other" })).toEqual(merge);
      await record.putMerge({ ...merge, n: 12 });
      expect((await record.merges()).map(({ n }) => n)).toEqual([merge.n, 12]);
      expect((await record.script()).steps).toHaveLength(1);
      expect(await record.outcome()).toBe(null);
      const result = curationWork(RUNS[0], work);
      expect(await record.finish(result)).toEqual(result);
      expect(await record.finish({ ...result, note: "other" })).toEqual(result);
      expect(await record.outcome()).toEqual(result);
      await store.work(profile, RUNS[0], "consolidate").finish(curationWork(RUNS[0], "consolidate"));
      expect((await store.works(profile, RUNS[0])).map((done) => done.work)).toEqual(["consolidate", work]);
      expect(await store.works(profile, RUNS[1])).toEqual([]);
    });

    it("refuses a name that cannot be part of a key", async () => {
      const { store, profile } = setUp();
      for (const name of ["../other", "rewrite.", "look.A", "rewrite.a/b", "sweep.tables"]) {
        const outcome = Promise.resolve().then(() => store.work(profile, RUNS[0], name).outcome());
        await expect(outcome).rejects.toThrow(/cannot be part of a key/);
      }
    });
  });
}

function curationMerge(run: string, work: string): CurationMerge {
  return {
    ...{ v: 1, run, work, n: 3, at: 5, umbrella: "reading-tables", before: null, content: "text", files: [] },
    ...{ category: "data", absorbs: [], citations: [], items: [] },
  };
}

function curationWork(run: string, work: string): CurationWork {
  return {
    ...{ v: 1, run, work, state: "left", note: "Nothing to do.", changes: [], merges: [], refused: [] },
    ...{ modelCalls: 1, usage: NO_USAGE, spent: [], finishedAt: 9 },
  };
}
