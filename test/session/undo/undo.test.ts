// `/undo` and `/retry`: what the model reads afterwards, the files, what learning is told, and that nothing leaves the log.
import { describe, expect, test } from "vitest";
import { type Entry, textOf } from "../../../core/schemas/entry.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import {
  createLearningSession,
  createScriptedSession,
  done,
  must,
  view,
} from "../../support/session/scripted-session.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

const write = (content: string): ScriptLine => ({ calls: [{ name: "write_file", args: { path: "a.txt", content } }] });
const plan = (...steps: string[]): ScriptLine => ({
  calls: [{ name: "todo", args: { todos: steps.map((content, i) => ({ id: String(i + 1), content })) } }],
});

async function setUp(script: ScriptLine[]) {
  const session = await createScriptedSession(script, { learning: "off" });
  const last = () => textOf(session.entries().at(-1)!);
  const file = () => {
    const read = session.engine.getFile("a.txt");
    return read.ok ? new TextDecoder().decode(read.value) : null;
  };
  const asked = () => session.model.requests.at(-1)!.messages.map(({ text }) => text);
  return { ...session, last, file, asked };
}

describe("/undo", () => {
  test("takes the last turn from what the model reads, sets its files back, and leaves the log whole", async () => {
    const { say, last, file, asked, entries, engine } = await setUp([write("one"), done, write("two"), done, done]);
    await say("Write one.");
    await say("Write two.");
    const before = entries();
    await say("/undo");
    expect(last().split("\n")).toEqual([
      "Turn 2 was taken back: “Write two.”. The model no longer reads it.",
      "The files are as they were before it.",
      "- set back: a.txt",
      "/rollback 3 undoes this.",
    ]);
    expect(file()).toBe("one");
    expect(entries().slice(0, before.length)).toEqual(before);
    expect(engine.detail()!.turns.map(({ undoneBy }) => undoneBy)).toEqual([undefined, 3, undefined]);
    await say("And now?");
    expect(asked()).toContain("Write one.");
    expect(asked()).not.toContain("Write two.");
    expect(asked().join()).not.toContain("set back");
  });

  test("takes back one more turn each time, passes over commands, and says when there is none left", async () => {
    const { say, last } = await setUp([done, done]);
    await say("One.");
    await say("Two.");
    await say("/rollback");
    await say("/undo");
    expect(last()).toContain("“Two.”");
    await say("/undo");
    expect(last()).toContain("“One.”");
    await say("/undo");
    expect(last()).toBe("There is no turn to take back.");
  });

  test("gives the todo list back that was there before", async () => {
    const { say, sql } = await setUp([plan("read", "write"), done, plan("burn it all"), done]);
    const items = () => sql.run<{ value: string }>("SELECT value FROM meta WHERE key = 'todo'")[0]!.value;
    await say("Plan.");
    const planned = items();
    await say("Plan again.");
    expect(items()).not.toBe(planned);
    await say("/undo");
    expect(items()).toBe(planned);
  });

  test("says so and keeps the files if the checkpoint is gone", async () => {
    const { say, last, file, engine } = await setUp([write("one"), done]);
    await say("Write one.");
    must(engine.deleteCheckpoints());
    await say("/undo");
    expect(last()).toContain("The files stay as they are: what they were when turn 1 began is no longer kept.");
    expect(file()).toBe("one");
  });

  test("refuses a turn that a summary holds", async () => {
    const { say, last, entries } = await setUp([...Array.from({ length: 9 }, () => done), { text: "A summary." }]);
    for (let i = 1; i <= 9; i++) await say(`Message ${i}. ${"Long. ".repeat(2_000)}`);
    await say("/compress");
    expect(entries().some(({ kind }) => kind === "compaction")).toBe(true);
    const answers: string[] = [];
    for (let i = 0; i < 9; i++) {
      await say("/undo");
      answers.push(last());
    }
    expect(answers[0]).toContain("Turn 9 was taken back");
    expect(answers.at(-1)).toMatch(
      /^Turn \d is a part of the summary that the model reads, so it cannot be taken back\./,
    );
  });
});

