// A turn that parks crashes at every write, of any port: before the question is stored, after it, at the answer, and at the run.
// It continues in a new object. The person is asked once, the call runs at most once, and its outcome is never guessed.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { CallGate, Tool } from "../../../core/agent/contract.ts";
import { ok } from "../../../core/errors.ts";
import type { StandingAllowance } from "../../../core/schemas/approvals/approval.ts";
import { renderParts, succeed } from "../../../core/agent/tool-result.ts";
import { type SessionLife, Crash, createSessionHarness } from "../../support/session/session-harness.ts";
import { must } from "../../support/session/scripted-session.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { stepOfCrashes } from "../../support/thorough.ts";

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

/** Three ways take turns, then three others. */
const STEP = stepOfCrashes(3);

type Way = "approve" | "deny" | "command" | "timeout" | "session" | "steered" | "always";

async function runWithCrash(way: Way, crashAt: number) {
  const ran: string[] = [];
  const kept: StandingAllowance[] = [];
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
    approvals: {
      read: async () => ({ mode: null, allowances: [...kept] }),
      async allow(allowance) {
        if (!kept.some(({ id }) => id === allowance.id)) kept.push({ ...allowance, v: 1 });
        return ok(null);
      },
      revoke: async () => false,
    },
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
      if (way === "steered") {
        const message = { text: "Also.", key: `also ${waiting}`, busy: "steer" as const };
        for (let twice = 0; twice < 2; twice++) await attempt((now) => now.engine.post(message));
      }
      const scope = way === "session" || way === "always" ? { scope: way } : {};
      // The person who got no answer changes their mind.
      const approve = way !== "deny" && !(way === "always" && crashed);
      await attempt((now) => now.engine.decideApproval(waiting, { approve, ...(approve && scope) }));
    }
    await life.settled();
  }
  for (let wakes = 0; harness.alarmAt() !== null && wakes < 9; wakes++) await attempt((now) => now.wake());
  const entries = life.engine.entries(0);
  if (!entries.ok) throw new Error(entries.failure.code);
  return {
    ran,
    crashed,
    detail: life.engine.detail()!,
    entries: entries.value,
    approvals: must(life.engine.listApprovals()),
    kept,
  };
}

describe("a crash at every write of a turn that asks", () => {
  it.each<[Way, number, number, number]>([
    ["approve", 2, 2, 1],
    ["deny", 0, 2, 2],
    ["command", 2, 2, 3],
    ["timeout", 0, 2, 1],
    ["session", 2, 1, 2],
    ["steered", 2, 2, 3],
  ])("answered by %s runs each call at most once and asks once", async (way, runs, questions, firstCrash) => {
    let crashes = 0;
    for (let crashAt = Math.min(firstCrash, STEP); crashAt < 80; crashAt += STEP) {
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
      const steered = entries.filter((entry) => entry.kind === "user" && entry.steer).length;
      const joined = detail.turns.filter(({ state, into }) => state === "steered" && into === 1).length;
      const messages = way === "steered" || way === "command" ? 2 : 0;
      expect([at, steered, joined, detail.turns.length]).toEqual([
        at,
        way === "steered" ? 2 : 0,
        messages,
        1 + messages,
      ]);
      if (!crashed) break;
      crashes++;
    }
    expect(crashes * STEP).toBeGreaterThan(10);
  });

  it("leaves the profile an allowance only if the decision was stored", async () => {
    const stored = new Set<number>();
    for (let crashAt = 1, crashed = true; crashed; crashAt++) {
      const run = await runWithCrash("always", crashAt);
      crashed = run.crashed;
      const decided = run.approvals.flatMap((one) =>
        one.kind === "command" && one.scope === "always" ? [one.id] : [],
      );
      expect([crashAt, run.kept.map(({ id }) => id)]).toEqual([crashAt, decided]);
      stored.add(decided.length);
    }
    expect(stored).toEqual(new Set([0, 1]));
  });
});
