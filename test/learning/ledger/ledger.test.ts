// The ledger of learning over facts made by hand: every figure is one that can be counted here.
import { describe, expect, it } from "vitest";
import { type LedgerFacts, toLedger } from "../../../core/learning/ledger/ledger.ts";
import { weekOf } from "../../../core/learning/ledger/ledger-turns.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { TurnSignature } from "../../../core/schemas/learning/learning.ts";
import { LearningLedger } from "../../../core/schemas/learning/ledger.ts";
import { type SkillHead, toHeadMirror } from "../../../core/schemas/skill.ts";
import { SESSION } from "../../support/skills/reviews.ts";
import { PARENT, TEXT, endOf, usesOf } from "../evidence/uses.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** A Monday. */
const START_MS = Date.UTC(2026, 0, 5, 9);

function turn(n: number, over: Partial<TurnSignature> = {}): TurnSignature {
  return {
    ...{ turn: `${SESSION}-${n}`, session: SESSION, at: START_MS + n * HOUR_MS, request: "How much is it?" },
    ...{ tools: { terminal: 4 }, loaded: [], outcome: "success", judge: "exit", recovered: false, heldOut: false },
    effort: { calls: 4, failedCalls: 0, tokens: 400 },
    ...over,
  };
}

function head(name: string, over: Partial<SkillHead> = {}): SkillHead {
  return {
    ...{ v: 1, name, seq: 3, rev: 2, text: TEXT, description: `About ${name}.`, category: "general" },
    ...{ state: "active", pinned: false, origin: "review", files: {}, citations: [], op: "op" },
    ...{ createdAt: START_MS, revisedAt: START_MS, updatedAt: START_MS },
    ...over,
  };
}

function facts(over: Partial<LedgerFacts> = {}): LedgerFacts {
  const spent = { calls: 0, tokens: 0, usd: 0 };
  return {
    ...{ turns: [], moreTurns: false, skills: [], evidence: new Map(), page: [] },
    ...{ reviews: [], moreReviews: false, pending: [], rules: DEFAULTS.learning },
    cost: { from: "2025-01-01", to: "2026-01-31", review: spent, curation: { ...spent, runs: 0, oldest: null } },
    experiments: null,
    ...over,
  };
}

function ofSkills(heads: SkillHead[]): Pick<LedgerFacts, "skills" | "page"> {
  const skills = heads.map((one) => ({ name: one.name, mirror: toHeadMirror(one) }));
  return { skills, page: heads.map((one) => ({ head: one, lift: null })) };
}

/** What the API's schema accepts, and nothing else. */
function ledgerOf(over: Partial<LedgerFacts>): LearningLedger {
  return LearningLedger.parse(toLedger(facts(over)));
}

it("experiments are counted by how they ended, and one that has not ended is open", () => {
  const ended = { helps: 3, no_difference: 2, harms: 1, not_replayable: 4, none: 5 };
  const { experiments } = ledgerOf({
    experiments: { waiting: 1, running: 1, ...ended, withdrawnBeforeOffer: 1, replays: 20, tokens: 9_000 },
  });
  expect(experiments).toEqual({
    ...{ count: 17, open: 2, helps: 3, noDifference: 2, harms: 1, notReplayable: 4, noOutcome: 5 },
    ...{ withdrawnBeforeOffer: 1, replays: 20, tokens: 9_000 },
  });
  expect(ledgerOf({}).experiments).toBeNull();
});

describe("of nothing", () => {
  it("there are no figures, and none is invented", () => {
    const none = { turns: 0, judged: 0, successes: 0, success: null, calls: null, failedCalls: null };
    expect(ledgerOf({})).toMatchObject({
      turns: {
        seen: 0,
        more: false,
        since: null,
        all: { ...none, ms: null, recovery: null },
        periods: [],
        stretches: [],
      },
      curves: { success: null, calls: null, time: null, to80: null },
      kinds: [],
      reuse: { had: 0, loaded: 0, rate: null },
      reviews: { seen: 0, lessons: 0, refused: {}, dead: {} },
      ...{ skills: [], waits: [], bought: null },
    });
  });
});

