// What is observed of a session's turns after their answers, how they are judged later, and the reviews that follow: as seen in
// the stores, the Archive's records and the log.
import { describe, expect, it } from "vitest";
import { textOf } from "../../../core/schemas/entry.ts";
import type { Evidence } from "../../../core/schemas/skill.ts";
import type { TurnSignature } from "../../../core/schemas/learning/learning.ts";
import { checkCitations } from "../../../core/learning/review/rules/citations.ts";
import { renderTranscript } from "../../../core/learning/review/transcript.ts";
import { isHeldOut } from "../../../core/session/prompt/held-out.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { companionOf } from "../../../core/skills/format/validate.ts";
import { SKILL, SKILL_MD } from "../../review/script.ts";
import { reviewResult } from "../../support/skills/reviews.ts";
import { type ScriptLine } from "../../support/wires/scripted-model.ts";
import { SESSION } from "../../support/session/session-harness.ts";
import { adjustment } from "../../support/skills/skills.ts";
import {
  createLearningSession as setUp,
  done,
  must,
  quiet,
  ticks,
  view,
  write,
} from "../../support/session/scripted-session.ts";

const MINUTE_MS = 60_000;
const readMissing: ScriptLine = { calls: [{ name: "read_file", args: { path: "missing.txt" } }] };
const readIt: ScriptLine = { calls: [{ name: "read_file", args: { path: "a.txt" } }] };

