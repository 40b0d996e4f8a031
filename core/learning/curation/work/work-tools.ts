// The tools of a piece of a curation's work: skills can be read, and only the work's own skills can be written. Called by run-work.ts.
// Must never reach anything but skills.
import type { Tool } from "../../../agent/contract.ts";
import { fail } from "../../../agent/tool-result.ts";
import type { SkillStore, WorkStore } from "../../../ports.ts";
import type { SkillName } from "../../../schemas/ids.ts";
import { fromWorkId } from "../../../schemas/learning/curation.ts";
import type { ReviewStep } from "../../../schemas/learning/review.ts";
import type { SkillOperation } from "../../../skills/edit/operation-list.ts";
import { createLibrary } from "../../../skills/library.ts";
import { taintedFailure } from "../../../tools/approval/hold.ts";
import { createCheckInspector } from "../../../tools/skills/check-inspector.ts";
import { type SkillInspector, createSkillManage, toOperations } from "../../../tools/skills/skill-manage.ts";
import { createSkillView } from "../../../tools/skills/skill-view.ts";
import { createSkillsList } from "../../../tools/skills/skills-list.ts";
import { addedText } from "../../added-text.ts";
import { createClaims } from "../../review/rules/claims.ts";
import { hasViewed } from "../../script/script-facts.ts";
import { type Taint, createTaint } from "../../taint/taint.ts";
import { standingOf } from "../changes.ts";
import { createSkillMerge } from "./consolidate.ts";
import { entriesOf, findFailedTurns } from "./failed-turns.ts";
import type { WorkOptions } from "./work-options.ts";

interface WorkToolsOptions {
  options: WorkOptions;
  store: WorkStore;
  /** The steps of the work's script so far. */
  steps(): ReviewStep[];
  /** The skills of work about more than one skill. */
  several: SkillName[];
}

export function createWorkTools({ options, store, steps, several }: WorkToolsOptions): Tool[] {
  const { skills, seeds, settings, work, runChecks } = options;
  const { kind, skill } = fromWorkId(work);
  const library = createLibrary({ store: skills, seeds, scene: { disabled: settings.skills.disabled } });
  const reading = [createSkillsList({ library }), createSkillView({ library, settings })];
  const checks = runChecks ? [createCheckInspector(runChecks)] : [];
  const merge = createSkillMerge({ ...options, store, inspectors: checks });
  if (kind === "consolidate") return [...reading, merge];
  // The request shows these skills whole.
  const isViewed = (name: string) => name === skill || several.includes(name) || hasViewed(steps(), name);
  const inspectors = [checkClaims, ...(kind === "rewrite" ? [createTurnsInspector(options)] : []), ...checks];
  const write = createSkillManage({ library, store: skills, origin: "curator", settings, isViewed, inspectors });
  if (kind === "requests") return [...reading, recordStanding(restrictToRequests(write, several), skills)];
  const manage = recordStanding(restrictToSkill(write, skill!), skills);
  return [...reading, manage, ...(kind === "look" ? [merge] : [])];
}

/** The rule of reviews against claims that a tool does not work: such a claim outlives its reason. */
const checkClaims: SkillInspector = ({ before, after }) =>
  createClaims([])(addedText(before?.files ?? {}, after).prose);

/** Failed turns hold text from outside, so what a rewrite takes from them is judged for taint. No person can approve it here. */
function createTurnsInspector(options: WorkOptions): SkillInspector {
  let taint: Promise<Taint> | null = null;
  return async (write) => {
    taint ??= findFailedTurns({ name: write.name, text: write.before?.head.text ?? "" }, options).then((turns) =>
      createTaint({ entries: entriesOf(turns) }),
    );
    const hold = (await taint).holdSkill(write);
    return hold && taintedFailure(hold);
  };
}

/** Allows writes to the one skill of the work. Archiving is refused, because only skill_merge may archive. */
function restrictToSkill<T extends Tool>(tool: T, skill: SkillName): T {
  return {
    ...tool,
    async run(args, context) {
      const operations = toOperations(args);
      const first = operations.ok ? operations.value[0]! : null;
      if (first && first.name !== skill) {
        return fail("not_this_skill", `This is about '${skill}' alone: leave '${first.name}' as it is.`);
      }
      if (first?.action === "create" || first?.action === "delete") {
        return fail("not_here", `'${skill}' is patched or edited here, not made or archived.`);
      }
      return tool.run(args, context);
    },
  };
}

/** Allows writing the requests of these skills, and nothing of their texts. */
function restrictToRequests<T extends Tool>(tool: T, names: SkillName[]): T {
  return {
    ...tool,
    async run(args, context) {
      const operations = toOperations(args);
      const isAllowed = ({ action, name }: SkillOperation) => action === "set_requests" && names.includes(name);
      if (operations.ok && !operations.value.every(isAllowed)) {
        return fail("requests_only", "Give name and requests of one of the skills that are shown, and nothing else.");
      }
      return tool.run(args, context);
    },
  };
}

/** Stores the skill's standing (state, revision and text) with the intent, so that the change can be undone. */
function recordStanding<T extends Tool>(tool: T, skills: SkillStore): T {
  return {
    ...tool,
    async prepare(args) {
      const operations = toOperations(args);
      const head = operations.ok ? await skills.head(operations.value[0]!.name) : null;
      return { ...(await tool.prepare?.(args)), before: head && standingOf(head) };
    },
  };
}
