// What becomes of a skill by what is known of its texts: which moves are made, by which decision, and that a process that
// dies at any call to a store leaves nothing half done that the same decision, asked for again, does not finish.
import { describe, expect, it } from "vitest";
import { settleSkill } from "../../../core/learning/evidence/settle.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { Bucket, EvidenceStore, SkillNext } from "../../../core/ports.ts";
import { textOfFiles, hashFiles } from "../../../core/schemas/learning/digest.ts";
import type { Evidence, SkillHead } from "../../../core/schemas/skill.ts";
import { liftWithdrawal } from "../../../core/skills/history.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { type MemoryBucket, createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { JUDGE } from "../../support/skills/reviews.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { adjustment, creation, expectSound, extension } from "../../support/skills/skills.ts";
import { usesOf } from "./uses.ts";

const NAME = "tables";
const DAY_MS = 24 * 60 * 60_000;
const textOf = (body: string) => textOfFiles(hashFiles({ "SKILL.md": body }));
/** Each a text of its own: `one`, then with a line more. */
const [ONE, TWO, THREE] = ["one", "one\ntwo", "one\ntwo\nthree"].map(textOf) as [string, string, string];

function createWorld() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const open = (over: Bucket = bucket) => ({
    skills: createSkillStore({ bucket: over, profile, clock, random: createSeededRandom(1), swapMs: 10_000 }),
    evidence: createEvidenceStore({ bucket: over, profile, judge: JUDGE }),
  });
  const { skills, evidence } = open();
  let turns = 0;

  return {
    ...{ clock, bucket, profile, open, skills, evidence },
    head: async () => (await skills.head(NAME))!,
    /** Makes the skill, with a text for each line. */
    async make(lines: 1 | 2 | 3, more: Partial<SkillNext> = {}): Promise<void> {
      await skills.change(creation(NAME, "one", "one", more));
      for (const line of ["two", "three"].slice(0, lines - 1)) await skills.change(extension(NAME, line, line));
    },
    async adjust(next: SkillNext): Promise<void> {
      expect(await skills.change(adjustment(NAME, next, `adjust ${turns++}`))).toMatchObject({ ok: true });
    },
    /** Turns that used a text, ending now. */
    async use(text: string, signs: string): Promise<void> {
      for (const word of usesOf(signs, { text, from: turns + 1, startMs: clock.now() })) await evidence.put(word);
      turns += signs.length;
    },
    settle: (op = "op", over: Partial<Parameters<typeof settleSkill>[0]> = {}) =>
      settleSkill({ skills, evidence, settings: DEFAULTS, skill: NAME, op, ...over }),
  };
}

/** Settles the skill, and opens stores over copies of the bucket from before the first write and after each. */
async function settleAndCopy({ bucket, clock, open, settle }: ReturnType<typeof createWorld>) {
  const copies = [bucket.copy(clock)];
  bucket.onChange = () => void copies.push(bucket.copy(clock));
  await settle("op", open());
  bucket.onChange = undefined;
  clock.advance(60_000);
  return copies.map((copy) => ({ bucket: copy, ...open(copy) }));
}

/** Everything that is stored, by key. */
async function contentsOf(bucket: MemoryBucket): Promise<Record<string, string>> {
  const entries = bucket.keys().map(async (key) => [key, await (await bucket.get(key))!.text()] as const);
  return Object.fromEntries(await Promise.all(entries));
}

