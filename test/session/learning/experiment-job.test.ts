// What a session does about experiments: it asks for one for each text that a review wrote, exactly once under crashes, and it tells the
// person how one ended.
import { describe, expect, it } from "vitest";
import type { NewExperiment } from "../../../core/experiments/ports.ts";
import { err, ok } from "../../../core/errors.ts";
import { FIXED } from "../../../core/limits.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import type { Lesson } from "../../../core/schemas/learning/review.ts";
import type { SkillNext } from "../../../core/ports.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import {
  Crash,
  type HarnessOptions,
  PROFILE,
  SESSION,
  type SessionLife,
  createSessionHarness,
} from "../../support/session/session-harness.ts";
import { ticks } from "../../support/session/scripted-session.ts";
import { reviewResult } from "../../support/skills/reviews.ts";
import { creation } from "../../support/skills/skills.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";

const CITED = [`${SESSION}/1#principal`];
const GRANTED = { afterModelCalls: 0, replayTokens: 50_000 };
const more: Partial<SkillNext> = { description: "Reads tables.", state: "trial", origin: "review", citations: CITED };
const ID = "01J0000000000000000000000E";

function setUp(options: Partial<HarnessOptions> = {}, takes?: (asked: NewExperiment) => ReturnType<typeof err>) {
  const asked: NewExperiment[] = [];
  const experiments = {
    take: async (wanted: NewExperiment) => {
      asked.push(wanted);
      return takes ? takes(wanted) : ok({ id: ID });
    },
  };
  const model = createScriptedModel(Array.from({ length: 9 }, () => ({ text: "Hello." })));
  const harness = createSessionHarness({ model, settings: { review: GRANTED }, host: { experiments }, ...options });
  const { bucket, clock } = harness;
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
  const reviews = createReviewStore({ bucket, profile: PROFILE });
  return { harness, skills, reviews, asked };
}
type World = ReturnType<typeof setUp>;

async function begin(life: SessionLife, channel?: { chat: string; learned: true }): Promise<void> {
  await life.engine.create({ learning: "on", title: "" });
  await life.engine.post({ text: "Hi.", key: "hi", ...(channel && { channel }) });
  await life.settled();
}

/** Writes two revisions of one skill and one of another, and ends the review with these lessons. */
async function learn({ harness, skills, reviews }: World): Promise<string> {
  const { review } = harness.sent[0]!;
  const lessons: Lesson[] = [];
  const write = async (skill: string, action: string, body: string, files: Record<string, string> = {}) => {
    const change = creation(skill, body, `${review}.${lessons.length}`, more);
    const next = { ...more, files: { "SKILL.md": body, ...files } };
    const made = await skills.change({ ...change, decide: () => ok(next) });
    if (!made.ok) throw new Error(made.failure.code);
    const { rev, text } = made.value.head;
    lessons.push({ kind: "skill", skill, action, rev, text, citations: CITED });
  };
  await write("reading-tables", "create", "# one");
  await write("reading-tables", "patch", "# two");
  await write("reading-tables", "set_requests", "# two", { "talaria-requests.md": "- read this table\n" });
  await write("old-ways", "patch", "# old");
  await write("gone", "create", "# gone");
  lessons.push({ ...lessons.at(-1)!, action: "delete" } as Lesson);
  await write("asked-for", "set_requests", "# same");
  await reviews.finish({ ...reviewResult(review, "done", "Learned: created skill reading-tables."), lessons });
  return review;
}

const notesOf = ({ engine }: SessionLife) => {
  const entries = engine.entries(0);
  return (entries.ok ? entries.value : []).flatMap((entry) => (entry.kind === "note" ? [textOf(entry)] : [])).join();
};

const noticesOf = ({ engine }: SessionLife) => {
  const entries = engine.entries(0);
  const all = entries.ok ? entries.value : [];
  return all.filter((entry) => entry.kind === "notice" && entry.code === "learned").map(textOf);
};

describe("a session whose profile grants experiments", () => {
  it("holds back what its review writes, and asks once for each new text, with what the skill's head says", async () => {
    const world = setUp();
    const life = world.harness.boot();
    await begin(life);
    const review = await learn(world);
    expect(await world.reviews.job(review)).toMatchObject({ holdMs: FIXED.skillHoldMs });
    await life.engine.post({ text: "Hi again." });
    await life.settled();
    const head = (await world.skills.head("reading-tables"))!;
    const old = (await world.skills.head("old-ways"))!;
    const shared = { citations: CITED, session: SESSION };
    expect(world.asked).toEqual([
      {
        ...{ key: `review:${review}:reading-tables:3`, skill: "reading-tables", occasion: "lesson", rev: 3, ...shared },
        ...{ text: head.text, parent: head.parent, about: "Reads tables.\nread this table" },
      },
      {
        ...{ key: `review:${review}:old-ways:1`, skill: "old-ways", occasion: "revision", rev: 1, ...shared },
        ...{ text: old.text, parent: null, about: "Reads tables." },
      },
    ]);
    expect(world.harness.sql.run("SELECT id FROM job")).toEqual([]);
    expect(life.reports).toEqual([]);
  });

  it("does not tell its model of a lesson that is held back", async () => {
    const world = setUp();
    const life = world.harness.boot();
    await begin(life);
    await learn(world);
    await life.engine.post({ text: "Hi again." });
    await life.settled();
    expect(notesOf(life)).not.toContain("Learned");
    expect(noticesOf(life)).toEqual(["Learned: created skill reading-tables."]);
  });

  it("asks for nothing where the text was replaced before it could", async () => {
    const world = setUp({}, () => {
      throw new Error("unreachable");
    });
    const life = world.harness.boot();
    await begin(life);
    await learn(world);
    await life.engine.post({ text: "Hi again." });
    await life.settled();
    expect(world.asked).toHaveLength(2);
    for (const skill of ["reading-tables", "old-ways"]) {
      await world.skills.change({
        name: skill,
        op: "x",
        since: 0,
        decide: () => ok({ files: { "SKILL.md": "# mine" } }),
      });
    }
    while (world.harness.sql.run("SELECT 1 FROM job").length > 0) await life.wake();
    expect(world.asked).toHaveLength(2);
  });

  it("reports a refusal and asks no more", async () => {
    const world = setUp({}, () => err("not_now", "The profile was deleted."));
    const life = world.harness.boot();
    await begin(life);
    await learn(world);
    await life.engine.post({ text: "Hi again." });
    await life.settled();
    expect(world.harness.sql.run("SELECT id FROM job")).toEqual([]);
    expect(life.reports).toEqual([
      expect.stringMatching(/^job experiment:.*:reading-tables: not tried: The profile was deleted\.$/),
      expect.stringMatching(/^job experiment:.*:old-ways: not tried/),
    ]);
  });
});

