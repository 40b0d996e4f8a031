// What a line of uses makes of a text. A row is a case: what is known, the verdict, and the sentence that a person reads.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeTexts } from "../../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { Baseline, Evidence, Lineage, TextVerdict } from "../../../core/schemas/skill.ts";
import { OTHER_SESSION, SESSION } from "../../support/skills/reviews.ts";
import { PARENT, TEXT, type UsesGiven, endOf, usesOf } from "./uses.ts";

const RULES = DEFAULTS.learning;

function judge(evidence: Evidence[], lineage: Lineage = { text: TEXT }, rules = RULES): TextVerdict | undefined {
  return judgeTexts(evidence, lineage, rules)[TEXT];
}

const baseline = (successes: number, failures: number, calls: number | null = 10): Baseline => ({
  ...{ turns: 10, successes, failures, calls },
});
/** Without the skill such turns succeed: five of five, discounted. */
const GOOD = baseline(3.36, 0);
const FAIR = baseline(2.5, 2.5);
const POOR = baseline(0, 3.36);
const FREE = baseline(3.36, 0, 0);
const UNPRICED = baseline(3.36, 0, null);

type Given = UsesGiven & { rules?: Partial<typeof RULES>; parent?: Evidence[]; since?: number };

describe("the verdict on a text", () => {
  const HELPED = usesOf("+++++", { text: PARENT });
  const FAILED = usesOf("-----", { text: PARENT });
  const NOT_YET = /still on trial: needs one more success, on another task/;
  const STREAK = /^The last 3 judged uses failed/;

  it.each<[what: string, signs: string, given: Given, verdict: TextVerdict["verdict"], why: RegExp]>([
    // what it takes to be active
    ["is used, and never judged", "??????????", {}, "trial", /^Used 10 times, and not judged yet.$/],
    ["succeeds once", "+", {}, "trial", NOT_YET],
    ["succeeds at two tasks", "++", {}, "active", /better than an even chance \(probability 73.7 %\)/],
    ["succeeds twice at one task", "++", { task: "one" }, "trial", NOT_YET],
    ["succeeds at two unnamed tasks", "++", { task: "" }, "active", /better/],
    ["succeeds as often as required", "+++", { rules: { activeSuccesses: 3 } }, "active", /^3 of 3/],
    ["succeeds less often than required", "++", { rules: { activeSuccesses: 3 } }, "trial", /needs one more success/],
    ["is better by exactly the threshold", "++", { rules: { activeBetter: 0.7368 } }, "active", /better/],
    [
      "is better by slightly less than the threshold",
      "++",
      { rules: { activeBetter: 0.7369 } },
      "trial",
      /73.7 %\), which is not enough/,
    ],
    [
      "is no better than work without it",
      "+++++",
      { baseline: GOOD, calls: 10 },
      "trial",
      /probability 50 %\), which is not/,
    ],
    ["is no worse, and cheaper", "+++", { baseline: GOOD, calls: 8 }, "active", /8 calls instead of 10; .* 55.9 %/],
    ["is no worse, and barely cheaper", "+++", { baseline: GOOD, calls: 9 }, "trial", /not enough/],
    ["is cheaper, and worse", "++", { baseline: GOOD, calls: 1 }, "trial", /39.1 %/],
    ["is worse by exactly the tolerance", "++", { baseline: GOOD, rules: { activeWorse: 0.6089 } }, "active", /60.9 %/],
    [
      "is worse by slightly more than the tolerance",
      "++",
      { baseline: GOOD, rules: { activeWorse: 0.6088 } },
      "trial",
      /not enough/,
    ],
    ["costs nothing, like other turns", "+++", { baseline: FREE, calls: 0 }, "trial", /not enough/],
    ["costs an amount that is unknown for other turns", "+++", { baseline: UNPRICED, calls: 0 }, "trial", /not enough/],
    // what it takes to be withdrawn
    ["fails once", "-", { baseline: GOOD }, "trial", /needs 2 more successes/],
    [
      "fails twice where others succeed",
      "--",
      { baseline: GOOD },
      "withdrawn",
      /worse than without it \(probability 97.2 %\)/,
    ],
    ["fails twice where others often fail", "--", { baseline: FAIR }, "trial", /needs 2 more successes/],
    [
      "is worse by exactly the limit for withdrawal",
      "--",
      { baseline: FAIR, rules: { withdrawWorse: 0.8114 } },
      "withdrawn",
      /81/,
    ],
    [
      "is worse by slightly less than that limit",
      "--",
      { baseline: FAIR, rules: { withdrawWorse: 0.8115 } },
      "trial",
      /0 of/,
    ],
    ["fails three times in a row", "---", {}, "withdrawn", STREAK],
    ["fails three times in a row at hard work", "---", { baseline: POOR }, "withdrawn", STREAK],
    ["fails three times, not in a row", "--+-", {}, "trial", NOT_YET],
    ["fails fewer times in a row than the limit", "---", { rules: { withdrawStreak: 4 } }, "trial", /^0 of 3/],
    ["fails in a row, with unjudged uses between", "-?-??-", {}, "withdrawn", STREAK],
    // what becomes of an active one
    ["helped, then fails once", "++-", {}, "active", /found to help, and has done no harm since .* 45.1 %/],
    ["helped long, then drifts", "++++++++++---", {}, "withdrawn", /last 3 judged uses failed; 10 of 13/],
    ["helped long at hard work, then fails twice", "++++++++++--", { baseline: POOR }, "active", /better/],
    ["helped, and fails increasingly where others succeed", "++++-+-+--", { baseline: GOOD }, "withdrawn", /worse/],
    ["is withdrawn, and succeeds once where it is still loaded", "++---+", {}, "trial", /not enough/],
    ["is withdrawn, and proves itself again", "++---+++", {}, "active", /better/],
    // what does not count
    ["succeeds only in uses that contradict it", "cccc", {}, "trial", /^Used 4 times, and not judged yet.$/],
    ["was contradicted between two successes", "+c+", {}, "trial", /needs one more success/],
    ["was contradicted once, and helped twice since", "+c++", {}, "active", /^3 of 3/],
    ["helped long, and is contradicted", "+++++c", {}, "trial", /needs 2 more successes/],
    ["helped long, was contradicted, and helped once since", "+++++c+", {}, "trial", /needs one more success/],
    ["fails, even in uses that contradict it", "xxx", {}, "withdrawn", STREAK],
    ["fails before and after a success that contradicted it", "--c-", {}, "withdrawn", STREAK],
    // what it was made from
    ["is new, and its parent failed", "?", { parent: FAILED }, "trial", /not judged/],
    ["fails once after a parent that failed", "-", { parent: FAILED, baseline: GOOD }, "trial", /^0 of 1/],
    [
      "succeeds twice after a parent that failed",
      "++",
      { parent: FAILED, baseline: GOOD, calls: 10 },
      "trial",
      /not enough/,
    ],
    [
      "fails at its second use after a parent that failed",
      "+-",
      { parent: FAILED, baseline: GOOD },
      "withdrawn",
      /worse/,
    ],
    ["fails twice after a parent that helped", "--", { parent: HELPED }, "trial", /needs 2 more successes/],
    [
      "fails twice where others succeed, after a parent that helped",
      "--",
      { parent: HELPED, baseline: GOOD },
      "withdrawn",
      /92.6 %/,
    ],
    ["succeeds twice after a parent that helped", "++", { parent: HELPED, baseline: FAIR }, "active", /better/],
    // what a person put back
    ["was restored, and not used since", "---", { since: endOf(9) }, "trial", /^Not used since it was restored.$/],
    ["was restored, and fails once", "----", { since: endOf(4), baseline: GOOD }, "trial", /^0 of 1/],
    ["was restored, and fails again", "-----", { since: endOf(4), baseline: GOOD }, "withdrawn", /^0 of 2/],
    ["was restored, and helps", "---++", { since: endOf(4) }, "active", /^2 of 2 .* 61.1 %/],
  ])("that %s", (_what, signs, given, verdict, why) => {
    const { rules, parent = [], since, ...more } = given;
    const lineage = { text: TEXT, ...(parent.length > 0 && { parent: PARENT }), ...(since && { since }) };
    const evidence = [...parent, ...usesOf(signs, { ...more, from: parent.length + 1 })];
    const judged = judge(evidence, lineage, { ...RULES, ...rules });
    expect(judged).toMatchObject({ verdict, why: expect.stringMatching(why) });
  });
});

