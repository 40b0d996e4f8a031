// The three skill tools together, as a session or a review offers them.
import type { Tool } from "../agent/contract.ts";
import { assert } from "../errors.ts";
import type { SkillStore } from "../ports.ts";
import { type SkillManageOptions, createSkillManage } from "./skill-manage.ts";
import { createSkillView } from "./skill-view.ts";
import { createSkillsList } from "./skills-list.ts";

export interface SkillToolOptions extends Omit<SkillManageOptions, "store" | "isViewed"> {
  /** `null` in a session without learning: then nothing can be written. */
  store: SkillStore | null;
  /** Offers skill_manage. */
  writes: boolean;
  /** Refuses to change a skill that this run has not read; needs `alreadyViewed`. */
  readBeforeWrite: boolean;
  /**
   * Whether this run has read a skill: a successful skill_view of it, or skill_manage creating it. Derived from the
   * run's record, so that calls whose results were replayed count.
   */
  alreadyViewed?(name: string): boolean;
}

export function createSkillTools(options: SkillToolOptions): Tool[] {
  const { library, store, settings, writes, readBeforeWrite, alreadyViewed } = options;
  assert(!readBeforeWrite || alreadyViewed, "readBeforeWrite needs alreadyViewed");
  const reading = [createSkillsList({ library }), createSkillView({ library, settings })];
  if (!writes || !store) return reading;
  const isViewed = (name: string) => !readBeforeWrite || alreadyViewed!(name);
  return [...reading, createSkillManage({ ...options, store, isViewed })];
}
