// A tool that holds something for its turn releases it when the attempt ends: after an answer, a stop, and a failure.
import { expect, test } from "vitest";
import * as z from "zod";
import type { Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import { createScriptedSession } from "../../support/session/scripted-session.ts";

function createHoldingTool() {
  const state = { held: 0, running: Promise.withResolvers<void>() };
  const tool: Tool = {
    ...{
      name: "hold",
      description: "Holds.",
      parameters: z.strictObject({ wait: z.boolean().optional() }),
      effect: "read",
    },
    async run({ wait }, { signal }) {
      state.held++;
      state.running.resolve();
      if (wait) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      return succeed({ done: true });
    },
    end: async () => void (state.held = 0),
  };
  return { tool, state };
}

const hold = (args = {}) => ({ calls: [{ name: "hold", args }] });

test("after an answer, and for each turn", async () => {
  const { tool, state } = createHoldingTool();
  const session = await createScriptedSession([hold(), { text: "One." }, hold(), { text: "Two." }], { tools: [tool] });
  for (const text of ["Go", "Again"]) {
    await session.say(text);
    expect(state.held).toBe(0);
  }
});

test("after a stop", async () => {
  const { tool, state } = createHoldingTool();
  const session = await createScriptedSession([hold({ wait: true })], { tools: [tool] });
  await session.engine.post({ text: "Go" });
  await state.running.promise;
  expect(state.held).toBe(1);
  await session.engine.stop();
  await session.life.settled();
  expect(state.held).toBe(0);
});
