// A turn, run again: that it gives the same, that nothing outside is reached, what each arm shows, and that a kill at any write changes nothing.
import { describe, expect, test } from "vitest";
import type { Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import * as z from "zod";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { type SessionOptions, createScriptedSession } from "../../support/session/scripted-session.ts";
import { type ReplayRunOptions, createReplayRun } from "../../support/session/replay-run.ts";
import { SESSION } from "../../support/session/session-harness.ts";

/** A repeated answer has calls of the same ids. */
let calls = 0;
const call = (name: string, args: Record<string, unknown> = {}): ScriptLine => ({
  calls: [{ id: `call-${++calls}`, name, args }],
});
const run = (command: string) => call("terminal", { command });
const write = (path: string, content: string) => call("write_file", { path, content });

/** Without times: when an entry was written, and how long a call took. */
const withoutTimes = (entries: Entry[]) =>
  entries.map((entry) => JSON.parse(JSON.stringify({ ...entry, at: 0 }).replaceAll(/\\"(ms|duration_ms)\\":\d+/g, "")));

/** Tools of the deployment that reach outside. `happened`: what they did. */
function createOutside() {
  const happened: string[] = [];
  const make = (name: string, effect: Tool["effect"]): Tool => ({
    ...{ name, effect, description: name, toolset: "deployment", parameters: z.strictObject({ q: z.string() }) },
    async run({ q }: { q: string }) {
      happened.push(`${name} ${q}`);
      return succeed({ times: happened.length }, { content: { page: `page of ${q}` } });
    },
  });
  return { happened, tools: [make("web_look", "read"), make("send_mail", "unkeyed")] };
}

async function record(script: ScriptLine[], says: string[], options: SessionOptions = {}) {
  const session = await createScriptedSession(script, options);
  for (const text of says) await session.say(text);
  const again = (lines: ScriptLine[], given: Partial<ReplayRunOptions> = {}) => {
    const model = createScriptedModel(lines);
    const host = { ...session.life.host, models: () => ({ ok: true as const, value: [model] as const }) };
    return { model, ...createReplayRun({ host, source: session.engine, ...given }) };
  };
  const ofTurn = (n: number) => session.entries().filter(({ turn }) => turn === n);
  return { ...session, again, ofTurn };
}

const second = { source: { session: SESSION, turn: 2 } };

describe("a replay without any change", () => {
  const lines = [
    ...[write("a.txt", "one\n"), { text: "One." }],
    ...[run("cat a.txt; echo two >> a.txt; wc -l a.txt"), call("read_file", { path: "a.txt" }), { text: "Two." }],
    ...[run("rm a.txt"), { text: "Gone." }],
  ] satisfies ScriptLine[];

  test("gives the recorded turn again, with the files as they were", async () => {
    const { again, ofTurn } = await record(lines, ["Write.", "Add.", "Remove."]);
    const replay = again(lines.slice(2, 5), { order: second });
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(life.faults).toEqual([]);
    expect(withoutTimes(life.entries())).toEqual(withoutTimes(ofTurn(2)));
    expect(replay.reports).toMatchObject([
      { end: "answered", code: null, answer: "Two.", exit: "success", left: null },
    ]);
  });

  test("runs the first turn again, before which nothing was", async () => {
    const { again, ofTurn } = await record(lines, ["Write.", "Add."]);
    const replay = again(lines.slice(0, 2));
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(life.faults).toEqual([]);
    expect(withoutTimes(life.entries())).toEqual(withoutTimes(ofTurn(1)));
  });
});

describe("what reaches outside", () => {
  const turn: ScriptLine[] = [call("web_look", { q: "rain" }), { text: "It rains." }];

  test("a recorded read is answered as it was, and nothing is asked outside", async () => {
    const { happened, tools } = createOutside();
    const { again, ofTurn } = await record(turn, ["Look."], { tools });
    const replay = again(turn);
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(happened).toEqual(["web_look rain"]);
    expect(withoutTimes(life.entries())).toEqual(withoutTimes(ofTurn(1)));
  });

  test("a read that nobody recorded ends the run before the model is asked again", async () => {
    const { happened, tools } = createOutside();
    const { again } = await record(turn, ["Look."], { tools });
    const replay = again([call("web_look", { q: "snow" }), { text: "It snows." }]);
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(happened).toEqual(["web_look rain"]);
    expect(replay.model.requests).toHaveLength(1);
    expect(replay.reports).toMatchObject([
      { end: "left_recording", code: "left_recording", left: { tool: "web_look", args: '{"q":"snow"}' } },
    ]);
  });

  test("an effect never happens, and the run goes on", async () => {
    const { happened, tools } = createOutside();
    const { again } = await record(turn, ["Look."], { tools });
    const replay = again([call("send_mail", { q: "all" }), { text: "I could not." }]);
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(happened).toEqual(["web_look rain"]);
    expect(replay.reports).toMatchObject([{ end: "answered", answer: "I could not." }]);
    expect(JSON.stringify(life.entries())).toContain("not_in_replay");
  });
});
