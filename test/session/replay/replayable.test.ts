// Which turns can be run again, and the reason that is given for each of the others.
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Effect, Tool } from "../../../core/agent/contract.ts";
import { fail, succeed } from "../../../core/agent/tool-result.ts";
import type { Replayability } from "../../../core/schemas/learning/experiment.ts";
import { sandbox } from "../../tools/code/code-session.ts";
import {
  type SessionOptions,
  createScriptedSession,
  done,
  must,
  view,
  write,
} from "../../support/session/scripted-session.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

const YES = { replayable: true };
const no = (reason: string, why: string | RegExp) => ({
  replayable: false,
  reason,
  why: typeof why === "string" ? why : expect.stringMatching(why),
});
const call = (name: string, args = {}): ScriptLine => ({ calls: [{ name, args }] });

function outside(name: string, effect: Effect, result = succeed({ found: 1 })): Tool {
  return { name, description: "A tool.", parameters: z.looseObject({}), effect, run: async () => result };
}

const TOOLS = [
  outside("look_up", "read"),
  outside("look_long", "read", succeed({}, { content: { text: "word ".repeat(40_000) } })),
  outside("send", "unkeyed"),
  outside("send_refused", "unkeyed", fail("bad_arguments", "No.")),
  outside("send_failed", "unkeyed", fail("server_error", "No answer.")),
  outside("cut_off", "unkeyed", fail("outcome_unknown", "Who knows?")),
];

async function judged(script: ScriptLine[], options: SessionOptions = {}): Promise<Replayability> {
  const session = await createScriptedSession([...script, done], { tools: TOOLS, ...options });
  await session.say("Do it.");
  return must(session.engine.observation(1)).replayability;
}

describe("a turn can be run again", () => {
  test.each<[string, ScriptLine[]]>([
    ["had no calls", []],
    ["worked on its files", [write, call("read_file", { path: "a.txt" }), call("terminal", { command: "cat a.txt" })]],
    ["kept a list and read skills", [call("todo"), call("skills_list"), view]],
    ["read something outside", [call("look_up", { q: "rain" }), call("look_long")]],
    ["called what does not exist, or with wrong arguments", [call("nothing"), call("memory", { wrong: true })]],
    ["had its write refused", [call("send_refused"), call("skill_manage", { action: "patch", name: "none" })]],
  ])("that %s", async (_what, script) => {
    expect(await judged(script)).toEqual(YES);
  });

  test("whose code called tools that stay inside", async () => {
    const code = "return (await tools.read_file({ path: 'a.txt' })).content;";
    expect(await judged([write, call("execute_code", { code })], { sandbox })).toEqual(YES);
  });

  test("whose person answered a question", async () => {
    const questions = { question: "Which?", choices: ["a", "b"] };
    const { engine, say } = await createScriptedSession([call("clarify", questions), done]);
    await say("Do it.");
    await say("1");
    expect(must(engine.observation(1)).replayability).toEqual(YES);
  });
});

