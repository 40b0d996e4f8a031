// Follows each wrong statement of a learned text, from the write until it is withdrawn: whether a session loaded it meanwhile. A
// statement counts once for each write of a new text that brings it; an earlier text that comes back is not a new lesson.
import { isLearned } from "../../../core/skills/edit/protection.ts";
import type { SkillName } from "../../../core/schemas/ids.ts";
import type { LoadedText } from "../../../core/schemas/learning/learning.ts";
import type { World } from "../world/tasks.ts";
import { type KeptSkill, isOffered } from "./library-watch.ts";

/** `n`, `usedAt`, `goneAt`: sessions. `goneAt`: from then on the skill does not say it, or is archived. */
export interface WrongLesson {
  skill: SkillName;
  operation: string;
  option: string;
  /** The service accepts the wrong option without an error. */
  isSilent: boolean;
  n: number;
  usedAt: number | null;
  goneAt: number | null;
  /** It was gone before a session loaded it. */
  goneUnused: boolean;
}

export function createWrongLessons(world: World) {
  const statementsByText = new Map<string, KeptSkill["statements"]>();
  const lessons: WrongLesson[] = [];
  return {
    lessons,
    /** A skill has changed by session `n`. */
    noteChange(n: number, now: KeptSkill, before: KeptSkill | undefined): void {
      const says = listInForce(now);
      const states = ({ operation, option }: { operation: string; option: string }) =>
        says.some((one) => one.operation === operation && one.option === option);
      for (const lesson of lessons) {
        if (lesson.skill !== now.name || lesson.goneAt !== null || states(lesson)) continue;
        Object.assign(lesson, { goneAt: n, goneUnused: lesson.usedAt === null });
      }
      const isNew = !statementsByText.has(now.text);
      statementsByText.set(now.text, now.statements);
      if (!isNew || !isLearned(now)) return;
      for (const { operation, option } of now.statements) {
        const wasSaid =
          before && listInForce(before).some((one) => one.operation === operation && one.option === option);
        if (wasSaid || world.right(operation, Math.max(1, n)) === option) continue;
        const isSilent = world.isSilent(operation);
        const open = { usedAt: null, goneAt: null, goneUnused: false };
        lessons.push({ skill: now.name, operation, option, isSilent, n, ...open });
      }
    },
    /** Session `n` has loaded these texts. */
    noteUse(n: number, loaded: readonly LoadedText[]): void {
      for (const { skill, text } of loaded) {
        const statements = statementsByText.get(text) ?? [];
        for (const lesson of lessons) {
          if (lesson.skill !== skill || lesson.usedAt !== null || lesson.goneAt !== null) continue;
          if (statements.some(({ operation, option }) => operation === lesson.operation && option === lesson.option))
            lesson.usedAt = n;
        }
      }
    },
  };
}

/** What an offered text says, or one that is being tried. */
function listInForce(skill: KeptSkill): KeptSkill["statements"] {
  return isOffered({ ...skill, isHeld: false }) ? skill.statements : [];
}
