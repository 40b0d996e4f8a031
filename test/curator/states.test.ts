// The state table in docs/LEARNING.md. Each row is carried out on real stores.
import { describe, expect, it } from "vitest";
import type { SkillNext } from "../../core/ports.ts";
import type { SkillState } from "../../core/schemas/skill.ts";
import { adopt, unarchive } from "../../core/skills/edit/adopt.ts";
import { type Life, NAME, OTHER, archive, createLife, pin, describeSkill } from "./life.ts";

/** One successful turn that contradicted the skill's text. */
const CONTRADICTED = [["success"], { contradicted: true }] as const satisfies Parameters<Life["used"]>;

/** Evidence that is enough to make one text `active`, and to withdraw it. */
const GOOD = Array.from({ length: 4 }, () => "success" as const);
const BAD = Array.from({ length: 5 }, () => "failure" as const);

interface Row {
  from: SkillState;
  event: string;
  to: string;
  over?: Partial<SkillNext>;
  happens(life: Life): Promise<unknown>;
}

function row(from: SkillState, event: string, to: string, happens: Row["happens"], over?: Row["over"]): Row {
  return { from, event, to, happens, ...(over && { over }) };
}

const unused = (days: number) => async (life: Life) => {
  await life.live(days);
  await life.curate();
};

const byAge: Row[] = [
  row("trial", "unused for less than 30 days", "trial", unused(29)),
  row("trial", "unused for more than 30 days", "stale", unused(31)),
  row("active", "unused for more than 30 days", "stale", unused(31)),
  row("active", "unused for 200 days on none of which the profile was active", "active", async (life) => {
    life.world.clock.advance(200 * 24 * 60 * 60_000);
    await life.curate();
  }),
  row("active", "used again in time", "active", async (life) => {
    await life.live(20);
    await life.used(["unknown"]);
    await life.live(25);
    await life.curate();
  }),
  row("stale", "unused for 90 days", "archived", unused(91)),
  row("stale", "unused for 90 days, with two judged successes", "stale", async (life) => {
    await life.used(["success", "success"], { day: "2026-01-01" });
    await life.live(91);
    await life.curate();
  }),
  row("stale", "used by an unjudged turn", "trial", async (life) => {
    await life.live(5);
    await life.used(["unknown"]);
    await life.curate();
  }),
  row("stale", "used, with a proven text", "active", async (life) => {
    await life.live(5);
    await life.used(GOOD);
    await life.curate();
  }),
  row("archived", "unused", "archived", unused(200)),
  row("pending", "unused", "pending", unused(200)),
  row("active", "unused, a person's own", "active", unused(200), { origin: "user" }),
  row("active", "unused, from a hub", "active", unused(200), { origin: "hub" }),
  row("active", "unused, pinned", "active, pinned", unused(200), { pinned: true }),
  row("active", "unused, and named by a job", "active", async (life) => {
    await life.world.curation.changePolicy(life.profile, (policy) => ({ ...policy, keepSkills: [NAME] }));
    await unused(200)(life);
  }),
];

const byEvidence: Row[] = [
  row("trial", "verdict active", "active", async (life) => {
    await life.used(GOOD);
    await life.curate();
  }),
  row("active", "active by a verdict, then contradicted", "trial, rev 2", async (life) => {
    await life.patch("review");
    await life.used(GOOD);
    await life.curate();
    expect((await life.head()).state).toBe("active");
    await life.used(...CONTRADICTED);
    await life.curate();
  }),
  row("active", "verdict withdrawn, with an earlier text", "active, rev 3", async (life) => {
    await life.used(GOOD);
    await life.patch("review");
    await life.used(BAD);
    await life.curate();
    const [present, , first] = await life.skills.revisions(NAME);
    expect(present!.text).toBe(first!.text);
  }),
  row("trial", "verdict withdrawn, without an earlier text", "archived", async (life) => {
    await life.used(BAD);
    await life.curate();
  }),
  row("trial", "verdict withdrawn, pinned", "trial, pinned", async (life) => {
    await life.person(pin(true));
    await life.used(BAD);
    await life.curate();
  }),
  row(
    "active",
    "verdict withdrawn, a person's own",
    "stale",
    async (life) => {
      await life.used(BAD);
      await life.curate();
    },
    { origin: "user" },
  ),
  row("trial", "verdict withdrawn, and named by a job", "archived", async (life) => {
    await life.world.curation.changePolicy(life.profile, (policy) => ({ ...policy, keepSkills: [NAME] }));
    await life.used(BAD);
    await life.curate();
  }),
  row("trial", "verdict withdrawn, with verdicts switched off", "trial", async (life) => {
    await life.used(BAD);
    const learning = { ...life.settings.learning, verdicts: false };
    await life.curate({ settings: { ...life.settings, learning } });
  }),
  row("trial", "used by unjudged turns", "trial", async (life) => {
    await life.used(Array.from({ length: 20 }, () => "unknown" as const));
    await life.curate();
  }),
  row("stale", "by age, whatever the earlier evidence of its text", "stale", async (life) => {
    await life.used(GOOD, { day: "2026-01-01" });
    await life.live(40);
    await life.curate();
  }),
];

