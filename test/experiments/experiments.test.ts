// What becomes of a text that is tried: each outcome with what follows from it, and everything that ends an experiment early.
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../core/agent/contract.ts";
import { explainEnding } from "../../core/experiments/explain.ts";
import { MAX_OPEN_EXPERIMENTS } from "../../core/experiments/experiments.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { FIRST, SECOND, SESSION, SKILL, asked, cite, createWorld, turnIds } from "./world.ts";

const DAY_MS = 24 * 60 * 60_000;
const WORD = { failedWords: ["--fast"], failedCalls: 1, contradicted: false };
const must = <T>(result: { ok: true; value: T } | { ok: false; failure: { message: string } }): T => {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
};

describe("a text with a wrong word", () => {
  it("is withdrawn after one run on a cited turn, and the text before it is back", async () => {
    const world = createWorld({ similar: [2], answer: ({ arm }) => (arm === "with" ? WORD : {}) });
    await world.makeSkill({ shared: true, heldUntil: 9e15 });
    const ended = await world.tryText(world.open(), asked());
    expect(ended).toMatchObject({ outcome: "harms", state: "done", arms: { with: { runs: 1, wrong: 1 } } });
    expect(ended.why).toContain("Tried on one earlier turn: 0 right with it");
    expect(world.seen.orders.size).toBe(1);
    const head = await world.head();
    expect(head).toMatchObject({ text: FIRST, rev: 3, state: "trial", withdrawn: [SECOND] });
    expect(head.settled).toMatchObject({ op: `experiment:${ended.id}`, withdrew: true });
    expect(head.heldUntil).toBeUndefined();
    expect(world.seen.followers).toBe(1);
    expect([...world.seen.told.values()]).toEqual([`Skill \`${SKILL}\`: ${ended.why}`]);
    expect(await world.evidenceOf()).toMatchObject([
      { judge: "replay", text: SECOND, outcome: "failure", failedWords: ["--fast"] },
    ]);
    expect(world.reserved.size).toBe(0);
  });

  it("keeps a pinned text, and a person's own is offered last", async () => {
    for (const [more, state] of [
      [{ pinned: true, origin: "review" }, "trial"],
      [{ origin: "user", state: "active" }, "stale"],
    ] as const) {
      const world = createWorld({ answer: ({ arm }) => (arm === "with" ? WORD : {}) });
      await world.makeSkill(more);
      expect(await world.tryText(world.open(), asked())).toMatchObject({ outcome: "harms" });
      expect(await world.head()).toMatchObject({ text: SECOND, state });
      expect([...world.seen.withdrawn.keys()]).toEqual(state === "stale" ? [`${SKILL} 2`] : []);
    }
  });

  it("loses the sentences about it only, where something else is left", async () => {
    const world = createWorld({ answer: ({ arm }) => (arm === "with" ? WORD : {}) });
    await world.makeSkill();
    await world.adjust(
      { files: { "SKILL.md": "Count with `wc -l`.\n\nLoad the table with `load --fast`.\n" } },
      "third",
    );
    const { text, rev } = await world.head();
    const ended = await world.tryText(world.open(), asked({ text, rev }));
    expect(ended.why).toContain("The sentences about it were removed.");
    const { head, files } = (await world.skills.open(SKILL))!;
    expect(files["SKILL.md"]).toBe("Count with `wc -l`.\n");
    expect(head).toMatchObject({ state: "trial", withdrawn: [text], settled: { inPart: true, withdrew: true } });
  });

  it("gets evidence only if it was changed meanwhile", async () => {
    const world = createWorld({ answer: ({ arm }) => (arm === "with" ? WORD : {}) });
    await world.makeSkill({}, 1);
    const experiments = world.open();
    must(await experiments.take(asked({ rev: 1, text: FIRST })));
    await world.makeSkill();
    await world.runToEnd(experiments);
    expect(await world.head()).toMatchObject({ text: SECOND, state: "trial" });
    expect(await world.evidenceOf()).toMatchObject([{ text: FIRST, outcome: "failure" }]);
  });
});