describe("a skill that helps", () => {
  it("becomes active with the reason, and so does its line in the index", async () => {
    const world = createWorld();
    await world.make(1);
    await world.use(ONE, "+");
    expect(await world.settle("first")).toMatchObject({ moved: null, stats: { uses: 1 } });
    await world.use(ONE, "+");
    const reason = "2 of 2 judged uses succeeded: better than an even chance (probability 73.7 %).";
    expect((await world.settle("second")).moved).toEqual({
      skill: NAME,
      from: "trial",
      to: "active",
      reason,
      rev: 1,
      withdrew: false,
      inPart: false,
    });
    expect(await world.head()).toMatchObject({ rev: 1, seq: 2, state: "active", reason });
    expect((await world.skills.index()).skills[NAME]).toMatchObject({
      state: "active",
      use: { uses: 2, successes: 2, failures: 0 },
    });
  });

  it("is not changed by later runs", async () => {
    const world = createWorld();
    await world.make(1);
    await world.use(ONE, "++");
    await world.settle("first");
    const before = await contentsOf(world.bucket);
    expect((await world.settle("second")).moved).toBe(null);
    expect(await contentsOf(world.bucket)).toEqual(before);
  });

  it("returns to trial when it is contradicted, unless a person made it active", async () => {
    const world = createWorld();
    await world.make(1);
    await world.use(ONE, "++");
    await world.settle("proved");
    await world.use(ONE, "c");
    const reason = "2 of 2 judged uses succeeded; still on trial: needs 2 more successes, on different tasks.";
    expect((await world.settle("contradicted")).moved).toMatchObject({ from: "active", to: "trial", reason });
    await world.use(ONE, "++");
    expect((await world.settle("proved anew")).moved).toMatchObject({ from: "trial", to: "active" });

    const held = createWorld();
    await held.make(1, { state: "active", origin: "user" });
    await held.use(ONE, "++c");
    expect((await held.settle("held")).moved).toBeNull();
  });

  it("starts with half of the evidence of the text that it was made from", async () => {
    const world = createWorld();
    await world.make(1);
    await world.use(ONE, "+++++");
    await world.skills.change(extension(NAME, "two", "two"));
    await world.use(TWO, "+");
    const { stats } = await world.settle();
    const [, alone] = [ONE, TWO].map((text) => stats.texts[text]!.pBetter);
    expect(alone).toBeGreaterThan((await world.evidence.fold(NAME)).texts[TWO]!.pBetter);
  });

  it.each<[what: string, next: Partial<SkillNext>, isUsedSince: boolean, to: SkillHead["state"]]>([
    ["a learned skill that was used since", {}, true, "active"],
    ["a learned skill that became stale by age", {}, false, "stale"],
    ["a person's own skill, which only a verdict makes stale", { origin: "user" }, false, "active"],
    ["a skill from a hub", { origin: "hub" }, false, "active"],
  ])("comes back from stale: %s", async (_what, next, isUsedSince, to) => {
    const world = createWorld();
    await world.make(1, next);
    await world.use(ONE, "++");
    world.clock.advance(30 * DAY_MS);
    await world.adjust({ state: "stale" });
    if (isUsedSince) await world.use(ONE, "?");
    await world.settle();
    expect((await world.head()).state).toBe(to);
  });
});

