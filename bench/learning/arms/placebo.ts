// The skills that a session sees in the placebo arm. Learned skills are listed and loaded as usual, but each shows another
// family's text, of the same length. This measures the effect of loading any text at all.
import type { SkillStore } from "../../../core/ports.ts";
import { SKILL_MD } from "../../../core/skills/format/format.ts";
import { textOrEmpty } from "../../../core/schemas/file-body.ts";
import { isLearned } from "../../../core/skills/edit/protection.ts";
import { writeSkillMd } from "../models/skill-writing.ts";
import { readStatements, sayOption } from "../models/statements.ts";
import { spellOption } from "../world/styles.ts";
import type { World } from "../world/tasks.ts";

export function showPlacebo(skills: SkillStore, world: World): SkillStore {
  return {
    ...skills,
    async open(name) {
      const snapshot = await skills.open(name);
      if (!snapshot || !isLearned(snapshot.head)) return snapshot;
      const real = textOrEmpty(snapshot.files[SKILL_MD]);
      return { ...snapshot, files: { ...snapshot.files, [SKILL_MD]: drawOtherText(snapshot.head, real, world) } };
    },
  };
}

/** The skill's own name and description, with lessons of the next family. */
function drawOtherText(
  { name, description }: { name: string; description: string },
  real: string,
  world: World,
): string {
  const { families } = world;
  const statedOperations = new Set(readStatements(real).map(({ operation }) => operation));
  const own = families.findIndex(({ operations }) =>
    operations.some((operation) => statedOperations.has(operation.name)),
  );
  const other = families[(own + 1) % families.length]!;
  const lessons = other.operations.map(({ name: operation, flag, style }) => {
    const option = world.right(operation, 1);
    return { operation, option, spelled: spellOption(flag, style, option), citations: [], isWrong: false };
  });
  let text = writeSkillMd({ name, description, thing: `${other.key} work` }, lessons, name);
  for (let at = 0; text.length < real.length; at++) text += `- ${sayOption(lessons[at % lessons.length]!, at / 7)}\n`;
  return text.slice(0, real.length);
}
