// The states of a profile's goals, against a model that was written by itself, and that each call can be repeated.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GOAL_SCHEMA, upgradeGoalTables } from "../../core/goals/goal-rows.ts";
import { createGoals } from "../../core/goals/goals.ts";
import { toNext } from "../../core/goals/goal-machine.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { type GoalChange, GoalSpec, type GoalVerdict } from "../../core/schemas/agenda/goal.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { createTestClock } from "../support/clock.ts";
import { runs } from "../support/thorough.ts";

const [A, B] = ["01J00000000000000000000000", "01J00000000000000000000001"];
const SPEC = GoalSpec.parse({ text: "Make the tests pass." });
const id = (n: number) => String(n).padStart(16, "0");

function setUp(limits = {}) {
  const sql = createNodeSql();
  for (const query of GOAL_SCHEMA) sql.run(query);
  const clock = createTestClock();
  const goals = createGoals({ sql, clock, limits: () => ({ ...DEFAULTS.goals, ...limits }) });
  const begin = (n = 1, session = A) => goals.begin({ id: id(n), session, spec: SPEC });
  const judge = (turn: number, verdict: GoalVerdict, session = A) =>
    goals.takeVerdict(id(1), { session, turn }, verdict);
  const read = (n = 1) => {
    const found = goals.find(id(n));
    if (!found.ok) throw new Error(found.failure.code);
    return found.value;
  };
  return { sql, clock, goals, begin, judge, read };
}
const go: GoalVerdict = { kind: "continue", reason: "More is to do." };
const garbage: GoalVerdict = { kind: "unparsed", reason: "No verdict." };
const out: GoalVerdict = { kind: "unreachable", reason: "overloaded" };

describe("a goal", () => {
  test("begins active, with its first continuation", () => {
    const { begin, read, clock } = setUp();
    expect(begin()).toMatchObject({ ok: true, value: { state: "active", turns: 0, maxTurns: 20 } });
    expect(toNext(read(), clock.now())).toEqual({ kind: "continue", serial: 1 });
  });

  test("pauses after twenty judged turns, and a person's resume counts anew", () => {
    const { begin, judge, read, goals } = setUp();
    begin();
    for (let turn = 1; turn <= 19; turn++) expect(judge(turn, go)?.state).toBe("active");
    expect(judge(20, go)).toMatchObject({ state: "paused", reason: "It has used its 20 turns." });
    expect(goals.change(id(1), { do: "resume" })).toMatchObject({ ok: true, value: { state: "active", turns: 0 } });
    expect(judge(21, go)?.state).toBe("active");
    expect(read().turns).toBe(1);
  });

  test.each([
    ["answers without a verdict", garbage, 3],
    ["judges that do not answer", out, 5],
    ["contradicted claims", { kind: "done", reason: "", failed: "1 test failed" } satisfies GoalVerdict, 4],
  ])("goes on after %s, and pauses at the limit", (_, verdict, limit) => {
    const { begin, judge } = setUp();
    begin();
    for (let turn = 1; turn < limit; turn++) expect(judge(turn, verdict)?.state).toBe("active");
    expect(judge(limit, verdict)?.state).toBe("paused");
  });

  test("forgets failures once the judge has answered", () => {
    const { begin, judge } = setUp();
    begin();
    for (const [turn, verdict] of [garbage, garbage, go, garbage, garbage].entries()) judge(turn + 1, verdict);
    expect(judge(6, go)?.state).toBe("active");
  });

  test("waits for half an hour at most, unless a person says how long", () => {
    const { begin, judge, goals, clock, read } = setUp();
    begin();
    judge(1, { kind: "wait", reason: "CI runs", seconds: 86_400 });
    expect(toNext(read(), clock.now())).toEqual({ kind: "wait", until: clock.now() + 30 * 60_000 });
    clock.advance(30 * 60_000);
    expect(toNext(read(), clock.now())).toEqual({ kind: "continue", serial: 2 });
    goals.change(id(1), { do: "wait", seconds: 7_200 });
    expect(toNext(read(), clock.now())).toEqual({ kind: "wait", until: clock.now() + 7_200_000 });
    goals.change(id(1), { do: "unwait" });
    expect(toNext(read(), clock.now())).toEqual({ kind: "continue", serial: 2 });
  });

  test("takes the verdict on a turn once, from the session that works at it", () => {
    const { begin, judge, read, goals } = setUp();
    begin();
    judge(1, go);
    expect(judge(1, { kind: "done", reason: "" })).toMatchObject({ state: "active", turns: 1, serial: 2 });
    expect(judge(2, { kind: "done", reason: "" }, B)).toBeNull();
    goals.change(id(1), { do: "move", session: B });
    expect(judge(2, { kind: "done", reason: "" })).toBeNull();
    expect(judge(1, { kind: "done", reason: "Shown." }, B)).toMatchObject({ state: "done" });
    expect(read().session).toBe(B);
  });

  test("is the only open one of its session, and leaves room when it has ended", () => {
    const { begin, goals } = setUp({ maxPerProfile: 2 });
    begin(1);
    expect(begin(1)).toMatchObject({ ok: true, value: { id: id(1) } });
    expect(begin(2)).toMatchObject({ ok: false, failure: { code: "goal_open" } });
    begin(2, B);
    expect(goals.change(id(2), { do: "move", session: A })).toMatchObject({
      ok: false,
      failure: { code: "goal_open" },
    });
    expect(goals.begin({ id: id(3), session: "01J00000000000000000000002", spec: SPEC })).toMatchObject({
      failure: { code: "too_many_goals" },
    });
    goals.change(id(1), { do: "clear" });
    expect(begin(3)).toMatchObject({ ok: true });
    expect(goals.find(id(1))).toMatchObject({ failure: { code: "goal_not_found" } });
  });

  test("replaces the open one of its session when it is put in its place", () => {
    const { begin, goals, read } = setUp();
    begin(1);
    expect(goals.begin({ id: id(2), session: A, spec: SPEC }, { replace: true })).toMatchObject({ ok: true });
    expect(read(1).state).toBe("cleared");
    expect(goals.newestOf(A)?.id).toBe(id(2));
  });

  test("makes its own room when it replaces one, though all others are open", () => {
    const { begin, goals } = setUp({ maxPerProfile: 2 });
    begin(1);
    begin(2, B);
    expect(goals.begin({ id: id(3), session: A, spec: SPEC }, { replace: true })).toMatchObject({ ok: true });
    expect(goals.list().map((goal) => goal.id)).toEqual([id(3), id(2)]);
  });
});

