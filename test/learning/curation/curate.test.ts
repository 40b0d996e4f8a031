import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SkillFacts, ageOf, earliestDay, planCuration } from "../../../core/learning/curation/curate.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { dayOf } from "../../../core/schemas/ids.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { Origin, SkillState, type TextVerdict } from "../../../core/schemas/skill.ts";
import { PROFILE } from "../sample.ts";

const DAY_MS = 24 * 60 * 60_000;
const NOW = Date.UTC(2026, 5, 30, 9);
const daysAgo = (days: number) => NOW - days * DAY_MS;
/** The profile was active on every one of the last 200 days. */
const everyDay = Array.from({ length: 200 }, (_, n) => dayOf(daysAgo(200 - n)));
const RUN = "20260630T090000Z-abcd";

interface Sample {
  name?: string;
  state?: SkillState;
  origin?: Origin;
  pinned?: boolean;
  revised?: number;
  updated?: number;
  used?: number;
  successes?: number;
  texts?: SkillFacts["stats"]["texts"];
  /** Days since a curation first saw the skill; `null`: none has. */
  seen?: number | null;
}

function skill(given: Sample = {}): SkillFacts {
  const { name = "a-skill", state = "active", origin = "review", pinned = false, revised = 100 } = given;
  const { updated = revised, used, successes = 0 } = given;
  const revisedAt = String(daysAgo(revised));
  return {
    name,
    mirror: {
      seq: "4",
      rev: "2",
      text: "a".repeat(64),
      state,
      pinned: pinned ? "1" : "0",
      origin,
      createdAt: revisedAt,
      revisedAt,
      updatedAt: String(daysAgo(updated)),
    },
    stats: {
      uses: successes,
      successes,
      lastUsedDay: used === undefined ? null : dayOf(daysAgo(used)),
      texts: given.texts ?? {},
    },
    seen: given.seen === null ? null : dayOf(daysAgo(given.seen ?? 190)),
  };
}

interface Over {
  activeDays?: string[];
  keepSkills?: string[];
  dryRun?: boolean;
  settings?: Settings;
}

function plan(skills: SkillFacts[], over: Over = {}) {
  const { activeDays = everyDay, keepSkills = [], dryRun = false, settings = DEFAULTS } = over;
  const policy = { v: 1 as const, keepSkills };
  return planCuration({ run: RUN, profile: PROFILE, now: NOW, skills, activeDays, policy, settings, dryRun });
}

/** The verdict on the present text of `skill()`. */
function said(verdict: TextVerdict["verdict"]): SkillFacts["stats"]["texts"] {
  const figures = { uses: 4, successes: 2, failures: 2, contradicted: 0, rate: 0.5, pBetter: 0.5, pWorse: 0.5 };
  const rest = { calls: null, baselineCalls: null, lift: null, rewrite: false, failedWords: [], workedWords: [] };
  return { ["a".repeat(64)]: { verdict, why: "2 of 4.", ...figures, ...rest } };
}

const movesOf = (given: Sample, over = {}) => plan([skill(given)], over).moves.map(({ from, to }) => `${from} > ${to}`);

