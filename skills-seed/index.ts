// The skills that come with Talaria, part of each Worker's bundle. A profile's own skill of the same name goes before one;
// see core/skills/library.ts. They say nothing about any person's files: that is what an agent learns.
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