describe("who is told", () => {
  test("hears of a change, again until it was told, and of a verdict only what the prompts show", () => {
    const { begin, judge, goals, clock } = setUp();
    begin();
    expect(goals.due().map(({ what }) => what)).toEqual(["session:" + A, "shown"]);
    const [word] = goals.due();
    goals.retry(word!);
    expect(goals.due().map(({ what }) => what)).toEqual(["shown"]);
    clock.advance(2_000);
    for (const due of goals.due()) goals.settle(due);
    expect(goals.nextDue()).toBeNull();
    judge(1, go);
    expect(goals.nextDue()).toBeNull();
    judge(2, { kind: "done", reason: "" });
    expect(goals.due().map(({ what }) => what)).toEqual(["shown"]);
    expect(goals.shown()).toEqual({ goals: [] });
  });

  test("is told again of what changed while it was told", () => {
    const { begin, goals } = setUp();
    begin();
    const told = goals.due();
    goals.change(id(1), { do: "pause" });
    for (const word of told) goals.settle(word);
    expect(goals.due()).toHaveLength(2);
  });

  test("reads in no prompt what somebody else has set", () => {
    const { goals } = setUp();
    goals.begin({ id: id(1), session: A, spec: SPEC, source: "content" });
    expect(goals.shown()).toEqual({ goals: [] });
  });
});

/** What may happen, with the states it leads to, written from the reference. `null`: it is refused. */
interface Model {
  state: string;
  turns: number;
  parse: number;
  out: number;
  lied: number;
  turn: number;
  judged: number;
  until: number;
}
type Step = { change: GoalChange } | { verdict: GoalVerdict; again?: boolean } | { pass: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Step>({ change: { do: "pause" } }, { change: { do: "unwait" } }) },
  { weight: 1, arbitrary: fc.constant<Step>({ change: { do: "clear" } }) },
  { weight: 3, arbitrary: fc.constant<Step>({ change: { do: "resume" } }) },
  {
    weight: 1,
    arbitrary: fc.record({
      change: fc.record({ do: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 9_000 }) }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 3_600_000 }) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      again: fc.boolean(),
      verdict: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(go, garbage, garbage, out, out) },
        { weight: 1, arbitrary: fc.constant<GoalVerdict>({ kind: "blocked", reason: "b" }) },
        { weight: 1, arbitrary: fc.constant<GoalVerdict>({ kind: "broken", reason: "s" }) },
        { weight: 2, arbitrary: fc.constant<GoalVerdict>({ kind: "done", reason: "d", failed: "x" }) },
        { weight: 1, arbitrary: fc.constant<GoalVerdict>({ kind: "wait", reason: "w", seconds: 4_000 }) },
        { weight: 1, arbitrary: fc.constant<GoalVerdict>({ kind: "done", reason: "d" }) },
      ),
    }),
  },
);

