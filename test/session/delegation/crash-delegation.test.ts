// A parent and its children are cut off at every write of any of them, one object at a time or all at once, and continue in new
// objects. Each task is done once, every result arrives, and nothing stays open.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ModelRequest, Tool } from "../../../core/agent/contract.ts";
import { renderParts, succeed } from "../../../core/agent/tool-result.ts";
import { type CutKind, createFamily } from "../../support/session/family.ts";
import { SESSION } from "../../support/session/session-harness.ts";
import { type ScriptedAnswer, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { stepOfCrashes } from "../../support/thorough.ts";

const TASKS = ["north", "south"];

/** Depends on the request alone. Each child acts once and then answers. */
function answer({ messages }: ModelRequest): ScriptedAnswer {
  const results = messages.filter(({ role }) => role === "tool");
  const task = /^Task:\nGo (\w+)/.exec(messages[0]!.text)?.[1];
  if (task) {
    return results.length === 0 ? { calls: [{ name: "act", id: "a", args: { task } }] } : { text: `Been ${task}.` };
  }
  return results.length === 0
    ? { calls: [{ name: "delegate_task", id: "d", args: { tasks: TASKS.map((one) => ({ goal: `Go ${one}` })) } }] }
    : { text: "All done." };
}

/** Two kinds of cuts take turns. */
const STEP = stepOfCrashes(2);

async function runWithCut(cutAt: number, kind: CutKind, { stops = false } = {}) {
  const effects = new Map<string, Set<string>>();
  const act: Tool = {
    ...{ name: "act", description: "Acts.", parameters: z.strictObject({ task: z.string() }), effect: "keyed" },
    async run({ task }, { op }) {
      effects.set(task, (effects.get(task) ?? new Set()).add(op));
      return succeed({ done: true });
    },
  };
  const model = createScriptedModel(Array.from({ length: 500 }, () => answer));
  const family = createFamily({ model, tools: [act], settings: { review: { enabled: false } } });
  await family.life(SESSION).engine.create({ learning: "off", title: "" });
  family.cutIn(cutAt, kind);
  const post = () => family.attempt(SESSION, ({ engine }) => engine.post({ text: "Go.", key: "1" }));
  if (!(await post())) await post(); // the client repeats a request that got no answer
  if (stops) {
    while (family.isOpen() && family.children().length < TASKS.length) await family.step();
    const stop = () => family.attempt(SESSION, ({ engine }) => engine.stop());
    if (!(await stop())) await stop();
  }
  await family.run();
  await family.drain();
  return { family, effects };
}

describe("a cut at every write of a parent and its children", () => {
  it.each<[CutKind, number]>([
    ["one", 1],
    ["all", 2],
  ])("(%s at once) loses no result, doubles no task and leaves nothing open", async (kind, firstCut) => {
    let cuts = 0;
    for (let cutAt = Math.min(firstCut, STEP); ; cutAt += STEP) {
      const { family, effects } = await runWithCut(cutAt, kind);
      const at = `${kind}, cut at ${cutAt}`;
      const detail = family.detail(SESSION);
      expect([at, detail.turns.map(({ state }) => state)]).toEqual([at, ["done"]]);
      const results = family
        .entries(SESSION)
        .flatMap((entry) => (entry.kind === "tool" ? [renderParts(entry.parts)] : []));
      expect([at, results.length]).toEqual([at, 1]);
      const { done, of, task_1, task_2 } = JSON.parse(results[0]!);
      expect([at, done, of, task_1, task_2]).toEqual([at, 2, 2, "Been north.", "Been south."]);
      const children = family.children();
      expect([at, children.length]).toEqual([at, 2]);
      for (const child of children) {
        expect([at, family.detail(child).turns.map(({ state }) => state)]).toEqual([at, ["done"]]);
      }
      // A keyed effect that runs again after a cut has the same key.
      expect([at, [...effects].map(([task, ops]) => `${task} ${ops.size}`).toSorted()]).toEqual([
        at,
        ["north 1", "south 1"],
      ]);
      const spent = children.reduce((sum, child) => sum + family.detail(child).usage.tokens, 0);
      const own = family.harness(SESSION).booked;
      const booked = new Map(own.map((booking) => [booking.id, booking]));
      expect([at, booked.size]).toEqual([at, 1]);
      expect([at, detail.usage.tokens]).toEqual([at, spent + tokensOf([...booked.values()][0]!)]);
      const listed = await family.life(SESSION).engine.listChildren();
      expect([at, listed.ok && listed.value.map(({ state }) => state)]).toEqual([at, ["done", "done"]]);
      expect([at, openJobs(family)]).toEqual([at, []]);
      if (family.cuts() === 0) break;
      cuts++;
    }
    expect(cuts * STEP).toBeGreaterThan(50);
  });

  it("stops the whole tree, however it is cut off while it stops", async () => {
    let cuts = 0;
    for (let cutAt = 1; ; cutAt += STEP) {
      const { family } = await runWithCut(cutAt, "one", { stops: true });
      const at = `stopped, cut at ${cutAt}`;
      const states = [SESSION, ...family.children()].map((session) => family.detail(session).turns[0]!.state);
      // A child may have ended, or the whole turn, before the stop.
      expect([at, states.every((state) => state === "stopped" || state === "done")]).toEqual([at, true]);
      expect([at, openJobs(family)]).toEqual([at, []]);
      if (family.cuts() === 0) break;
      cuts++;
    }
    expect(cuts * STEP).toBeGreaterThan(20);
  });
});

function tokensOf({ lines }: { lines: { usage: { input: number; output: number } }[] }): number {
  return lines.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
}

function openJobs(family: Awaited<ReturnType<typeof runWithCut>>["family"]): string[] {
  return [SESSION, ...family.children()].flatMap((session) =>
    family
      .harness(session)
      .sql.run<{ id: string }>("SELECT id FROM job")
      .map(({ id }) => `${session} ${id}`),
  );
}
