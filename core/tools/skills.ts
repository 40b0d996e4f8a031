// The three skill tools together, as a session or a review offers them.
import type { Tool } from "../agent/contract.ts";
import type { SkillStore } from "../ports.ts";
import { type SkillManageOptions, createSkillManage } from "./skill-manage.ts";
import { createSkillView } from "./skill-view.ts";
import { createSkillsList } from "./skills-list.ts";

export interface SkillToolOptions extends Omit<SkillManageOptions, "store"> {
  /** `null` in a session without learning: then nothing can be written, and skill_manage is not offered. */
  store: SkillStore | null;
}

export function createSkillTools(options: SkillToolOptions): Tool[] {
  const { library, store, settings } = options;
  const reading = [createSkillsList({ library }), createSkillView({ library, settings })];
  return store ? [...reading, createSkillManage({ ...options, store })] : reading;
}
