// A turn that asks the person something: parked, answered in each way that a person has, or decided by the agent after a timeout.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../../core/schemas/entry.ts";
import { collect } from "../../support/session/collect-events.ts";
import { HOUR_MS, codes, createParkedSession, results } from "../../support/session/parked-session.ts";
import { must } from "../../support/session/scripted-session.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const ask = (args: object = { question: "Which database?", choices: ["Postgres", "SQLite"] }): ScriptLine => ({
  calls: [{ name: "clarify", id: "c1", args: args as Record<string, unknown> }],
});
const done: ScriptLine = { text: "Done." };

async function setUp(...options: Parameters<typeof createParkedSession>) {
  const session = await createParkedSession(...options);
  const { engine, life } = session;
  return {
    ...session,
    async post(message: Parameters<typeof engine.post>[0]) {
      const posted = await engine.post(message);
      expect(posted).toMatchObject({ ok: true });
      await life.settled();
    },
  };
}

const sources = (entries: Entry[]) =>
  entries.flatMap((entry) => (entry.kind === "tool" ? entry.parts.map(({ source }) => source) : []));

describe("a question to the person", () => {
  it("parks the turn: no model is asked, and only the timeout wakes the object", async () => {
    const { say, turn, entries, alarmAt, clock, model, approvals } = await setUp([ask(), done]);
    await say("Set it up.");
    const [asked] = approvals();
    expect(asked).toMatchObject({
      ...{ kind: "clarify", state: "waiting", turn: 1, until: clock.now() + HOUR_MS },
      questions: [{ question: "Which database?", choices: ["Postgres", "SQLite"], multiSelect: false }],
    });
    const parked = { for: "clarify", id: asked!.id, since: clock.now(), until: clock.now() + HOUR_MS };
    expect(turn()).toMatchObject({ state: "parked", attempts: 1, parked });
    expect([alarmAt(), model.requests.length]).toEqual([clock.now() + HOUR_MS, 1]);
    expect(entries().map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "notice"]);
  });

  it("is shown as a numbered choice, with how to answer", async () => {
    const { say, engine } = await setUp([ask(), done]);
    await say("Set it up.");
    await say("1");
    const events = await collect(must(engine.events({ turn: 1 })));
    expect(events.map(({ event }) => event).find(({ type }) => type === "turn_park")).toMatchObject({
      type: "turn_park",
      question: { for: "clarify", questions: [{ choices: ["Postgres", "SQLite"] }] },
      text:
        "The agent asks: Which database?\n  1. Postgres (recommended)\n  2. SQLite\n" +
        "Your next message is the answer: a number, or your own words.",
    });
  });

  it("is shown to a reader that watches, before it is answered, and with ids that rise", async () => {
    const { engine, life } = await setUp([ask(), done]);
    const posted = must(await engine.postAndRead({ text: "Set it up." }));
    await life.settled();
    const reader = posted.events.getReader();
    const decoder = new TextDecoder();
    let seen = "";
    while (!seen.includes("turn_park")) seen += decoder.decode((await reader.read()).value);
    await engine.post({ text: "2" });
    await life.settled();
    for (let part = await reader.read(); !part.done; part = await reader.read()) seen += decoder.decode(part.value);
    const shown = (await collect(new Response(seen).body!)).map(({ id, event }) => `${id} ${event.type}`);
    expect(shown.filter((one) => !/delta|entry_start/.test(one))).toEqual([
      ...["1.0 turn_start", "3.0 tool_start", "4.0 turn_park", "5.0 steer_add", "6.0 notice_add", "6.1 tool_end"],
      "7.6 turn_end",
    ]);
  });

  it("is answered by the next message, as the person's own words, and the turn goes on", async () => {
    const { say, turn, entries, model, approvals } = await setUp([ask(), done]);
    await say("Set it up.");
    await say("2");
    expect(results(entries())).toEqual([{ answered: true, answers: [{ chosen: ["SQLite"] }] }]);
    expect(sources(entries())).toEqual(["outcome", "principal"]);
    expect(approvals()).toMatchObject([{ state: "answered", by: "person" }]);
    expect([turn(1).state, turn(1).attempts, turn(2).state, turn(2).into]).toEqual(["done", 1, "steered", 1]);
    expect(codes(entries())).toEqual(["clarify_asked", "message_answer", "clarify_answered"]);
    // The words are in the result, once: no notice of them is sent to the model.
    expect(model.requests[1]!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("takes own words instead of a choice", async () => {
    const { say, entries } = await setUp([ask(), done]);
    await say("Set it up.");
    await say("MySQL, we have it already");
    expect(results(entries())).toEqual([{ answered: true, answers: [{ text: "MySQL, we have it already" }] }]);
  });

  it.each<[string, string]>([
    ["/answer 1", '{"answered":true,"answers":[{"chosen":["Postgres"]}]}'],
    ["/answer neither", '{"answered":true,"answers":[{"text":"neither"}]}'],
    ["/deny You know better.", "You know better."],
    ["/etc/db.conf has it", "/etc/db.conf has it"],
  ])("is answered by %s", async (words, expected) => {
    const { say, turn, entries } = await setUp([ask(), done]);
    await say("Set it up.");
    await say(words);
    expect(JSON.stringify(results(entries())[0])).toContain(expected);
    expect(turn().state).toBe("done");
  });

  it("is answered through the API in parts, once; another answer is refused", async () => {
    const { say, decide, entries } = await setUp([ask(), done]);
    await say("Set it up.");
    const first = await decide({ answers: [{ choices: [2], text: "the newest" }] });
    expect(first).toMatchObject({ ok: true, value: { state: "answered" } });
    expect(await decide({ answers: [{ choices: ["sqlite"], text: "the newest" }] })).toEqual(first);
    expect(await decide({ answer: "1" })).toMatchObject({ failure: { code: "approval_decided" } });
    expect(results(entries())).toEqual([{ answered: true, answers: [{ chosen: ["SQLite"], text: "the newest" }] }]);
  });

  it.each([
    { answers: [{ choices: [3] }] },
    { answers: [{ choices: ["Oracle"] }] },
    { answers: [{ choices: [1, 2] }] },
    { answers: [{}] },
    { answers: [{ choices: [1] }, { choices: [2] }] },
    { approve: true },
  ])("keeps waiting after an answer that does not fit: %j", async (decision) => {
    const { say, decide, turn } = await setUp([ask(), done]);
    await say("Set it up.");
    expect(await decide(decision)).toMatchObject({ failure: { code: "answer_invalid" } });
    expect(turn().state).toBe("parked");
  });

  it("is decided by the agent when nobody answers in time, which readers and the model are told", async () => {
    const { say, decide, life, turn, entries, approvals, alarmAt } = await setUp([ask(), done], {
      settings: { turn: { clarifyMs: 5 * 60_000 } },
    });
    await say("Set it up.");
    await life.wake();
    expect(approvals()).toMatchObject([{ state: "expired", by: "timeout" }]);
    const message = "Nobody answered in time, and the turn went on without an answer.";
    expect(await decide({ answer: "1" })).toMatchObject({ failure: { code: "approval_decided", message } });
    expect(results(entries())).toEqual([
      { answered: false, note: expect.stringMatching(/in time.*own judgement.*say in your answer/s) },
    ]);
    expect(sources(entries())).toEqual(["outcome"]);
    expect(codes(entries())).toEqual(["clarify_asked", "clarify_timed_out"]);
    expect(turn()).toMatchObject({ state: "done", attempts: 1 });
    await life.wake();
    expect(alarmAt()).toBeNull();
  });

  it("is not asked again in a turn in which one has passed", async () => {
    const again: ScriptLine = { calls: [{ name: "clarify", id: "c2", args: { question: "Really nobody?" } }] };
    const { say, life, turn, entries, approvals } = await setUp([ask(), again, done]);
    await say("Set it up.");
    await life.wake();
    expect([approvals().length, turn().state]).toEqual([1, "done"]);
    expect(results(entries())[1]).toMatchObject({ code: "nobody_answers" });
  });

  it("is answered by a message with images as a whole: the message joins the turn", async () => {
    const { say, post, turn, entries, model } = await setUp([ask(), done]);
    await say("Set it up.");
    await post({ text: "Like this one", images: [{ data: PIXEL }] } as Parameters<typeof post>[0]);
    expect(results(entries())).toEqual([{ answered: true, note: expect.stringContaining("message that follows") }]);
    expect([turn(1).state, turn(2).state, turn(2).into]).toEqual(["done", "steered", 1]);
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({
      role: "user",
      text: expect.stringContaining("Like this one"),
    });
  });

  it("also with images, while another message waits for later", async () => {
    const { say, post, turn, entries } = await setUp([ask(), done, done]);
    await say("Set it up.");
    await post({ text: "Then tidy up.", busy: "queue" });
    expect(turn(1).state).toBe("parked");
    await post({ text: "Like this one", images: [{ data: PIXEL }] } as Parameters<typeof post>[0]);
    expect([turn(1).state, turn(2).state, turn(3).state, turn(3).into]).toEqual(["done", "done", "steered", 1]);
    expect(entries().flatMap((entry) => (entry.kind === "user" ? [entry.turn] : []))).toEqual([1, 1, 2]);
  });

  it("ends with a turn that is stopped, or interrupted on purpose", async () => {
    const { say, post, turn, approvals, engine, life } = await setUp([ask(), ask(), done]);
    await say("Set it up.");
    await post({ text: "Forget it. Do B.", busy: "interrupt" });
    expect([turn(1).state, turn(1).reason, turn(2).state]).toEqual(["stopped", "redirected", "parked"]);
    engine.stop();
    await life.settled();
    expect(approvals().map(({ state }) => state)).toEqual(["withdrawn", "withdrawn"]);
    expect(turn(2).state).toBe("stopped");
  });

  it("is answered by the first of two messages, and the second is a message like any other", async () => {
    const { say, engine, life, turn, entries } = await setUp([ask(), done, done]);
    await say("Set it up.");
    await Promise.all([engine.post({ text: "1" }), engine.post({ text: "with backups" })]);
    await life.settled();
    expect(results(entries())).toEqual([{ answered: true, answers: [{ chosen: ["Postgres"] }] }]);
    expect([turn(1).state, turn(2).into, turn(3).state]).toEqual(["done", 1, "done"]);
  });

  it("asks several things in one call, answered in one message", async () => {
    const questions = [
      { question: "Which database?", choices: ["Postgres", "SQLite"] },
      { question: "Which days?", choices: ["Mon", "Tue", "Wed"], multi_select: true },
      { question: "Which name?" },
    ];
    const { say, entries } = await setUp([ask({ questions }), done]);
    await say("Set it up.");
    await say("2; 1,3; rain");
    expect(results(entries())).toEqual([
      { answered: true, answers: [{ chosen: ["SQLite"] }, { chosen: ["Mon", "Wed"] }, { text: "rain" }] },
    ]);
  });

  it("of a second call in the same answer is asked after the first is answered", async () => {
    const both: ScriptLine = {
      calls: ["A?", "B?"].map((question, i) => ({ name: "clarify", id: `c${i}`, args: { question } })),
    };
    const { say, approvals, entries, clock } = await setUp([both, done]);
    await say("Go.");
    expect(approvals()).toHaveLength(1);
    clock.advance(1);
    await say("a");
    expect(approvals().map(({ state }) => state)).toEqual(["answered", "waiting"]);
    await say("b");
    expect(results(entries())).toEqual(["a", "b"].map((text) => ({ answered: true, answers: [{ text }] })));
  });

  it("is not offered where nobody can answer", async () => {
    const { say, model } = await setUp([done], { isUnattended: () => true });
    await say("Go.");
    expect(model.requests[0]!.tools.map(({ name }) => name)).not.toContain("clarify");
  });

  it("with wrong arguments is refused in words", async () => {
    const { say, entries } = await setUp([ask({ question: "A?", questions: [{ question: "B?" }] }), ask({}), done]);
    await say("Go.");
    expect(results(entries())).toMatchObject([
      { code: "bad_arguments", error: expect.stringContaining("give question or questions") },
      { code: "bad_arguments" },
    ]);
  });
});

describe("a command to a turn that asks", () => {
  it("/approve does not answer it, and says how to", async () => {
    const { say, turn, entries } = await setUp([ask(), done]);
    await say("Go.");
    await say("/approve");
    expect(turn().state).toBe("parked");
    expect(entries().at(-1)!.parts[0]!.text).toContain("This is a question");
  });

  it("/approvals lists the question", async () => {
    const { say, entries } = await setUp([ask(), done]);
    await say("Go.");
    await say("/approvals");
    expect(entries().at(-1)!.parts[0]!.text).toContain("The agent asks: Which database?\n  1. Postgres");
  });

  it("/answer without a question says so", async () => {
    const { say, entries } = await setUp([done]);
    await say("/answer 2");
    expect(entries().at(-1)!.parts[0]!.text).toBe("No question waits for an answer.");
  });
});