function expected(model: Model, one: Step, now: number): Model | null {
  if ("pass" in one) return model;
  const ended = model.state === "done" || model.state === "cleared";
  if ("change" in one) {
    const what = one.change.do;
    if (ended) return what === "clear" ? model : null;
    if (what === "clear") return { ...model, state: "cleared", until: 0 };
    if (what === "pause") {
      if (model.state === "paused") return model;
      return model.state === "active" ? { ...model, state: "paused", until: 0 } : null;
    }
    if (what === "resume") {
      if (model.state === "active") return model;
      return { ...model, state: "active", turns: 0, parse: 0, out: 0, lied: 0, until: 0 };
    }
    if (model.state !== "active") return null;
    return { ...model, until: one.change.do === "wait" ? now + one.change.seconds * 1_000 : 0 };
  }
  if (model.state !== "active" || one.again) return model;
  const { verdict } = one;
  const after = { ...model, turns: model.turns + 1, until: 0 };
  if (verdict.kind === "unparsed") Object.assign(after, { parse: model.parse + 1, out: 0 });
  else if (verdict.kind === "unreachable") Object.assign(after, { out: model.out + 1 });
  else if (verdict.kind === "done" && verdict.failed) Object.assign(after, { parse: 0, out: 0, lied: model.lied + 1 });
  else Object.assign(after, { parse: 0, out: 0, lied: 0 });
  if (verdict.kind === "done" && !verdict.failed) after.state = "done";
  else if (verdict.kind === "blocked") after.state = "blocked";
  else if (verdict.kind === "broken") after.state = "paused";
  else if (after.parse === 3 || after.out === 5 || after.lied === 4 || after.turns >= 20) after.state = "paused";
  else if (verdict.kind === "wait") after.until = now + 30 * 60_000;
  return after;
}

test("a goal does what its reference model does, and its continuations are numbered once", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 80 }), (steps) => {
      const { begin, judge, goals, read, clock, sql } = setUp();
      begin();
      let model: Model = { state: "active", turns: 0, parse: 0, out: 0, lied: 0, turn: 0, judged: 0, until: 0 };
      for (const one of steps) {
        const after = expected(model, one, clock.now());
        const { serial, turns } = read();
        if ("pass" in one) clock.advance(one.pass);
        else if ("change" in one) expect(goals.change(id(1), one.change).ok).toBe(after !== null);
        else judge(one.again ? model.judged : ++model.turn, one.verdict);
        if ("verdict" in one && !one.again && model.state === "active") model.judged = model.turn;
        model = { ...(after ?? model), turn: model.turn, judged: model.judged };
        const goal = read();
        expect({ state: goal.state, turns: goal.turns, until: goal.waitUntil ?? 0 }).toEqual({
          ...{ state: model.state, turns: model.turns, until: model.until },
        });
        expect(goal.serial).toBeGreaterThanOrEqual(serial);
        if (goal.turns > turns) expect(goal.serial).toBe(serial + 1);
        if (goal.state !== "active") expect(toNext(goal, clock.now())).toEqual({ kind: "nothing" });
      }
      sql.close();
    }),
    { numRuns: runs(400) },
  );
});

test("what was said of each judged turn is kept with the goal, the newest 200, and leaves with it or with its session", () => {
  const { goals, begin, judge, clock } = setUp({ maxTurns: 200 });
  begin(1);
  judge(1, { kind: "continue", reason: "The tests are missing." });
  judge(1, { kind: "continue", reason: "A turn is judged once." });
  const failed = "$ npm test\n1 failed";
  judge(2, { kind: "done", reason: "All is there.", failed });
  const said = { at: clock.now(), session: A, state: "active" };
  const first = { ...said, turn: 1, kind: "continue", reason: "The tests are missing." };
  const verdicts = [first, { ...said, turn: 2, kind: "done", reason: "All is there.", failed }];
  expect(goals.show(id(1))).toMatchObject({ ok: true, value: { turns: 2, verdicts } });
  for (let turn = 3; turn <= 210; turn++) {
    judge(turn, { kind: "continue", reason: "" });
    goals.change(id(1), { do: "resume" });
  }
  const kept = goals.show(id(1));
  expect(kept.ok && kept.value.verdicts.map(({ turn }) => turn)).toEqual(Array.from({ length: 200 }, (_, n) => n + 11));

  goals.change(id(1), { do: "move", session: B });
  goals.loseSession(A);
  expect(goals.show(id(1))).toMatchObject({ ok: true, value: { verdicts: [] } });
  goals.loseSession(B);
  expect(goals.show(id(1))).toMatchObject({ ok: false });
});

test("goals of an earlier version, which had no moves, are found after the upgrade", () => {
  const { sql, begin, goals } = setUp();
  begin(1);
  for (const query of [
    "DROP INDEX goal_by_session",
    "ALTER TABLE goal RENAME COLUMN came_at TO created_at",
    "DROP TABLE goal_verdict",
  ])
    sql.run(query);
  expect(() => goals.newestOf(A)).toThrow("came_at");
  for (let twice = 0; twice < 2; twice++) upgradeGoalTables(sql);
  expect(goals.newestOf(A)).toMatchObject({ id: id(1) });
  expect(begin(2, B)).toMatchObject({ ok: true });
});
