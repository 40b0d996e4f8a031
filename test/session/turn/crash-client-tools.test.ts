// A turn that has the client run two tools crashes at every write between call and answer. It continues in a new object: the calls are
// shown once, and each answer is taken once.
import { expect, it } from "vitest";
import { renderParts } from "../../../core/agent/tool-result.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { type SessionLife, Crash, createSessionHarness } from "../../support/session/session-harness.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { stepOfCrashes } from "../../support/thorough.ts";

const TOOL = { name: "look_up", description: "Looks up.", parameters: { type: "object" } };
const TOOLS = { guidance: "Be brief.", tools: [TOOL] };

/** Depends on the request alone: the same place in the turn always gets the same answer. */
const createCaller = () =>
  createScriptedModel(
    Array.from({ length: 100 }, () => (request: { messages: { role: string; text?: string }[] }) => {
      if (request.messages.at(-1)?.text === "Never mind.") return { text: "Done." };
      const results = request.messages.filter(({ role }) => role === "tool").length;
      const calls = ["a", "b"].map((word) => ({ name: "look_up", id: `${word}${results}`, args: { word } }));
      const own = { name: "todo", id: `t${results}`, args: {} };
      return results < 6 ? { calls: [calls[0]!, own, calls[1]!] } : { text: "Done." };
    }),
  );

/** Three ways take turns. */
const STEP = stepOfCrashes(3);

type Way = "answer" | "timeout" | "message";

async function runWithCrash(way: Way, crashAt: number) {
  const harness = createSessionHarness({ model: createCaller(), settings: { review: { enabled: false } } });
  let life = harness.boot();
  await life.engine.create({ learning: "off", title: "" });
  life.crashIn(crashAt);
  let crashed = false;
  const attempt = async (work: (now: SessionLife) => Promise<unknown>) => {
    const now = life;
    await work(now).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    await now.settled();
    if (!now.isDead()) return;
    crashed = true;
    life = harness.boot();
  };
  const post = (text: string, key: string) => attempt((now) => now.engine.post({ text, key, client: TOOLS }));
  const entries = (): Entry[] => {
    const read = life.engine.entries(0);
    if (!read.ok) throw new Error(read.failure.code);
    return read.value;
  };
  await post("Go.", "1");
  await post("Go.", "1"); // the client repeats a request that got no answer
  for (let round = 0; round < 30; round++) {
    const turn = life.engine.detail()!.turns.find(({ n }) => n === 1)!;
    if (turn.state === "done" || turn.state === "stopped") break;
    const asked = entries().flatMap((entry) =>
      entry.kind === "notice" && entry.asked?.for === "client" ? [entry.asked] : [],
    );
    const results = (asked.at(-1)?.calls ?? []).map(({ id }) => ({ callId: id, text: `result of ${id}` }));
    if (turn.state !== "parked" || way === "timeout") await attempt((now) => now.wake());
    else if (way === "answer") {
      // A client repeats what got no answer.
      await attempt((now) => now.engine.answerClient(results));
      await attempt((now) => now.engine.answerClient(results));
    } else {
      await post("Never mind.", "2");
      await post("Never mind.", "2");
    }
    await life.settled();
  }
  for (let wakes = 0; way === "message" && wakes < 9 && life.engine.detail()!.turns.at(-1)!.state !== "done"; wakes++) {
    await attempt((now) => now.wake());
  }
  const rows = harness.sql.run<{ key: string }>("SELECT key FROM meta WHERE key LIKE 'client:%' OR key LIKE 'told:%'");
  return { crashed, turns: life.engine.detail()!.turns, entries: entries(), rows };
}

it.each<[Way, string, number, number]>([
  ["answer", "result of", 2, 1],
  ["timeout", "client_silent", 2, 2],
  ["message", "client_silent", 1, 3],
])(
  "a crash at every write, ended by %s, shows each call once and takes one answer",
  async (way, expected, waits, firstCrash) => {
    let crashes = 0;
    for (let crashAt = Math.min(firstCrash, STEP); crashAt < 90; crashAt += STEP) {
      const { crashed, turns, entries, rows } = await runWithCrash(way, crashAt);
      const at = `${way}, crash at ${crashAt}`;
      const tools = entries.filter((entry) => entry.kind === "tool" && entry.turn === 1);
      const mine = tools.filter((entry) => entry.kind === "tool" && entry.call.name === "look_up");
      const noticed = (code: string) =>
        entries.filter((entry) => entry.kind === "notice" && entry.code === code).length;
      expect([at, turns[0]!.state, tools.length]).toEqual([at, way === "message" ? "stopped" : "done", 3 * waits]);
      expect([at, noticed("client_asked"), mine.length]).toEqual([at, waits, 2 * waits]);
      expect([at, mine.filter((entry) => renderParts(entry.parts).includes(expected)).length]).toEqual([at, 2 * waits]);
      expect([at, noticed("client_answered")]).toEqual([at, way === "answer" ? waits : 0]);
      expect([at, tools.filter((entry) => entry.kind === "tool" && entry.state !== "done")]).toEqual([at, []]);
      expect([at, rows]).toEqual([at, []]);
      if (!crashed) break;
      crashes++;
    }
    expect(crashes * STEP).toBeGreaterThan(12);
  },
);