describe("/retry", () => {
  test("takes the last turn back and sends its message again", async () => {
    const { say, file, entries, model, engine } = await setUp([
      write("one"),
      { text: "No." },
      write("two"),
      { text: "Yes." },
    ]);
    await say("Write it.");
    await say("/retry");
    expect(textOf(entries().at(-1)!)).toBe("Yes.");
    expect(file()).toBe("two");
    expect(model.requests[2]!.messages.map(({ text }) => text)).toEqual(["Write it."]);
    expect(engine.detail()!.turns.map(({ n, state, undoneBy }) => [n, state, undoneBy])).toEqual([
      [1, "done", 2],
      [2, "done", undefined],
      [3, "done", undefined],
    ]);
  });

  test("is refused while messages wait behind it, and then nothing is taken back", async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    const { say, engine, life, entries } = await setUp([done, { text: "Slow.", until }, done]);
    await say("One.");
    await engine.post({ text: "Two." });
    await engine.post({ text: "/retry", busy: "queue" });
    await engine.post({ text: "Three.", busy: "queue" });
    release();
    await life.settled();
    const notice = entries().find((entry) => entry.kind === "notice" && entry.code === "messages_waiting");
    expect(textOf(notice!)).toContain("Other messages wait behind this one.");
    expect(engine.detail()!.turns.some(({ undoneBy }) => undoneBy !== undefined)).toBe(false);
  });

  test("killed at each write, leaves one turn taken back and one answer", async () => {
    for (let crashAt = 1, isOver = false; !isOver; crashAt++) {
      const model = createScriptedModel([]);
      const answers = {
        ...model,
        stream: (request: Parameters<typeof model.stream>[0], signal: AbortSignal) => {
          const results = request.messages.filter(({ role }) => role === "tool").length;
          return createScriptedModel([results === 0 ? write("one") : done]).stream(request, signal);
        },
      };
      const harness = createSessionHarness({ model: answers });
      const first = harness.boot();
      await first.engine.create({ learning: "off", title: "" });
      await first.engine.post({ text: "Write it." });
      await first.settled();
      const life = harness.boot({ crashAt });
      await life.engine.post({ text: "/retry", key: "k" }).catch(() => {});
      await life.settled();
      isOver = !life.isDead();
      const next = harness.boot();
      await next.engine.post({ text: "/retry", key: "k" });
      for (let i = 0; i < 4; i++) await next.wake();
      await next.settled();
      const { turns } = next.engine.detail()!;
      expect(
        turns.map(({ state, undoneBy }) => [state, undoneBy]),
        `killed at write ${crashAt}`,
      ).toEqual([
        ["done", 2],
        ["done", undefined],
        ["done", undefined],
      ]);
      const said = must(next.engine.entries(0))
        .filter((entry: Entry) => entry.kind === "user")
        .map(textOf);
      expect(said).toEqual(["Write it.", "/retry", "Write it."]);
      expect(new TextDecoder().decode(must(next.engine.getFile("a.txt")))).toBe("one");
      if (crashAt > 80) throw new Error("it never ends");
    }
  }, 60_000);
});

describe("learning", () => {
  test("takes a turn that was taken back for no success, also after it was rated one", async () => {
    const session = await createLearningSession([view, done, done]);
    await session.learn();
    await session.say("Use the skill.");
    await session.rate(1, { rating: "up" });
    expect(session.observation(1)).toMatchObject({ outcome: "success" });
    await session.say("/undo");
    await session.life.settled();
    expect(session.observation(1)).toMatchObject({ outcome: "unknown", judge: "rating" });
    expect((await session.evidence()).at(-1)).toBe("1 rating 2 unknown");
    expect(await session.rate(1, { rating: "up" })).toMatchObject({ failure: { code: "turn_undone" } });
    expect(session.rows()).toEqual([]);
  });

  test("shows a review the notice instead of the turn", async () => {
    const session = await createLearningSession([{ text: "A secret answer." }, done]);
    await session.say("Say the secret.");
    await session.say("/undo");
    await session.say("Go on.");
    await session.say("/refine");
    await session.life.settled();
    const job = JSON.stringify(await session.jobOf());
    expect(job).not.toContain("A secret answer.");
    expect(job).toContain("Turn 1 was taken back");
  });
});