describe("a text that helps", () => {
  it("becomes active by its evidence, after three runs", async () => {
    const wrong = { accepted: { turn: `${SESSION}-9`, text: "43", isOwn: false }, outcome: "failure" } as const;
    const world = createWorld({
      turns: { 1: wrong, 2: wrong },
      similar: [2],
      answer: ({ arm }) => ({ answer: arm === "with" ? "It is 43." : "42" }),
    });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked());
    expect(ended).toMatchObject({ outcome: "helps", arms: { with: { right: 2 }, without: { wrong: 3 } } });
    expect(ended.runs.map(({ replay, arm }) => [replay !== null, arm])).toEqual([
      [false, "without"],
      [false, "without"],
      [true, "with"],
      [true, "with"],
      [true, "without"],
    ]);
    expect(ended.turns.map(({ turn, cited }) => [turn, cited])).toEqual([
      [turnIds(1)[0], true],
      [turnIds(2)[0], false],
    ]);
    expect(await world.head()).toMatchObject({ state: "active", text: SECOND });
    const stats = await world.evidence.fold(SKILL);
    expect(stats).toMatchObject({ uses: 0, successes: 0, lastUsedDay: null });
    expect(stats.texts[SECOND]).toMatchObject({ verdict: "active", uses: 0, successes: 2 });
  });

  it("is told by what a person said of a refused answer, though every call went well", async () => {
    const wrong = { judge: "rating", outcome: "failure", accepted: null, refused: { correction: "No: 43." } } as const;
    const tried = async (own: string) => {
      const turns = { 1: wrong, 2: wrong };
      const answer = ({ arm }: { arm: string }) => ({ answer: arm === "with" ? own : "42" });
      const world = createWorld({ turns, similar: [2], answer });
      await world.makeSkill();
      return world.tryText(world.open(), asked());
    };
    expect(await tried("It is 43.")).toMatchObject({
      outcome: "helps",
      arms: { with: { right: 2 }, without: { wrong: 3 } },
    });
    expect(await tried("42")).toMatchObject({ outcome: "no_difference", arms: { with: { wrong: 2 } } });
  });

  it("is not compared with recorded turns that new runs are quite unlike, since the library has changed", async () => {
    const tried = async (own: { calls: number; failedCalls?: number }) => {
      const world = createWorld({ similar: [2], answer: ({ arm }) => (arm === "with" ? own : { calls: 2 }) });
      await world.makeSkill();
      return world.tryText(world.open(), asked());
    };
    const useless = await tried({ calls: 2 });
    expect(useless).toMatchObject({ outcome: "no_difference", arms: { without: { runs: 2, calls: 2 } } });
    expect(useless.why).toBe("Tried on 2 earlier turns: 2 right with it, 2 without.");
    expect(await tried({ calls: 5, failedCalls: 4 })).toMatchObject({ outcome: "harms", arms: { with: { calls: 5 } } });
    expect(await tried({ calls: 1 })).toMatchObject({ outcome: "helps", arms: { without: { calls: 2 } } });
  });

  it("is worth it by fewer calls where both are right", async () => {
    const world = createWorld({ similar: [2], answer: ({ arm }) => ({ calls: arm === "with" ? 3 : 7 }) });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked());
    expect(ended).toMatchObject({ outcome: "helps" });
    expect(ended.why).toBe(
      "Tried on 2 earlier turns: 2 of 2 right with it, 3 of 3 without, 57 % fewer calls. It is active now.",
    );
  });

  it("is told as too close to call where it is cheaper and an answer is wrong", () => {
    const sum = { runs: 2, right: 1, wrong: 1, calls: 1, failedCalls: 0, tokens: 10 };
    const ending = { outcome: "no_difference", because: "level", against: "without" } as const;
    const told = { arms: { with: sum, without: { ...sum, calls: 4 } }, turns: 2, chosen: [] };
    expect(explainEnding(ending, told)).toBe(
      "Tried on 2 earlier turns: 1 right with it, 1 without, 75 % fewer calls. That is too little to tell them apart.",
    );
  });

  it("must be better than its parent", async () => {
    const world = createWorld({ similar: [2], answer: ({ arm }) => ({ calls: arm === "without" ? 7 : 3 }) });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked({ parent: FIRST }));
    expect(ended).toMatchObject({ outcome: "no_difference", arms: { with: { calls: 3 }, parent: { calls: 3 } } });
  });
});

