// One curation run over real stores: moves by age, verdicts, checks, dry runs, and recovery after a kill.
import { describe, expect, it } from "vitest";
import { toHeadCheck } from "../../core/learning/curation/head-check.ts";
import { isCurated } from "../../core/learning/curation/run-curation.ts";
import { ok } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { CurationId, dayOf, fromCurationId, toCurationId } from "../../core/schemas/ids.ts";
import { toIndexLine } from "../../core/schemas/skill.ts";
import type { RunChecks } from "../../core/skills/checks.ts";
import { PROFILE, SESSION } from "../learning/sample.ts";
import { expectSound } from "../support/skills/skills.ts";
import { DAY_MS, type World, createWorld, meet, statesOf, use } from "./world.ts";

const RUN = "20260501T000000Z-aaaa";
const LATER = "20260502T000000Z-bbbb";

/** One skill for each outcome after 31 active days. */
async function createAgedWorld(): Promise<World> {
  const world = createWorld();
  await world.addSkill(PROFILE, "forgotten");
  await world.addSkill(PROFILE, "mine", { origin: "user", state: "active" });
  await world.addSkill(PROFILE, "pinned", { pinned: true });
  await world.addSkill(PROFILE, "used");
  await meet(world, PROFILE);
  await world.liveDays(PROFILE, 31);
  await use(world, PROFILE, "used", ["success"]);
  return world;
}