describe("planCuration", () => {
  it("stores the seq that each move is based on, sorted by name", () => {
    const skills = [skill({ name: "b" }), skill({ name: "a", state: "stale" }), skill({ name: "c", used: 1 })];
    expect(plan(skills, { dryRun: true })).toEqual({
      v: 1,
      run: RUN,
      profile: PROFILE,
      at: NOW,
      dryRun: true,
      moves: [
        { skill: "a", seq: 4, from: "stale", to: "archived", reason: "unused for 100 days, 99 of them active" },
        { skill: "b", seq: 4, from: "active", to: "stale", reason: "unused for 100 days, 99 of them active" },
      ],
    });
  });

  it.each<[Sample, string[]]>([
    [{ state: "active", revised: 30 }, ["active > stale"]],
    [{ state: "trial", revised: 30 }, ["trial > stale"]],
    [{ state: "active", revised: 29 }, []],
    [{ state: "active", revised: 100, used: 30 }, ["active > stale"]],
    [{ state: "active", revised: 100, used: 29 }, []],
    [{ state: "active", revised: 10, used: 50 }, []],
    [{ state: "stale", revised: 90, updated: 10 }, ["stale > archived"]],
    [{ state: "stale", revised: 89, updated: 10 }, []],
    [{ state: "stale", revised: 150, used: 89, updated: 10 }, []],
    [{ state: "stale", revised: 150, used: 5, updated: 10 }, ["stale > trial"]],
    [{ state: "stale", revised: 150, used: 5, updated: 10, texts: said("active") }, ["stale > active"]],
    [{ state: "stale", revised: 5, updated: 5 }, ["stale > trial"]],
    // First seen by a curation today or recently: age begins there, and being seen revives nothing.
    [{ state: "active", revised: 100, seen: null }, []],
    [{ state: "active", revised: 100, seen: 29 }, []],
    [{ state: "active", revised: 100, seen: 30 }, ["active > stale"]],
    [{ state: "stale", revised: 150, seen: null }, []],
    [{ state: "stale", revised: 150, seen: 5 }, []],
    [{ state: "stale", revised: 150, used: 3, seen: 5 }, ["stale > trial"]],
    [{ state: "active", revised: 150, updated: 3 }, []],
    [{ state: "stale", revised: 150, successes: 2, used: 140 }, []],
    [{ state: "stale", revised: 150, successes: 1, used: 140 }, ["stale > archived"]],
    [{ state: "archived", revised: 150 }, []],
    [{ state: "pending", revised: 150 }, []],
  ])("plans for %j: %j", (given, moves) => {
    expect(movesOf(given)).toEqual(moves);
  });

  it.each(["user", "hub", "bundled"] as const)("leaves a skill of origin %s alone", (origin) => {
    expect(movesOf({ origin })).toEqual([]);
  });

  it.each(["review", "foreground", "curator"] as const)("moves a skill of origin %s", (origin) => {
    expect(movesOf({ origin })).toEqual(["active > stale"]);
  });

  it("leaves pinned skills alone, and skills that a job names", () => {
    expect(movesOf({ pinned: true })).toEqual([]);
    expect(movesOf({}, { keepSkills: ["a-skill"] })).toEqual([]);
    expect(movesOf({}, { keepSkills: ["another"] })).toEqual(["active > stale"]);
  });

  it.each<[Sample, string[]]>([
    [{ state: "trial", texts: said("active") }, ["trial is active"]],
    [{ state: "active", texts: said("active"), used: 1 }, []],
    [{ state: "trial", texts: said("withdrawn") }, ["trial is withdrawn"]],
    [{ state: "active", texts: said("withdrawn") }, ["active is withdrawn"]],
    [{ state: "stale", texts: said("withdrawn") }, ["stale is withdrawn"]],
    // Evidence from before the skill became stale by age does not revive it.
    [{ state: "stale", texts: said("active"), updated: 10, revised: 80 }, []],
    [{ state: "active", texts: said("withdrawn"), origin: "user" }, ["active is withdrawn"]],
    [{ state: "stale", texts: said("withdrawn"), origin: "user" }, []],
    [{ state: "stale", texts: said("active"), origin: "user" }, ["stale is active"]],
    [{ state: "active", texts: said("withdrawn"), origin: "bundled" }, []],
    [{ state: "active", texts: said("withdrawn"), pinned: true }, []],
    [{ state: "archived", texts: said("active") }, []],
    [{ state: "trial", texts: { ["b".repeat(64)]: said("active")["a".repeat(64)]! } }, []],
  ])("plans verdicts for %j: %j", (given, verdicts) => {
    const made = plan([skill(given)]);
    expect((made.verdicts ?? []).map(({ from, verdict }) => `${from.state} is ${verdict}`)).toEqual(verdicts);
    if (verdicts.length > 0) expect(made.moves).toEqual([]);
  });

  it("makes no verdicts when they are switched off, and then takes a use as proof", () => {
    const learning = { ...DEFAULTS.learning, verdicts: false };
    const settings = { ...DEFAULTS, learning };
    expect(plan([skill({ state: "trial", revised: 5, texts: said("active") })], { settings })).toMatchObject({
      moves: [],
    });
    const revived = plan([skill({ state: "stale", revised: 150, used: 5, updated: 10 })], { settings });
    expect(revived.moves.map(({ to }) => to)).toEqual(["active"]);
  });

  it("makes at most as many changes as a run may, verdicts first, and counts the rest", () => {
    const settings = { ...DEFAULTS, curation: { ...DEFAULTS.curation, maxChanges: 2 } };
    const skills = [skill({ name: "a" }), skill({ name: "b" }), skill({ name: "c", texts: said("withdrawn") })];
    const made = plan(skills, { settings });
    expect([made.moves.map((move) => move.skill), made.verdicts!.map((move) => move.skill), made.left]).toEqual([
      ["a"],
      ["c"],
      1,
    ]);
  });

  it("requires both calendar days and active days", () => {
    const monthly = everyDay.filter((day) => day.endsWith("-01"));
    expect(ageOf(skill({ revised: 190 }), { activeDays: monthly, now: NOW })).toEqual({ days: 190, active: 6 });
    expect(movesOf({ revised: 190 }, { activeDays: monthly })).toEqual([]);
    /** The profile was active on so many of the days before today. */
    const lately = (days: number) => ({ activeDays: everyDay.slice(-days) });
    expect(movesOf({ revised: 60 }, lately(9))).toEqual([]);
    expect(movesOf({ revised: 60 }, lately(10))).toEqual(["active > stale"]);
    expect(movesOf({ state: "stale", revised: 120, updated: 60 }, lately(29))).toEqual([]);
    expect(movesOf({ state: "stale", revised: 120, updated: 60 }, lately(30))).toEqual(["stale > archived"]);
  });

  it("says why a stale skill was revived", () => {
    expect(plan([skill({ state: "stale", used: 2, updated: 20 })]).moves[0]?.reason).toBe("used again, 2 days ago");
    expect(plan([skill({ state: "stale", revised: 1 })]).moves[0]?.reason).toBe("revised again, one day ago");
  });

  it("never moves a skill twice in a row for the same reasons", () => {
    const sample = fc.record({
      state: fc.constantFrom(...SkillState.options),
      origin: fc.constantFrom(...Origin.options),
      pinned: fc.boolean(),
      revised: fc.nat(199),
      used: fc.option(fc.nat(199), { nil: undefined }),
      successes: fc.nat(3),
    });
    fc.assert(
      fc.property(sample, (given) => {
        let state = given.state;
        const seen: string[] = [];
        // As the curator changes the head: another state, `updatedAt` now.
        for (
          let [move] = plan([skill(given)]).moves;
          move;
          [move] = plan([skill({ ...given, state, updated: 0 })]).moves
        ) {
          seen.push(move.to);
          state = move.to;
          expect(seen.length).toBeLessThanOrEqual(2);
        }
        expect([[], ["stale"], ["stale", "archived"], ["archived"], ["trial"]]).toContainEqual(seen);
      }),
    );
  });
});

describe("earliestDay", () => {
  it("is the day of the oldest revision, today without any", () => {
    expect(earliestDay([skill({ revised: 3 }), skill({ revised: 40 })], NOW)).toBe(dayOf(daysAgo(40)));
    expect(earliestDay([], NOW)).toBe(dayOf(NOW));
  });
});