describe("turns over time", () => {
  const failed = { outcome: "failure", recovered: true, effort: { calls: 8, failedCalls: 2, tokens: 800 } } as const;
  const turns = [
    turn(2, failed),
    turn(1),
    turn(25, { outcome: "unknown", effort: { calls: 0, failedCalls: 1, tokens: 10 } }),
  ];

  it("are counted by day, in the order in which they ended", () => {
    const { all, periods, by, since } = ledgerOf({ turns }).turns;
    expect(all).toEqual({
      ...{ turns: 3, judged: 2, successes: 1, success: 0.5, calls: 4, failedCalls: 1, ms: null, recovery: 0.5 },
      tokens: 1_210 / 3,
    });
    expect([by, since]).toEqual(["day", START_MS + HOUR_MS]);
    expect(periods.map(({ key, turns: n, success, recovery }) => [key, n, success, recovery])).toEqual([
      ["2026-01-05", 2, 0.5, 1],
      ["2026-01-06", 1, null, 0],
    ]);
  });

  it("are counted apart where they loaded a learned skill", () => {
    const loaded = [{ skill: "tables", text: TEXT }];
    const mixed = [turn(1, { ...failed, loaded }), turn(2, { loaded }), turn(3)];
    const [period] = ledgerOf({ turns: mixed, ...ofSkills([head("tables")]) }).turns.periods;
    expect([period!.loaded, ledgerOf({ turns: mixed }).turns.periods[0]!.loaded]).toEqual([
      { turns: 2, judged: 2, successes: 1 },
      { turns: 0, judged: 0, successes: 0 },
    ]);
  });

  it("are counted by week where they are told to be, or where days would be too many", () => {
    expect(ledgerOf({ turns, by: "week" }).turns.periods.map(({ key }) => key)).toEqual(["2026-W02"]);
    const far = [turn(1), turn(2, { at: START_MS + 57 * DAY_MS })];
    expect(ledgerOf({ turns: far }).turns.periods.map(({ key }) => key)).toEqual(["2026-W02", "2026-W10"]);
  });

  it.each([
    ["2026-01-04", "2026-W01"],
    ["2026-01-05", "2026-W02"],
    ["2027-01-03", "2026-W53"],
    ["2024-12-30", "2025-W01"],
  ])("the day %s is in the week %s", (day, week) => {
    expect(weekOf(Date.parse(`${day}T23:59:59Z`))).toBe(week);
  });

  it("are cut into at most twenty stretches of one length", () => {
    const many = Array.from({ length: 45 }, (_, i) => turn(i + 1));
    const { stretches } = ledgerOf({ turns: many }).turns;
    expect(stretches).toHaveLength(15);
    expect(stretches.map(({ from, to }) => to - from + 1)).toEqual(Array.from({ length: 15 }, () => 3));
  });

  it("give curves over those that were judged, and over those that called a tool", () => {
    const learning = Array.from({ length: 9 }, (_, i) =>
      turn(i + 1, {
        outcome: i === 8 ? "unknown" : i < 4 ? "failure" : "success",
        effort: { calls: i === 0 ? 0 : 8 / i, failedCalls: 0, tokens: 1 },
      }),
    );
    const { success, calls } = ledgerOf({ turns: learning }).curves;
    expect(success).toMatchObject({ turns: 8 });
    expect(success!.b).toBeGreaterThan(0);
    expect(calls!.a).toBeCloseTo(8, 10);
    expect(calls!.b).toBeCloseTo(-1, 10);
  });
});

describe("what practice brings", () => {
  /** `n` turns of one kind, the first of which fail, each a second faster than the one before. */
  const practised = (n: number, failures: number, { request = "Sum up the invoices of a supplier", from = 0 } = {}) =>
    Array.from({ length: n }, (_, i) =>
      turn(from + i + 1, {
        ...{ request, outcome: i < failures ? "failure" : "success" },
        effort: { calls: 4, failedCalls: 0, tokens: 400, ms: 20_000 / (i + 1) },
      }),
    );

  it("is seen in the time of a turn, of those whose time was measured", () => {
    const { turns, curves } = ledgerOf({ turns: [...practised(8, 0), turn(9)] });
    expect(curves.time!.a).toBeCloseTo(20_000, 5);
    expect([curves.time!.turns, curves.time!.b]).toEqual([8, expect.closeTo(-1, 10)]);
    expect(turns.stretches.at(0)!.ms).toBe(20_000);
    expect(turns.stretches.at(-1)!.ms).toBeNull();
  });

  it("is seen in the skills that were there by then, those put away since included, a person's own apart", () => {
    const at = (n: number) => START_MS + n * HOUR_MS + 1;
    const heads = [
      head("first", { createdAt: at(2), state: "archived" }),
      head("second", { createdAt: at(40) }),
      head("mine", { createdAt: at(1), origin: "user" }),
    ];
    const { periods, stretches } = ledgerOf({ turns: practised(40, 0), ...ofSkills(heads) }).turns;
    expect(stretches.map(({ skills }) => skills)).toEqual([1, ...Array.from({ length: 18 }, () => 1), 2]);
    expect(periods.map(({ skills }) => skills)).toEqual([1, 1, 2]);
  });

  it("says after how many judged turns the last ones succeeded at 80 %, and nothing where they have not", () => {
    expect(ledgerOf({ turns: practised(8, 0) }).curves.to80).toBe(5);
    expect(ledgerOf({ turns: practised(20, 4) }).curves.to80).toBe(12);
    expect(ledgerOf({ turns: practised(8, 4) }).curves.to80).toBeNull();
    expect(ledgerOf({ turns: practised(4, 0) }).curves.to80).toBeNull();
  });

  it("is shown by kind of work, for kinds with three turns, the most frequent first", () => {
    const turns = [
      ...practised(4, 4),
      ...practised(9, 1, { request: "Translate this letter into French", from: 10 }),
      ...practised(2, 0, { request: "Plan a garden", from: 30 }),
      ...practised(3, 0, { request: "Why?", from: 40 }),
    ];
    const { kinds } = ledgerOf({ turns });
    expect(kinds.map(({ request, turns: n, success, curves }) => [request, n, success, curves.to80])).toEqual([
      ["Translate this letter into French", 9, 8 / 9, 5],
      ["Sum up the invoices of a supplier", 4, 0, null],
    ]);
    expect([kinds[0]!.curves.time?.turns, kinds[1]!.curves.time]).toEqual([9, null]);
  });

  it("puts turns together that a model called by a like name, however they were asked for, and the rest by their words", () => {
    const kind = { text: "renew a TLS certificate", by: "title" as const };
    const turns = [
      turn(1, { request: "Das Zertifikat läuft ab", kind }),
      turn(10, { request: "our padlock is red again", kind: { ...kind, by: "review" } }),
      turn(20, { request: "Das Zertifikat läuft ab" }),
      turn(30, { request: "our padlock is red again", kind: { ...kind, text: "paint a door" } }),
    ];
    const { kinds } = ledgerOf({ turns });
    expect(kinds.map(({ kind: name, turns: n }) => [name, n])).toEqual([["renew a TLS certificate", 3]]);
  });
});

