// Creates the three skill tools for a session or a review.
import type { Tool } from "../../agent/contract.ts";
import { err, ok } from "../../errors.ts";
import type { SkillStore } from "../../ports.ts";
import { toFinding } from "../../skills/format/contract.ts";
import type { SkillView } from "../../skills/library.ts";
import { type ApprovalContext, createAskingSkillManage } from "../approval/approval.ts";
import { type SkillManageOptions, createSkillManage } from "./skill-manage.ts";
import type { SkillSearch } from "./skill-search.ts";
import { createSkillView } from "./skill-view.ts";
import { createSkillsList } from "./skills-list.ts";

export interface SkillToolOptions extends Omit<SkillManageOptions, "store"> {
  /** `null` in a session without learning: skill_manage is not offered then. */
  store: SkillStore | null;
  /** Absent when no person can be asked: then a write that the scanner doubts is refused. */
  approval?: ApprovalContext;
  /** Absent if nothing but the index can be reached. */
  search?: SkillSearch;
}

export function createSkillTools(options: SkillToolOptions): Tool[] {
  const { library, store, settings, search } = options;
  const onChanged = store ? (view: SkillView, op: string) => noteChanged(store, view, op) : undefined;
  const reading = [createSkillsList({ library, search }), createSkillView({ library, settings, onChanged })];
  if (!store) return reading;
  const writing = { ...options, store };
  return [
    ...reading,
    options.approval ? createAskingSkillManage(writing, options.approval) : createSkillManage(writing),
  ];
}

/**
 * Marks a skill that was written for another version of a tool, so that the curator has it rewritten. The time of its last
 * check does not change, because only its contract was compared.
 */
async function noteChanged(store: SkillStore, view: SkillView, op: string): Promise<void> {
  const { name, text, rev, changed = [], health } = view;
  const found = changed.map(toFinding);
  if (found.every((finding) => health?.broken.includes(finding))) return;
  try {
    await store.change({
      name,
      op: `health:${op}`,
      since: rev,
      decide(current) {
        if (!current) return err("skill_missing", `'${name}' is bundled: nothing is noted with it.`);
        const { head } = current;
        const { checkedAt, broken } = head.health ?? { checkedAt: 0, broken: [] };
        const all = [...new Set([...broken, ...found])];
        return ok(head.text === text ? { health: { checkedAt, broken: all } } : {});
      },
    });
  } catch {
    // The store failed. The next view of the skill finds the same change and marks the skill then.
  }
}
