// Prompts, approvals and notes through the whole engine. Each request of an epoch begins with all of the one before it, and the
// model reads a person's decision once, after a crash at any write.
import { describe, expect, it } from "vitest";
import type { Message, ModelRequest } from "../../../core/agent/contract.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { type ScriptLine, type ScriptedAnswer, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { type SessionLife, PROFILE, createSessionHarness } from "../../support/session/session-harness.ts";
import { creation } from "../../support/skills/skills.ts";

const AGENTS = "AGENTS.md";
const say = (text: string): ScriptLine => ({ text });
const write = (content: string): ScriptLine => ({ calls: [{ name: "write_file", args: { path: AGENTS, content } }] });

/** Depends on the request alone: the same place in a turn always gets the same answer. */
function writeThenSay({ messages }: ModelRequest): ScriptedAnswer {
  const isWritten = messages.findLast((message) => message.role !== "assistant")?.role === "tool";
  return isWritten
    ? { text: "It waits." }
    : { calls: [{ name: "write_file", args: { path: AGENTS, content: `${messages.length}` } }] };
}

async function setUp(script: ScriptLine[]) {
  const model = createScriptedModel(script);
  const harness = createSessionHarness({ model });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  return { ...harness, model, life };
}

async function turn({ engine, settled }: SessionLife, text: string): Promise<void> {
  expect(await engine.post({ text })).toMatchObject({ ok: true });
  await settled();
}

function approvalsOf({ engine }: SessionLife) {
  const listed = engine.listApprovals();
  if (!listed.ok) throw new Error(listed.failure.code);
  return listed.value;
}

/** The entry without the parts that a model never sees. */
const spoken = (messages: Message[]) => messages.map((message) => ({ ...message, entry: undefined }));

function expectPrefixes(requests: ModelRequest[]): void {
  for (const [i, later] of requests.entries()) {
    if (i === 0) continue;
    const earlier = requests[i - 1]!;
    expect([later.system, later.tools]).toEqual([earlier.system, earlier.tools]);
    expect(spoken(later.messages).slice(0, earlier.messages.length)).toEqual(spoken(earlier.messages));
  }
}

describe("an epoch", () => {
  it("makes each request begin with all of the one before, even with notes and after crashes", async () => {
    const { model, life, boot, bucket, clock } = await setUp([
      write("Use tabs."),
      say("It waits."),
      say("Two."),
      say("Three."),
    ]);
    await turn(life, "Write the rules down.");
    await life.engine.decideApproval(approvalsOf(life)[0]!.id, { approve: true });
    const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
    await skills.change(creation("reading-tables", "# Tables", "op", { description: "Tables.", category: "general" }));
    clock.advance(60_000); // news are not checked more often
    await turn(life, "Go on.");
    life.kill();
    const next = boot();
    await turn(next, "And on.");
    expect(model.requests).toHaveLength(4);
    expectPrefixes(model.requests);
    const notes = model.requests[3]!.messages.filter((message) => message.text.startsWith("<note>"));
    expect(notes.map(({ text }) => /approved your change of AGENTS\.md/.test(text))).toEqual([true, false]);
    expect(notes[1]!.text).toContain("- reading-tables: Tables.");
  });

  it("ends when the person asks, and the next one holds what was approved", async () => {
    const { model, life } = await setUp([write("Use tabs."), say("It waits."), say("Two.")]);
    await turn(life, "Write the rules down.");
    await life.engine.decideApproval(approvalsOf(life)[0]!.id, { approve: true });
    await turn(life, "/refresh");
    await turn(life, "Go on.");
    expect(model.requests).toHaveLength(3);
    expect(model.requests[1]!.system).not.toContain("Use tabs.");
    expect(model.requests[2]!.system).toContain("AGENTS.md:\n\nUse tabs.");
  });
});

describe("a decision, with a crash at any write of the turn after it", () => {
  it("is reported once, and its request is made once", async () => {
    let crashes = 0;
    for (let crashAt = 1; crashAt < 100; crashAt++) {
      const { model, life, boot } = await setUp(Array.from({ length: 20 }, () => writeThenSay));
      await turn(life, "Write the rules down.");
      await life.engine.decideApproval(approvalsOf(life)[0]!.id, { approve: false });
      life.kill();
      const doomed = boot({ crashAt });
      const posted = await doomed.engine.post({ text: "Again." }).catch(() => null);
      await doomed.settled();
      if (posted?.ok && doomed.reports.length === 0 && doomed.engine.detail()?.state === "idle") break;
      crashes++;
      doomed.kill();
      const after = boot();
      if (after.engine.detail()!.turns.length < 2) await after.engine.post({ text: "Again." });
      for (let wakes = 0; wakes < 5 && after.engine.detail()!.state === "busy"; wakes++) await after.wake();
      await after.settled();
      const entries = after.engine.entries(0);
      if (!entries.ok) throw new Error(entries.failure.code);
      const notes = entries.value.filter((entry) => entry.kind === "note");
      expect([crashAt, notes.length]).toEqual([crashAt, 1]);
      expect([
        crashAt,
        approvalsOf(after)
          .map(({ state }) => state)
          .toSorted(),
      ]).toEqual([crashAt, ["refused", "waiting"]]);
      const last = model.requests.at(-1)!.messages.filter((message) => message.text.startsWith("<note>"));
      expect([crashAt, last.length]).toEqual([crashAt, 1]);
    }
    expect(crashes).toBeGreaterThan(8);
  }, 60_000); // about forty runs, one after the other
});