describe("a turn cannot be run again", () => {
  test("that was taken back, or carried out a command", async () => {
    const { say, engine } = await createScriptedSession([done]);
    await say("Do it.");
    await say("/undo");
    expect(must(engine.observation(1)).replayability).toEqual(no("not_ended", "It was taken back."));
    expect(must(engine.observation(2)).replayability).toEqual(
      no("not_answered", "It carried out a command, without a model."),
    );
  });

  test("that has not ended, or does not exist", async () => {
    const held = Promise.withResolvers<void>();
    const { engine, life } = await createScriptedSession([{ text: "Soon.", until: held.promise }]);
    await engine.post({ text: "Do it." });
    expect(engine.describeTurn({ turn: 1 })?.replayability).toEqual(no("not_ended", "It has not ended."));
    expect(engine.describeTurn({ turn: 2 })).toBeNull();
    held.resolve();
    await life.settled();
  });

  test("whose model gave no answer", async () => {
    expect(await judged([{ failure: { code: "refused", message: "No." } }])).toEqual(
      no("not_answered", "It ended without an answer of the model."),
    );
  });

  test("that another message joined", async () => {
    const held = Promise.withResolvers<void>();
    const first: ScriptLine = { calls: [{ name: "todo" }], until: held.promise };
    const { engine, life } = await createScriptedSession([first, done]);
    await engine.post({ text: "Do it." });
    await engine.post({ text: "In French.", busy: "steer" });
    held.resolve();
    await life.settled();
    const steered = no("steered", "Another message joined it while it ran.");
    expect(must(engine.observation(1)).replayability).toEqual(steered);
    expect(must(engine.observation(2)).replayability).toEqual(steered);
  });

  test("that worked on an exec host", async () => {
    const harness = createSessionHarness({ model: createScriptedModel([done]) });
    const { engine, settled } = harness.boot();
    await engine.create({ learning: "off", title: "", backend: "host" });
    await engine.post({ text: "Do it." });
    await settled();
    expect(must(engine.observation(1)).replayability).toMatchObject({ reason: "on_host" });
  });

  test.each<[string, object]>([
    ["tools", { tools: [{ name: "their_tool", description: "Theirs.", parameters: { type: "object" } }] }],
    ["the form of the answer", { format: { type: "json_object" } }],
  ])("whose client brought %s", async (_what, client) => {
    const { engine, life } = await createScriptedSession([{ text: "{}" }, done]);
    must(await engine.post({ text: "Do it.", client } as never));
    await life.settled();
    expect(must(engine.observation(1)).replayability).toMatchObject({ reason: "client" });
    must(await engine.post({ text: "Guided.", client: { guidance: "Be short." } } as never));
    await life.settled();
    expect(must(engine.observation(2)).replayability).toEqual(YES);
  });

  test.each<[string, string, ScriptLine]>([
    ["send", "effect_outside", call("send")],
    ["send_failed", "effect_outside", call("send_failed")],
    ["memory", "effect_outside", call("memory", { action: "add", store: "user", content: "Likes rain." })],
    ["cut_off", "outcome_unknown", call("cut_off")],
  ])("that called %s: %s", async (tool, reason, line) => {
    expect(await judged([write, line])).toEqual(no(reason, new RegExp(`\\b${tool} \\(entry 5\\)`)));
  });

  test.each<[string, string]>([
    ["send", "effect_outside"],
    ["look_up", "result_not_kept"],
  ])("whose code called %s: %s", async (tool, reason) => {
    const options = { sandbox };
    const answer = await judged([call("execute_code", { code: `await tools.${tool}({});` })], options);
    expect(answer).toEqual(no(reason, new RegExp(`^Its code called ${tool} \\(entry 3\\)`)));
  });

  test("whose long result from outside is gone", async () => {
    const { say, engine, entries } = await createScriptedSession([call("look_long"), done], { tools: TOOLS });
    await say("Do it.");
    const { n } = entries().find(({ kind }) => kind === "tool")!;
    must(await engine.deleteFile(`.talaria/results/${n}-look_long.txt`));
    expect(must(engine.observation(1)).replayability).toEqual(no("result_not_kept", /^The whole result of look_long/));
  });

  test("whose files are not kept, or were too many", async () => {
    const { say, engine, sql } = await createScriptedSession([write, done, done]);
    await say("Do it.");
    await say("And again.");
    must(engine.deleteCheckpoints());
    expect(must(engine.observation(1)).replayability).toMatchObject({ reason: "files_not_kept" });
    expect(must(engine.observation(2)).replayability).toEqual(YES);
    sql.run("UPDATE file_node SET size = ? WHERE name = 'a.txt'", 65 << 20);
    expect(must(engine.observation(2)).replayability).toEqual(
      no("too_large", "Its files had more than 64 MB when it began."),
    );
  });

  test("that called a tool of others which the session has no more", async () => {
    const model = createScriptedModel([call("web_search", { query: "rain" }), done, call("look_up"), done]);
    const options = { model, tools: [...TOOLS, outside("web_search", "read")] };
    const harness = createSessionHarness(options);
    const { engine, settled, kill } = harness.boot();
    await engine.create({ learning: "off", title: "" });
    for (const text of ["Search.", "Look it up."]) {
      await engine.post({ text });
      await settled();
    }
    expect([1, 2].map((n) => must(engine.observation(n)).replayability)).toEqual([YES, YES]);
    kill();
    options.tools = [];
    const { engine: later } = harness.boot();
    expect(must(later.observation(1)).replayability).toEqual(YES);
    expect(must(later.observation(2)).replayability).toMatchObject({ reason: "effect_outside" });
  });
});
