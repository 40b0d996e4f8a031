// What the page Learning makes of the API's answers: curves, differences, cited parts, days, curations, and the places of the graph.
import { describe, expect, it } from "vitest";
import { parseUnified } from "../../dashboard/components/unified-diff.tsx";
import {
  type Report,
  beginsAt,
  changesOf,
  describeMove,
  isRevertible,
} from "../../dashboard/learning/curation-facts.ts";
import { type Ledger, toCurves, toReasons, toReviewCurves, toSums } from "../../dashboard/learning/curves.ts";
import { type GraphData, layOut, neighboursOf } from "../../dashboard/learning/graph-layout.ts";
import { groupByDay, linksOf } from "../../dashboard/learning/journey-days.ts";
import { toEntryLines, turnOf } from "../../dashboard/learning/review-facts.ts";
import type { JourneyEvent } from "../../dashboard/learning/words.ts";

const SESSION = "01J0000000000000000000000A";
const NOW = Date.parse("2026-01-20T18:00:00Z");

type Period = Ledger["turns"]["periods"][number];

function period(key: string, turns: number, successes: number, loaded = { turns: 0, judged: 0, successes: 0 }): Period {
  return {
    ...{ key, turns, judged: turns, successes, success: successes / turns, calls: turns, failedCalls: 0 },
    ...{ tokens: 100 * turns, ms: null, recovery: null, skills: 1, loaded },
  };
}

function ledger(periods: Period[], reviews: Ledger["reviews"]["periods"] = []): Ledger {
  return { turns: { periods }, reviews: { periods: reviews } } as unknown as Ledger;
}

describe("the curves of a time", () => {
  const periods = [
    period("2025-12-31", 4, 0),
    period("2026-01-13", 2, 1),
    period("2026-01-14", 4, 2, { turns: 2, judged: 2, successes: 2 }),
    period("2026-01-20", 1, 1, { turns: 1, judged: 1, successes: 1 }),
  ];

  it("have the days of the time, today included, and no others", () => {
    const { times, span, success, tokens } = toCurves(ledger(periods), 7, NOW);
    expect(times.map((at) => new Date(at).toISOString().slice(0, 10))).toEqual(["2026-01-14", "2026-01-20"]);
    expect(span).toEqual([Date.parse("2026-01-14T00:00:00Z"), Date.parse("2026-01-20T00:00:00Z")]);
    expect([success, tokens]).toEqual([
      [0.5, 1],
      [400, 100],
    ]);
  });

  it("compare turns with and without learned skills over seven days, and say nothing where there is nothing to compare", () => {
    expect(toCurves(ledger(periods), 30, NOW).lift).toEqual([null, null, 1 - 1 / 4, 1]);
    expect(toCurves(ledger([period("2026-01-20", 1, 1)]), 7, NOW).lift).toEqual([null]);
  });

  it("are summed over all turns of the time, and of the time before", () => {
    const { present, before } = toSums(ledger(periods), 7, NOW);
    expect(present).toMatchObject({ turns: 5, success: 3 / 5, calls: (4 * 4 + 1) / 5, lift: 1 });
    expect(before).toMatchObject({ turns: 2, success: 0.5, lift: null });
    expect(toSums(ledger([]), 7, NOW).present).toMatchObject({ turns: 0, success: null, calls: null, lift: null });
  });

  it("count what was refused by day and by reason", () => {
    const reviews: Ledger["reviews"]["periods"] = [
      { key: "2025-11-01", reviews: 1, lessons: 9, refused: { old: 9 } },
      { key: "2026-01-19", reviews: 2, lessons: 1, refused: { uncited: 2, duplicate: 1 } },
      { key: "2026-01-20", reviews: 1, lessons: 0, refused: { duplicate: 2 } },
    ];
    const of = ledger([], reviews);
    expect(toReviewCurves(of, 30, NOW)).toMatchObject({ lessons: [1, 0], refused: [3, 2] });
    expect(toReasons(of, 30, NOW)).toEqual([
      { code: "duplicate", count: 3 },
      { code: "uncited", count: 2 },
    ]);
  });
});

describe("a difference as the API sends it", () => {
  it("is divided into files, with the lines numbered on both sides", () => {
    const diff = [
      "state: new → trial",
      ...["--- a/SKILL.md", "+++ b/SKILL.md", "@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"],
      ...["@@ -9 +9,2 @@", " nine", "+ten", "\\ No newline at end of file"],
      ...["--- /dev/null", "+++ b/a.md", "@@ -0,0 +1,1 @@", "+new"],
      ...["--- a/b.md", "+++ /dev/null", "@@ -1,1 +0,0 @@", "-gone", ""],
    ].join("\n");
    expect(parseUnified(diff)).toEqual([
      { path: null, lines: [{ kind: "same", text: "state: new → trial" }] },
      {
        path: "SKILL.md",
        lines: [
          { kind: "same", text: "one", old: 1, new: 1 },
          { kind: "removed", text: "two", old: 2 },
          { kind: "added", text: "2", new: 2 },
          { kind: "same", text: "three", old: 3, new: 3 },
          { kind: "gap", text: "" },
          { kind: "same", text: "nine", old: 9, new: 9 },
          { kind: "added", text: "ten", new: 10 },
        ],
      },
      { path: "a.md", lines: [{ kind: "added", text: "new", new: 1 }] },
      { path: "b.md", lines: [{ kind: "removed", text: "gone", old: 1 }] },
    ]);
  });

  it("keeps lines that look like headers inside a hunk", () => {
    const [part] = parseUnified("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n--- b\n+++ c\n+@@ -1 +1 @@\n");
    expect(part!.lines.map(({ kind, text }) => [kind, text])).toEqual([
      ["removed", "-- a/y"],
      ["removed", "-- b"],
      ["added", "++ c"],
      ["added", "@@ -1 +1 @@"],
    ]);
  });

  it("may be facts with their sign, without any file", () => {
    expect(parseUnified("- Lives in Bern.\n+ Lives in Oslo.\n")).toEqual([
      {
        path: null,
        lines: [
          { kind: "removed", text: "Lives in Bern." },
          { kind: "added", text: "Lives in Oslo." },
        ],
      },
    ]);
    expect(parseUnified("")).toEqual([]);
  });
});

