// The three skill tools together, as a session or a review offers them.
import type { Tool } from "../agent/contract.ts";
import type { SkillStore } from "../ports.ts";
import { type Approval, createAskingSkillManage } from "./approval.ts";
import { type SkillManageOptions, createSkillManage } from "./skill-manage.ts";
import type { SkillSearch } from "./skill-search.ts";
import { createSkillView } from "./skill-view.ts";
import { createSkillsList } from "./skills-list.ts";

export interface SkillToolOptions extends Omit<SkillManageOptions, "store"> {
  /** `null` in a session without learning: then nothing can be written, and skill_manage is not offered. */
  store: SkillStore | null;
  /** Absent where nobody can be asked: then what the scanner doubts is refused. */
  approval?: Approval;
  /** Absent where nothing but the index can be reached. */
  search?: SkillSearch;
}

export function createSkillTools(options: SkillToolOptions): Tool[] {
  const { library, store, settings, search } = options;
  const reading = [createSkillsList({ library, search }), createSkillView({ library, settings })];
  if (!store) return reading;
  const writing = { ...options, store };
  return [
    ...reading,
    options.approval ? createAskingSkillManage(writing, options.approval) : createSkillManage(writing),
  ];
}
