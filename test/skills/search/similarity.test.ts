import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { type SkillSummary, createNeighbourhood, nearestNeighbours } from "../../../core/skills/search/similarity.ts";

const LOGS = { name: "reading-server-logs", description: "Reads server logs. Use when one is given." };

function similarityOf(a: SkillSummary, b: SkillSummary): number {
  return nearestNeighbours([a], b)[0]?.similarity ?? 0;
}

describe("the similarity of two skills", () => {
  it("is 1 for the same words in any order and with any endings", () => {
    const same = { name: "server-log-reading", description: "Use when given a server's log to read. Reads logs." };
    expect(similarityOf(LOGS, same)).toBeGreaterThanOrEqual(DEFAULTS.skills.duplicateSimilarity);
    expect(similarityOf(LOGS, { ...LOGS, name: "server-logs-reading" })).toBe(1);
  });

  it.each([
    ["another subject", { name: "writing-letters", description: "Writes letters. Use when one is wanted." }],
    ["a related subject", { name: "reading-client-logs", description: "Reads what browsers report. Use for crashes." }],
    ["no common word", { name: "日本語", description: "手紙を書く" }],
  ])("is below the threshold for %s", (_what, other) => {
    expect(similarityOf(LOGS, other)).toBeLessThan(DEFAULTS.skills.duplicateSimilarity);
  });

  it("distinguishes texts without spaces between words", () => {
    const letters = { name: "a", description: "取引先への手紙を書く方法" };
    expect(similarityOf(letters, { name: "b", description: "取引先への手紙を書く方法" })).toBeGreaterThan(0.8);
    expect(similarityOf(letters, { name: "b", description: "予定表を読む" })).toBeLessThan(0.3);
  });

  it("reads one endless word in linear time", () => {
    const began = performance.now();
    expect(similarityOf({ name: "a", description: "b".repeat(100_000) }, { name: "b", description: "c" })).toBeLessThan(
      1,
    );
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it("is symmetric and lies between 0 and 1", () => {
    const skills = fc.record({ name: fc.stringMatching(/^[a-z]{1,8}(-[a-z]{1,8}){0,2}$/), description: fc.lorem() });
    fc.assert(
      fc.property(skills, skills, (a, b) => {
        const similarity = similarityOf(a, b);
        expect(similarity).toBe(similarityOf(b, a));
        expect(similarity).toBeGreaterThanOrEqual(0);
        expect(similarity).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe("nearestNeighbours", () => {
  it("returns the nearest first, no more than requested, and nothing without a common word", () => {
    const skills = [
      { name: "writing-letters", description: "Writes letters." },
      { name: "reading-logs", description: "Reads logs." },
      { name: "reading-server-logs-fast", description: "Reads server logs quickly." },
    ];
    const names = (most: number) => nearestNeighbours(skills, LOGS, most).map(({ name }) => name);
    expect(names(10)).toEqual(["reading-server-logs-fast", "reading-logs"]);
    expect(names(1)).toEqual(["reading-server-logs-fast"]);
  });

  it("counts a skill and its companion as one", () => {
    const pair = [LOGS, { ...LOGS, name: "reading-server-logs-local" }];
    expect(nearestNeighbours(pair, LOGS)).toEqual([]);
    expect(nearestNeighbours(pair, { ...LOGS, name: "reading-server-logs-local" })).toEqual([]);
    expect(nearestNeighbours(pair, { ...LOGS, name: "server-log-reading" })).toEqual([
      { name: "reading-server-logs", similarity: 1 },
    ]);
  });
});

describe("a neighbourhood index", () => {
  it("answers like a comparison with each of its skills, including added ones", () => {
    const skills = fc.record({ name: fc.stringMatching(/^[a-z]{1,4}(-[a-z]{1,4}){0,2}$/), description: fc.lorem() });
    fc.assert(
      fc.property(fc.uniqueArray(skills, { maxLength: 40, selector: ({ name }) => name }), (library) => {
        const hood = createNeighbourhood(library.slice(0, 10));
        for (const skill of library.slice(10)) hood.add(skill);
        for (const skill of library) expect(hood.nearest(skill, 8)).toEqual(nearestNeighbours(library, skill, 8));
      }),
    );
  });

  it("of a large library finds skills that share a rare word, however many share a common one", () => {
    const alike = Array.from({ length: 1_000 }, (_, n) => ({ name: `report-${n}`, description: "Writes reports." }));
    const far = { name: "haddock-report", description: "Writes reports of walruses." };
    const hood = createNeighbourhood([...alike, far]);
    expect(hood.nearest({ name: "walrus-report", description: "Writes reports of walruses." }, 1)).toEqual([
      { name: "haddock-report", similarity: 6 / 7 },
    ]);
  });
});
