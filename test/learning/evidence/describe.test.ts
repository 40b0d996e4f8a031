// What a person reads of a skill's evidence: each use with its judges, and how the text stood after it.
import { describe, expect, it } from "vitest";
import { describeEvidence } from "../../../core/learning/evidence/describe.ts";
import { judgeTexts } from "../../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { SESSION } from "../../support/skills/reviews.ts";
import { PARENT, TEXT, endOf, usesOf } from "./uses.ts";

const RULES = DEFAULTS.learning;
const BASELINE = { turns: 10, successes: 2.5, failures: 2.5, calls: 10 };

describe("the evidence of a skill", () => {
  it("shows the verdict after each use, as it was then", () => {
    const { uses } = describeEvidence(usesOf("+?+---", { baseline: BASELINE }), { text: TEXT }, RULES);
    expect(uses.map(({ turn }) => turn)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `${SESSION}-${n}`));
    expect(uses.map(({ standing }) => standing!.verdict)).toEqual([
      "trial",
      "trial",
      "active",
      "active",
      "active",
      "withdrawn",
    ]);
    expect(uses[1]!.standing!.success).toEqual(uses[0]!.standing!.success);
    expect(uses[2]!.standing!.success.rate).toBeGreaterThan(uses[1]!.standing!.success.rate);
    expect(uses[5]!.standing!.without).toMatchObject({ rate: 0.5 });
  });

  it("ends where the verdict is", () => {
    for (const signs of ["+", "++", "+-+-", "---", "++c?", "++--x"]) {
      const evidence = usesOf(signs, { baseline: BASELINE });
      const { uses } = describeEvidence(evidence, { text: TEXT }, RULES);
      expect(uses.at(-1)!.standing!.verdict).toBe(judgeTexts(evidence, { text: TEXT }, RULES)[TEXT]!.verdict);
    }
  });

  it("lists a turn once, with its judges, the strongest first", () => {
    const evidence = [...usesOf("+", { judge: "exit" }), ...usesOf("-", { judge: "rating" })];
    const { uses } = describeEvidence(evidence, { text: TEXT }, RULES);
    expect(uses).toMatchObject([
      {
        ...{ outcome: "failure", judge: "rating", at: endOf(1) },
        judgements: [
          { judge: "rating", outcome: "failure" },
          { judge: "exit", outcome: "success" },
        ],
      },
    ]);
  });

  it("puts the present text first, and the uses of all texts in the order of time", () => {
    const evidence = [...usesOf("++", { from: 3, text: TEXT }), ...usesOf("--", { text: PARENT })];
    const { texts, uses } = describeEvidence(evidence, { text: TEXT, parent: PARENT }, RULES);
    expect(texts).toMatchObject([
      { text: TEXT, present: true, successes: 2, firstUsedAt: endOf(3), lastUsedAt: endOf(4) },
      { text: PARENT, present: false, failures: 2 },
    ]);
    expect(uses.map(({ text }) => text)).toEqual([PARENT, PARENT, TEXT, TEXT]);
  });

  it("has no standing for uses before a person restored the text", () => {
    const { uses } = describeEvidence(usesOf("--+"), { text: TEXT, since: endOf(3) }, RULES);
    expect(uses.map(({ standing }) => standing?.verdict ?? null)).toEqual([null, null, "trial"]);
  });

  it("lists the newest five hundred uses, and counts all", () => {
    const { uses, seen } = describeEvidence(usesOf("+".repeat(510)), { text: TEXT }, RULES);
    expect([uses.length, seen, uses.at(-1)!.turn]).toEqual([500, 510, `${SESSION}-510`]);
  });
});