describe("a text that makes no difference", () => {
  it("costs one run on a turn that it cites, and is offered last after the second time", async () => {
    const world = createWorld({ similar: [2, 3] });
    await world.makeSkill({ heldUntil: 9e15 });
    const experiments = world.open();
    expect(await world.tryText(experiments, asked())).toMatchObject({ outcome: "no_difference" });
    expect(world.seen.orders.size).toBe(1);
    const once = await world.head();
    expect([once.state, once.heldUntil]).toEqual(["trial", undefined]);
    const again = await world.tryText(experiments, asked({ key: "again" }));
    expect(again.why).toContain("offered last");
    expect(await world.head()).toMatchObject({ state: "stale", text: SECOND });
    expect((await world.evidenceOf()).map(({ nth }) => nth).toSorted()).toEqual([1, 2]);
  });
});

describe("a grant", () => {
  it("is waited for until the next day, at most seven", async () => {
    const world = createWorld({ granted: 0 });
    await world.makeSkill();
    const experiments = world.open();
    const { id } = must(await experiments.take(asked()));
    await experiments.alarm();
    expect(must(await experiments.read(id))).toMatchObject({ state: "waiting" });
    expect(world.alarmAt()! - world.clock.now()).toBeGreaterThan(DAY_MS / 2);
    await world.runToEnd(experiments);
    expect(must(await experiments.read(id))).toMatchObject({ state: "done", outcome: null, runs: [] });
    expect(world.seen.told.size).toBe(0);
    expect(world.clock.now() - must(await experiments.read(id)).createdAt).toBeLessThanOrEqual(7 * DAY_MS);
  });

  it("that is spent ends it with what is clear", async () => {
    const world = createWorld({ similar: [2], granted: 8_000, answer: () => ({ calls: 3 }) });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked());
    expect(ended).toMatchObject({ outcome: null, tokens: { granted: 8_000, used: 7_000 } });
    expect(ended.why).toContain("What is left of its grant is too little for another run.");
  });
});

describe("turns", () => {
  const no = { replayable: false, reason: "effect_outside", why: "It sent a message." } as const;

  it("that cannot be run again are listed with their reason; without others nothing is tried", async () => {
    const world = createWorld({ turns: { 1: { replayability: no } } });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked());
    expect(ended).toMatchObject({ outcome: "not_replayable", turns: [{ replayability: no }], runs: [] });
    expect(world.seen.orders.size).toBe(0);
    expect(await world.evidenceOf()).toEqual([]);
  });

  it("are four at most, and one of them is similar work that the text does not cite", async () => {
    const world = createWorld({ similar: [1, 7, 8] });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked({ citations: [1, 2, 3, 4, 5].map(cite) }));
    expect(ended.turns.map(({ turn }) => turn)).toEqual(turnIds(1, 7, 2, 3));
  });

  it("whose run leaves the recording tell nothing", async () => {
    const world = createWorld({ answer: () => ({ end: "left_recording", answer: null, code: "left_recording" }) });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked());
    expect(ended).toMatchObject({
      outcome: "not_replayable",
      runs: [{ arm: "without" }, { verdict: "unknown", judge: "none" }],
    });
    expect(world.seen.orders.size).toBe(1);
  });
});

describe("a run that is lost", () => {
  it("is made again once, and is booked if it reports late", async () => {
    const world = createWorld({ answer: ({ arm }, nth) => (arm === "with" && nth === 1 ? null : { calls: 3 }) });
    await world.makeSkill();
    const experiments = world.open();
    const ended = await world.tryText(experiments, asked());
    const lost = ended.runs.filter(({ report }) => report?.end === "lost");
    expect(lost).toMatchObject([{ arm: "with", nth: 1 }]);
    expect(world.seen.erased.has(lost[0]!.replay!)).toBe(true);
    expect(ended.runs.filter(({ arm, replay }) => arm === "with" && replay !== null)).toHaveLength(2);
    const late = ended.runs.find(({ report }) => report?.end === "answered" && report.lines.length > 0)!.report!;
    await experiments.takeReport(lost[0]!.replay!, late);
    await experiments.alarm();
    expect(world.seen.bookings.has(lost[0]!.replay!)).toBe(true);
    expect(must(await experiments.read(ended.id))).toMatchObject({
      state: "done",
      tokens: { used: ended.tokens.used + 7_000 },
    });
  });
});