describe("a use", () => {
  const [first, second, third] = usesOf("+++") as [Evidence, Evidence, Evidence];
  const say = (use: Evidence, more: Partial<Evidence>): Evidence => ({ ...use, ...more });
  const counted = (evidence: Evidence[]) => {
    const { uses, successes, failures } = judge(evidence)!;
    return { uses, successes, failures };
  };

  it.each<[what: string, evidence: Evidence[], successes: number, failures: number]>([
    ["the exit code alone", [first], 1, 0],
    ["a goal's judge over the exit code", [first, say(first, { judge: "goal", outcome: "failure" })], 0, 1],
    [
      "a rating over message, checker and exit code",
      [
        say(first, { judge: "message", outcome: "failure" }),
        say(first, { judge: "rating", outcome: "success" }),
        say(first, { judge: "checker", outcome: "failure" }),
        say(first, { outcome: "unknown" }),
      ],
      ...([1, 0] as const),
    ],
    [
      "the latest rating of a person",
      [
        say(first, { judge: "rating", nth: 2, outcome: "failure" }),
        say(first, { judge: "rating", nth: 10, outcome: "success" }),
        say(first, { judge: "rating", nth: 9, outcome: "failure" }),
      ],
      ...([1, 0] as const),
    ],
    ["nobody, if the strongest judge does not know", [first, say(first, { judge: "goal", outcome: "unknown" })], 0, 0],
  ])("is judged by %s", (_what, evidence, successes, failures) => {
    expect(counted(evidence)).toEqual({ uses: 1, successes, failures });
  });

  it("keeps its place when a rating comes days later", () => {
    const uses = usesOf("---++");
    const late = say(uses[1]!, { judge: "rating", outcome: "success", at: uses[1]!.at + 9 * 86_400_000 });
    expect([judge(uses)!.verdict, judge([...uses.slice(0, 3), late])!.why]).toEqual([
      "trial",
      "1 of 3 judged uses succeeded; still on trial: needs one more success, on another task.",
    ]);
    // As its last use it would have ended a row of failures; where it stands two are left.
    const failing = [...usesOf("+---"), say(usesOf("+")[0]!, { judge: "rating", outcome: "success", at: endOf(99) })];
    expect(judge(failing)?.verdict).toBe("withdrawn");
  });

  it("is identified by its text and its turn, so a turn that read two texts counts for both", () => {
    const texts = judgeTexts([first, say(first, { text: PARENT }), second], undefined, RULES);
    expect([texts[TEXT]?.uses, texts[PARENT]?.uses]).toEqual([2, 1]);
  });

  it("without a time is ordered by day, then by session and number of the turn", () => {
    const at = (turn: string, outcome: Evidence["outcome"], day: string) => say(first, { turn, outcome, day, at: 0 });
    const streak = [
      at(`${SESSION}-10`, "failure", "2026-01-05"),
      at(`${OTHER_SESSION}-1`, "failure", "2026-01-05"),
      at(`${SESSION}-9`, "success", "2026-01-05"),
      at(`${SESSION}-1`, "failure", "2026-01-06"),
    ];
    expect(SESSION < OTHER_SESSION).toBe(false);
    expect(judge(streak)?.verdict).toBe("trial");
    expect(judge(streak.map((use) => say(use, { day: "2026-01-05" })))?.verdict).toBe("trial");
    const later = streak.map((use) => (use.turn === `${OTHER_SESSION}-1` ? say(use, { day: "2026-01-07" }) : use));
    expect(judge(later)?.verdict).toBe("withdrawn");
  });

  it("takes facts that its strongest judge did not record from the other records", () => {
    const rated = { judge: "rating", task: "", baseline: null, contradicted: false } as const;
    const known = [first, second].map((use) => say(use, { task: "one", baseline: FAIR }));
    const both = [...known, ...known.map((use) => say(use, rated))];
    expect(judge(both)).toMatchObject({ verdict: "trial", baselineCalls: 10 });
    const contradicted = say(third, { contradicted: true });
    expect(judge([contradicted, say(third, rated)])).toMatchObject({ successes: 0, contradicted: 1, rate: null });
  });
});