it("without a grant nothing is held back or asked for, and the model is told at once", async () => {
  const world = setUp({ settings: { review: { ...GRANTED, replayTokens: 0 } } });
  const life = world.harness.boot();
  await begin(life);
  const review = await learn(world);
  await life.engine.post({ text: "Hi again." });
  await life.settled();
  expect(await world.reviews.job(review)).not.toHaveProperty("holdMs");
  expect(world.asked).toEqual([]);
  expect(notesOf(life)).toContain("Learned: created skill reading-tables.");
});

describe("the end of an experiment", () => {
  const TEXT = "The skill reading-tables was tried on 4 earlier turns: 4 right with it, 2 without.";

  it("is told once, to the chat as well, however often it is said", async () => {
    const taken: string[] = [];
    const channels = { take: async ({ text }: { text: string }) => void taken.push(text) };
    const { harness } = setUp({ channels });
    const life = harness.boot();
    await begin(life, { chat: "c1", learned: true });
    for (let i = 0; i < 3; i++) {
      expect(await life.engine.tellExperiment(ID, TEXT)).toEqual(ok(null));
      await life.wake();
    }
    expect(noticesOf(life)).toEqual([TEXT]);
    expect(taken.filter((text) => text === TEXT)).toEqual([TEXT]);
  });

  it("waits until no answer streams", async () => {
    let end = () => {};
    const until = new Promise<void>((resolve) => (end = resolve));
    const model = createScriptedModel([{ text: "Hello." }, { text: "Hello again.", until }]);
    const { harness } = setUp({ model });
    const life = harness.boot();
    await begin(life);
    await life.engine.post({ text: "Go on." });
    await ticks(200);
    await life.engine.tellExperiment(ID, TEXT);
    expect(noticesOf(life)).toEqual([]);
    end();
    await life.settled();
    while (noticesOf(life).length === 0) await life.wake();
    const entries = life.engine.entries(0);
    expect(entries.ok && entries.value.map(({ kind }) => kind)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "notice",
    ]);
  });

  it("is not told where the person wants no such notices, nor in a session that is gone", async () => {
    const { harness } = setUp({ settings: { review: { ...GRANTED, notice: "off" } } });
    const life = harness.boot();
    expect(await life.engine.tellExperiment(ID, TEXT)).toMatchObject({ failure: { code: "session_not_found" } });
    await begin(life);
    await life.engine.tellExperiment(ID, TEXT);
    expect(harness.sql.run("SELECT id FROM job WHERE id LIKE 'notice%'")).toEqual([]);
  });
});

describe("a crash at any write", () => {
  async function run(crashAt: number) {
    const world = setUp();
    const { harness } = world;
    const first = harness.boot();
    await begin(first);
    await learn(world);
    first.kill();
    const drive = async (life: SessionLife) => {
      await life.engine.post({ text: "Hi again.", key: "again" });
      await life.settled();
      await life.engine.tellExperiment(ID, "Tried.");
      for (let i = 0; i < 40 && harness.sql.run("SELECT 1 FROM job").length > 0; i++) await life.wake();
    };
    const begun = harness.crashPoints();
    const cut = harness.boot({ crashAt });
    await drive(cut).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
    await cut.settled();
    const points = harness.crashPoints() - begun;
    const last = harness.boot();
    await drive(last);
    const keys = [...new Set(world.asked.map(({ key }) => key.replace(/^review:.*?:/, "")))].toSorted();
    return { points, keys, told: noticesOf(last), left: harness.sql.run("SELECT id FROM job") };
  }

  it("loses no wish and no notice, and doubles none", async () => {
    const { points, ...whole } = await run(Infinity);
    expect(whole).toEqual({
      keys: ["old-ways:1", "reading-tables:3"],
      told: ["Learned: created skill reading-tables.", "Tried."],
      left: [],
    });
    for (let crashAt = 1; crashAt <= points; crashAt++) {
      const { points: _, ...after } = await run(crashAt);
      expect(after, `crash at ${crashAt}`).toEqual(whole);
    }
  });
});
