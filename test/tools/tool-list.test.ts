// The listing of tools: it names exactly the tools a session is offered, and says of every other why.
import { describe, expect, test } from "vitest";
import { TOOLSETS } from "../../core/tools/toolsets.ts";
import type { ToolSettings } from "../../core/schemas/profile/tools.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { type HarnessOptions, createSessionHarness } from "../support/session/session-harness.ts";

async function offerAndList(
  options: Partial<HarnessOptions>,
  session: { learning: "on" | "off"; tools?: ToolSettings },
) {
  const model = createScriptedModel([{ text: "Done." }]);
  const life = createSessionHarness({ model, ...options }).boot();
  await life.engine.create({ title: "t", ...session });
  await life.engine.post({ text: "Hello" });
  await life.settled();
  const offered = model.requests[0]!.tools.map(({ name }) => name);
  return { offered, listed: (await life.engine.listTools())!.tools };
}

describe("the tools that a session lists as available", () => {
  test.each<[string, Partial<HarnessOptions>, { learning: "on" | "off"; tools?: ToolSettings }]>([
    ["of a plain session", {}, { learning: "on" }],
    ["of one that does not learn", {}, { learning: "off" }],
    ["under the operator's settings", { settings: { tools: { disabled: ["web", "todo"] } } }, { learning: "on" }],
    ["of one created with few", {}, { learning: "on", tools: { only: ["files"], disabled: ["patch"] } }],
  ])("%s are those that the model is offered, in that order", async (_, options, session) => {
    const { offered, listed } = await offerAndList(options, session);
    expect(listed.filter(({ available }) => available).map(({ name }) => name)).toEqual(offered);
    expect(offered).toEqual([...offered].sort());
    const absent = listed.filter(({ available }) => !available);
    expect(absent.every(({ reason }) => reason && /\.$/.test(reason))).toBe(true);
    expect(listed.map(({ name }) => name)).toEqual(
      [...new Set([...Object.values(TOOLSETS).flat(), ...offered])].sort(),
    );
  });

  test("lack web_search where no service is set, and say which variables would set one", async () => {
    const { listed } = await offerAndList({}, { learning: "on" });
    expect(listed.find(({ name }) => name === "web_search")).toMatchObject({
      available: false,
      reason: expect.stringContaining("BRAVE_API_KEY"),
    });
  });
});
