// What a person chooses for one session: model, reasoning, personality, title. By command and by the API's call.
import { describe, expect, test } from "vitest";
import { err, ok } from "../../../core/errors.ts";
import { noProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import type { ChangeSession } from "../../../core/schemas/sessions/session-choice.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createScriptedSession, must } from "../../support/session/scripted-session.ts";
import { SESSION } from "../../support/session/session-harness.ts";

const ANSWERS = Array.from({ length: 8 }, () => ({ text: "Done." }));

async function setUp() {
  const owner = noProfileSettings();
  let reads = 0;
  const model = createScriptedModel(ANSWERS);
  const other = createScriptedModel(ANSWERS, { name: "anthropic:claude-opus-5" });
  const renamed: string[] = [];
  const session = await createScriptedSession([], {
    learning: "off",
    async readProfileSettings() {
      reads++;
      return structuredClone(owner);
    },
    host: {
      modelChoices: () => [model.name, other.name],
      models: (_slot, first) =>
        first === undefined || first === model.name
          ? ok([model])
          : first === other.name
            ? ok([other, model])
            : err("unknown_model", "gone"),
      sessions: {
        recent: async () => [],
        find: async () => [],
        rename: async (title) => void renamed.push(title),
      },
    },
  });
  const last = () => textOf(session.entries().at(-1)!);
  const change = (changes: ChangeSession) => session.engine.change(changes, 0);
  const prompts = () => model.requests.map(({ system }) => system);
  return { ...session, model, owner, reads: () => reads, other, last, change, prompts, renamed };
}

describe("a session's model", () => {
  test("is the chosen one from the next turn on, and the default again after `default`", async () => {
    const { say, last, model, other } = await setUp();
    await say("/model opsu-5");
    expect(last()).toBe("There is no model 'opsu-5'. There are: scripted:test, anthropic:claude-opus-5.");
    await say("/model scirpted:test");
    expect(last()).toContain("Did you mean 'scripted:test'?");
    await say("/model opus");
    expect(last()).toContain("Did you mean 'anthropic:claude-opus-5'?");
    await say("/model Claude-Opus-5");
    expect(last()).toContain("the model is anthropic:claude-opus-5");
    await say("Hello.");
    expect([model.requests.length, other.requests.length]).toEqual([0, 1]);
    await say("/model default");
    await say("Hello again.");
    expect([model.requests.length, other.requests.length]).toEqual([1, 1]);
    await say("/model");
    expect(last()).toBe(
      "The model is the default. To choose from:\n- scripted:test (default)\n- anthropic:claude-opus-5",
    );
  });

  test("that is unknown is refused with the nearest name, and nothing of the request is stored", async () => {
    const { change, engine } = await setUp();
    const refused = await change({ model: "claude-opus-4", title: "Rain" });
    expect(refused).toMatchObject({
      ok: false,
      failure: { code: "unknown_model", facts: { near: "anthropic:claude-opus-5" } },
    });
    expect(engine.detail()).toMatchObject({ title: "" });
  });

  test("that the operator no longer offers ends the turn with a sentence that says so", async () => {
    const { sql, boot } = await setUp();
    const stored = { v: 1, learning: "off", title: "", createdAt: 0, choice: { model: "x:gone" } };
    sql.run("UPDATE meta SET value = ? WHERE key = 'session'", JSON.stringify(stored));
    const { engine, settled } = boot();
    await engine.post({ text: "Hello." });
    await settled();
    expect(textOf(must(engine.entries(0)).at(-1)!)).toContain("'x:gone' is no longer offered");
    await engine.post({ text: "/model default" });
    await engine.post({ text: "Hello." });
    await settled();
    expect(textOf(must(engine.entries(0)).at(-1)!)).toBe("Done.");
  });
});

describe("a session's reasoning", () => {
  test("goes with each request, and a mistyped effort is answered with the nearest", async () => {
    const { say, last, model } = await setUp();
    await say("/reasoning hihg");
    expect(last()).toMatch(/^There is no effort 'hihg'\. Did you mean 'high'\?/);
    await say("/reasoning high");
    await say("Hello.");
    expect(model.requests[0]!.effort).toBe("high");
  });
});

describe("a session's personality", () => {
  test("is a part of its prompt and begins a new epoch, and going back begins another", async () => {
    const { say, prompts } = await setUp();
    await say("One.");
    await say("/personality teacher");
    await say("Two.");
    await say("Three.");
    await say("/personality default");
    await say("Four.");
    const [before, taught, still, after] = prompts();
    expect(before).not.toContain("Teach while you work");
    expect(taught).toContain("Teach while you work");
    expect(still).toBe(taught);
    expect(after).toBe(before);
  });

  test("of the profile's own is found although the session's copy of the settings is older", async () => {
    const { change, say, owner, prompts, reads } = await setUp();
    owner.rev = 1;
    owner.sections.personalities.pirate = { description: "", text: "Speak like a pirate." };
    must(await change({ personality: "pirate" }));
    await say("One.");
    expect(prompts()[0]).toContain("Speak like a pirate.");
    expect(reads()).toBe(1);
    expect(await change({ personality: "pirat" })).toMatchObject({
      failure: { code: "unknown_personality", facts: { near: "pirate" } },
    });
  });

  test("is kept by a turn that runs while it changes, also when the turn is resumed", async () => {
    const session = await setUp();
    must(await session.change({ personality: "concise" }));
    const life = session.boot({ crashAt: 6 });
    await life.engine.post({ text: "One." }).catch(() => {});
    await life.settled();
    expect(life.isDead()).toBe(true);
    session.sql.run("UPDATE meta SET value = replace(value, 'concise', 'teacher') WHERE key = 'session'");
    const next = session.boot();
    session.clock.advance(10 * 60_000);
    await next.wake();
    await next.settled();
    expect(session.prompts().at(-1)).toContain("Be brief.");
    expect(session.prompts().at(-1)).not.toContain("Teach while you work");
  });
});

describe("a session's title", () => {
  test("written by a person is told to the profile's list and to its index of messages", async () => {
    const { change, say, renamed, messages, sql, engine } = await setUp();
    await say("What of the weather?");
    expect(must(await change({ title: "Rain in Bern" })).title).toBe("Rain in Bern");
    expect(renamed).toEqual(["Rain in Bern"]);
    expect(messages.search({ query: "rain bern", limit: 5 })).toMatchObject([
      { session: SESSION },
      { session: SESSION },
    ]);
    await say("/title Snow");
    expect(engine.detail()!.title).toBe("Snow");
    expect(messages.search({ query: "rain bern", limit: 5 })).toEqual([]);
    expect(renamed).toEqual(["Rain in Bern", "Snow"]);
    expect(sql.run("SELECT id FROM job WHERE id = 'rename'")).toEqual([]);
  });
});

test("a session in which nothing was chosen stores nothing of it", async () => {
  const { say, sql, engine } = await setUp();
  await say("Hello.");
  expect(engine.detail()).not.toHaveProperty("model");
  expect(sql.run("SELECT value FROM meta WHERE key = 'session' AND value LIKE '%choice%'")).toEqual([]);
  expect(sql.run("SELECT more FROM turn WHERE more LIKE '%choice%'")).toEqual([]);
});
