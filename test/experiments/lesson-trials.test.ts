// What a lesson that nobody asked about is tried with, and which failures of a word say something against its text.
import { describe, expect, it } from "vitest";
import { type Answer, FIRST, SECOND, SESSION, asked, cite, createWorld, turnIds } from "./world.ts";

const failedWith = (...failedWords: string[]): Answer => ({ failedWords, failedCalls: 1, contradicted: true });
/** A run that is worth following up. */
const cheaper = ({ arm }: { arm: string }): Answer => ({ calls: arm === "with" ? 3 : 7 });
const PARENT = { parent: FIRST, citations: [cite(1)] };
/** A run is 7,000 tokens, so a quarter of it is enough for one. */
const DAY_TOKENS = 40_000;

describe("the share of a day", () => {
  it("allows a lesson one run, and a person's wish all that is left", async () => {
    for (const [occasion, runs] of [
      ["lesson", 1],
      ["asked", 3],
    ] as const) {
      const world = createWorld({ similar: [2], granted: DAY_TOKENS, answer: cheaper });
      await world.makeSkill({ heldUntil: 9e15 });
      const ended = await world.tryText(world.open(), asked({ occasion }));
      expect([occasion, world.seen.orders.size]).toEqual([occasion, runs]);
      expect(ended.why.includes("Its share of the day's grant was spent.")).toBe(occasion === "lesson");
      expect((await world.head()).heldUntil).toBeUndefined();
    }
  });

  it("does not keep a run that speaks against the text from being followed up", async () => {
    const turns = { 1: { outcome: "failure", judge: "rating", accepted: null } } as const;
    const answer = ({ arm }: { arm: string }) => (arm === "with" ? failedWith("two") : {});
    const world = createWorld({ turns, similar: [2], granted: DAY_TOKENS, answer });
    await world.makeSkill();
    expect(await world.tryText(world.open(), asked({ occasion: "lesson" }))).toMatchObject({ outcome: "harms" });
    expect(world.seen.orders.size).toBeGreaterThan(1);
  });
});

describe("a word that failed", () => {
  it("says nothing against a text whose parent has it too", async () => {
    for (const [word, outcome] of [
      ["one", "no_difference"],
      ["two", "harms"],
    ] as const) {
      const answer = ({ arm }: { arm: string }) => (arm === "with" ? failedWith(word) : {});
      const world = createWorld({ turns: { 1: { loaded: [{ skill: "tables", text: FIRST }] } }, answer });
      await world.makeSkill();
      const ended = await world.tryText(world.open(), asked(PARENT));
      expect([word, ended.outcome]).toEqual([word, outcome]);
    }
  });

  it("says nothing where only older turns failed with it and a newer one, which the text cites, did not", async () => {
    const answer = ({ arm, source }: { arm: string; source: { turn: number } }) =>
      arm === "with" && source.turn < 3 ? failedWith("two") : cheaper({ arm });
    const world = createWorld({ similar: [1, 2], answer });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked({ citations: [cite(3)], occasion: "asked" }));
    expect(ended.outcome).not.toBe("harms");
    expect(world.seen.orders.size).toBeGreaterThan(1);
    const found = (await world.evidenceOf()).filter(({ text }) => text === SECOND);
    expect(found.map(({ turn, failedWords }) => [turn, failedWords])).toEqual([[turnIds(3)[0], []]]);
  });

  it("is more than a success with another value: then the text was only not followed", async () => {
    const answer = ({ arm }: { arm: string }): Answer => (arm === "with" ? { contradicted: true } : {});
    const world = createWorld({ answer });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked());
    expect(ended.outcome).toBe("no_difference");
    expect(ended.runs.filter(({ arm }) => arm === "with").every(({ judge }) => judge === "answer")).toBe(true);
  });
});

it("tries a text on the turns that a person named, and on no others", async () => {
  const world = createWorld({ turns: { 1: {}, 3: {} }, similar: [2], answer: cheaper });
  await world.makeSkill();
  const ended = await world.tryText(world.open(), asked({ occasion: "asked", named: turnIds(3) }));
  expect(ended.turns.map(({ turn, cited }) => [turn, cited])).toEqual([[turnIds(3)[0], true]]);
  expect(new Set(ended.runs.map(({ turn }) => turn))).toEqual(new Set(turnIds(3)));
});