const byWrites: Row[] = [
  row("active", "patched by a review", "trial, rev 2", (life) => life.patch("review")),
  row("trial", "patched by a review", "trial, rev 2", (life) => life.patch("review")),
  row("stale", "patched by a review", "trial, rev 2", (life) => life.patch("review")),
  row("active", "patched by the agent in a conversation", "trial, rev 2, foreground", (life) =>
    life.patch("foreground"),
  ),
  row(
    "active",
    "a person's own, patched by the agent at their request",
    "active, rev 2",
    (life) => life.patch("foreground"),
    { origin: "user" },
  ),
  row(
    "active",
    "pinned, and patched by a review",
    "active, pinned",
    async (life) => {
      expect(await life.patch("review")).toMatchObject({ code: "skill_protected" });
    },
    { pinned: true },
  ),
  row("trial", "edited by a person", "active, rev 2, user", (life) => life.edit("Mine.\n")),
  row("trial", "edited by a person, then patched by a review", "active, rev 2, user", async (life) => {
    await life.edit("Mine.\n");
    expect(await life.patch("review")).toMatchObject({ code: "skill_protected" });
  }),
  row("archived", "created again under its name", "trial, rev 2", async (life) => {
    const content = (await life.library.view(NAME)) as { ok: true; value: { content: string } };
    await life.write("review", { action: "create", name: NAME, content: `${content.value.content}\nAnew.\n` });
  }),
  row("archived", "patched", "archived", async (life) => {
    expect(await life.patch("review")).toMatchObject({ code: "skill_archived" });
  }),
  row("archived", "viewed", "archived", async (life) => {
    expect(await life.library.view(NAME)).toMatchObject({
      value: { state: "archived", notice: expect.stringContaining("no longer offered") as string },
    });
  }),
  row("active", "a pending change is approved", "trial, rev 2, foreground", async (life) => {
    const { pending } = await life.patch("foreground", true);
    expect(await life.approve(pending as string)).toMatchObject({ ok: true, value: { state: "approved" } });
  }),
  row("active", "a pending change is approved after the head has moved", "active, pinned", async (life) => {
    const { pending } = await life.patch("foreground", true);
    await life.person(pin(true));
    expect(await life.approve(pending as string)).toMatchObject({ failure: { code: "pending_stale" } });
  }),
  row("trial", "a review notes an overlap with another skill", "trial, rev 2", async (life) => {
    await life.add(OTHER, { description: "Sums of columns, and how to check them." });
    const args = { action: "patch", name: NAME, old_string: "Verify of", new_string: "Check of", overlaps: [OTHER] };
    await life.write("review", args);
    expect((await life.curate()).overlaps).toEqual([{ skill: NAME, with: [OTHER] }]);
  }),
];

