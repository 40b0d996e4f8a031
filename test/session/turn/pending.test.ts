// The person decides on the agent's requests in the conversation.
import { expect, it } from "vitest";
import { renderParts } from "../../../core/agent/tool-result.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

const ADD: ScriptLine = {
  calls: [{ name: "memory", args: { action: "add", store: "user", content: "Prefers metric units." } }],
};

function setUp(settings: object) {
  const model = createScriptedModel([ADD, { text: "I asked for it." }, { text: "Fine." }]);
  const harness = createSessionHarness({ model, settings });
  const life = harness.boot();
  const { engine } = life;
  async function say(text: string) {
    await engine.create({ learning: "on", title: "" });
    expect(await engine.post({ text })).toMatchObject({ ok: true });
    await life.settled();
    const entries = engine.entries(0);
    if (!entries.ok) throw new Error("no log");
    const last = entries.value.at(-1)!;
    const results = entries.value.flatMap((entry) => (entry.kind === "tool" ? renderParts(entry.parts) : []));
    return { last: textOf(last), results, code: last.kind === "notice" ? last.code : "" };
  }
  const facts = async () => (await harness.memory().list("user")).map(({ text }) => text);
  return { say, facts, model };
}

it("/pending lists the waiting changes, and approves or rejects them", async () => {
  const { say, facts } = setUp({ memory: { writeApproval: true } });
  const { results } = await say("Remember that I like metric units.");
  const { pending } = JSON.parse(results[0]!) as { pending: string };
  expect(await facts()).toEqual([]);
  expect((await say("/pending")).last).toContain(`${pending}: add memory (user)`);
  expect((await say("/pending")).last).toContain("+ Prefers metric units.");
  expect(await say("/approve ffff")).toMatchObject({ code: "pending_not_found" });
  expect((await say(`/approve ${pending.slice(0, 6)}`)).last).toBe("Approved and done: add memory (user).");
  expect(await facts()).toEqual(["Prefers metric units."]);
  expect(await say(`/reject ${pending}`)).toMatchObject({ code: "pending_decided" });
  expect((await say("/pending")).last).toBe("Nothing waits for you.");
});

it("/pending leaves out what was rejected", async () => {
  const { say, facts } = setUp({ memory: { writeApproval: true } });
  const { results } = await say("Remember that I like metric units.");
  const { pending } = JSON.parse(results[0]!) as { pending: string };
  expect((await say(`/reject ${pending}`)).last).toBe("Rejected: add memory (user).");
  expect(await facts()).toEqual([]);
});

it("/pending hides from the model what is only for the person", async () => {
  const { say, model } = setUp({ memory: { writeApproval: true } });
  await say("Remember that I like metric units.");
  expect((await say("/pending")).last).toContain("+ Prefers metric units.");
  await say("Thank you.");
  const shown = JSON.stringify(model.requests.at(-1)!.messages);
  expect(shown).toContain("Thank you.");
  expect(shown).not.toContain("+ Prefers metric units.");
});
