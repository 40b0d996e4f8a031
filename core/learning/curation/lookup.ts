// Looks up a skill in the records that a curation reads. Only own keys count: a skill may be called `constructor`. Pure.
import type { SkillName } from "../../schemas/ids.ts";
import type { CuratorNotes } from "../../schemas/learning/curation.ts";
import type { SkillStats } from "../../schemas/skill.ts";

export function noteOf(notes: CuratorNotes, name: SkillName): CuratorNotes["skills"][SkillName] | undefined {
  return Object.hasOwn(notes.skills, name) ? notes.skills[name] : undefined;
}

/** What the evidence says of one text of a skill; undefined without evidence. */
export function verdictOn({ texts }: Pick<SkillStats, "texts">, text: string): SkillStats["texts"][string] | undefined {
  return Object.hasOwn(texts, text) ? texts[text] : undefined;
}