describe("a skill whose uses fail", () => {
  it("returns to the previous text, as a new revision with that text's verdict", async () => {
    const world = createWorld();
    await world.make(1, { description: "The first.", category: "ops" });
    await world.use(ONE, "++");
    await world.settle("first");
    await world.skills.change(extension(NAME, "two", "two"));
    await world.adjust({ description: "The second.", state: "trial" });
    await world.use(TWO, "---");
    const reason = "The last 3 judged uses failed; 0 of 3 judged uses succeeded. Revision 1 is back.";
    expect((await world.settle()).moved).toEqual({
      skill: NAME,
      from: "trial",
      to: "active",
      reason,
      rev: 3,
      withdrew: true,
      inPart: false,
    });
    const { head, files } = (await world.skills.open(NAME))!;
    expect(files).toEqual({ "SKILL.md": "one" });
    expect(head).toMatchObject({ rev: 3, text: ONE, state: "active", withdrawn: [TWO], reason, category: "ops" });
    // Nothing of the text that did harm counts for the one that is back.
    expect(head.parent).toBe(undefined);
    expect(head.description).toBe("The first.");
    await expectSound(world.bucket, world.profile, world.skills);
    expect((await world.settle("next")).moved).toBe(null);
  });

  it("falls back to each earlier text on trial, and is archived after the last", async () => {
    const world = createWorld();
    await world.make(3);
    const moves: unknown[] = [];
    for (const [step, text] of [THREE, TWO, ONE].entries()) {
      await world.use(text, "---");
      const { moved } = await world.settle(`step ${step}`);
      moves.push([moved?.to, moved?.rev, (await world.head()).parent, moved?.reason.split(". ")[1]]);
    }
    expect(moves).toEqual([
      ["trial", 4, ONE, "Revision 2 is back."],
      ["trial", 5, undefined, "Revision 1 is back."],
      ["archived", 5, undefined, "No earlier text is left."],
    ]);
    expect(await world.head()).toMatchObject({ state: "archived", text: ONE, withdrawn: [THREE, TWO, ONE] });
    expect((await world.skills.index()).skills[NAME]).toMatchObject({ state: "archived", withdrew: true });
  });

  it("does not return to a text that was withdrawn or purged, or whose own uses failed", async () => {
    const world = createWorld();
    await world.skills.change(creation(NAME, "one", "one"));
    for (const line of ["two", "three", "four", "five"]) await world.skills.change(extension(NAME, line, line));
    const FOUR = textOf("one\ntwo\nthree\nfour");
    const { text } = await world.head();
    await world.adjust({ withdrawn: [FOUR] });
    await world.use(THREE, "---");
    expect(await world.skills.purge(NAME, 2)).toMatchObject({ ok: true });
    await world.use(text, "---");
    expect((await world.settle()).moved).toMatchObject({ to: "trial", rev: 6 });
    expect(await world.head()).toMatchObject({ text: ONE, withdrawn: [FOUR, text] });
  });

  it("does not return to an archived skill of the same name", async () => {
    const world = createWorld();
    await world.make(2);
    await world.adjust({ state: "archived" });
    await world.skills.change(creation(NAME, "another", "anew", { startsOver: true }));
    expect(await world.head()).toMatchObject({ rev: 3, firstRev: 3, state: "trial" });
    expect((await world.head()).parent).toBe(undefined);
    await world.skills.change(extension(NAME, "more", "more"));
    await world.use((await world.head()).text, "---");
    await world.use(textOf("another"), "---");
    expect((await world.settle()).moved).toMatchObject({ to: "archived", rev: 4 });
  });

  it("does not return to a text that somebody had replaced by an earlier one", async () => {
    const world = createWorld();
    await world.make(3);
    await world.adjust({ files: { "SKILL.md": "one" }, parent: null });
    await world.skills.change(extension(NAME, "other", "other"));
    const OTHER = textOf("one\nother");
    await world.use(OTHER, "---");
    expect((await world.settle("first")).moved).toMatchObject({ to: "trial", rev: 6 });
    expect((await world.head()).text).toBe(ONE);
    await world.use(ONE, "---");
    expect((await world.settle("second")).moved).toMatchObject({ to: "archived", rev: 6 });
  });

  it("remembers the last twenty withdrawn texts", async () => {
    const world = createWorld();
    await world.make(1);
    const many = Array.from({ length: 20 }, (_, n) => textOf(`older ${n}`));
    await world.adjust({ withdrawn: many });
    await world.use(ONE, "---");
    await world.settle();
    expect((await world.head()).withdrawn).toEqual([...many.slice(1), ONE]);
  });

  it.each<[what: string, next: Partial<SkillNext>, to: SkillHead["state"]]>([
    ["is pinned", { pinned: true }, "trial"],
    ["is bundled", { origin: "bundled", state: "active" }, "active"],
    ["waits for approval", { state: "pending" }, "pending"],
    ["is archived", { state: "archived" }, "archived"],
    ["is a person's own skill", { origin: "user", state: "active" }, "stale"],
    ["was imported by a person", { origin: "user" }, "stale"],
    ["is from a hub", { origin: "hub" }, "stale"],
    ["is a person's own skill and already stale", { origin: "user", state: "stale" }, "stale"],
  ])("keeps its text if it %s", async (_what, next, to) => {
    const world = createWorld();
    await world.make(2, next);
    const before = await world.head();
    await world.use(TWO, "---");
    const { moved } = await world.settle();
    const { text, state, withdrawn, reason } = await world.head();
    expect({ text, state, withdrawn, moved: moved?.to ?? before.state }).toEqual({
      ...{ text: TWO, state: to, withdrawn: undefined, moved: to },
    });
    if (moved) expect(reason).toBe("The last 3 judged uses failed; 0 of 3 judged uses succeeded. It is offered last.");
  });

  it("keeps its state if verdicts are off or the profile has no skill of its own, but is counted", async () => {
    const world = createWorld();
    await world.use(ONE, "---");
    expect(await world.settle()).toMatchObject({ moved: null, stats: { uses: 3 } });
    await world.make(1);
    const settings = { ...DEFAULTS, learning: { ...DEFAULTS.learning, verdicts: false } };
    expect(await world.settle("op", { settings })).toMatchObject({
      ...{ moved: null, stats: { texts: { [ONE]: { verdict: "withdrawn" } } } },
    });
    expect((await world.head()).state).toBe("trial");
  });
});

