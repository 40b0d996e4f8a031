// Which skills a session offers: the prompt, the notes after it, skills_list and skill_view agree.
import { expect, it } from "vitest";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { PROFILE, createSessionHarness } from "../../support/session/session-harness.ts";
import { conditionsOf } from "../../../core/skills/format/conditions.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";

const FIELDS: Record<string, string> = {
  plain: "",
  shellwise: "metadata:\n  hermes:\n    requires_tools: [terminal]",
  webwise: "metadata:\n  hermes:\n    requires_toolsets: [web]",
  offline: "metadata:\n  hermes:\n    fallback_for_toolsets: [terminal]",
  chatty: "metadata:\n  hermes:\n    session_platforms: [telegram]",
  boxed: "environments: [docker]",
  macish: "platforms: [macos]",
  switched: "",
};
const SHOWN = ["plain", "shellwise"];

async function setUp(script: ScriptLine[]) {
  const model = createScriptedModel(script);
  const settings = { review: { enabled: false }, skills: { disabled: ["switched"] } };
  const harness = createSessionHarness({ model, settings });
  const { bucket, clock } = harness;
  const skills = createSkillStore({
    ...{ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 },
    readConditions: conditionsOf,
  });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  return {
    ...{ model, clock },
    async putAll() {
      for (const [name, fields] of Object.entries(FIELDS)) {
        const files = { "SKILL.md": `---\nname: ${name}\ndescription: About ${name}.\n${fields}\n---\n\nDo it.\n` };
        const whole = { files, description: `About ${name}.`, state: "active", origin: "user" } as const;
        await skills.change({ name, op: name, since: 0, decide: () => ({ ok: true, value: whole }) });
      }
    },
    async turn(text: string) {
      await life.engine.post({ text });
      await life.settled();
    },
  };
}

const namesIn = (text: string) => Object.keys(FIELDS).filter((name) => text.includes(`About ${name}.`));

it("the prompt lists the skills that fit the session's tools, channel and settings", async () => {
  const { model, putAll, turn } = await setUp([{ text: "Hello." }]);
  await putAll();
  await turn("Hello.");
  expect(namesIn(model.requests[0]!.system)).toEqual(SHOWN);
});

it("notes report the same skills and no others", async () => {
  const { model, clock, putAll, turn } = await setUp([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  await turn("One?");
  await putAll();
  clock.advance(61_000);
  await turn("Two?");
  await turn("Three?");
  const { messages, system } = model.requests.at(-1)!;
  const news = messages.filter((message) => message.text.startsWith("<note>")).map((message) => message.text);
  expect(namesIn(news.join("\n"))).toEqual(SHOWN);
  expect(namesIn(system)).toEqual([]);
});

it("skills_list finds the same skills, and skill_view refuses only those that cannot be used at all", async () => {
  const names = ["webwise", "macish", "switched"];
  const calls = [{ name: "skills_list" }, ...names.map((name) => ({ name: "skill_view", args: { name } }))];
  const { model, putAll, turn } = await setUp([{ calls }, { text: "Done." }]);
  await putAll();
  await turn("Look.");
  const results = model.requests[1]!.messages.filter((message) => message.role === "tool");
  expect(namesIn(results[0]!.text)).toEqual(SHOWN);
  const codes = results.slice(1).map((result) => (JSON.parse(result.text.split("\n")[0]!) as { code?: string }).code);
  expect(codes).toEqual([undefined, "skill_unsupported", "skill_disabled"]);
});