it("tries what a person's correction taught on the turn that it corrects", async () => {
  const refuted = { outcome: "failure", judge: "message", accepted: null } as const;
  const world = createWorld({ turns: { 1: refuted } });
  await world.makeSkill();
  const corrected = await world.tryText(world.open(), asked({ citations: [`${SESSION}/20#principal`] }));
  expect(corrected.turns.map(({ turn, cited }) => [turn, cited])).toEqual(
    expect.arrayContaining(turnIds(1, 2).map((turn) => [turn, true])),
  );
  const other = createWorld();
  await other.makeSkill();
  const plain = await other.tryText(other.open(), asked({ citations: [`${SESSION}/20#principal`] }));
  expect(plain.turns.map(({ turn }) => turn)).toEqual(turnIds(2));
});

describe("a text that contradicts its own citation", () => {
  const ONE = "Count with `wc -l`.";
  const CITED = [`${SESSION}/20#principal`];
  const tryAgainst = async (said: string, citations: string[], granted = 0) => {
    const world = createWorld({ turns: { 2: { said } }, granted });
    await world.makeSkill({}, 1);
    await world.adjust({ files: { "SKILL.md": `${ONE}\n\nFor \`film burn\` pass \`--place bottom\`.\n` } }, "third");
    const { text, rev } = await world.head();
    const experiments = world.open();
    await experiments.take(asked({ text, rev, citations }));
    await experiments.alarm();
    await experiments.alarm();
    const [taken] = await experiments.list({ limit: 1 });
    const read = await experiments.read(taken!.id);
    return { world, text, ended: read.ok ? read.value : null };
  };
  const SAID = "`film burn` takes `--place upper` here.";

  it("loses the sentence without a run or a grant, and the person's words are not kept", async () => {
    const { world, text, ended } = await tryAgainst(SAID, CITED);
    expect(ended).toMatchObject({ outcome: "harms", state: "done", runs: [], turns: [], tokens: { used: 0 } });
    expect(ended!.why).toBe(
      "It gives another value than the person's words or the call that it cites, so it was not tried on any earlier turn. The sentences about it were removed.",
    );
    const { head, files } = (await world.skills.open(asked().skill))!;
    expect(files["SKILL.md"]).toBe(`${ONE}\n`);
    expect(head).toMatchObject({
      withdrawn: [text],
      reason: expect.stringContaining("another value than the person's words"),
    });
    expect(world.seen.orders.size).toBe(0);
    const rows = JSON.stringify(world.sql.run("SELECT record FROM experiment"));
    expect([rows.includes("upper"), rows.includes("bottom")]).toEqual([false, false]);
  });

  it("does so with the call that it cites, and with what the text before it cites if that is newer", async () => {
    const [called, older] = [["film burn", "--place upper"], { called: ["film burn", "--place bottom"] }];
    for (const [turns, citations, ofParent] of [
      [{ 3: { called } }, [cite(3)], []],
      [{ 1: older, 2: { said: SAID } }, [cite(1)], CITED],
      [{ 1: older, 2: { called } }, [cite(1)], [cite(2)]],
    ] as const) {
      const world = createWorld({ turns, granted: 0 });
      await world.makeSkill({ citations: [...ofParent] }, 1);
      await world.adjust({ files: { "SKILL.md": `one\n\nFor \`film burn\` pass \`--place bottom\`.\n` } }, "third");
      const { text, rev } = await world.head();
      const wish = asked({ text, rev, parent: FIRST, citations: [...citations] });
      expect(await world.tryText(world.open(), wish)).toMatchObject({ outcome: "harms", runs: [] });
      expect((await world.skills.open(wish.skill))!.files["SKILL.md"]).toBe("one\n");
    }
  });

  it("is tried as any other where a newer call is cited, or what was said fits", async () => {
    for (const [said, citations] of [
      [SAID, [...CITED, cite(3)]],
      [SAID, [`${SESSION}/20#own`]],
      ["`film burn` takes `--place bottom` here.", CITED],
    ] as const) {
      const { ended } = await tryAgainst(said, [...citations]);
      expect(ended).toMatchObject({ outcome: null, state: "waiting" });
    }
  });
});