describe("a text that a person restored", () => {
  it("is not withdrawn again for the same uses, but for later ones", async () => {
    const world = createWorld();
    await world.make(2);
    await world.use(TWO, "---");
    await world.settle("first");
    world.clock.advance(DAY_MS);
    const head = await world.head();
    await world.adjust({ files: { "SKILL.md": "one\ntwo" }, ...liftWithdrawal(head, TWO) });
    expect(await world.head()).toMatchObject({ text: TWO, withdrawn: [], restoredAt: world.clock.now() });
    expect((await world.settle("second")).moved).toBe(null);
    await world.use(TWO, "-");
    expect((await world.settle("third")).moved).toBe(null);
    await world.use(TWO, "--");
    expect((await world.settle("fourth")).moved).toMatchObject({ to: "trial" });
    expect(await world.head()).toMatchObject({ text: ONE, withdrawn: [TWO] });
    expect((await world.head()).restoredAt).toBe(undefined);
  });

  it("changes nothing if it had not been withdrawn", async () => {
    const world = createWorld();
    await world.make(2);
    expect(liftWithdrawal(await world.head(), ONE)).toEqual({});
  });
});

describe("a decision", () => {
  it("is reported again on a retry, and made once", async () => {
    const world = createWorld();
    await world.make(2);
    await world.use(TWO, "---");
    const first = await world.settle();
    const before = await contentsOf(world.bucket);
    expect(await world.settle()).toEqual(first);
    expect(await contentsOf(world.bucket)).toEqual(before);
    expect((await world.settle("another")).moved).toBe(null);
  });

  it("is not made again under the same op when there is more evidence", async () => {
    const world = createWorld();
    await world.make(1);
    await world.use(ONE, "++");
    const { moved } = await world.settle("first");
    await world.use(ONE, "---");
    expect(await world.settle("first")).toMatchObject({ moved, stats: { texts: { [ONE]: { verdict: "withdrawn" } } } });
    expect((await world.head()).state).toBe("active");
    expect((await world.settle("second")).moved).toMatchObject({ from: "active", to: "archived" });
  });

  it.each([["one"], ["another"]])("is made once by two concurrent runs, with the ops one and %s", async (op) => {
    const world = createWorld();
    await world.make(2);
    await world.use(TWO, "---");
    const settled = await Promise.all([world.settle("one", world.open()), world.settle(op, world.open())]);
    const moves = settled.flatMap(({ moved }) => (moved ? [moved] : []));
    expect(moves.length).toBe(op === "one" ? 2 : 1);
    expect(new Set(moves.map((move) => JSON.stringify(move))).size).toBe(1);
    expect(await world.head()).toMatchObject({ rev: 3, text: ONE });
  });

  it.each<[what: string, meddle: (world: ReturnType<typeof createWorld>) => Promise<unknown>]>([
    ["restored an earlier text", (world) => world.adjust({ files: { "SKILL.md": "one" } })],
    ["wrote another text", (world) => world.skills.change(extension(NAME, "three", "theirs"))],
    ["pinned it", (world) => world.adjust({ pinned: true })],
    ["archived it", (world) => world.adjust({ state: "archived" })],
    ["restored the text", (world) => world.adjust({ restored: true })],
  ])("is not made if a person %s after the uses were counted", async (_what, meddle) => {
    const world = createWorld();
    await world.make(2);
    await world.use(ONE, "---");
    await world.use(TWO, "---");
    let after: SkillHead | null = null;
    const slow: EvidenceStore = {
      ...world.evidence,
      async fold(skill, lineage) {
        const stats = await world.evidence.fold(skill, lineage);
        await meddle(world);
        after = await world.head();
        return stats;
      },
    };
    expect((await world.settle("op", { evidence: slow })).moved).toBe(null);
    expect(await world.head()).toEqual(after);
  });

  it("is made even if the skill changes in other respects", async () => {
    const world = createWorld();
    await world.make(2);
    await world.use(TWO, "---");
    const evidence: EvidenceStore = {
      ...world.evidence,
      async fold(skill, lineage) {
        const stats = await world.evidence.fold(skill, lineage);
        await world.adjust({ public: true });
        return stats;
      },
    };
    expect((await world.settle("op", { evidence })).moved).toMatchObject({ rev: 3 });
    expect(await world.head()).toMatchObject({ text: ONE, public: true });
  });

  it("is made once even if every second response is lost", async () => {
    const world = createWorld();
    await world.make(2);
    await world.use(TWO, "---");
    world.bucket.faults.loseAnswerOneIn = 2;
    expect((await world.settle()).moved).toMatchObject({ rev: 3, to: "trial" });
    expect(await world.head()).toMatchObject({ text: ONE, withdrawn: [TWO] });
  });

  const SCENES: [what: string, lines: 1 | 2, signs: string, next: Partial<SkillNext>, after: Partial<SkillHead>][] = [
    ["makes a skill active", 1, "++", {}, { rev: 1, state: "active", text: ONE }],
    ["archives one", 1, "---", {}, { rev: 1, state: "archived", withdrawn: [ONE] }],
    ["offers one last", 1, "---", { origin: "user" }, { rev: 1, state: "stale", text: ONE }],
    ["restores a text", 2, "---", {}, { rev: 3, state: "trial", text: ONE, withdrawn: [TWO] }],
  ];

  it.each(SCENES)(
    "that %s is finished by the same op, wherever it was killed",
    async (_what, lines, signs, next, after) => {
      const world = createWorld();
      await world.make(lines, next);
      await world.use(lines === 1 ? ONE : TWO, signs);
      const killed = await settleAndCopy(world);
      expect(killed.length).toBeGreaterThan(4);
      for (const { bucket, skills, evidence } of killed) {
        const { moved } = await world.settle("op", { skills, evidence });
        const head = (await skills.head(NAME))!;
        expect(head).toMatchObject(after);
        expect(moved).toEqual({
          ...{ skill: NAME, from: "trial", to: after.state, rev: after.rev, reason: head.reason },
          withdrew: signs === "---",
          inPart: false,
        });
        await expectSound(bucket, world.profile, skills);
        expect((await skills.index()).skills[NAME]?.use?.uses).toBe(signs.length);
      }
    },
  );
});

