import { expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { renderSkillIndex } from "../../../core/skills/index-block.ts";
import { createLibrary } from "../../../core/skills/library.ts";
import { nearestNeighbours } from "../../../core/skills/search/similarity.ts";
import { validateSkill } from "../../../core/skills/format/validate.ts";
import { seeds } from "../../../skills-seed/index.ts";

it("the bundled skills include the three that the agent itself needs", () => {
  expect(Object.keys(seeds)).toEqual(
    expect.arrayContaining(["writing-a-good-skill", "using-the-workspace", "checking-your-own-work"]),
  );
});

it.each(Object.keys(seeds))("the bundled skill %s follows the rules for a skill that a model writes", (name) => {
  const checked = validateSkill({ name, files: seeds[name]!, maxFiles: DEFAULTS.skills.maxFiles, writer: "model" });
  expect(checked).toMatchObject({ ok: true, value: { name, warnings: [] } });
});

it.each(Object.keys(seeds))("the bundled skill %s names exactly its own support files", (name) => {
  const files = seeds[name]!;
  const named: string[] = files["SKILL.md"]!.match(/(?:references|templates|scripts|assets)\/[\w.-]+\w/g) ?? [];
  expect(named.filter((path) => !Object.hasOwn(files, path))).toEqual([]);
  expect(Object.keys(files).filter((path) => path !== "SKILL.md" && !named.includes(path))).toEqual([]);
});

it("the bundled skills are not near duplicates of one another", async () => {
  const lines = await createLibrary({ store: null, seeds }).lines();
  for (const line of lines) {
    const [nearest] = nearestNeighbours(lines, line, 1);
    expect(nearest?.similarity ?? 0).toBeLessThan(0.5);
  }
});

it("the bundled skills say nothing about any person's tables", () => {
  const text = Object.values(seeds)
    .flatMap((files) => Object.values(files))
    .join("\n");
  const telling =
    /\b(tables?|csv|tsv|spreadsheets?|columns?|delimit\w*|separators?|semicolons?|decimals?|thousands|date format|dd\/mm|missing values?|-9999|n\/a)\b/i;
  expect(text.match(telling)).toBeNull();
});

it("the bundled skills take little room in a prompt", async () => {
  const lines = await createLibrary({ store: null, seeds }).lines();
  expect(renderSkillIndex(lines, 300)).toContain("- writing-a-good-skill: How to write or improve a skill");
});
