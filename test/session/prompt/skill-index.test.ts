// What a session passes to its skills: the words of the request, for the index of a new prompt, and the Archive, for
// skills_list.
import { expect, it } from "vitest";
import type { SkillIndex } from "../../../core/schemas/skill.ts";
import type { EngineContext } from "../../../core/session/context.ts";
import { prepareTurn, refreshPrompt } from "../../../core/session/turn/prepare-turn.ts";
import { sessionTools } from "../../../core/session/turn/session-tools.ts";
import { renderParts } from "../../../core/agent/tool-result.ts";
import { line } from "../../skills/skill-line.ts";
import { beginTurn, createEngineContext, endTurn } from "../../support/session/engine-context.ts";

const LARGE: SkillIndex = {
  v: 1,
  seq: 1,
  skills: Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => {
      const { name: _name, ...rest } = line({ description: `Feeds animal${i} with care.` });
      return [`skill-${i}`, rest];
    }),
  ),
};

function createContext(change: Partial<EngineContext["host"]> = {}): EngineContext {
  const context = createEngineContext().open();
  const skills = { ...context.host.skills, index: async () => LARGE };
  return { ...context, host: { ...context.host, skills, ...change } };
}

const fittingIn = (prompt: string) => /fit this request:\n- (\S+):/.exec(prompt)?.[1];

it("a prompt lists the skills that fit the turn's request first, and keeps that order for the epoch", async () => {
  const context = createContext();
  const first = beginTurn(context, "What does animal1234 eat?");
  const { system } = await prepareTurn(context, first, "What does animal1234 eat?");
  expect(fittingIn(system)).toBe("skill-1234");
  endTurn(context, first);
  const second = beginTurn(context, "And animal77?");
  expect((await prepareTurn(context, second, "And animal77?")).system).toBe(system);
});

it("a rebuilt prompt fits the last request, and a session command is not a request", async () => {
  const context = createContext();
  expect(fittingIn(await refreshPrompt(context))).toBeUndefined();
  endTurn(context, beginTurn(context, "What does animal77 eat?"));
  beginTurn(context, "/refresh");
  expect(fittingIn(await refreshPrompt(context))).toBe("skill-77");
});

it.each([
  ["the Archive's order if it answers", async () => ({ names: ["skill-5", "skill-6"], unread: 0 }), "skill-5"],
  ["the order of the lines if it fails", async () => Promise.reject(new Error("gone")), "skill-77"],
  ["the order of the lines if it does not answer", () => new Promise<never>(() => {}), "skill-77"],
])("skills_list takes %s", async (_what, search, name) => {
  const context = createContext({ search });
  const tool = sessionTools(context, "").find((candidate) => candidate.name === "skills_list")!;
  const signal = new AbortController().signal;
  const result = await tool.run({ query: "animal77" }, { op: "1-1.1", prepared: {}, signal });
  const { skills } = JSON.parse(renderParts(result.parts)) as { skills: { name: string }[] };
  expect(skills[0]?.name).toBe(name);
});
