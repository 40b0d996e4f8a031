// Models that never end by themselves, each in its own way. Each of their turns ends after a small number of calls, whether or
// not a person is watching, and its log says why.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ModelRequest, Tool } from "../../../core/agent/contract.ts";
import { fail, succeed } from "../../../core/agent/tool-result.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import { collect } from "../../support/session/collect-events.ts";
import { type ScriptedAnswer, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

const Args = z.strictObject({ say: z.string() });

/** Always fails, as a shell may: `failsOften` keeps the guardrails from ending the turn for that. */
const shell: Tool<{ say: string }> = {
  name: "shell",
  description: "Runs.",
  parameters: Args,
  effect: "unkeyed",
  failsOften: true,
  run: async ({ say }) =>
    say.startsWith("quiet")
      ? succeed({ said: "" })
      : say.startsWith("ok")
        ? succeed({ said: say })
        : fail("no", `'${say}' failed.`),
};

type Reply = (n: number) => ScriptedAnswer;
const call = (say: string): ScriptedAnswer => ({ text: "Again.", calls: [{ name: "shell", args: { say } }] });

/** Name, reply, the reason the turn ends with, and the most calls it may make, including the closing one. */
const ENDLESS: [string, Reply, string, number][] = [
  [
    "cut inside a call",
    (n) => ({ calls: [{ name: "write_file", malformed: `{"p${n}` }], stop: "length" }),
    "cut_calls",
    4,
  ],
  ["cut after a whole call", (n) => ({ ...call(`ok ${n}`), stop: "length" }), "cut_calls", 4],
  ["malformed arguments", (n) => ({ calls: [{ name: "shell", malformed: `{${n}` }] }), "unusable_calls", 4],
  ["arguments of another tool", (n) => ({ calls: [{ name: "shell", args: { x: n } }] }), "unusable_calls", 4],
  ["names of unknown tools", (n) => ({ calls: [{ name: `tool_${n}` }] }), "unusable_calls", 4],
  [
    "alternately cut and malformed",
    (n) => (n % 2 ? { calls: [{ name: "shell", malformed: "{" }] } : { ...call(`ok ${n}`), stop: "length" }),
    "cut_calls",
    4,
  ],
  ["failing with different words each time", (n) => call(`try ${n}`), "no_headway", 21],
  ["alternating between two known results", (n) => call(n % 2 ? "ok a" : "ok b"), "no_headway", 23],
  ["failing, with the same read in between", (n) => call(n % 2 ? `try ${n}` : "ok a"), "no_headway", 22],
  ["a result that differs only in a number", (n) => call(`ok ${n}`), "no_headway", 62],
  ["the same result for any call", (n) => call(`quiet ${n}`), "no_headway", 62],
  [
    "rewriting one file with different words each time",
    (n) => ({
      calls: [{ name: "write_file", args: { path: "note.txt", content: `word ${"abcdefghij"[n % 10]} ${n}` } }],
    }),
    "no_headway",
    63,
  ],
  ["reasoning alone", () => ({ reasoning: "Hm." }), "empty_answer", 3],
  ["nothing", () => ({}), "empty_answer", 3],
  ["a refusal with only a call", (n) => ({ ...call(`ok ${n}`), text: "", stop: "refusal" }), "refusal", 1],
];

async function run(reply: Reply, watched: boolean) {
  let asked = 0;
  const script = Array.from({ length: 600 }, () => (request: ModelRequest) => {
    const closing = request.toolChoice === "none";
    return closing ? { text: "I could not do it." } : reply(asked++);
  });
  const model = createScriptedModel(script);
  const harness = createSessionHarness({ model, tools: [shell] });
  const life = harness.boot();
  await life.engine.create({ learning: "off", title: "" });
  if (watched) {
    const posted = await life.engine.postAndRead({ text: "Do it." });
    if (!posted.ok) throw new Error(posted.failure.code);
    await collect(posted.value.events);
  } else await life.engine.post({ text: "Do it." });
  await life.settled();
  const entries = life.engine.entries(0);
  if (!entries.ok) throw new Error(entries.failure.code);
  return { calls: model.requests.length, turn: life.engine.detail()!.turns[0]!, last: entries.value.at(-1)!, model };
}

describe("a model that never ends", () => {
  for (const watched of [true, false]) {
    it.each(ENDLESS)(`${watched ? "watched" : "unwatched"}: %s`, async (_, reply, reason, calls) => {
      const ended = await run(reply, watched);
      expect(ended.last).toMatchObject({ kind: "notice" });
      expect(textOf(ended.last)).toMatch(/\w.*\.$/s);
      if (watched) {
        expect([ended.turn.reason, ended.calls]).toEqual([reason, calls]);
      } else {
        // While nobody is watching, a guardrail may end the turn sooner.
        expect(ended.turn.reason).toBe(ended.last.kind === "notice" && ended.last.code);
        expect(ended.calls).toBeLessThanOrEqual(calls);
      }
    });
  }

  it("is told after a cut call what to do instead, and how short", async () => {
    const reply: Reply = () => ({
      calls: [{ name: "write_file", malformed: '{"content": "' }],
      stop: "length",
      usage: { output: 4_000 },
    });
    const { model } = await run(reply, true);
    const said = model.requests[1]!.messages.at(-1)!.text;
    expect(said).toContain("the same call would be cut off again");
    expect(said).toContain("append: true");
    expect(said).toContain("under 4000 characters");
    expect(said).not.toContain("Call it again");
  });

  it("but writes many files, or appends to one, may continue", async () => {
    const args = (n: number) =>
      n < 80 ? { path: `part-${n}.txt`, content: "x" } : { path: "a.txt", content: `${n}`, append: true };
    const reply: Reply = (n) => (n >= 160 ? { text: "Done." } : { calls: [{ name: "write_file", args: args(n) }] });
    const ended = await run(reply, true);
    expect([ended.turn.state, ended.turn.reason, ended.calls]).toEqual(["done", "answer", 161]);
  });

  it("but makes progress between its mistakes may continue", async () => {
    const reply: Reply = (n) =>
      n >= 60 ? { text: "Done." } : n % 3 < 2 ? { calls: [{ name: "shell", malformed: "{" }] } : call(`ok ${n}`);
    const ended = await run(reply, true);
    expect([ended.turn.state, ended.turn.reason, ended.calls]).toEqual(["done", "answer", 61]);
  });
});