describe("the figures of a text", () => {
  it("include every count, rate and probability", () => {
    const uses = [...usesOf("+?-c", { baseline: FAIR }), ...usesOf("+", { from: 5, baseline: GOOD, calls: 2 })];
    expect(judge(uses)).toEqual({
      verdict: "trial",
      why: "2 of 3 judged uses succeeded; still on trial: needs one more success, on another task.",
      ...{ uses: 5, successes: 2, failures: 1, failedWords: [], workedWords: [], contradicted: 1 },
      // 0.81 + 0 + 1 of 0.81 + 0.9 + 1.
      rate: 0.6679,
      ...{ pBetter: 0.1986, pWorse: 0.8014 },
      ...{ calls: 5, baselineCalls: 10 },
      lift: -0.3333,
      rewrite: false,
    });
  });

  it("are null if nothing is known", () => {
    expect(judge([])).toBe(undefined);
    expect(judge(usesOf("?"))).toMatchObject({
      ...{ rate: null, calls: null, baselineCalls: null, lift: null, pBetter: 0.5, pWorse: 0.5 },
    });
    expect(judge(usesOf("+", { baseline: baseline(0, 0, null) }))).toMatchObject({ lift: null });
  });

  it.each<[signs: string, rules: Partial<typeof RULES>, rewrite: boolean]>([
    ["+-+-+-+-+-", {}, true],
    ["-+-+-+-+-+", {}, false],
    ["+-+-+-+-+", {}, false],
    ["+-+-+-+-+??", {}, false],
    ["+-+-+-+-+-", { rewriteRate: 0.4 }, false],
    ["+-+-", { rewriteUses: 4 }, true],
  ])("with the uses %s and the rules %j ask for a rewrite: %s", (signs, rules, rewrite) => {
    expect(judge(usesOf(signs), { text: TEXT }, { ...RULES, ...rules })?.rewrite).toBe(rewrite);
  });

  it("include the median number of calls", () => {
    const calls = (...counts: number[]) =>
      judge(counts.map((count, at) => usesOf("+", { from: at + 1, calls: count })[0]!))?.calls;
    expect([calls(9), calls(1, 8), calls(7, 1, 2), calls(5, 100, 1, 2)]).toEqual([9, 4.5, 2, 3.5]);
  });

  it("of a text that is patched every week include those of the week before", () => {
    const texts = ["a", "b", "c"].map((letter) => letter.repeat(64));
    const weeks = texts.map((text, week) => usesOf("++", { text, from: 1 + week * 10, baseline: FAIR }));
    const [, , alone] = texts.map((text) => judgeTexts(weeks.flat(), { text }, RULES)[text]!.pBetter);
    const [, , after] = texts.map(
      (text, at) => judgeTexts(weeks.flat(), { text, parent: texts[at - 1] }, RULES)[text]!,
    );
    expect(after!.pBetter).toBeGreaterThan(alone!);
    expect(after!.verdict).toBe("active");
  });
});

