// The bundled skills, part of each Worker's bundle. A profile's own skill takes precedence over a bundled one of the
// same name; see core/skills/library.ts. Bundled skills say nothing about any person's files: the agent learns that.
import type { Seeds } from "../core/skills/library.ts";
import checkingYourOwnWork from "./checking-your-own-work/SKILL.md";
import usingTheWorkspace from "./using-the-workspace/SKILL.md";
import writingAGoodSkill from "./writing-a-good-skill/SKILL.md";
import writingAGoodSkillTemplate from "./writing-a-good-skill/references/template.md";

export const seeds: Seeds = {
  "checking-your-own-work": { "SKILL.md": checkingYourOwnWork },
  "using-the-workspace": { "SKILL.md": usingTheWorkspace },
  "writing-a-good-skill": {
    "SKILL.md": writingAGoodSkill,
    "references/template.md": writingAGoodSkillTemplate,
  },
};