const byPersons: Row[] = [
  row("trial", "pinned", "trial, pinned", (life) => life.person(pin(true))),
  row("trial", "pinned, then unpinned and unused for more than 30 days", "stale", async (life) => {
    await life.person(pin(true));
    await life.live(40);
    await life.person(pin(false));
    await life.curate();
    expect((await life.head()).state).toBe("trial");
    await unused(31)(life);
  }),
  row("active", "archived by a person", "archived", (life) => life.person(archive)),
  row("stale", "archived by a person", "archived", (life) => life.person(archive)),
  row("archived", "restored by a person", "trial", (life) => life.person(unarchive)),
  row("archived", "restored by a person, their own", "active", (life) => life.person(unarchive), { origin: "user" }),
  row("archived", "restored by a person, then unused for 30 days", "stale", async (life) => {
    await life.live(100);
    await life.person(unarchive);
    await life.curate();
    expect((await life.head()).state).toBe("trial");
    await unused(31)(life);
  }),
  row("active", "a person's own, adopted", "active, foreground", (life) => life.person(adopt), { origin: "user" }),
  row(
    "active",
    "a person's own, adopted and unused for more than 30 days",
    "stale, foreground",
    async (life) => {
      await life.live(100);
      await life.person(adopt);
      await life.curate();
      expect((await life.head()).state).toBe("active");
      await unused(31)(life);
    },
    { origin: "user" },
  ),
  row(
    "active",
    "from a hub, adopted",
    "active",
    async (life) => {
      await expect(life.person(adopt)).rejects.toThrow("came from outside");
    },
    { origin: "hub" },
  ),
];

const byCurations: Row[] = [
  row("active", "one of its checks fails", "active", async (life) => {
    life.breaks("exit code 1, not 0");
    await life.live(8);
    const report = await life.curate();
    expect(report.health).toMatchObject([{ skill: NAME, result: "moved" }]);
    expect((await life.head()).health?.broken).toEqual(["checks/reads.json: exit code 1, not 0"]);
  }),
  row("active", "one of its checks fails, and later passes", "active", async (life) => {
    life.breaks("exit code 1, not 0");
    await life.live(8);
    await life.curate();
    life.breaks(null);
    await life.curate();
    expect((await life.head()).health?.broken).toEqual([]);
  }),
  row("trial", "made stale by a run that is rolled back", "trial", async (life) => {
    await life.live(31);
    const { run } = await life.curate();
    expect((await life.head()).state).toBe("stale");
    await life.curate({ undoes: run });
    // The skill does not become stale again the next day.
    await life.live(1);
    await life.curate();
  }),
  row("stale", "archived by a run that is rolled back", "stale", async (life) => {
    await life.live(91);
    const { run } = await life.curate();
    expect((await life.head()).state).toBe("archived");
    await life.curate({ undoes: run });
    await life.live(1);
    await life.curate();
  }),
  row("trial", "its text withdrawn by a run that is rolled back", "trial, rev 4", async (life) => {
    await life.patch("review");
    const { text } = await life.head();
    await life.used(BAD);
    const { run } = await life.curate();
    expect(await life.head()).toMatchObject({ rev: 3, withdrawn: [text] });
    await life.curate({ undoes: run });
    expect(await life.head()).toMatchObject({ text, withdrawn: [] });
  }),
  row("trial", "made stale by a run that is rolled back after the skill was pinned", "stale, pinned", async (life) => {
    await life.live(31);
    const { run } = await life.curate();
    await life.person(pin(true));
    const { undone } = await life.curate({ undoes: run });
    expect(undone).toMatchObject([{ result: "left", why: "a person has pinned it" }]);
  }),
  row("trial", "the profile is deleted", "trial", async (life) => {
    await life.live(200);
    await life.world.bucket.put(`p/${life.profile}/GONE`, "");
    const run = "20300101T000000Z-gone";
    expect(await life.world.run(life.profile, run)).toBe("done");
    expect(await life.world.curation.plan(life.profile, run)).toBeNull();
  }),
];

describe.each([
  ["age", byAge],
  ["evidence", byEvidence],
  ["a write", byWrites],
  ["a person", byPersons],
  ["a curation", byCurations],
])("a skill moved by %s:", (_by, rows) => {
  it.each(rows)("$from, $event: $to", async ({ from, to, over, happens }) => {
    const life = await createLife(from, over);
    await life.begin();
    await happens(life);
    expect(await describeSkill(life, over)).toBe(to);
  });
});

it("a curation does not age a skill that it sees for the first time, however old the skill is", async () => {
  const life = await createLife("active");
  await life.add(NAME, { state: "active" });
  await life.live(200);
  await life.curate();
  expect(await describeSkill(life)).toBe("active");
  await life.live(30);
  await life.curate();
  expect(await describeSkill(life)).toBe("stale");
});