describe("words that failed", () => {
  const failing = (over: Partial<Evidence> = {}) => ({ ...usesOf("+", { text: ONE, from: 1 })[0]!, ...over });

  it("are listed with the skill until a call works with them, even if it is pinned", async () => {
    const world = createWorld();
    await world.make(1, { origin: "user", pinned: true });
    await world.evidence.put(failing({ failedWords: ["strict", "tab"] }));
    expect((await world.settle("first")).moved).toBe(null);
    const { day } = failing();
    const both = [
      { word: "strict", day },
      { word: "tab", day },
    ];
    expect(await world.head()).toMatchObject({ failedWords: both, rev: 1 });
    const before = await contentsOf(world.bucket);
    await world.settle("again");
    expect(await contentsOf(world.bucket)).toEqual(before);
    await world.evidence.put({ ...usesOf("+", { text: ONE, from: 2 })[0]!, workedWords: ["strict"] });
    await world.settle("second");
    expect(await world.head()).toMatchObject({ failedWords: [{ word: "tab", day }] });
    await world.adjust({ files: { "SKILL.md": "---\nname: tables\ndescription: d\n---\n\nOther." } });
    expect((await world.head()).failedWords).toBeUndefined();
  });

  it("are not listed if the setting is off, and are listed if only verdicts are off", async () => {
    const world = createWorld();
    await world.make(1);
    await world.evidence.put(failing({ failedWords: ["strict"] }));
    const off = { ...DEFAULTS, learning: { ...DEFAULTS.learning, failedWords: false } };
    await world.settle("off", { settings: off });
    expect((await world.head()).failedWords).toBeUndefined();
    await world.settle("on", { settings: { ...DEFAULTS, learning: { ...DEFAULTS.learning, verdicts: false } } });
    expect((await world.head()).failedWords).toHaveLength(1);
  });

  it("are listed together with a move that the same evidence causes", async () => {
    const world = createWorld();
    await world.make(1);
    await world.use(ONE, "+");
    await world.evidence.put({ ...usesOf("+", { text: ONE, from: 2 })[0]!, failedWords: ["strict"] });
    expect((await world.settle("op")).moved).toMatchObject({ to: "active" });
    expect(await world.head()).toMatchObject({ state: "active", failedWords: [{ word: "strict" }] });
  });
});

