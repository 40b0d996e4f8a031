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

const unused = (days: number) => async (life: Life) => {
  await life.live(days);
  await life.curate();
};

const byAge: Row[] = [
  { from: "trial", event: "unused for less than 30 days", to: "trial", happens: unused(29) },
  { from: "trial", event: "unused for more than 30 days", to: "stale", happens: unused(31) },
  { from: "active", event: "unused for more than 30 days", to: "stale", happens: unused(31) },
  {
    from: "active",
    event: "unused for 200 days on none of which the profile was active",
    to: "active",
    async happens(life) {
      life.world.clock.advance(200 * 24 * 60 * 60_000);
      await life.curate();
    },
  },
  {
    from: "active",
    event: "used again in time",
    to: "active",
    async happens(life) {
      await life.live(20);
      await life.used(["unknown"]);
      await life.live(25);
      await life.curate();
    },
  },
  { from: "stale", event: "unused for 90 days", to: "archived", happens: unused(91) },
  {
    from: "stale",
    event: "unused for 90 days, with two judged successes",
    to: "stale",
    async happens(life) {
      await life.used(["success", "success"], { day: "2026-01-01" });
      await life.live(91);
      await life.curate();
    },
  },
  {
    from: "stale",
    event: "used by an unjudged turn",
    to: "trial",
    async happens(life) {
      await life.live(5);
      await life.used(["unknown"]);
      await life.curate();
    },
  },
  {
    from: "stale",
    event: "used, with a proven text",
    to: "active",
    async happens(life) {
      await life.live(5);
      await life.used(GOOD);
      await life.curate();
    },
  },
  { from: "archived", event: "unused", to: "archived", happens: unused(200) },
  { from: "pending", event: "unused", to: "pending", happens: unused(200) },
  { from: "active", event: "unused, a person's own", to: "active", over: { origin: "user" }, happens: unused(200) },
  { from: "active", event: "unused, from a hub", to: "active", over: { origin: "hub" }, happens: unused(200) },
  { from: "active", event: "unused, pinned", to: "active, pinned", over: { pinned: true }, happens: unused(200) },
  {
    from: "active",
    event: "unused, and named by a job",
    to: "active",
    async happens(life) {
      await life.world.curation.changePolicy(life.profile, (policy) => ({ ...policy, keepSkills: [NAME] }));
      await unused(200)(life);
    },
  },
];

const byEvidence: Row[] = [
  {
    from: "trial",
    event: "verdict active",
    to: "active",
    async happens(life) {
      await life.used(GOOD);
      await life.curate();
    },
  },
  {
    from: "active",
    event: "active by a verdict, then contradicted",
    to: "trial, rev 2",
    async happens(life) {
      await life.patch("review");
      await life.used(GOOD);
      await life.curate();
      expect((await life.head()).state).toBe("active");
      await life.used(...CONTRADICTED);
      await life.curate();
    },
  },
  {
    from: "active",
    event: "verdict withdrawn, with an earlier text",
    to: "active, rev 3",
    async happens(life) {
      await life.used(GOOD);
      await life.patch("review");
      await life.used(BAD);
      await life.curate();
      const [present, , first] = await life.skills.revisions(NAME);
      expect(present!.text).toBe(first!.text);
    },
  },
  {
    from: "trial",
    event: "verdict withdrawn, without an earlier text",
    to: "archived",
    async happens(life) {
      await life.used(BAD);
      await life.curate();
    },
  },
  {
    from: "trial",
    event: "verdict withdrawn, pinned",
    to: "trial, pinned",
    async happens(life) {
      await life.person(pin(true));
      await life.used(BAD);
      await life.curate();
    },
  },
  {
    from: "active",
    event: "verdict withdrawn, a person's own",
    to: "stale",
    over: { origin: "user" },
    async happens(life) {
      await life.used(BAD);
      await life.curate();
    },
  },
  {
    from: "trial",
    event: "verdict withdrawn, and named by a job",
    to: "archived",
    async happens(life) {
      await life.world.curation.changePolicy(life.profile, (policy) => ({ ...policy, keepSkills: [NAME] }));
      await life.used(BAD);
      await life.curate();
    },
  },
  {
    from: "trial",
    event: "verdict withdrawn, with verdicts switched off",
    to: "trial",
    async happens(life) {
      await life.used(BAD);
      const learning = { ...life.settings.learning, verdicts: false };
      await life.curate({ settings: { ...life.settings, learning } });
    },
  },
  {
    from: "trial",
    event: "used by unjudged turns",
    to: "trial",
    async happens(life) {
      await life.used(Array.from({ length: 20 }, () => "unknown" as const));
      await life.curate();
    },
  },
  {
    from: "stale",
    event: "by age, whatever the earlier evidence of its text",
    to: "stale",
    async happens(life) {
      await life.used(GOOD, { day: "2026-01-01" });
      await life.live(40);
      await life.curate();
    },
  },
];