describe("judging", () => {
  it("asks a model in both orders only where answers differ in words, and books it", async () => {
    const requests: ModelRequest[] = [];
    const model = createScriptedModel(
      Array.from({ length: 20 }, () => (request: ModelRequest) => {
        requests.push(request);
        return { text: '{"same":false}', usage: { input: 10, output: 1 } };
      }),
    );
    const long = (word: string) =>
      `The ${word} of the table is not what the report of last week said, so it must be made once more by hand.`;
    const accepted = { turn: `${SESSION}-1`, text: long("header"), isOwn: true };
    const world = createWorld({
      turns: { 1: { accepted, answer: accepted.text } },
      judges: [model],
      answer: ({ arm }) => ({ answer: arm === "with" ? long("footer") : accepted.text }),
    });
    await world.makeSkill();
    const ended = await world.tryText(world.open(), asked());
    const [own] = ended.runs.filter(({ arm }) => arm === "with");
    expect(own).toMatchObject({ verdict: "wrong", judge: "model" });
    expect(
      requests[0]!.messages[0]!.text.replace("header", "x").replace("footer", "header").replace("x", "footer"),
    ).toBe(requests[1]!.messages[0]!.text);
    expect(world.seen.bookings.get(own!.replay!)!.lines.map(({ model: name }) => name)).toHaveLength(2);
  });

  it("hears the text's own checks first", async () => {
    const runChecks = async () => [{ check: "checks/a.json", ok: false, runnable: true, why: "no", output: "" }];
    const world = createWorld({ runChecks });
    await world.makeSkill();
    await world.adjust({ files: { "SKILL.md": "one\ntwo", "checks/a.json": "{}" } });
    const head = await world.head();
    const ended = await world.tryText(world.open(), asked({ rev: head.rev, text: head.text }));
    expect(ended.runs.find(({ arm }) => arm === "with")).toMatchObject({ judge: "checks", verdict: "wrong" });
  });
});

describe("asking", () => {
  it("twice with one key gives one experiment; another body is refused", async () => {
    const world = createWorld();
    const experiments = world.open();
    const first = must(await experiments.take(asked()));
    expect(must(await experiments.take(asked())).id).toBe(first.id);
    expect(await experiments.take(asked({ about: "another" }))).toMatchObject({
      failure: { code: "idempotency_conflict" },
    });
    expect(await experiments.list({ limit: 10 })).toHaveLength(1);
  });

  it("for too many at once is refused", async () => {
    const world = createWorld();
    const experiments = world.open();
    for (let n = 0; n < MAX_OPEN_EXPERIMENTS; n++) must(await experiments.take(asked({ key: `${n}` })));
    expect(await experiments.take(asked())).toMatchObject({ failure: { code: "too_many_experiments" } });
    const [newest, second] = await experiments.list({ limit: 2 });
    expect(newest!.id > second!.id).toBe(true);
    expect((await experiments.list({ limit: 100, after: second!.id })).length).toBe(MAX_OPEN_EXPERIMENTS - 2);
    expect(experiments.sum({ since: 0 })).toMatchObject({ waiting: MAX_OPEN_EXPERIMENTS, helps: 0 });
  });

  it("for a text that is not in the library leaves the library as it is, and keeps the text until the end", async () => {
    const files = { "SKILL.md": "A text.", "data.bin": new Uint8Array([255, 0, 1]) };
    const world = createWorld({ answer: ({ arm }) => (arm === "with" ? WORD : {}) });
    const experiments = world.open();
    const given = { rev: undefined, given: files, occasion: "try", session: null, key: "try" } as const;
    const { rev: _, ...rest } = asked({ ...given, rev: 1 });
    const { id } = must(await experiments.take(rest));
    expect(must(await experiments.readText(id, "with"))).toEqual(files);
    expect(must(await experiments.readText(id, "without"))).toBeNull();
    await world.runToEnd(experiments);
    expect(must(await experiments.read(id))).toMatchObject({ outcome: "harms", rev: null });
    expect(await experiments.readText(id, "with")).toMatchObject({ failure: { code: "experiment_not_found" } });
    expect(await world.evidenceOf()).toEqual([]);
    expect(world.seen.told.size).toBe(0);
  });
});