describe("words that later uses refuted", () => {
  const BODY = "---\nname: tables\ndescription: d\n---\n\nSplit with `tab`.\n\nSort by `date`.\n";
  const AFTER = BODY.replace("Split with `tab`.\n\n", "");
  const WHY = 'Calls with "tab" failed: the program named it, or a later use confirmed it.';
  const text = textOf(BODY);

  async function withFailed(later: string, next: Partial<SkillNext> = {}, body = BODY) {
    const world = createWorld();
    await world.skills.change(creation(NAME, body, "made", next));
    await world.evidence.put({ ...usesOf("?", { text: textOf(body), from: 1 })[0]!, failedWords: ["tab"] });
    for (const use of usesOf(later, { text: textOf(body), from: 2 })) {
      await world.evidence.put({ ...use, failedWords: ["tab"] });
    }
    return world;
  }

  it("are removed with their sentence, and the rest is on trial as a new text", async () => {
    const world = await withFailed("?", { state: "active" });
    const reason = `${WHY} The sentences about it were removed.`;
    expect((await world.settle()).moved).toEqual({
      ...{ skill: NAME, from: "active", to: "trial", reason, rev: 2, withdrew: true, inPart: true },
    });
    const { head, files } = (await world.skills.open(NAME))!;
    expect(files).toEqual({ "SKILL.md": AFTER });
    expect(head).toMatchObject({ state: "trial", reason, parent: text, withdrawn: [text] });
    expect(head.failedWords).toEqual([{ word: "tab", day: usesOf("?", { text, from: 1 })[0]!.day }]);
    await expectSound(world.bucket, world.profile, world.skills);
    const before = await contentsOf(world.bucket);
    expect((await world.settle("next")).moved).toBe(null);
    expect(await contentsOf(world.bucket)).toEqual(before);
  });

  it("stay listed with the rest until a call works with them, or the text changes", async () => {
    const world = await withFailed("?");
    await world.settle();
    const rest = await world.head();
    await world.evidence.put(usesOf("+", { text: rest.text, from: 5 })[0]!);
    await world.settle("next");
    expect((await world.head()).failedWords).toMatchObject([{ word: "tab" }]);
    await world.evidence.put({ ...usesOf("+", { text: rest.text, from: 6 })[0]!, workedWords: ["tab"] });
    await world.settle("worked");
    expect((await world.head()).failedWords).toEqual([]);

    const found = await withFailed("?");
    await found.settle();
    const promoted = (await found.head()).text;
    await found.use(promoted, "++");
    expect((await found.settle("found")).moved).toMatchObject({ to: "active" });
    await found.settle("after");
    expect((await found.head()).failedWords).toMatchObject([{ word: "tab" }]);
    const again = { ...usesOf("-", { text: promoted, from: 9 })[0]!, failedWords: ["tab"] };
    await found.evidence.put(again);
    await found.settle("again");
    expect((await found.head()).failedWords).toMatchObject([{ word: "tab" }]);

    const other = await withFailed("?");
    await other.settle();
    await other.adjust({ files: { "SKILL.md": "---\nname: tables\ndescription: d\n---\n\nOther." } });
    expect((await other.head()).failedWords).toBeUndefined();
  });

  it("are removed after a single use that proved them wrong", async () => {
    const world = createWorld();
    await world.skills.change(creation(NAME, BODY, "made"));
    const use = { ...usesOf("?", { text, from: 1 })[0]!, failedWords: ["date", "tab"], refusedWords: ["tab"] };
    await world.evidence.put(use);
    expect((await world.settle()).moved).toMatchObject({ reason: `${WHY} The sentences about it were removed.` });
    expect((await world.skills.open(NAME))!.files).toEqual({ "SKILL.md": AFTER });
  });

  it.each<[what: string, later: string, next: Partial<SkillNext>]>([
    ["it was not used since", "", {}],
    ["a person wrote it", "???", { origin: "user" }],
    ["a person pinned it", "???", { pinned: true }],
    ["it is not offered", "???", { state: "archived" }],
  ])("only cause a warning if %s", async (_what, later, next) => {
    const world = await withFailed(later, next);
    expect((await world.settle()).moved).toBe(null);
    expect(await world.head()).toMatchObject({ rev: 1, text });
  });

  it("stay if a call worked with them, or if no sentence gives them in code", async () => {
    const worked = await withFailed("?");
    await worked.evidence.put({ ...usesOf("+", { text, from: 3 })[0]!, workedWords: ["tab"] });
    expect((await worked.settle()).moved).toBe(null);

    const prose = await withFailed("??", {}, BODY.replaceAll("`", ""));
    expect((await prose.settle()).moved).toBe(null);
    const before = await contentsOf(prose.bucket);
    await prose.settle("again");
    expect(await contentsOf(prose.bucket)).toEqual(before);
  });

  it("cause a text that says nothing else to be withdrawn", async () => {
    const world = await withFailed("?", {}, BODY.replace("Sort by `date`.\n", ""));
    expect((await world.settle()).moved).toMatchObject({
      ...{ to: "archived", reason: `${WHY} No earlier text is left.`, withdrew: true, inPart: false },
    });
  });

  it("are not removed again after a person restored them", async () => {
    const world = await withFailed("?");
    await world.settle();
    world.clock.advance(DAY_MS);
    const head = await world.head();
    await world.adjust({ files: { "SKILL.md": BODY }, ...liftWithdrawal(head, text) });
    expect((await world.settle("later")).moved).toBe(null);
    expect(await world.head()).toMatchObject({ text });
  });

  it.each(["verdicts", "failedWords"] as const)("are kept if %s are switched off", async (rule) => {
    const world = await withFailed("?");
    const settings = { ...DEFAULTS, learning: { ...DEFAULTS.learning, [rule]: false } };
    await world.settle("off", { settings });
    expect(await world.head()).toMatchObject({ rev: 1, text });
  });

  it("are removed only after as many later uses as the setting says", async () => {
    const world = await withFailed("?");
    const settings = { ...DEFAULTS, learning: { ...DEFAULTS.learning, refutedUses: 2 } };
    expect((await world.settle("wait", { settings })).moved).toBe(null);
    await world.evidence.put({ ...usesOf("?", { text, from: 3 })[0]!, failedWords: ["tab"] });
    expect((await world.settle("now", { settings })).moved).toMatchObject({ inPart: true });
  });

  it("need a second turn, not a second judge of one", async () => {
    const world = await withFailed("");
    await world.evidence.put({ ...usesOf("?", { text, from: 1 })[0]!, judge: "message", failedWords: ["tab"] });
    expect((await world.settle()).moved).toBe(null);
    expect((await world.head()).failedWords).toHaveLength(1);
  });

  it("are removed once, wherever the process is killed", async () => {
    const world = await withFailed("?");
    const killed = await settleAndCopy(world);
    expect(killed.length).toBeGreaterThan(4);
    for (const { bucket, skills, evidence } of killed) {
      expect((await world.settle("op", { skills, evidence })).moved).toMatchObject({ rev: 2, inPart: true });
      expect((await skills.open(NAME))!.files).toEqual({ "SKILL.md": AFTER });
      await expectSound(bucket, world.profile, skills);
    }
  });
});

describe("a text that an experiment found to do harm", () => {
  it("is withdrawn even if nothing is known of it yet", async () => {
    const world = createWorld();
    await world.make(2);
    const harmful = { text: TWO, why: "It contradicts the person.", words: [] };
    expect((await world.settle("experiment", { harmful })).moved).toMatchObject({
      withdrew: true,
      to: "trial",
      rev: 3,
    });
    expect(await world.head()).toMatchObject({ text: ONE, withdrawn: [TWO] });
  });
});