const byWrites: Row[] = [
  { from: "active", event: "patched by a review", to: "trial, rev 2", happens: (life) => life.patch("review") },
  { from: "trial", event: "patched by a review", to: "trial, rev 2", happens: (life) => life.patch("review") },
  { from: "stale", event: "patched by a review", to: "trial, rev 2", happens: (life) => life.patch("review") },
  {
    from: "active",
    event: "patched by the agent in a conversation",
    to: "trial, rev 2, foreground",
    happens: (life) => life.patch("foreground"),
  },
  {
    from: "active",
    event: "a person's own, patched by the agent at their request",
    to: "active, rev 2",
    over: { origin: "user" },
    happens: (life) => life.patch("foreground"),
  },
  {
    from: "active",
    event: "pinned, and patched by a review",
    to: "active, pinned",
    over: { pinned: true },
    async happens(life) {
      expect(await life.patch("review")).toMatchObject({ code: "skill_protected" });
    },
  },
  { from: "trial", event: "edited by a person", to: "active, rev 2, user", happens: (life) => life.edit("Mine.\n") },
  {
    from: "trial",
    event: "edited by a person, then patched by a review",
    to: "active, rev 2, user",
    async happens(life) {
      await life.edit("Mine.\n");
      expect(await life.patch("review")).toMatchObject({ code: "skill_protected" });
    },
  },
  {
    from: "archived",
    event: "created again under its name",
    to: "trial, rev 2",
    async happens(life) {
      const content = (await life.library.view(NAME)) as { ok: true; value: { content: string } };
      await life.write("review", { action: "create", name: NAME, content: `${content.value.content}\nAnew.\n` });
    },
  },
  {
    from: "archived",
    event: "patched",
    to: "archived",
    async happens(life) {
      expect(await life.patch("review")).toMatchObject({ code: "skill_archived" });
    },
  },
  {
    from: "archived",
    event: "viewed",
    to: "archived",
    async happens(life) {
      expect(await life.library.view(NAME)).toMatchObject({
        value: { state: "archived", notice: expect.stringContaining("no longer offered") as string },
      });
    },
  },
  {
    from: "active",
    event: "a pending change is approved",
    to: "trial, rev 2, foreground",
    async happens(life) {
      const { pending } = await life.patch("foreground", true);
      expect(await life.approve(pending as string)).toMatchObject({ ok: true, value: { state: "approved" } });
    },
  },
  {
    from: "active",
    event: "a pending change is approved after the head has moved",
    to: "active, pinned",
    async happens(life) {
      const { pending } = await life.patch("foreground", true);
      await life.person(pin(true));
      expect(await life.approve(pending as string)).toMatchObject({ failure: { code: "pending_stale" } });
    },
  },
  {
    from: "trial",
    event: "a review notes an overlap with another skill",
    to: "trial, rev 2",
    async happens(life) {
      await life.add(OTHER, { description: "Sums of columns, and how to check them." });
      const args = { action: "patch", name: NAME, old_string: "Verify of", new_string: "Check of", overlaps: [OTHER] };
      await life.write("review", args);
      expect((await life.curate()).overlaps).toEqual([{ skill: NAME, with: [OTHER] }]);
    },
  },
];