describe("reuse", () => {
  it("counts the turns that could have loaded a learned skill, held-out sessions apart", () => {
    const heads = [head("own", { createdAt: START_MS + 2 * HOUR_MS }), head("mine", { origin: "user" })];
    const loaded = [{ skill: "own", text: TEXT }];
    const turns = [
      turn(1), // before there was any
      turn(3),
      turn(4, { loaded }),
      turn(5, { heldOut: true }),
      turn(6, { loaded: [{ skill: "mine", text: TEXT }] }),
    ];
    expect(ledgerOf({ turns, ...ofSkills(heads) }).reuse).toEqual({ had: 3, loaded: 1, rate: 1 / 3 });
  });

  it("does not count on what is archived", () => {
    const heads = [head("own", { state: "archived" })];
    expect(ledgerOf({ turns: [turn(1)], ...ofSkills(heads) }).reuse).toEqual({ had: 0, loaded: 0, rate: null });
  });
});

describe("a skill", () => {
  const baseline = { turns: 4, successes: 1, failures: 1, calls: 9 };
  const words = [
    ...usesOf("-", { text: PARENT }),
    ...usesOf("+-?", { from: 2, baseline }),
    // A person thinks otherwise of the failure.
    ...usesOf("+", { from: 3, judge: "rating" }),
  ];
  const evidence = new Map([["tables", words]]);

  it("has its texts, each with its verdict, and counts a turn once by its strongest judge", () => {
    const [skill] = ledgerOf({
      ...ofSkills([head("tables", { reason: "It helped.", withdrawn: [sha256Hex("bad")], parent: PARENT })]),
      evidence,
    }).skills;
    expect(skill).toMatchObject({
      ...{ name: "tables", state: "active", reason: "It helped.", origin: "review", revisions: 2 },
      ...{ withdrawn: [sha256Hex("bad")], uses: 4, successes: 2, failures: 1 },
      ...{ firstUsedAt: endOf(1), lastUsedAt: endOf(4), lift: null },
      texts: [
        { text: TEXT, present: true, uses: 3, successes: 2, failures: 0, firstUsedAt: endOf(2), lastUsedAt: endOf(4) },
        { text: PARENT, present: false, uses: 1, successes: 0, failures: 1, firstUsedAt: endOf(1) },
      ],
    });
  });

  it("has the lift of all turns like it, where there are judged ones on both sides", () => {
    const before = { turns: 6, judged: 4, successes: 1 };
    const after = { turns: 5, judged: 5, successes: 4 };
    const { skills } = ofSkills([head("tables")]);
    const of = (lift: { before: typeof before; after: typeof after }) =>
      ledgerOf({ skills, page: [{ head: head("tables"), lift }] }).skills[0]!.lift;
    expect(of({ before, after })).toEqual({ before, after, lift: expect.closeTo(0.55, 10) });
    expect(of({ before: { ...before, judged: 0, successes: 0 }, after })).toMatchObject({ lift: null });
  });

  it("has its history where it is asked for alone", () => {
    const revisions = [
      { ...head("tables"), rev: 2, revisedAt: START_MS },
      { v: 1, name: "tables", rev: 1, text: PARENT, purgedAt: START_MS } as const,
    ];
    const { skills } = ofSkills([head("tables")]);
    const page = [{ head: head("tables"), lift: null, revisions }];
    expect(ledgerOf({ skills, page }).skills[0]!.history).toEqual([
      { rev: 2, text: TEXT, origin: "review", at: START_MS, purged: false },
      { rev: 1, text: PARENT, origin: null, at: START_MS, purged: true },
    ]);
  });
});