describe("a turn that has ended", () => {
  it("is stored as observed, recorded in the Archive, and returned with its trace", async () => {
    const world = await setUp([{ text: "I look.", ...readMissing }, write, readIt, done]);
    await world.say("Average the prices in the export");
    expect(world.observation(1)).toMatchObject({
      ...{ v: 2, steps: 4, toolCalls: 3, failedCalls: 1, outcome: "success", judge: "exit", value: 0.6 },
      ...{ tools: ["read_file", "write_file"], efficiency: null },
      ...{ errors: [{ entry: 3, tool: "read_file", code: "not_found" }], recoveries: [{ failed: 3, succeeded: 7 }] },
      ...{ effort: { calls: 3, failedCalls: 1, tokens: 60 }, similar: 0, best: null, generalisable: false },
    });
    expect(world.records.turns({ limit: 9 })).toEqual([
      expect.objectContaining<Partial<TurnSignature>>({
        ...{ turn: `${SESSION}-1`, session: SESSION, request: "Average the prices in the export", heldOut: false },
        ...{ tools: { read_file: 2, write_file: 1 }, outcome: "success", recovered: true },
      }),
    ]);
    const { trace } = must(world.engine.observation(1));
    expect(trace.map(({ entry, thought, answer, calls }) => [entry, thought, answer, calls.length])).toEqual([
      [2, "I look.", undefined, 1],
      [4, undefined, undefined, 1],
      [6, undefined, undefined, 1],
      [8, undefined, "Done.", 0],
    ]);
    expect(trace[0]!.calls[0]).toMatchObject({ tool: "read_file", failed: true, code: "not_found" });
    expect(world.rows()).toEqual([]);
  });

  it("is compared with the turns of the whole profile, of this session and others", async () => {
    const world = await setUp([write, done, write, done]);
    await world.say("Average the prices in the export");
    world.records.observe({
      ...world.records.turns({ limit: 1 })[0]!,
      ...{ turn: "01HZZZZZZZZZZZZZZZZZZZZZZZ-1", session: "01HZZZZZZZZZZZZZZZZZZZZZZZ" },
    });
    await world.say("Average the weights in the export");
    expect(world.observation(2)).toMatchObject({ similar: 2, generalisable: true, best: { calls: 1 } });
  });

  it("stores evidence with the task, its cost and the baseline", async () => {
    const world = await setUp([write, done, view, write, done]);
    const text = await world.learn();
    await world.say("Average the prices in the export");
    await world.say("Average the prices in the export again");
    expect(await world.fullEvidence()).toEqual([
      expect.objectContaining<Partial<Evidence>>({
        ...{ v: 2, skill: SKILL, text, judge: "exit", nth: 1, outcome: "success", at: world.clock.now() },
        ...{
          toolCalls: 2,
          modelCalls: 3,
          tokens: 45,
          contradicted: false,
          task: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
        baseline: { turns: 1, successes: 1, failures: 0, calls: 1 },
      }),
    ]);
  });

  it("that read a skill with its companion stores the outcome for the companion, and `unknown` for the skill", async () => {
    const world = await setUp([view, write, done]);
    await world.learn();
    await world.learn(companionOf(SKILL)!);
    await world.say("Average the prices in the export");
    expect(await world.evidence()).toEqual(["1 exit 1 unknown"]);
    expect(await world.evidence(companionOf(SKILL)!)).toEqual(["1 exit 1 success"]);
  });

  it("that contradicts an active skill's text puts that skill on trial again, even if it succeeded", async () => {
    const otherwise = { name: "write_file", args: { path: "run.sh", content: "ledger export --basis booking" } };
    const world = await setUp([view, { calls: [otherwise] }, done]);
    const body = `${SKILL_MD}\n- Pass \`--basis accrual\`.\n`;
    const settled = { op: "judge", from: "trial", to: "active", rev: 1 } as const;
    await world.learn(SKILL, body);
    await world.skills.change(adjustment(SKILL, { state: "active", settled }));
    await world.say("Average the prices in the export");
    const { text, state } = (await world.skills.head(SKILL))!;
    expect(world.observation(1)).toMatchObject({ outcome: "success", unfollowed: [{ skill: SKILL, text }] });
    expect(await world.fullEvidence()).toMatchObject([{ outcome: "success", contradicted: true }]);
    expect(state).toBe("trial");
  });

  it("costs a plain session no more writes than one that does not learn", async () => {
    const cost = async (learning: "on" | "off") => {
      const world = await setUp([done, done], { learning });
      await world.say("Hello");
      const before = world.writes();
      await world.say("Hello again");
      return world.writes() - before;
    };
    // With learning: the observation with its counters, and a question to the Archive. Without: a second job, because only the job that
    // observes a turn carries both its booking and its messages.
    expect((await cost("on")) - (await cost("off"))).toBe(0);
  });

  it("is not observed if no model worked on it", async () => {
    const world = await setUp([done]);
    await world.say("/pending");
    expect(must(world.engine.observation(1))).toMatchObject({ observation: null, trace: [] });
    expect(world.records.turns({ limit: 9 })).toEqual([]);
  });

  it("is neither stored nor recorded if learning is off", async () => {
    const world = await setUp([write, done], { learning: "off" });
    await world.say("Average the prices");
    expect(must(world.engine.observation(1)).observation).toBeNull();
    expect(must(world.engine.observation(1)).trace).toHaveLength(2);
    expect(world.records.turns({ limit: 9 })).toEqual([]);
  });
});

describe("while the Archive fails", () => {
  it("a turn asks it three times, then is compared with the turns of its own session", async () => {
    let asked = 0;
    let isDown = false;
    const world = await setUp([write, done, write, done, write, done], {
      onArchive() {
        asked += 1;
        if (isDown) throw new Error("unreachable");
      },
    });
    await world.say("Average the prices in the export");
    isDown = true;
    await world.say("Average the weights in the export");
    expect(must(world.engine.observation(2)).observation).toBeNull();
    expect(world.rows()).toEqual(["observe:2"]);
    await world.drain();
    expect(asked).toBe(5);
    expect(world.observation(2)).toMatchObject({ similar: 1, generalisable: true, best: { calls: 1 } });
    expect(world.rows()).toEqual([]);
    expect(world.life.reports.some((report) => report.includes("compared with those of its session"))).toBe(true);
  });

  it("a turn that it rejects delays later turns, so that turns are counted in order", async () => {
    let isDown = true;
    const world = await setUp([done, done, done], {
      onArchive({ turn }) {
        if (isDown && turn.endsWith("-1")) throw new Error("too busy for this one");
      },
    });
    await world.say("Write a poem");
    await world.say("Now another one");
    expect(world.rows()).toEqual(["observe:1", "observe:2"]);
    isDown = false;
    await world.drain();
    expect(world.records.turns({ limit: 9 }).map(({ turn }) => turn.slice(-1))).toEqual(["2", "1"]);
  });

  it("a review that the person requested covers the turn, and no later review counts it again", async () => {
    let isDown = true;
    const world = await setUp([done, done], {
      settings: { review: { ...quiet.review, afterModelCalls: 2, perSessionMs: 0 } },
      onArchive() {
        if (isDown) throw new Error("unreachable");
      },
    });
    await world.say("Hello");
    await world.say("/refine");
    isDown = false;
    await world.reviews.finish(reviewResult(`${SESSION}.1-4`));
    await world.drain();
    expect(world.observation(1)).toMatchObject({ judge: "exit" });
    await world.say("Hello again");
    expect(new Set(world.sent.map(({ review }) => review))).toEqual(new Set([`${SESSION}.1-4`]));
  });

  it("later turns wait, and are counted in their order", async () => {
    let isDown = true;
    const world = await setUp([write, done, write, done], {
      settings: { review: { ...quiet.review, afterModelCalls: 2 } },
      onArchive() {
        if (isDown) throw new Error("unreachable");
      },
    });
    await world.say("One");
    await world.say("Two");
    expect(world.rows()).toEqual(["observe:1", "observe:2"]);
    isDown = false;
    for (let wakes = 0; world.sent.length === 0 && wakes < 9; wakes++) await world.life.wake();
    expect(world.sent.map(({ review }) => review)).toEqual([`${SESSION}.1-8`]);
    expect((await world.jobOf()).observations.map(({ turn }) => turn)).toEqual([`${SESSION}-1`, `${SESSION}-2`]);
  });
});

describe("the next message", () => {
  it.each([
    ["queue", "That's wrong.", [["exit"], ["exit"]], 0],
    ["steer", "That's wrong.", [["exit"], ["exit"]], 0],
    ["queue", "No, use the median instead.", [["exit"], ["exit"]], 1],
    ["interrupt", "That's wrong.", [["exit", "message"], ["exit"]], 0],
  ] as const)("sent as %s before the answer was ready: %s", async (busy, text, judges, reviews) => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    const world = await setUp([{ text: "I was", until }, done]);
    await world.engine.post({ text: "Average the prices" });
    await ticks(500);
    await world.engine.post({ text, busy });
    world.clock.advance(1_000);
    answer();
    await world.life.settled();
    expect(world.model.requests).toHaveLength(2);
    expect([1, 2].map((n) => world.observation(n)!.judgements?.map(({ judge }) => judge))).toEqual(judges);
    expect(world.sent).toHaveLength(reviews);
  });

  it("that waited for a session command judges the answer before that command", async () => {
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    const world = await setUp([done, { text: "A summary.", until }, done]);
    await world.say("Average the prices");
    await world.engine.post({ text: "/compress" });
    await ticks(500);
    await world.engine.post({ text: "That's wrong.", busy: "queue" });
    answer();
    await world.life.settled();
    expect(world.observation(1)).toMatchObject({ outcome: "failure", judge: "message" });
  });

  it("that complains marks the turn before it as a failure, for its skill and in the Archive", async () => {
    const world = await setUp([view, write, done, done]);
    await world.learn();
    await world.say("Average the prices in the export");
    await world.say("That's wrong.");
    expect(world.observation(1)).toMatchObject({ outcome: "failure", judge: "message", corrections: [] });
    expect(await world.evidence()).toEqual(["1 exit 1 success", "1 message 1 failure"]);
    expect(world.records.turns({ limit: 9 }).find(({ turn }) => turn.endsWith("-1"))).toMatchObject({
      ...{ outcome: "failure", judge: "message" },
    });
  });

  it.each([
    ["Shall I keep the old table?", "exit"],
    ["要保留旧表吗？", "exit"],
    ["The old table is kept.", "message"],
  ])("that answers the agent's question is not a verdict: %s", async (text, judge) => {
    const world = await setUp([write, { text }, done]);
    await world.say("Average the prices in the export");
    await world.say("No.");
    expect(world.observation(1)).toMatchObject({ judge });
  });

  it("that says what would have been right is a correction, and starts a review of both turns", async () => {
    const settings = { review: { ...quiet.review, afterModelCalls: 1 } };
    const world = await setUp([write, done, done, done], { settings });
    await world.say("Average the prices in the export");
    await world.reviews.finish(reviewResult(`${SESSION}.1-4`));
    await world.drain();
    await world.say("No, use the median instead.");
    expect(world.observation(1)).toMatchObject({ corrections: [{ entry: 5 }], outcome: "failure" });
    const job = await world.jobOf(1);
    expect(job).toMatchObject({
      ...{ trigger: "correction", because: "the person said what would have been right", review: `${SESSION}.5-6` },
      observations: [{ turn: `${SESSION}-1`, judge: "message" }, { turn: `${SESSION}-2` }],
    });
    // The corrected turn is before the range, and is included.
    expect(job.entries.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("that names a call of the turn and another value is a correction by its form, and judges nothing", async () => {
    const run: ScriptLine = { calls: [{ name: "terminal", args: { command: "echo film burn --place bottom" } }] };
    for (const [text, triggers] of [
      ["Bitte `film burn` mit `--place upper`.", ["correction"]],
      ["Bitte `film burn` mit `--place bottom`.", []],
    ] as const) {
      const world = await setUp([run, done, done]);
      await world.say("Burn the subtitles in");
      await world.say(text);
      expect(world.observation(1)!.judgements?.map(({ judge }) => judge)).toEqual(["exit"]);
      expect(world.sent.map((_, n) => n)).toHaveLength(triggers.length);
      if (triggers.length === 0) continue;
      const job = await world.jobOf();
      expect(job).toMatchObject({ trigger: "correction", because: "the person said what would have been right" });
    }
  });

  it("that names another value while the turn runs corrects a call of that turn", async () => {
    const { promise: until, resolve: go } = Promise.withResolvers<void>();
    const calls = [{ name: "terminal", args: { command: "echo film burn --place bottom" } }];
    const run: ScriptLine = { text: "I burn them in.", until, calls };
    const world = await setUp([run, done], { settings: { ...quiet, turn: { busy: "steer" } } });
    await world.engine.post({ text: "Burn the subtitles in" });
    await ticks(500);
    await world.engine.post({ text: "Bitte `film burn` mit `--place upper`." });
    go();
    await world.life.settled();
    expect(world.engine.detail()?.turns.map(({ state }) => state)).toEqual(["done", "steered"]);
    expect(world.observation(1)!.corrections).toHaveLength(1);
    expect(await world.jobOf()).toMatchObject({ trigger: "correction" });
  });

  it("that approves marks the turn as a success, even if nothing else could judge it", async () => {
    const world = await setUp([done, done]);
    await world.say("Write a poem");
    expect(world.observation(1)!.outcome).toBe("unknown");
    await world.say("Perfect, thanks!");
    expect(world.observation(1)).toMatchObject({ outcome: "success", judge: "message" });
    expect(world.sent).toEqual([]);
  });

  it("judges nothing in neutral words, or if it answers a question with no", async () => {
    const world = await setUp([{ text: "Done. Shall I delete the rest?" }, done, done]);
    await world.say("Tidy up");
    await world.say("No, leave it.");
    await world.say("Now list the files");
    for (const n of [1, 2]) expect(world.observation(n)!.judgements).toHaveLength(1);
  });

  it("that corrects, in a turn that was stopped, is remembered for the next review", async () => {
    const hanging: ScriptLine = { text: "I was", until: new Promise(() => {}) };
    const world = await setUp([done, { ...hanging }, done]);
    await world.say("Average the prices");
    await world.engine.post({ text: "No, use the median instead." });
    await ticks(500);
    await world.engine.stop();
    await world.life.settled();
    expect([world.sent, world.observation(1)!.corrections]).toEqual([[], [{ entry: 3 }]]);
    await world.rate(2, { rating: "down", correction: "The median." });
    expect(world.sent).toEqual([]); // a turn that was stopped is no reason for a review
    await world.say("Go on");
    const { trigger, entries } = await world.jobOf();
    expect([trigger, entries[0]?.n, entries.at(-1)?.kind]).toEqual(["correction", 1, "assistant"]);
  });
});

describe("a rating", () => {
  it("down with words becomes a note for the next turn, evidence, and a review that can cite it", async () => {
    const world = await setUp([view, write, done, done]);
    await world.learn();
    await world.say("Average the prices in the export");
    world.clock.advance(3 * 24 * 60 * MINUTE_MS);
    const rated = must(await world.rate(1, { rating: "down", correction: "The median was wanted." }));
    expect(rated).toMatchObject({ outcome: "failure", judge: "rating" });
    const note = world.entries().at(-1)!;
    expect(note).toMatchObject({
      kind: "note",
      code: "rating",
      parts: [{ source: "outcome" }, { source: "principal" }],
    });
    expect(textOf(note)).toBe(
      "The person rated turn 1 down. What would have been right, in their words:\nThe median was wanted.",
    );
    expect(world.observation(1)).toMatchObject({ corrections: [{ entry: note.n }], judge: "rating" });
    expect(await world.evidence()).toEqual(["1 exit 1 success", "1 rating 1 failure"]);
    expect(world.records.turns({ limit: 1 })).toMatchObject([{ outcome: "failure", judge: "rating" }]);
    const job = await world.jobOf();
    expect(job).toMatchObject({
      trigger: "rating",
      because: "the person rated turn 1 down and said what would have been right",
    });
    expect(job.entries.at(-1)?.n).toBe(note.n);
    await world.say("Go on");
    expect(JSON.stringify(world.model.requests.at(-1)!.messages)).toContain("The median was wanted.");
  });

  it("repeated changes nothing; a different one replaces it, and the last counts", async () => {
    const world = await setUp([view, write, done]);
    await world.learn();
    await world.say("Average the prices");
    for (let time = 0; time < 3; time++) await world.rate(1, { rating: "down" });
    expect(await world.evidence()).toEqual(["1 exit 1 success", "1 rating 1 failure"]);
    expect(world.entries().filter(({ kind }) => kind === "note")).toHaveLength(1);
    expect(must(await world.rate(1, { rating: "up" }))).toMatchObject({ outcome: "success", judge: "rating" });
    expect(await world.evidence()).toEqual(["1 exit 1 success", "1 rating 1 failure", "1 rating 2 success"]);
    expect(world.records.turns({ limit: 1 })).toMatchObject([{ outcome: "success" }]);
    // The note about the earlier rating is followed by one about the new rating.
    expect(
      world
        .entries()
        .filter(({ kind }) => kind === "note")
        .map(textOf),
    ).toEqual(["The person rated turn 1 down.", "The person rated turn 1 up."]);
  });

  it("up without words stores evidence and nothing in the log", async () => {
    const world = await setUp([view, write, done]);
    await world.learn();
    await world.say("Average the prices");
    await world.rate(1, { rating: "up" });
    expect(await world.evidence()).toEqual(["1 exit 1 success", "1 rating 1 success"]);
    expect([world.entries().length, world.sent]).toEqual([6, []]);
    expect(world.rows()).toEqual([]);
  });

  it("waits while an answer streams, so that an entry number never means two texts", async () => {
    let finish = () => {};
    const streaming: ScriptLine = { text: "It goes on", until: new Promise<void>((resolve) => (finish = resolve)) };
    const world = await setUp([done, streaming]);
    await world.say("Average the prices");
    await world.engine.post({ text: "And now" });
    await ticks(500);
    expect(must(await world.engine.rate(1, { rating: "down" }))).toMatchObject({ outcome: "failure" });
    await ticks(500);
    expect(world.entries().some(({ kind }) => kind === "note")).toBe(false);
    finish();
    await world.life.settled();
    while (world.rows().some((id) => id.startsWith("rating"))) await world.life.wake();
    const [answer, note] = world.entries().slice(-2);
    expect([answer, note]).toMatchObject([{ kind: "assistant" }, { kind: "note", code: "rating" }]);
    expect(answer && textOf(answer)).toBe("It goes on");
  });

  it("of an input that joined a running turn counts for that turn", async () => {
    const world = await setUp([view, write, done], { settings: { ...quiet, turn: { busy: "steer" } } });
    await world.learn();
    await world.engine.post({ text: "Average the prices" });
    await world.engine.post({ text: "and the weights" });
    await world.life.settled();
    expect(world.engine.detail()?.turns.map(({ state }) => state)).toEqual(["done", "steered"]);
    expect(must(await world.rate(2, { rating: "down" })).turn).toBe(`${SESSION}-1`);
    expect(await world.evidence()).toEqual(["1 exit 1 success", "1 rating 1 failure"]);
  });

  it("is refused for a turn that does not exist or has not ended", async () => {
    const world = await setUp([{ text: "I am", until: new Promise(() => {}) }]);
    await world.engine.post({ text: "Average the prices" });
    await ticks(500);
    expect(await world.engine.rate(1, { rating: "up" })).toMatchObject({ failure: { code: "turn_not_ended" } });
    expect(await world.engine.rate(7, { rating: "up" })).toMatchObject({ failure: { code: "turn_not_found" } });
    expect(world.engine.observation(7)).toMatchObject({ failure: { code: "turn_not_found" } });
    expect(await world.boot().engine.rate(1, { rating: "up" })).toMatchObject({ ok: false });
  });

  it("in a session with learning off is stored and reported to the model only", async () => {
    const world = await setUp([write, done], { learning: "off" });
    await world.say("Average the prices");
    await world.rate(1, { rating: "down", correction: "The median." });
    expect(world.entries().at(-1)).toMatchObject({ kind: "note", code: "rating" });
    expect([world.records.turns({ limit: 9 }), world.sent]).toEqual([[], []]);
  });

  it("given before its turn was observed still counts", async () => {
    let isDown = true;
    const world = await setUp([view, write, done], {
      onArchive() {
        if (isDown) throw new Error("unreachable");
      },
    });
    await world.learn();
    await world.say("Average the prices");
    expect(must(await world.rate(1, { rating: "down" }))).toMatchObject({ outcome: "failure", judge: "rating" });
    isDown = false;
    for (let wakes = 0; world.rows().some((id) => !id.startsWith("review")) && wakes < 9; wakes++)
      await world.life.wake();
    expect(world.observation(1)).toMatchObject({ outcome: "failure", judge: "rating", similar: 0 });
    expect(await world.evidence()).toEqual(["1 exit 1 success", "1 rating 1 failure"]);
  });

  it("down for the third time in a row withdraws a learned skill", async () => {
    const world = await setUp([view, write, done, view, write, done, view, write, done]);
    await world.learn();
    for (const n of [1, 2, 3]) {
      await world.say(`Average the prices of shop ${"abc"[n - 1]}`);
      await world.rate(n, { rating: "down" });
    }
    expect(await world.skills.head(SKILL)).toMatchObject({ state: "archived" });
    const notices = world.notices();
    const told = `The skill '${SKILL}' was withdrawn and is now archived. The last 3 judged uses failed`;
    expect(notices.map(({ code, parts }) => [code, parts[0]!.text])).toEqual([
      ["learned", expect.stringContaining(told)],
    ]);
    expect(world.rows().filter((id) => id.startsWith("notice"))).toEqual([]);
  });

  it("that withdraws a skill is reported once no answer streams, and not at all if notices are off", async () => {
    const calls = [view, write, done, view, write, done, view, write, done];
    const silent = await setUp(calls, { settings: { review: { ...quiet.review, notice: "off" } } });
    await silent.learn();
    for (const n of [1, 2, 3]) {
      await silent.say(`Average the prices of shop ${"abc"[n - 1]}`);
      await silent.rate(n, { rating: "down" });
    }
    expect(await silent.skills.head(SKILL)).toMatchObject({ state: "archived" });
    expect(silent.notices()).toEqual([]);
  });
});

describe("a word of a skill in a call that failed", () => {
  const asked = (path: string): ScriptLine => ({ calls: [{ name: "read_file", args: { path } }] });
  const text = SKILL_MD.replace("Name the separator", "Read notes/first.txt and name the separator");

  it("is shown to later loads of the skill, until a call with that word succeeds", async () => {
    const world = await setUp([
      ...[view, asked("notes/first.txt"), asked("notes/second.txt"), write, done],
      ...[view, done],
      ...[view, { calls: [{ name: "write_file", args: { path: "notes/first.txt", content: "x" } }] }, done],
      ...[view, done],
    ]);
    await world.learn(SKILL, text);
    const seen = async (what: string) => {
      await world.say(what);
      const views = world.entries().filter((entry) => entry.kind === "tool" && entry.call.name === "skill_view");
      return /"failed_words":\[([^\]]*)\]/.exec(textOf(views.at(-1)!))?.[1];
    };
    expect(await seen("Average the prices")).toBeUndefined();
    expect(await seen("Average the weights")).toBe('"notes/first.txt"');
    expect(await seen("Average the sizes")).toBe('"notes/first.txt"');
    expect(await seen("Average the ages")).toBeUndefined();
    expect((await world.fullEvidence()).map(({ failedWords, workedWords }) => [failedWords, workedWords])).toEqual([
      [["notes/first.txt"], []],
      [[], []],
      [[], ["notes/first.txt"]],
      [[], []],
    ]);
  });
});

describe("a failed word of a skill that the next use confirms", () => {
  const sort = (option: string): ScriptLine => ({
    calls: [{ name: "terminal", args: { command: `sort ${option} a.txt` } }],
  });
  const withSentence = (sentence: string) => SKILL_MD.replace("Name the separator", `${sentence} Name the separator`);
  const withdrawalOf = (word: string) =>
    `The skill '${SKILL}' was changed: a part of it was withdrawn. Calls with "${word}" failed: the program ` +
    "named it, or a later use confirmed it. The sentences about it were removed.";

  it("is removed with its sentence, and the session reports it", async () => {
    const world = await setUp([
      ...[view, write, sort("--strictly"), sort("--tidily --reverse"), done],
      ...[view, done],
      ...[view, sort("--strictly"), sort("--tidily --reverse"), done],
      ...[view, done],
    ]);
    await world.learn(SKILL, withSentence("Sort with `sort --strictly`."));
    await world.say("Average the prices");
    expect(await world.skills.head(SKILL)).toMatchObject({ rev: 1, failedWords: [{ word: "--strictly" }] });
    // A turn with other calls confirms nothing.
    await world.say("Average the ages");
    expect(await world.skills.head(SKILL)).toMatchObject({ rev: 1 });
    await world.say("Average the weights");
    const { head, files } = (await world.skills.open(SKILL))!;
    expect(head).toMatchObject({ rev: 2, state: "trial" });
    expect(files["SKILL.md"]).toBe(SKILL_MD);
    const notices = world.notices();
    expect(notices.map(textOf)).toEqual([withdrawalOf("--strictly")]);
    await world.say("Average the sizes");
    expect(await world.skills.head(SKILL)).toMatchObject({ rev: 2 });
  });

  it("is removed at once if the program names the word and the model's next call changes that word alone", async () => {
    const world = await setUp([view, write, sort("--strictly"), sort("--tidily"), done]);
    await world.learn(SKILL, withSentence("Sort with `--strictly`."));
    await world.say("Average the prices");
    expect((await world.skills.open(SKILL))!.files["SKILL.md"]).toBe(SKILL_MD);
    expect(world.notices().map(textOf)).toEqual([withdrawalOf("--strictly")]);
  });
});

describe("/refine", () => {
  it("answers at once and starts a review of what is new, with the person's focus", async () => {
    const world = await setUp([write, done]);
    await world.say("Average the prices");
    await world.say("/refine how the file is named");
    expect(world.entries().at(-1)).toMatchObject({ kind: "notice", code: "refining" });
    expect(await world.jobOf()).toMatchObject({
      ...{ trigger: "refine", focus: "how the file is named", because: "the person asked for it" },
      observations: [{ turn: `${SESSION}-1` }],
    });
    expect(world.sent[0]!.review).toBe(`${SESSION}.1-6`);
  });

  it("is not part of evidence, transcript or history", async () => {
    const world = await setUp([write, done, done, done]);
    await world.say("Average the prices");
    await world.say("/refine how the file is named");
    const job = await world.jobOf();
    expect(job.entries.map(({ n, kind }) => [n, kind])).toEqual([
      [1, "user"],
      [2, "assistant"],
      [3, "tool"],
      [4, "assistant"],
    ]);
    expect(renderTranscript(job)).not.toContain("refine");
    for (const citation of [`${SESSION}/5#principal`, `${SESSION}/6#outcome`]) {
      expect(checkCitations(job, [citation])?.code).toBe("citation_unknown");
    }
    await world.reviews.finish(reviewResult(job.review));
    await world.say("/compress");
    await world.say("Go on");
    const { messages } = world.model.requests.at(-1)!;
    expect(messages.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual([
      "Average the prices",
      "Go on",
    ]);
    expect(JSON.stringify(messages)).not.toMatch(/refine|looked at|compress/);
  });

  it("covers the turns that its focus mentions, and the last turn if nothing is new", async () => {
    const world = await setUp([done, done, done, done]);
    const refine = async (text: string) => {
      await world.say(text);
      const job = await world.jobOf(world.reviewsSent().length - 1);
      await world.reviews.finish(reviewResult(job.review));
      await world.drain();
      return job.entries.flatMap((entry) => (entry.kind === "user" ? [textOf(entry)] : []));
    };
    await world.say("Average the prices of the harbour");
    await world.say("Draw the tides as a chart");
    await world.say("Name the ships");
    expect(await refine("/refine")).toEqual([
      "Average the prices of the harbour",
      "Draw the tides as a chart",
      "Name the ships",
    ]);
    expect(await refine("/refine the chart of the tides")).toEqual(["Draw the tides as a chart"]);
    expect(await refine("/refine")).toEqual(["Name the ships"]);
    expect(await refine("/refine what you think of cheese")).toEqual(["Name the ships"]);
    await world.say("And the lighthouses");
    expect(await refine("/refine average prices")).toEqual([
      "Average the prices of the harbour",
      "And the lighthouses",
    ]);
  });

  it("reports that there is nothing to review in a session without work", async () => {
    const world = await setUp([done]);
    await world.say("/refine");
    expect([world.entries().at(-1), world.sent]).toMatchObject([{ code: "refine_nothing" }, []]);
  });

  it("reports that its review found nothing worth keeping", async () => {
    const world = await setUp([write, done]);
    await world.say("Average the prices");
    await world.say("/refine");
    const before = world.entries().length;
    await world.reviews.finish(reviewResult(world.sent[0]!.review));
    await world.drain();
    const told = world.entries().slice(before);
    expect(told).toHaveLength(1);
    expect(textOf(told[0]!)).toMatch(/nothing/i);
  });

  it("waits for the review in flight, then one review covers all that became due meanwhile", async () => {
    const world = await setUp([write, done, done, done]);
    await world.say("Average the prices");
    await world.say("/refine names");
    await world.say("Go on");
    await world.say("/refine tables");
    await world.say("/refine");
    await world.rate(3, { rating: "down", correction: "Shorter." });
    expect(world.reviewsSent().length).toBe(1);
    await world.reviews.finish(reviewResult(world.sent[0]!.review));
    for (let wakes = 0; world.reviewsSent().length < 2 && wakes < 9; wakes++) {
      await world.life.wake();
    }
    const job = await world.jobOf(1);
    expect(job).toMatchObject({ trigger: "refine", focus: "tables", review: `${SESSION}.7-13` });
    expect(job.entries.at(-1)).toMatchObject({ kind: "note", code: "rating" });
    await world.reviews.finish(reviewResult(job.review));
    await world.drain();
    expect(world.reviewsSent().length).toBe(2);
  });

  it("reports that learning is off", async () => {
    const off = await setUp([done], { learning: "off" });
    await off.say("/refine");
    expect(off.entries().at(-1)).toMatchObject({ code: "refine_off" });
    const without = await setUp([done], {
      settings: { review: { ...quiet.review, without: ["refine"] } },
    });
    await without.say("/refine");
    expect([without.entries().at(-1), without.sent]).toMatchObject([{ code: "refine_off" }, []]);
  });

  it("does not wait ten minutes, and does not delay the next ordinary review", async () => {
    const world = await setUp([done, done], {
      settings: { review: { ...quiet.review, afterModelCalls: 0 } },
    });
    await world.say("Hello");
    await world.reviews.finish(reviewResult(`${SESSION}.1-2`));
    await world.life.wake();
    await world.say("/refine");
    expect(world.sent.map(({ review }) => review)).toEqual([`${SESSION}.1-2`, `${SESSION}.3-4`]);
  });
});

describe("a review that is dropped under load", () => {
  it("leaves its range and its counters to a later one", async () => {
    let full = true;
    const settings = { review: { ...quiet.review, afterModelCalls: 1 } };
    const world = await setUp([write, done, write, done, done], {
      settings,
      account: {
        reserveReview: async (request) =>
          full && !request.urgent ? { granted: false, shed: true } : { granted: true, grant: request.grant },
      },
    });
    await world.say("Average the prices");
    expect([world.sent, world.rows()]).toEqual([[], []]);
    world.clock.advance(9 * MINUTE_MS);
    await world.say("Go on");
    expect([world.sent, world.rows()]).toEqual([[], []]);
    full = false;
    world.clock.advance(2 * MINUTE_MS);
    await world.say("Go on");
    expect(world.sent.map(({ review }) => review)).toEqual([`${SESSION}.1-10`]);
    expect((await world.jobOf()).because).toBe("2 model calls with tools since skills were last reviewed");
  });
});

describe("a session in the held-out share", () => {
  const settings = { ...quiet, learning: { holdOut: 1 } };

  it("works without learned skills, and its turns are recorded as held out", async () => {
    const seed: ScriptLine = { calls: [{ name: "skill_view", args: { name: "using-the-workspace" } }] };
    const world = await setUp([view, seed, write, done], { settings });
    await world.learn();
    await world.memory().add("user", "m1", { v: 1, text: "Likes short answers.", at: 1, origin: "user" });
    await world.say("Average the prices");
    const { system, tools } = world.model.requests[0]!;
    expect([system.includes(SKILL), system.includes("Likes short answers.")]).toEqual([false, true]);
    expect(tools.map(({ name }) => name)).not.toContain("skill_manage");
    const tool = world.entries().filter((entry) => entry.kind === "tool");
    expect(tool.map((entry) => entry.failed)).toEqual([true, false, false]);
    expect(world.records.turns({ limit: 1 })).toMatchObject([{ heldOut: true }]);
    await world.say(`/${SKILL} now`);
    expect(world.entries().some((entry) => entry.kind === "note" && entry.skills)).toBe(false);
  });

  it("is reviewed for memory only", async () => {
    const world = await setUp([write, done], { settings });
    await world.say("Average the prices");
    await world.rate(1, { rating: "down" });
    expect(await world.jobOf()).toMatchObject({ trigger: "rating", skills: false, memory: true });
  });

  it("is chosen by its id, in the configured share, and never changes", () => {
    const sessions = Array.from({ length: 2_000 }, (_, n) => `01J${String(n).padStart(23, "0")}`);
    const held = (holdOut: number) =>
      sessions.filter((session) =>
        isHeldOut({ session, settings: { ...DEFAULTS, learning: { ...DEFAULTS.learning, holdOut } } }),
      );
    expect(held(0)).toEqual([]);
    expect(Math.abs(held(0.1).length - 200)).toBeLessThan(40);
    expect(held(0.2)).toEqual(expect.arrayContaining(held(0.1)));
  });
});