const signs = fc.string({ unit: fc.constantFrom("+", "-", "?", "c", "x"), maxLength: 14 });
const baselines = fc.constantFrom(null, GOOD, FAIR, POOR);

/** Uses of a text and of its parent, some told by several judges. */
const evidences = fc.tuple(signs, signs, baselines, fc.nat()).map(([parent, present, known, seed]) => {
  const uses = [
    ...usesOf(parent, { text: PARENT, baseline: known }),
    ...usesOf(present, { from: parent.length + 1, baseline: known }),
  ];
  const judges = ["goal", "message", "checker", "rating"] as const;
  const outcomes = ["success", "failure", "unknown"] as const;
  const more = uses.flatMap((use, at) => {
    const n = seed + at * 7;
    return n % 3 === 0 ? [{ ...use, judge: judges[n % 4]!, outcome: outcomes[n % 3]!, nth: 1 + (n % 2) }] : [];
  });
  return [...uses, ...more];
});
const lineages = fc.constantFrom<Lineage>(
  { text: TEXT },
  { text: TEXT, parent: PARENT },
  { text: TEXT, since: endOf(8) },
);

describe("verdicts on any evidence", () => {
  it("do not depend on the order of the records or on repeated records", () => {
    fc.assert(
      fc.property(evidences, lineages, fc.infiniteStream(fc.nat()), (evidence, lineage, order) => {
        const shuffled = evidence
          .map((word) => [order.next().value as number, word] as const)
          .sort(([a], [b]) => a - b);
        const told = [...shuffled.map(([, word]) => word), ...evidence.slice(0, 3)];
        expect(judgeTexts(told, lineage, RULES)).toEqual(judgeTexts(evidence, lineage, RULES));
      }),
    );
  });

  it("are never worse with one more success at any place, and no success withdraws a text", () => {
    fc.assert(
      fc.property(signs, fc.nat(14), signs, baselines, (uses, place, before, known) => {
        const at = Math.min(place, uses.length);
        const parent = usesOf(before, { text: PARENT });
        // The first brings the baseline.
        const given = (line: string) => [...parent, ...usesOf(`-${line}`, { from: 20, baseline: known })];
        const lineage = { text: TEXT, parent: PARENT };
        const more = judge(given(`${uses.slice(0, at)}+${uses.slice(at)}`), lineage)!;
        expect(more.pBetter).toBeGreaterThanOrEqual(judge(given(uses), lineage)!.pBetter);
        const [last, next] = [judge(given(uses), lineage)!, judge(given(`${uses}+`), lineage)!];
        if (last.verdict !== "withdrawn") expect(next.verdict).not.toBe("withdrawn");
      }),
    );
  });

  it("do not change, nor does any probability, with a use that nobody judges", () => {
    fc.assert(
      fc.property(signs, fc.nat(14), baselines, baselines, (uses, place, known, other) => {
        const at = Math.min(place, uses.length);
        const judged = usesOf(`${uses.slice(0, at)}?${uses.slice(at)}`, { baseline: known });
        judged[at] = { ...judged[at]!, baseline: other };
        const without = judged.filter((use) => use !== judged[at]);
        const { verdict, pBetter, pWorse, rate } = judge(judged)!;
        const before = judge(without) ?? { verdict: "trial", pBetter: 0.5, pWorse: 0.5, rate: null };
        expect({ verdict, pBetter, pWorse, rate }).toEqual({
          ...{ verdict: before.verdict, pBetter: before.pBetter, pWorse: before.pWorse, rate: before.rate },
        });
      }),
    );
  });
});