describe("what learning brought", () => {
  const baseline = { turns: 4, successes: 1, failures: 1, calls: 9 };

  it("is the calls that successful uses needed fewer than such turns without, at what a call costs there", () => {
    const heads = [head("tables"), head("sums"), head("mine", { origin: "user" })];
    const evidence = new Map([
      // 9 - 5 twice, of which one turn used another skill as well; a failure saves nothing.
      ["tables", usesOf("++-", { baseline })],
      ["sums", usesOf("+", { baseline: { ...baseline, calls: 7 }, skill: "sums" })],
      ["mine", usesOf("+", { baseline, skill: "mine" })],
    ]);
    const loaded = [{ skill: "tables", text: TEXT }];
    // Without a learned skill: 6 calls for 900 tokens.
    const turns = [
      turn(1, { effort: { calls: 4, failedCalls: 0, tokens: 500 } }),
      turn(2, { effort: { calls: 2, failedCalls: 0, tokens: 400 } }),
      turn(3, { loaded, effort: { calls: 1, failedCalls: 0, tokens: 90_000 } }),
    ];
    // The first turn had 4 of the one and 2 of the other: 3. The second had 4.
    expect(ledgerOf({ turns, ...ofSkills(heads), evidence }).bought).toEqual({
      ...{ uses: 2, calls: 7, tokens: 1_050, skills: 2 },
    });
  });

  it("counts a use that took more against it, and reads the baseline from whoever knew it", () => {
    const words = [...usesOf("-", { baseline, calls: 12 }), ...usesOf("+", { judge: "rating", calls: 12 })];
    const ledger = ledgerOf({ ...ofSkills([head("tables")]), evidence: new Map([["tables", words]]) });
    expect(ledger.bought).toEqual({ uses: 1, calls: -3, tokens: null, skills: 1 });
  });

  it("is not known while no use has a baseline", () => {
    const evidence = new Map([["tables", usesOf("+++")]]);
    expect(ledgerOf({ ...ofSkills([head("tables")]), evidence }).bought).toBeNull();
  });
});

describe("reviews", () => {
  it("say what they taught, what was refused and why, and what came to nothing", () => {
    const refused = (code: string) => ({ tool: "skill_manage", code, message: `Not so: ${code}.` });
    const result = (n: number, codes: string[]) => ({
      ...{ v: 1 as const, review: `${SESSION}.${n}-${n}`, session: SESSION, trigger: "value" as const },
      ...{ state: "done" as const, summary: "", note: "", lessons: [], refused: codes.map(refused) },
      ...{ modelCalls: 1, usage: NO_USAGE, finishedAt: 1 },
    });
    const dead = { v: 1 as const, review: `${SESSION}.9-9`, session: SESSION, code: "grant_spent", message: "", at: 1 };
    const { reviews } = ledgerOf({
      reviews: [
        { state: "waiting", outcome: null },
        { state: "done", outcome: result(5, ["uncited", "tainted", "uncited"]) },
        { state: "dead", outcome: dead },
        { state: "superseded", outcome: { ...result(3, []), state: "superseded" } },
        { state: "done", outcome: result(1, ["uncited", "duplicate", "name"]) },
      ],
    });
    expect(reviews).toMatchObject({
      ...{ seen: 5, waiting: 1, superseded: 1, byTrigger: { value: 3 }, dead: { grant_spent: 1 } },
      refused: { uncited: 3, duplicate: 1, name: 1, tainted: 1 },
    });
    expect(reviews.periods).toEqual([
      {
        ...{ key: "1970-01-01", reviews: 3, lessons: 0 },
        refused: { uncited: 3, duplicate: 1, name: 1, tainted: 1 },
      },
    ]);
    expect(reviews.lastRefused.map(({ review, code }) => [review, code])).toEqual([
      [`${SESSION}.5-5`, "uncited"],
      [`${SESSION}.5-5`, "tainted"],
      [`${SESSION}.5-5`, "uncited"],
      [`${SESSION}.1-1`, "uncited"],
      [`${SESSION}.1-1`, "duplicate"],
    ]);
  });
});
