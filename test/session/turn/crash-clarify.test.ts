// A turn that asks the person two things crashes at every write between question and answer. It continues in a new object: each
// question is asked once, and each answer reaches the model once.
import { expect, it } from "vitest";
import { renderParts } from "../../../core/agent/tool-result.ts";
import { type SessionLife, Crash, createSessionHarness } from "../../support/session/session-harness.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { stepOfCrashes } from "../../support/thorough.ts";

/** Depends on the request alone: the same place in the turn always gets the same answer. */
const createAsker = () =>
  createScriptedModel(
    Array.from({ length: 100 }, () => (request: { messages: { role: string }[] }) => {
      const results = request.messages.filter(({ role }) => role === "tool").length;
      const asks = ["A?", "B?"].map((question, i) => ({ name: "clarify", id: `c${i}`, args: { question } }));
      return results === 0 ? { calls: asks } : { text: "Done." };
    }),
  );

/** Three ways take turns. */
const STEP = stepOfCrashes(3);

type Way = "message" | "api" | "timeout";

async function runWithCrash(way: Way, crashAt: number) {
  const harness = createSessionHarness({ model: createAsker(), settings: { review: { enabled: false } } });
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
  const post = (text: string, key: string) => attempt((now) => now.engine.post({ text, key }));
  await post("Go.", "1");
  await post("Go.", "1"); // the client repeats a request that got no answer
  for (let round = 0; round < 30; round++) {
    const turn = life.engine.detail()!.turns.find(({ n }) => n === 1)!;
    if (turn.state === "done") break;
    const waiting = turn.state === "parked" ? turn.parked!.id : null;
    if (waiting === null || way === "timeout") await attempt((now) => now.wake());
    else if (way === "api") await attempt((now) => now.engine.decideApproval(waiting, { answer: `words` }));
    else {
      // The person's client repeats the message until it is accepted; a repetition is the same message.
      await post(`words`, waiting);
      await post(`words`, waiting);
    }
    await life.settled();
  }
  const entries = life.engine.entries(0);
  if (!entries.ok) throw new Error(entries.failure.code);
  const approvals = life.engine.listApprovals();
  if (!approvals.ok) throw new Error(approvals.failure.code);
  return { crashed, turns: life.engine.detail()!.turns, entries: entries.value, approvals: approvals.value };
}

it.each<[Way, string, string, number]>([
  ["message", '{"answered":true,"answers":[{"text":"words"}]}', "answered", 1],
  ["api", '{"answered":true,"answers":[{"text":"words"}]}', "answered", 2],
  ["timeout", '"answered":false', "expired", 3],
])(
  "a crash at every write, answered by %s, leaves one question and one answer",
  async (way, expected, state, firstCrash) => {
    // After the first timeout nobody is waited for again.
    const questions = way === "timeout" ? 1 : 2;
    let crashes = 0;
    for (let crashAt = Math.min(firstCrash, STEP); crashAt < 80; crashAt += STEP) {
      const { crashed, turns, entries, approvals } = await runWithCrash(way, crashAt);
      const at = `${way}, crash at ${crashAt}`;
      const results = entries.flatMap((entry) => (entry.kind === "tool" ? [renderParts(entry.parts)] : []));
      const noticed = (code: string) =>
        entries.filter((entry) => entry.kind === "notice" && entry.code === code).length;
      expect([at, turns[0]!.state, results.length]).toEqual([at, "done", 2]);
      expect([at, results.filter((result) => result.includes(expected)).length]).toEqual([at, questions]);
      expect([at, noticed("clarify_asked"), approvals.map((one) => one.state)]).toEqual([
        ...[at, questions, Array.from({ length: questions }, () => state)],
      ]);
      expect([at, noticed("message_answer")]).toEqual([at, way === "message" ? 2 : 0]);
      expect([at, turns.map((turn) => turn.state)]).toEqual([
        at,
        way === "message" ? ["done", "steered", "steered"] : ["done"],
      ]);
      if (!crashed) break;
      crashes++;
    }
    expect(crashes * STEP).toBeGreaterThan(8);
  },
);
