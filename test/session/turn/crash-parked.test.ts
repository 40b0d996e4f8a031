// A turn that parks crashes at every write, of any port: before the question is stored, after it, at the answer, and at the run.
// It continues in a new object. The person is asked once, the call runs at most once, and its outcome is never guessed.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { CallGate, Tool } from "../../../core/agent/contract.ts";
import { renderParts, succeed } from "../../../core/agent/tool-result.ts";
import { type SessionLife, Crash, createSessionHarness } from "../../support/session/session-harness.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";

/** Depends on the request alone: the same place in the turn always gets the same answer. */
const createWalker = () =>
  createScriptedModel(
    Array.from({ length: 100 }, () => (request: { messages: { role: string }[] }) => {
      const results = request.messages.filter(({ role }) => role === "tool").length;
      return results === 0
        ? {
            calls: [
              { name: "act", id: "a" },
              { name: "act", id: "b" },
            ],
          }
        : { text: "Done." };
    }),
  );

type Way = "approve" | "deny" | "command" | "timeout" | "session";

async function runWithCrash(way: Way, crashAt: number) {
  const ran: string[] = [];
  const tool: Tool = {
    ...{ name: "act", description: "Acts.", parameters: z.strictObject({}), effect: "unkeyed" },
    gate: (): CallGate => ({ verdict: "ask", summary: "act", reasons: ["It acts."], allowance: { exact: "act" } }),
    async run(_args, { op }) {
      ran.push(op);
      return succeed({ done: true });
    },
  };
  const harness = createSessionHarness({
    model: createWalker(),
    tools: [tool],
    settings: { review: { enabled: false } },
  });
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
    if (waiting === null) await attempt((now) => now.wake());
    else if (way === "timeout") await attempt((now) => now.wake());
    else if (way === "command") await post("/approve", `answer ${waiting}`);
    else {
      const scope = way === "session" ? { scope: "session" as const } : {};
      await attempt((now) => now.engine.decideApproval(waiting, { approve: way !== "deny", ...scope }));
    }
    await life.settled();
  }
  const entries = life.engine.entries(0);
  if (!entries.ok) throw new Error(entries.failure.code);
  return { ran, crashed, detail: life.engine.detail()!, entries: entries.value, life };
}

describe("a crash at every write of a turn that asks", () => {
  it.each<[Way, number, number]>([
    ["approve", 2, 2],
    ["deny", 0, 2],
    ["command", 2, 2],
    ["timeout", 0, 2],
    ["session", 2, 1],
  ])("answered by %s runs each call at most once and asks once", async (way, runs, questions) => {
    let crashes = 0;
    for (let crashAt = 1; crashAt < 80; crashAt++) {
      const { ran, crashed, detail, entries } = await runWithCrash(way, crashAt);
      const at = `${way}, crash at ${crashAt}`;
      expect([at, detail.turns[0]!.state]).toEqual([at, "done"]);
      expect([at, new Set(ran).size]).toEqual([at, ran.length]);
      const results = entries.flatMap((entry) => (entry.kind === "tool" ? [renderParts(entry.parts)] : []));
      expect([at, results.length]).toEqual([at, 2]);
      // A call whose run was cut off by the crash may have run: its result says that nobody knows.
      const unknown = results.filter((result) => result.includes("outcome_unknown")).length;
      const done = results.filter((result) => result.includes('"done":true')).length;
      expect([at, done + unknown, done <= ran.length]).toEqual([at, runs, true]);
      const asked = entries.filter((entry) => entry.kind === "notice" && entry.code === "approval_asked").length;
      expect([at, asked]).toEqual([at, questions]);
      if (!crashed) break;
      crashes++;
    }
    expect(crashes).toBeGreaterThan(10);
  });
});