describe("runCuration", () => {
  it("moves skills by age and reports the moves", async () => {
    const world = await createAgedWorld();
    expect(await world.run(PROFILE, RUN)).toBe("done");
    expect(await statesOf(world, PROFILE)).toEqual({
      forgotten: "stale",
      mine: "active",
      pinned: "trial",
      used: "trial",
    });
    const report = await world.curation.report(PROFILE, RUN);
    const seq = 1;
    const reason = "unused for 31 days, 31 of them active";
    const head = await world.profileOf(PROFILE).skills.head("forgotten");
    expect(report?.run).toEqual({
      v: 1,
      run: RUN,
      profile: PROFILE,
      dryRun: false,
      startedAt: world.clock.now(),
      finishedAt: world.clock.now(),
      skills: 4,
      byState: { pending: 0, trial: 2, active: 1, stale: 1, archived: 0 },
      moves: [{ skill: "forgotten", seq, from: "trial", to: "stale", reason, result: "moved" }],
      changes: [
        {
          skill: "forgotten",
          from: { state: "trial", rev: 1, text: head!.text },
          to: { state: "stale", rev: 1, text: head!.text },
          reason,
        },
      ],
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
    expect(head?.reason).toBe(reason);
    expect(report?.markdown).toBe(`# Curation, 2026-02-05 09:00 UTC

4 skills looked at. One move made.

- 1 in use
- 2 on trial
- 1 stale: offered last

## Moves

- **forgotten** went from trial to stale: unused for 31 days, 31 of them active.

## Library

| skill | state | uses | succeeded | failed | days unused |
| --- | --- | --- | --- | --- | --- |
| forgotten | stale | 0 | 0 | 0 | 31, 31 active |
| mine | active | 0 | 0 | 0 | not aged: a person's |
| pinned | trial | 0 | 0 | 0 | not aged: pinned |
| used | trial | 1 | 1 | 0 | 0, 0 active |

- **used**: 1 of 1 judged uses succeeded; still on trial: needs one more success, on another task.

Run \`${RUN}\` of profile \`${PROFILE}\`. Nothing was deleted: an archived skill comes back with \`POST /v1/skills/<name>/restore\`, and a pinned one (\`POST /v1/skills/<name>/pin\` with \`{"pinned": true}\`) is never moved. \`POST /v1/curator/runs/${RUN}/rollback\` takes back what this run did.
`);
  });

  it("stores use counts in the index, and later writes keep them; a dry run stores none", async () => {
    const world = await createAgedWorld();
    const useOf = async (name: string) => (await world.profileOf(PROFILE).skills.index()).skills[name]?.use;
    await world.run(PROFILE, RUN, { dryRun: true });
    expect(await useOf("used")).toBeUndefined();
    await world.run(PROFILE, LATER);
    const use = { uses: 1, successes: 1, failures: 0, lastUsedDay: expect.any(String) as string };
    expect([await useOf("used"), await useOf("forgotten")]).toEqual([use, undefined]);
    const { skills } = world.profileOf(PROFILE);
    const decide = () => ok({ pinned: true });
    expect(await skills.change({ name: "used", op: "pin", since: 0, decide })).toMatchObject({ ok: true });
    expect((await skills.rebuildIndex(() => null)).skills.used).toMatchObject({ pinned: true, use });
  });

  it("archives a skill after ninety days, and a use brings a stale one back", async () => {
    const world = await createAgedWorld();
    await world.run(PROFILE, RUN);
    await world.liveDays(PROFILE, 60);
    await use(world, PROFILE, "pinned", ["success"]);
    await world.run(PROFILE, LATER);
    expect(await statesOf(world, PROFILE)).toEqual({
      forgotten: "archived",
      mine: "active",
      pinned: "trial",
      used: "stale",
    });
    await world.profileOf(PROFILE).evidence.put({
      v: 1,
      skill: "used",
      text: (await world.profileOf(PROFILE).skills.head("used"))!.text,
      turn: `${SESSION}-2`,
      judge: "exit",
      outcome: "unknown",
      day: dayOf(world.clock.now()),
      modelCalls: 1,
      toolCalls: 1,
      failedCalls: 0,
    });
    await world.run(PROFILE, "20260503T000000Z-cccc");
    // A skill without enough evidence returns to trial.
    expect((await statesOf(world, PROFILE)).used).toBe("trial");
  });

  it("reports a profile without skills", async () => {
    const world = createWorld();
    await world.run(PROFILE, RUN);
    expect((await world.curation.report(PROFILE, RUN))?.markdown).toContain(
      "The profile has no skills of its own. Nothing moved.",
    );
  });

  it("changes nothing when it is run again", async () => {
    const world = await createAgedWorld();
    await world.run(PROFILE, RUN);
    const first = await world.curation.report(PROFILE, RUN);
    world.clock.advance(5_000);
    expect(await world.run(PROFILE, RUN)).toBe("done");
    expect(await world.curation.report(PROFILE, RUN)).toEqual(first);
  });

  it("does not move a skill that has changed since the plan was made", async () => {
    const world = await createAgedWorld();
    const at = world.clock.now();
    const move = { skill: "forgotten", seq: 1, from: "trial" as const, to: "stale" as const, reason: "unused" };
    const gone = { ...move, skill: "never-there" };
    await world.curation.putPlan({ v: 1, run: RUN, profile: PROFILE, at, dryRun: false, moves: [move, gone] });
    const { skills } = world.profileOf(PROFILE);
    await skills.change({
      name: "forgotten",
      op: "pin",
      since: 1,
      decide: () => ({ ok: true, value: { pinned: true } }),
    });
    await world.run(PROFILE, LATER);
    const report = await world.curation.report(PROFILE, RUN);
    expect(report?.run.moves).toEqual([
      { ...move, result: "left" },
      { ...gone, result: "left" },
    ]);
    expect(report?.markdown).toContain("It was changed in the meantime, so it was left alone.");
    expect((await statesOf(world, PROFILE)).forgotten).toBe("trial");
  });

  it("finishes an unfinished plan before it makes its own", async () => {
    const world = await createAgedWorld();
    const at = world.clock.now() - DAY_MS;
    const move = { skill: "forgotten", seq: 1, from: "trial" as const, to: "stale" as const, reason: "unused" };
    await world.curation.putPlan({ v: 1, run: RUN, profile: PROFILE, at, dryRun: false, moves: [move] });
    await world.run(PROFILE, LATER);
    expect((await world.curation.report(PROFILE, RUN))?.run.moves).toEqual([{ ...move, result: "moved" }]);
    expect((await world.curation.report(PROFILE, LATER))?.run.moves).toEqual([]);
  });

  it("waits while another run holds the profile, and continues when that lease has ended", async () => {
    const world = await createAgedWorld();
    const now = world.clock.now();
    await world.curation.lease(PROFILE, RUN, now, now + DEFAULTS.curation.leaseMs);
    expect(await world.run(PROFILE, LATER)).toBe("busy");
    expect(await world.curation.plan(PROFILE, LATER)).toBeNull();
    world.clock.advance(DEFAULTS.curation.leaseMs + 1);
    expect(await world.run(PROFILE, LATER)).toBe("done");
  });

  it("only reports in a dry run what it would do", async () => {
    const world = await createAgedWorld();
    const before = await statesOf(world, PROFILE);
    const now = world.clock.now();
    await world.curation.lease(PROFILE, LATER, now, now + DEFAULTS.curation.leaseMs);
    expect(await world.run(PROFILE, RUN, { dryRun: true })).toBe("done");
    expect(await statesOf(world, PROFILE)).toEqual(before);
    const report = await world.curation.report(PROFILE, RUN);
    expect(report?.run.moves).toMatchObject([{ skill: "forgotten", to: "stale", result: "planned" }]);
    expect(report?.markdown).toContain("One move would be made. This was a dry run, so nothing was changed.");
    expect(report?.markdown).toContain("- **forgotten** would go from trial to stale");
  });

  it("is finished by the next run wherever it is killed", async () => {
    const whole = await createAgedWorld();
    const killed = await whole.copyAtWrites(() => whole.run(PROFILE, RUN));
    const states = await statesOf(whole, PROFILE);
    expect(killed.length).toBeGreaterThan(8);
    for (const [writes, world] of killed.entries()) {
      expect(await world.run(PROFILE, LATER)).toBe("done");
      expect({ writes, ...(await statesOf(world, PROFILE)) }).toEqual({ writes, ...states });
      expect(await world.curation.openPlan(PROFILE)).toBeNull();
      const runs = await Promise.all([RUN, LATER].map((run) => world.curation.report(PROFILE, run)));
      const moved = runs.flatMap((report) => report?.run.moves.filter((move) => move.result === "moved") ?? []);
      expect({ writes, moved: moved.length }).toEqual({ writes, moved: 1 });
      const { head } = (await world.profileOf(PROFILE).skills.open("forgotten"))!;
      expect(head).toMatchObject({ seq: 2, rev: 1, state: "stale" });
    }
  });
});

describe("a run with verdicts, findings and work", () => {
  const broken = { check: "checks/a.json", ok: false, runnable: true, why: "exit code 1, not 0", output: "" };
  const runChecks = async (files: object) => (JSON.stringify(files).includes("name: broken") ? [broken] : []);
  const NEVER_ENDED = "checks: they took so long that the Worker running them was ended";
  const NAMES = ["broken", "forgotten", "harmful", "proven"];

  async function createFullWorld(): Promise<World> {
    const world = createWorld({ grantTokens: 300_000 });
    for (const name of NAMES) await world.addSkill(PROFILE, name);
    await meet(world, PROFILE);
    await world.liveDays(PROFILE, 31);
    await use(world, PROFILE, "broken", ["unknown"]);
    await use(world, PROFILE, "harmful", ["failure", "failure", "failure", "failure"]);
    await use(world, PROFILE, "proven", ["success", "success", "success", "success"]);
    world.sent.splice(0);
    return world;
  }

  const changesOf = async (world: World) => {
    const reports = await Promise.all([RUN, LATER].map((run) => world.curation.report(PROFILE, run)));
    const changes = reports.flatMap((report) => report?.run.changes ?? []);
    return changes.map(({ skill, from, to }) => `${skill}: ${from?.state} > ${to.state}`).sort();
  };

  it("carries out and reports all of it", async () => {
    const world = await createFullWorld();
    await world.run(PROFILE, RUN, { runChecks });
    expect(await statesOf(world, PROFILE)).toEqual({
      ...{ broken: "trial", forgotten: "stale", harmful: "archived", proven: "active" },
    });
    const { run, markdown } = (await world.curation.report(PROFILE, RUN))!;
    expect(await changesOf(world)).toEqual([
      "forgotten: trial > stale",
      "harmful: trial > archived",
      "proven: trial > active",
    ]);
    expect(run.verdicts).toMatchObject([
      { skill: "harmful", verdict: "withdrawn", result: "moved", to: "archived" },
      { skill: "proven", verdict: "active", result: "moved", to: "active" },
    ]);
    expect(run.work!.map(({ work }) => work)).toEqual(["rewrite.broken", "look.forgotten"]);
    expect(markdown).toContain("- **harmful** (trial) was withdrawn (now archived): The last 4 judged uses failed;");
    expect(markdown).toContain("3 moves made.");
  });

  it("reports in a dry run what it would do, and does none of it", async () => {
    const world = await createFullWorld();
    const before = await statesOf(world, PROFILE);
    await world.run(PROFILE, RUN, { runChecks, dryRun: true });
    expect([await statesOf(world, PROFILE), world.sent]).toEqual([before, []]);
    const { run, markdown } = (await world.curation.report(PROFILE, RUN))!;
    expect(run.verdicts!.map(({ result }) => result)).toEqual(["planned", "planned"]);
    expect(markdown).toContain("- **harmful** (trial) would be withdrawn: The last 4 judged");
    expect((await world.profileOf(PROFILE).skills.head("broken"))?.health).toBeUndefined();
  });

  it("skips checks that killed an earlier run, and runs them again after a week", async () => {
    const world = await createFullWorld();
    await world.profileOf(PROFILE).skills.change({
      ...{ name: "broken", op: "a check", since: 1 },
      decide: (current) => ok({ files: { ...current!.files, "checks/a.json": "{}" } }),
    });
    const killing: RunChecks = async (files) => {
      if ("checks/a.json" in files) throw new Error("killed");
      return [];
    };
    await expect(world.run(PROFILE, RUN, { runChecks: killing })).rejects.toThrow("killed");
    await world.run(PROFILE, RUN, { runChecks: killing });
    const { skills } = world.profileOf(PROFILE);
    const found = async () => (await skills.head("broken"))?.health?.broken;
    expect(await found()).toContain(NEVER_ENDED);
    await world.run(PROFILE, LATER, { runChecks });
    expect(await found()).toContain(NEVER_ENDED);
    world.clock.advance(DEFAULTS.curation.checkDays * DAY_MS + 1);
    await world.run(PROFILE, "20260701T000000Z-next", { runChecks });
    expect(await found()).not.toContain(NEVER_ENDED);
    expect(world.bucket.keys().filter((key) => key.includes("/checking/"))).toEqual([]);
  });

  it("stays rolled back: the next run does not reach the same verdicts from the same uses", async () => {
    const world = await createFullWorld();
    const before = await statesOf(world, PROFILE);
    await world.run(PROFILE, RUN, { runChecks });
    world.clock.advance(1_000);
    await world.run(PROFILE, LATER, { undoes: RUN });
    expect(await statesOf(world, PROFILE)).toEqual(before);
    await world.run(PROFILE, "20260701T000000Z-next", { runChecks });
    expect(await statesOf(world, PROFILE)).toEqual(before);
    world.clock.advance(1_000);
    await use(world, PROFILE, "harmful", ["failure", "failure", "failure"]);
    await world.run(PROFILE, "20260702T000000Z-next", { runChecks });
    expect(await statesOf(world, PROFILE)).toEqual({ ...before, harmful: "archived" });
  });

  it("is finished by the next run wherever it is killed, and reports each change once", async () => {
    const whole = await createFullWorld();
    const killed = await whole.copyAtWrites(() => whole.run(PROFILE, RUN, { runChecks }));
    const [states, changes] = [await statesOf(whole, PROFILE), await changesOf(whole)];
    expect(killed.length).toBeGreaterThan(20);
    for (const [writes, world] of killed.entries()) {
      expect(await world.run(PROFILE, LATER, { runChecks })).toBe("done");
      expect({ writes, ...(await statesOf(world, PROFILE)) }).toEqual({ writes, ...states });
      expect({ writes, changes: await changesOf(world) }).toEqual({ writes, changes });
      const work = world.sent.map(({ message }) => ("skill" in message ? message.skill : message.kind));
      expect({ writes, work: [...new Set(work)].sort() }).toEqual({ writes, work: ["broken", "forgotten"] });
      expect((await world.curation.notes(PROFILE)).owed).toHaveLength(2);
      const { skills } = world.profileOf(PROFILE);
      expect((await skills.head("broken"))?.health?.broken).toHaveLength(1);
      await expectSound(world.bucket, PROFILE, skills);
    }
  });
});

describe("isCurated", () => {
  it("is true after a run that started after the day's end, and false after a dry run", async () => {
    const world = createWorld();
    await world.run(PROFILE, "20260101T120000Z-aaaa");
    await world.run(PROFILE, "20260102T000000Z-bbbb", { dryRun: true });
    expect(await isCurated(world.curation, PROFILE, "2026-01-01")).toBe(false);
    await world.run(PROFILE, "20260102T000001Z-cccc");
    expect(await isCurated(world.curation, PROFILE, "2026-01-01")).toBe(true);
    expect(await isCurated(world.curation, PROFILE, "2026-01-02")).toBe(false);
  });
});

describe("the id of a run", () => {
  it("sorts by time, and differs for two runs of one second", () => {
    const digits = [0, 0.5, 0.99, 0.1];
    const id = toCurationId(Date.UTC(2026, 0, 5, 9, 8, 7, 600), () => digits.shift()!);
    expect(id).toBe("20260105T090807Z-0iz3");
    expect(CurationId.safeParse(id).success).toBe(true);
    expect(fromCurationId(id)).toBe(Date.UTC(2026, 0, 5, 9, 8, 7));
  });
});

describe("the check of a head that the index never had", () => {
  const check = toHeadCheck({}, DEFAULTS.skills);

  it("finds near duplicates among living skills, and never rejects a person's skill", async () => {
    const world = createWorld();
    await world.addSkill(PROFILE, "adding-columns", { description: "Adding up columns of tables." });
    const { skills } = world.profileOf(PROFILE);
    const index = await skills.index();
    const line = toIndexLine((await skills.head("adding-columns"))!);
    const twin = { ...line, name: "adding-up-columns" };
    expect(check(twin, index)).toBe("nearly the same as adding-columns");
    expect(check({ ...twin, origin: "user" }, index)).toBeNull();
    expect(check({ ...twin, name: "writing-letters", description: "Writing polite letters." }, index)).toBeNull();
    expect(check({ ...line, name: "adding-columns" }, index)).toBeNull();
    const archived = { ...index, skills: { "adding-columns": { ...line, state: "archived" as const } } };
    expect(check(twin, archived)).toBeNull();
  });
});
