// The page of learning in the terminal, for a new profile and for a full one.
import { expect, it } from "vitest";
import { renderLearning } from "../../cli/learning.ts";
import type { LearningLedger } from "../../core/schemas/learning/ledger.ts";
import { EMPTY } from "./ledger-sample.ts";

const AT = Date.UTC(2026, 0, 5, 9);
const figures = {
  turns: 4,
  judged: 4,
  successes: 3,
  success: 0.75,
  calls: 6,
  failedCalls: 1.5,
  tokens: 900,
  ms: 2_000,
  recovery: 0.5,
};
const time = { turns: 9, a: 4_000, b: -0.5, r2: 0.9 };

const FULL: LearningLedger = {
  ...EMPTY,
  turns: {
    ...{ seen: 8, more: true, since: AT, by: "week", all: figures },
    periods: [{ key: "2026-W02", ...figures, skills: 1, loaded: { turns: 0, judged: 0, successes: 0 } }],
    stretches: [
      { from: 1, to: 4, ...figures, success: 0, calls: 10, ms: 8_000, skills: 0 },
      { from: 5, to: 8, ...figures, success: null, calls: 5, ms: null, skills: 1 },
      { from: 9, to: 9, ...figures, success: 1, calls: 0, skills: 2 },
    ],
  },
  curves: { success: { turns: 8, a: -0.1012, b: 0.5478, r2: 0.5543 }, calls: null, time, to80: 7 },
  kinds: [
    {
      ...figures,
      kind: null,
      request: `What is\u001b[31m the ${"mean ".repeat(20)}?`,
      curves: { success: null, calls: null, time: null, to80: 12 },
    },
  ],
  reuse: { had: 4, loaded: 3, rate: 0.75 },
  byState: { ...EMPTY.byState, trial: 1, archived: 2 },
  skills: [
    {
      ...{ name: "reading-tables", description: "", state: "trial", origin: "review", pinned: false, revisions: 2 },
      ...{ reason: `It says\u001b[31m ${"why ".repeat(30)}`, text: "a".repeat(64), withdrawn: [] },
      ...{ createdAt: AT, revisedAt: AT, firstUsedAt: AT, lastUsedAt: AT, uses: 3, successes: 2, failures: 1 },
      health: { checkedAt: AT, broken: ["The tool `csv` is gone."] },
      texts: [
        {
          ...{ text: "a".repeat(64), present: true, firstUsedAt: AT, lastUsedAt: AT, verdict: "trial" },
          ...{
            why: "Two successes of three.",
            uses: 3,
            successes: 2,
            failures: 1,
            contradicted: 0,
            rate: 0.9,
            failedWords: [{ word: "--mode\u001b[31m", day: "2026-11-20", later: 0 }],
            workedWords: [],
          },
          ...{ pBetter: 0.712, pWorse: 0.288, calls: 4, baselineCalls: 9, lift: 0.3, rewrite: false },
        },
      ],
      lift: {
        ...{ before: { turns: 4, judged: 4, successes: 1 }, after: { turns: 5, judged: 4, successes: 3 }, lift: 0.5 },
      },
      history: [{ rev: 2, text: "a".repeat(64), origin: "review", at: AT, purged: false }],
    },
  ],
  next: "reading-tables",
  reviews: {
    ...EMPTY.reviews,
    ...{ seen: 3, lessons: 1, byTrigger: { value: 2 }, waiting: 1, dead: { grant_spent: 1 }, refused: { uncited: 1 } },
    periods: [],
    lastRefused: [
      { review: "01JZZZZZZZZZZZZZZZZZZZZZZZ.1-8", tool: "memory", code: "uncited", message: "Cite an entry." },
    ],
  },
  waits: [
    {
      ...{
        id: "0".repeat(20),
        tool: "memory",
        origin: "review",
        reason: "taint",
        summary: "Adds a fact.",
        askedAt: AT,
      },
    },
  ],
  cost: { ...EMPTY.cost, review: { calls: 7, tokens: 12_345, usd: 0.5 } },
  bought: { uses: 2, calls: 7, tokens: 1_050, skills: 1 },
};

it("the learning page of a new profile is a few lines", () => {
  expect(renderLearning(EMPTY)).toBe(
    [
      "No turn has been observed yet.",
      "",
      "No skill of its own yet.",
      "",
      "Spent on reviews since 2025-01-01: 0 model calls, 0 tokens, $0.0000",
      "Saved: not known yet.",
      "",
    ].join("\n"),
  );
});

it("the full learning page fits 80 columns of plain text", () => {
  const page = renderLearning(FULL);
  for (const line of page.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(80);
  expect(page).not.toContain("\u001b");
  expect(page.replace(/(why ?)+/, "why").replace(/\n {4}(why ?)+/, ""))
    .toBe(`8 turns since 2026-01-05, older ones left out

  week             turns    judged   success     calls    failed recovered
  2026-W02             4         4      75 %         6       1.5      50 %
  all                  4         4      75 %         6       1.5      50 %

Had a learned skill to load: 4 turns; loaded one: 3 (75 %).

One sign for 4 turns, oldest first
  success ▁·█  0 to 100 %
  calls   █▅▁  0 to 10
  time    █·▃  0 to 8 s
  skills  ▁▅█  0 to 2
  success = -0.1 + 0.55 ln n, R² 0.55, n 1…8
  seconds = 4 n^-0.5, R² 0.9, n 1…9
  80 % success after 7 judged turns

  kind of work     turns   success     calls      time   to 80 %
  What is[31m the mean mean mean mean mean mean mean mean mean mean mean mean m…
                       4      75 %         6       2 s  12 turns

Skills: 1 trial, 2 archived

  reading-tables (trial, by review), revision 2, last used 2026-01-05
    It says[31m why
    3 uses: 2 succeeded, 1 failed
    present text: trial, P(better) 0.71, lift +0.3, calls 4 for 9
      Two successes of three.
      failed lately: "--mode\\u001b[31m" (2026-11-20)
    all such turns: before it 1 of 4, since 3 of 4, lift +0.5
    broken: The tool \`csv\` is gone.
    revision 2, aaaaaaaa, by review, 2026-01-05
  More skills after reading-tables.

Reviews: 3, 1 lesson, 1 still to come
  begun by: value 2
  given up: grant_spent 1
  refused: uncited 1
    memory, uncited: Cite an entry.

1 change for you to decide on (/pending)
  taint: Adds a fact.

Spent on reviews since 2026-01-05: 7 model calls, 12,345 tokens, $0.5000
Saved, by estimate: 7 tool calls, 1,050 tokens in 2 uses
`);
});
