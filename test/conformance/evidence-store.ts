// The conformance kit of EvidenceStore. It runs over the bucket double and over R2 itself.
import { describe, expect, it } from "vitest";
import type { Bucket } from "../../core/ports.ts";
import { shardOf } from "../../core/schemas/learning/digest.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { collect } from "../support/session/collect.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { JUDGE, evidence } from "../support/skills/reviews.ts";
import { listKeys } from "../support/skills/skills.ts";

export function describeEvidenceStore(name: string, make: () => Bucket): void {
  const setUp = () => {
    const bucket = make();
    const profile = newProfileId();
    return { bucket, profile, store: createEvidenceStore({ bucket, profile, judge: JUDGE }) };
  };

  describe(`${name}: evidence`, () => {
    it("lists one skill's evidence from the bucket's listing alone", async () => {
      const { store, bucket, profile } = setUp();
      const wanted = [
        evidence(1),
        evidence(2, { text: "b".repeat(64), outcome: "failure", judge: "rating", day: "2026-01-06" }),
      ];
      for (const item of [...wanted, evidence(3, { skill: "tables-local" })]) await store.put(item);
      const bodiless = createEvidenceStore({ bucket: { ...bucket, get: never }, profile, judge: JUDGE });
      expect(await collect(bodiless.list("tables"))).toEqual(wanted);
      expect(await collect(store.list("none"))).toEqual([]);
    });

    it("lists every field of version 2", async () => {
      const { store, bucket, profile } = setUp();
      const rich = evidence(1, {
        ...{ v: 2, at: 1_767_600_000_000, task: "tables: größer/#1", contradicted: true, tokens: 12_345 },
        baseline: { turns: 10_000, successes: 3.3616000000000006, failures: 1.2000000000000002, calls: 7.5 },
      });
      await store.put(rich);
      await store.put({ ...rich, turn: evidence(2).turn, task: "ü".repeat(1_000) });
      const bodiless = createEvidenceStore({ bucket: { ...bucket, get: never }, profile, judge: JUDGE });
      const [first, second] = await collect(bodiless.list("tables"));
      expect(first).toEqual(rich);
      // Long tasks are distinguished by their hash.
      expect(second).toEqual({ ...rich, turn: evidence(2).turn, task: expect.stringMatching(/^~[0-9a-f]{64}$/) });
      const { objects } = await bucket.list({ prefix: `p/${profile}/evidence/`, metadata: true, limit: 1 });
      const bytes = Object.entries(objects[0]!.customMetadata!).flat().join("").length;
      expect(bytes).toBeLessThan(2_048);
    });

    it("reads records of version 1", async () => {
      const { store, bucket, profile } = setUp();
      const { skill, text, turn, judge, outcome, day, modelCalls, toolCalls, failedCalls } = evidence(1);
      const counts = { modelCalls: `${modelCalls}`, toolCalls: `${toolCalls}`, failedCalls: `${failedCalls}` };
      await bucket.put(`p/${profile}/evidence/tables/${text}/${turn}.exit`, "{}", {
        customMetadata: { outcome, judge, day, ...counts },
      });
      const stats = { v: 1, skill, uses: 9, successes: 9, failures: 0, lastUsedDay: day };
      await bucket.put(`p/${profile}/stats/tables`, JSON.stringify(stats));
      expect(await collect(store.list("tables"))).toEqual([evidence(1)]);
      expect(await store.fold("tables")).toMatchObject({ v: 2, uses: 1, texts: { [text]: { verdict: "trial" } } });
    });

    it("keeps every opinion of a judge who changes it, and counts the last", async () => {
      const { store, bucket, profile } = setUp();
      await store.put(evidence(1, { outcome: "failure" }));
      const words = [1, 2, 10].map((nth) =>
        evidence(1, { judge: "rating", nth, outcome: nth === 2 ? "failure" : "success" }),
      );
      for (const word of words) await store.put(word);
      await store.put({ ...words[2]!, outcome: "failure" });
      const keys = await listKeys(bucket, `p/${profile}/evidence/`);
      expect(keys.map((key) => key.split(`${evidence(1).turn}.`)[1])).toEqual([
        "exit",
        "rating",
        "rating.10",
        "rating.2",
      ]);
      expect(await collect(store.list("tables"))).toEqual([
        evidence(1, { outcome: "failure" }),
        ...[words[0], words[2], words[1]],
      ]);
      expect(await store.fold("tables")).toEqual(stats(1, 1, 0, "2026-01-05"));
    });

    it("gives each text a verdict, the current one in view of the text it was made from", async () => {
      const { store } = setUp();
      const [before, after] = ["b".repeat(64), "a".repeat(64)];
      for (const turn of [1, 2, 3]) await store.put(evidence(turn, { text: before }));
      await store.put(evidence(4, { text: after, outcome: "failure" }));
      const alone = (await store.fold("tables")).texts;
      const { texts } = await store.fold("tables", { text: after, parent: before });
      expect([texts[before], texts[after]?.verdict]).toEqual([alone[before], "trial"]);
      expect(texts[before]?.verdict).toBe("active");
      expect(texts[after]!.pBetter).toBeGreaterThan(alone[after]!.pBetter);
    });

    it("gives two concurrent folds the same result", async () => {
      const { store, bucket, profile } = setUp();
      for (const turn of [1, 2]) await store.put(evidence(turn));
      const other = createEvidenceStore({ bucket, profile, judge: JUDGE });
      const [one, two] = await Promise.all([store.fold("tables"), other.fold("tables")]);
      expect(one).toEqual(two);
      expect(JSON.parse(await (await bucket.get(`p/${profile}/stats/tables`))!.text())).toEqual(one);
    });

    it("ignores a second put of the same turn and judge", async () => {
      const { store } = setUp();
      await store.put(evidence(1));
      await store.put(evidence(1, { outcome: "failure" }));
      expect(await collect(store.list("tables"))).toEqual([evidence(1)]);
    });

    it("folds each turn once, by its strongest judge, whatever the order of the listing", async () => {
      const { store } = setUp();
      expect(await store.fold("tables")).toEqual(stats(0, 0, 0, null));
      await store.put(evidence(1, { outcome: "failure" }));
      await store.put(evidence(2, { outcome: "unknown", day: "2026-02-01" }));
      await store.put(evidence(10));
      expect(await store.fold("tables")).toEqual(stats(3, 1, 1, "2026-02-01"));
      await store.put(evidence(1, { judge: "message", outcome: "unknown" }));
      await store.put(evidence(1, { judge: "rating", outcome: "success", day: "2026-02-03" }));
      await store.put(evidence(1, { judge: "checker", outcome: "failure" }));
      await store.put(evidence(2, { judge: "goal", outcome: "failure", day: "2026-02-02" }));
      expect(await store.fold("tables")).toEqual(stats(3, 2, 1, "2026-02-03"));
      expect(await store.fold("tables")).toEqual(stats(3, 2, 1, "2026-02-03"));
    });

    it("stores the folded stats", async () => {
      const { store, bucket, profile } = setUp();
      await store.put(evidence(1));
      const folded = await store.fold("tables");
      const stored = await bucket.get(`p/${profile}/stats/tables`);
      expect(JSON.parse(await stored!.text())).toEqual(folded);
    });

    it("lists the counts of the last folds without reading an object", async () => {
      const { store, bucket, profile } = setUp();
      await store.put(evidence(1));
      await store.put(evidence(2, { skill: "letters", outcome: "failure" }));
      await store.fold("tables");
      await store.fold("letters");
      // Not folded yet.
      await store.put(evidence(3));
      const bodiless = createEvidenceStore({ bucket: { ...bucket, get: never }, profile, judge: JUDGE });
      const one = { uses: 1, lastUsedDay: evidence(1).day };
      expect(await bodiless.lastCounts()).toEqual(
        new Map([
          ["letters", { ...one, successes: 0, failures: 1 }],
          ["tables", { ...one, successes: 1, failures: 0 }],
        ]),
      );
    });

    it("never replaces a fold with one that listed less evidence", async () => {
      const { store, bucket, profile } = setUp();
      await store.put(evidence(1));
      let listings = 0;
      const slow: Bucket = {
        ...bucket,
        async list(options) {
          const page = await bucket.list(options);
          if (listings++ === 0) {
            await store.put(evidence(2));
            await store.fold("tables");
          }
          return page;
        },
      };
      expect(await createEvidenceStore({ bucket: slow, profile, judge: JUDGE }).fold("tables")).toEqual(
        stats(2, 2, 0, "2026-01-05"),
      );
      expect(JSON.parse(await (await bucket.get(`p/${profile}/stats/tables`))!.text())).toMatchObject({ uses: 2 });
    });

    it("names the key of unparsable evidence", async () => {
      const { store, bucket, profile } = setUp();
      const key = `p/${profile}/evidence/tables/${"a".repeat(64)}/${evidence(1).turn}.exit`;
      await bucket.put(key, "{}");
      await expect(collect(store.list("tables"))).rejects.toThrow(`The record ${key} does not parse: outcome:`);
    });
  });

  describe(`${name}: activity`, () => {
    it("lists active days in order, from a given day", async () => {
      const { store } = setUp();
      const days = ["2026-01-31", "2025-12-31", "2026-01-09", "2026-01-10", "2026-02-01"];
      for (const day of [...days, "2026-01-10"]) await store.markActive(day);
      expect(await store.activeDays("2026-01-10")).toEqual(["2026-01-10", "2026-01-31", "2026-02-01"]);
      expect(await store.activeDays("2026-01-01")).toEqual(["2026-01-09", "2026-01-10", "2026-01-31", "2026-02-01"]);
      expect(await store.activeDays("2027-01-01")).toEqual([]);
      expect(await store.activeDays("2000-01-01")).toEqual([...days].sort());
    });

    it("puts a day's marker once: a late second call does not make the day due again", async () => {
      const { store, bucket, profile } = setUp();
      const due = `due/2026-01-10/${shardOf(profile)}/${profile}`;
      await store.markActive("2026-01-10");
      expect(await bucket.get(due)).not.toBe(null);
      await bucket.delete(due);
      await store.markActive("2026-01-10");
      expect(await bucket.get(due)).toBe(null);
      await bucket.delete(`p/${profile}/active/2026-01-10`);
      // A kill between the two puts leaves the marker without the day. The next call puts both.
      await store.markActive("2026-01-10");
      expect([await bucket.get(due), await store.activeDays("2026-01-10")]).toMatchObject([
        { key: due },
        ["2026-01-10"],
      ]);
    });
  });
}

function stats(uses: number, successes: number, failures: number, lastUsedDay: string | null) {
  return { v: 2, skill: "tables", uses, successes, failures, lastUsedDay, texts: expect.any(Object) };
}

async function never(): Promise<never> {
  throw new Error("A listing reads no bodies.");
}