describe("a review's job", () => {
  const entries = [
    { n: 3, turn: 2, kind: "user", parts: [{ source: "principal", text: "Hello" }] },
    { n: 4, turn: 2, kind: "tool", call: { name: "terminal" }, parts: [{ source: "outcome", text: "x".repeat(300) }] },
  ] as unknown as Parameters<typeof toEntryLines>[0];

  it("says who wrote each entry, and cuts long ones", () => {
    const [first, second] = toEntryLines(entries);
    expect(first).toEqual({ n: 3, turn: 2, who: "You", text: "Hello" });
    expect(second).toMatchObject({ who: "Tool terminal", text: `${"x".repeat(240)}…` });
  });

  it("knows the turns of its entries", () => {
    const job = { entries } as Parameters<typeof turnOf>[0];
    expect([turnOf(job, 4), turnOf(job, 9), turnOf(null, 4)]).toEqual([2, null, null]);
  });
});

describe("the journey on the page", () => {
  const event = (at: number, more: Partial<JourneyEvent> = {}): JourneyEvent => ({
    ...{ at, about: "skill", kind: "learned", by: "review", why: "", citations: [] },
    ...more,
  });

  it("is divided into days in the order of its events", () => {
    const dayOf = (at: number) => String(Math.floor(at / 10));
    const days = groupByDay([event(25), event(21), event(9)], dayOf);
    expect(days.map(({ at, events }) => [at, events.map((one) => one.at)])).toEqual([
      [25, [25, 21]],
      [9, [9]],
    ]);
  });

  it("leads to the work, the review, the run and the decision of an event", () => {
    const hrefs = (more: Partial<JourneyEvent>) => linksOf(event(1, more)).map(({ href }) => href);
    const review = `${SESSION}.1-8`;
    expect(hrefs({ session: SESSION, turn: `${SESSION}-3` })).toEqual([`#/chat/${SESSION}/3`]);
    expect(hrefs({ session: SESSION, review })).toEqual([`#/learning/reviews/${review}`, `#/chat/${SESSION}`]);
    expect(hrefs({ run: "r", pending: "p", about: "fact" })).toEqual([
      ...["#/learning/curator/r", "#/learning/pending/p", "#/memory"],
    ]);
  });
});

describe("a curation on the page", () => {
  const at = (state: "trial" | "stale", rev: number) => ({ state, rev, text: "" });
  const change = { skill: "a", from: at("trial", 1), to: at("stale", 1), reason: "unused" };
  const report = (run: object, work?: object[]) => ({ run, work, markdown: "" }) as unknown as Report;

  it("can be rolled back while it has changed something, or work of it is under way", () => {
    expect(isRevertible(report({ dryRun: false, changes: [change] }))).toBe(true);
    expect(isRevertible(report({ dryRun: false, work: [{}] }))).toBe(true);
    expect(isRevertible(report({ dryRun: false, work: [{}] }, [{ changes: [] }]))).toBe(false);
    expect(isRevertible(report({ dryRun: true, changes: [change] }))).toBe(false);
    expect(changesOf(report({ changes: [change] }, [{ changes: [change] }]))).toEqual([change, change]);
  });

  it("says what changed in a few words, and when it began", () => {
    expect(describeMove(change)).toBe("trial → stale");
    expect(describeMove({ from: at("trial", 1), to: at("trial", 2) })).toBe("revision 1 → 2");
    expect(describeMove({ from: null, to: at("trial", 1) })).toBe("new, trial");
    expect(beginsAt("20260105T090000Z-aaaa")).toBe(Date.UTC(2026, 0, 5, 9));
  });
});

describe("the graph", () => {
  const skill = (name: string) => ({ name, description: "", state: "trial", origin: "review", turns: 1 }) as const;
  const from = (session: string, name: string) => ({ session, skill: name, revisions: 1 });
  const graph = {
    skills: ["lonely", "a", "b", "c"].map(skill),
    work: ["x", "y"].map((session) => ({ session, title: session, kind: null })),
    from: [from("y", "a"), from("x", "b"), from("x", "c")],
    together: [{ a: "a", b: "b", turns: 3, last: `${SESSION}-1` }],
    all: { skills: 4, from: 3, together: 1 },
  } satisfies GraphData;

  it("is laid out always the same, without crossings where there can be none", () => {
    const { work, skills, height } = layOut(graph);
    expect(work.map(({ session }) => session)).toEqual(["y", "x"]);
    expect(skills.map(({ name }) => name)).toEqual(["a", "b", "c", "lonely"]);
    expect([skills.map(({ y }) => y), work.map(({ y }) => y), height]).toEqual([[15, 45, 75, 105], [30, 90], 120]);
    expect(layOut(graph)).toEqual(layOut(structuredClone(graph)));
    expect(layOut({ skills: [], work: [], from: [] })).toMatchObject({ work: [], skills: [] });
  });

  it("knows the work and the companions of each skill", () => {
    expect(neighboursOf(graph, "b")).toEqual({
      sessions: ["x"],
      together: [{ name: "a", turns: 3, last: `${SESSION}-1` }],
    });
  });
});
