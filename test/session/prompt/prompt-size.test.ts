// What `GET /v1/sessions/{session}/prompt` measures: the stored prompt by section, before the first turn, and of an older version.
import { expect, it } from "vitest";
import { type FrozenPrompt, prepareTurn } from "../../../core/session/turn/prepare-turn.ts";
import { readPromptSize } from "../../../core/session/prompt/prompt-size.ts";
import { estimateTokens } from "../../../core/tokens.ts";
import { beginTurn, createEngineContext } from "../../support/session/engine-context.ts";

it("a prompt is measured by its sections, which are the whole text", async () => {
  const context = createEngineContext().open();
  const { system, tools } = await prepareTurn(context, beginTurn(context, "Hello."), "Hello.");
  const { epoch, sections, tools: offered, total } = readPromptSize(context);
  expect(epoch).toBe(1);
  expect(sections.map(({ name }) => name)).toEqual(expect.arrayContaining(["identity", "trust", "use of skills"]));
  const breaks = 2 * (sections.length - 1);
  expect(sections.reduce((sum, { characters }) => sum + characters, breaks)).toBe(system.length);
  const day = system.slice(system.lastIndexOf("Today is "));
  expect(sections.at(-1)).toEqual({ name: "day", characters: day.length, tokens: estimateTokens(day) });
  expect(offered.count).toBe(tools.length);
  expect(total.characters).toBe(system.length + offered.characters);
});

it("a session without a prompt has only tools, and measuring makes no prompt", () => {
  const context = createEngineContext().open();
  const { epoch, sections, tools, total } = readPromptSize(context);
  expect({ epoch, sections }).toEqual({ epoch: 0, sections: [] });
  expect(tools.tokens).toBeGreaterThan(0);
  expect(total).toEqual({ characters: tools.characters, tokens: tools.tokens });
  expect(context.log.meta("prompt")).toBeNull();
});

it("a prompt that an older version stored is measured as one section", () => {
  const context = createEngineContext().open();
  context.log.setMeta("prompt", { v: 1, epoch: 3, at: 0, tools: "", text: "Be kind." } satisfies FrozenPrompt);
  expect(readPromptSize(context)).toMatchObject({
    epoch: 3,
    sections: [{ name: "whole prompt", characters: 8, tokens: estimateTokens("Be kind.") }],
  });
});
