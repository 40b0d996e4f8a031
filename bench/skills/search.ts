// Opens the product's skill search: the Archive's engine over node:sqlite. Used by bench:skills and bench:judging.
import { createSkillArchive } from "../../core/archive/skill-archive.ts";
import type { SkillLine } from "../../core/schemas/api.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { createWordsCache, wordsKeyOf } from "../../core/skills/search/skill-words.ts";
import { searchLines } from "../../core/tools/skills/skill-search.ts";
import { createBenchSql } from "../learning/platform/sql.ts";
import type { BenchSkill } from "./bench-skill.ts";

/** Returns a search that gives skill names in the order of `skills_list`, best first. */
export async function openSearch(skills: BenchSkill[]): Promise<(query: string) => Promise<string[]>> {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const lines = skills.map(toIndexedLine);
  const archive = createSkillArchive({
    sql: createBenchSql(),
    memory: createWordsCache(0),
    source: {
      lines: async () => lines,
      async read(line) {
        const skill = byName.get(line.name)!;
        return { key: wordsKeyOf(line), skillMd: toSkillMd(skill), requests: skill.requests ?? "" };
      },
    },
  });
  await archive.fill(skills.length);
  return async (query) => (await searchLines(lines, query, (text) => archive.search(text, 0))).map(({ name }) => name);
}

export function toSkillMd({ name, description, body }: BenchSkill): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description || "none")}\n---\n${body}`;
}

/** The skill's line in a profile's index. */
export function toIndexedLine({ name, description, body, requests }: BenchSkill): SkillLine {
  const text = sha256Hex(`${name}\n${description}\n${body}`);
  const fixed = { category: "general", state: "active", pinned: false, origin: "user", seq: 1, rev: 1 } as const;
  return { name, description, text, ...fixed, ...(requests !== undefined && { requests: sha256Hex(requests) }) };
}

/** The index line of a learned skill that has helped: recall loads only such skills. */
export function toHelpful(skill: BenchSkill): SkillLine {
  const use = { uses: 3, successes: 3, failures: 0, lastUsedDay: "2026-01-01" };
  return { ...toIndexedLine(skill), origin: "review", use };
}