const byPersons: Row[] = [
  { from: "trial", event: "pinned", to: "trial, pinned", happens: (life) => life.person(pin(true)) },
  {
    from: "trial",
    event: "pinned, then unpinned and unused for more than 30 days",
    to: "stale",
    async happens(life) {
      await life.person(pin(true));
      await life.live(40);
      await life.person(pin(false));
      await life.curate();
      expect((await life.head()).state).toBe("trial");
      await unused(31)(life);
    },
  },
  { from: "active", event: "archived by a person", to: "archived", happens: (life) => life.person(archive) },
  { from: "stale", event: "archived by a person", to: "archived", happens: (life) => life.person(archive) },
  { from: "archived", event: "restored by a person", to: "trial", happens: (life) => life.person(unarchive) },
  {
    from: "archived",
    event: "restored by a person, their own",
    to: "active",
    over: { origin: "user" },
    happens: (life) => life.person(unarchive),
  },
  {
    from: "archived",
    event: "restored by a person, then unused for 30 days",
    to: "stale",
    async happens(life) {
      await life.live(100);
      await life.person(unarchive);
      await life.curate();
      expect((await life.head()).state).toBe("trial");
      await unused(31)(life);
    },
  },
  {
    from: "active",
    event: "a person's own, adopted",
    to: "active, foreground",
    over: { origin: "user" },
    happens: (life) => life.person(adopt),
  },
  {
    from: "active",
    event: "a person's own, adopted and unused for more than 30 days",
    to: "stale, foreground",
    over: { origin: "user" },
    async happens(life) {
      await life.live(100);
      await life.person(adopt);
      await life.curate();
      expect((await life.head()).state).toBe("active");
      await unused(31)(life);
    },
  },
  {
    from: "active",
    event: "from a hub, adopted",
    to: "active",
    over: { origin: "hub" },
    async happens(life) {
      await expect(life.person(adopt)).rejects.toThrow("came from outside");
    },
  },
];

const byCurations: Row[] = [
  {
    from: "active",
    event: "one of its checks fails",
    to: "active",
    async happens(life) {
      life.breaks("exit code 1, not 0");
      await life.live(8);
      const report = await life.curate();
      expect(report.health).toMatchObject([{ skill: NAME, result: "moved" }]);
      expect((await life.head()).health?.broken).toEqual(["checks/reads.json: exit code 1, not 0"]);
    },
  },
  {
    from: "active",
    event: "one of its checks fails, and later passes",
    to: "active",
    async happens(life) {
      life.breaks("exit code 1, not 0");
      await life.live(8);
      await life.curate();
      life.breaks(null);
      await life.curate();
      expect((await life.head()).health?.broken).toEqual([]);
    },
  },
  {
    from: "trial",
    event: "made stale by a run that is rolled back",
    to: "trial",
    async happens(life) {
      await life.live(31);
      const { run } = await life.curate();
      expect((await life.head()).state).toBe("stale");
      await life.curate({ undoes: run });
      // The skill does not become stale again the next day.
      await life.live(1);
      await life.curate();
    },
  },
  {
    from: "stale",
    event: "archived by a run that is rolled back",
    to: "stale",
    async happens(life) {
      await life.live(91);
      const { run } = await life.curate();
      expect((await life.head()).state).toBe("archived");
      await life.curate({ undoes: run });
      await life.live(1);
      await life.curate();
    },
  },
  {
    from: "trial",
    event: "its text withdrawn by a run that is rolled back",
    to: "trial, rev 4",
    async happens(life) {
      await life.patch("review");
      const { text } = await life.head();
      await life.used(BAD);
      const { run } = await life.curate();
      expect(await life.head()).toMatchObject({ rev: 3, withdrawn: [text] });
      await life.curate({ undoes: run });
      expect(await life.head()).toMatchObject({ text, withdrawn: [] });
    },
  },
  {
    from: "trial",
    event: "made stale by a run that is rolled back after the skill was pinned",
    to: "stale, pinned",
    async happens(life) {
      await life.live(31);
      const { run } = await life.curate();
      await life.person(pin(true));
      const { undone } = await life.curate({ undoes: run });
      expect(undone).toMatchObject([{ result: "left", why: "a person has pinned it" }]);
    },
  },
  {
    from: "trial",
    event: "the profile is deleted",
    to: "trial",
    async happens(life) {
      await life.live(200);
      await life.world.bucket.put(`p/${life.profile}/GONE`, "");
      const run = "20300101T000000Z-gone";
      expect(await life.world.run(life.profile, run)).toBe("done");
      expect(await life.world.curation.plan(life.profile, run)).toBeNull();
    },
  },
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