describe("an end", () => {
  async function running() {
    const world = createWorld({ similar: [2], answer: () => null });
    await world.makeSkill({ heldUntil: 9e15 });
    const experiments = world.open();
    const { id } = must(await experiments.take(asked()));
    await experiments.alarm();
    expect(world.replays.size).toBe(1);
    const finish = async () => {
      await experiments.alarm();
      return must(await experiments.read(id));
    };
    return { world, experiments, id, finish };
  }

  it("by a person stops its run, releases the text and the grant", async () => {
    const { world, experiments, id, finish } = await running();
    expect(must(await experiments.stop(id))).toMatchObject({ state: "done", outcome: null });
    await finish();
    expect([world.replays.size, world.reserved.size]).toEqual([0, 0]);
    expect((await world.head()).heldUntil).toBeUndefined();
    expect(world.seen.told.size).toBe(0);
    expect(must(await experiments.stop(id))).toMatchObject({ why: "A person stopped it." });
  });

  it("of its session takes its runs and its words with it, and tells nobody", async () => {
    const { world, experiments, finish } = await running();
    await experiments.forgetSession(SESSION);
    expect(world.replays.size).toBe(0);
    const ended = await finish();
    expect(ended).toMatchObject({ state: "done", outcome: "not_replayable", session: null });
    expect(ended.turns.map(({ request }) => request)).toEqual([null, null]);
    expect(ended.runs.map(({ report }) => report!.answer)).toEqual([null, null, null]);
    expect(world.seen.told.size).toBe(0);
    const rows =
      JSON.stringify(world.sql.run("SELECT record FROM experiment")) +
      JSON.stringify(world.sql.run("SELECT record FROM experiment_run"));
    expect(rows).not.toContain("Count the rows");
  });

  it("of its skill leaves no outcome", async () => {
    const { world, experiments, finish } = await running();
    await experiments.forgetSkill(SKILL);
    expect(await finish()).toMatchObject({ state: "done", outcome: null, why: "Its skill was deleted." });
    expect(world.replays.size).toBe(0);
  });

  it("by a purge leaves no word of any run", async () => {
    const { world, experiments, finish } = await running();
    await experiments.forgetWords();
    expect(world.replays.size).toBe(0);
    const ended = await finish();
    expect(ended).toMatchObject({ state: "done", outcome: null, turns: [{ request: null }, { request: null }] });
    expect(JSON.stringify(world.sql.run("SELECT record FROM experiment"))).not.toContain("counts rows");
  });

  it("of the profile leaves nothing", async () => {
    const { world, experiments } = await running();
    await experiments.eraseAll();
    expect([world.replays.size, world.alarmAt()]).toEqual([0, null]);
    for (const table of ["experiment", "experiment_run", "experiment_text"]) {
      expect(world.sql.run(`SELECT * FROM ${table}`)).toEqual([]);
    }
  });
});

describe("what is kept", () => {
  it("is the run for seven days, and the result for ninety", async () => {
    const world = createWorld({ similar: [2] });
    await world.makeSkill();
    const experiments = world.open();
    const ended = await world.tryText(experiments, asked());
    expect(world.replays.size).toBe(1);
    expect(ended.runsUntil).toBe(ended.endedAt! + 7 * DAY_MS);
    world.clock.advance(7 * DAY_MS);
    await experiments.alarm();
    expect(world.replays.size).toBe(0);
    const bare = must(await experiments.read(ended.id));
    expect(bare.runs.map(({ report }) => report!.answer)).toEqual([null, null, null]);
    expect(bare).toMatchObject({ outcome: "no_difference", arms: ended.arms });
    world.clock.advance(83 * DAY_MS);
    await experiments.alarm();
    expect(await experiments.read(ended.id)).toMatchObject({ ok: false });
    expect(world.alarmAt()).toBeNull();
  });

  it("is nothing before the first experiment", async () => {
    const world = createWorld();
    const experiments = world.open();
    await experiments.alarm();
    await experiments.forgetSession(SESSION);
    expect(await experiments.list({ limit: 1 })).toEqual([]);
    expect(experiments.sum({ since: 0 })).toMatchObject({ replays: 0, tokens: 0 });
    expect(world.sql.run("SELECT name FROM sqlite_master")).toEqual([]);
  });
});
