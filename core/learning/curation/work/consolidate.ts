// Merges several skills into one, the umbrella. A curation's model proposes a merge with the tool skill_merge; the merge is stored and
// then carried out: the umbrella is written, then each absorbed skill is archived, each by one compare-and-swap. A later delivery
// completes an unfinished merge. Never archives a skill that has changed since the merge was planned.
import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../../agent/contract.ts";
import { succeed } from "../../../agent/tool-result.ts";
import { type Result, assert, err, ok } from "../../../errors.ts";
import type { Clock, CurationStore, SkillSnapshot, SkillStore, WorkStore } from "../../../ports.ts";
import { type CurationChange, CurationMerge, MergeItem, type WorkId } from "../../../schemas/learning/curation.ts";
import type { CurationId, ProfileId } from "../../../schemas/ids.ts";
import { SkillName } from "../../../schemas/ids.ts";
import { textOrEmpty } from "../../../schemas/file-body.ts";
import { REQUESTS_FILE, mergeRequests, readRequests } from "../../../schemas/skill-requests.ts";
import type { Settings } from "../../../schemas/settings.ts";
import type { SkillHead, SkillIndex } from "../../../schemas/skill.ts";
import type { Seeds } from "../../../skills/library.ts";
import { type SkillOperation, createDecide } from "../../../skills/edit/operations.ts";
import { toRefusal } from "../../../tools/refusal.ts";
import type { SkillInspector } from "../../../tools/skills/skill-manage.ts";
import { checkMerge } from "./merge-plan.ts";
import { standingOf } from "../changes.ts";
import type { MergeFacts } from "./script.ts";

const Args = z.strictObject({
  umbrella: z
    .string()
    .describe("The skill that the others are merged into: a new name for the class, or one of the group."),
  content: z.string().describe("The umbrella's complete new SKILL.md."),
  absorbs: z.array(z.string()).describe("Skills that are merged into it and archived."),
  items: z
    .array(
      z.strictObject({
        id: z.string().describe("As shown, such as reading-tables/3 or reading-tables/references/forms.md."),
        fate: MergeItem.shape.fate,
        where: z.string().optional().describe("A kept file: its path in the umbrella, if it changes."),
        reason: z.string().optional().describe("superseded, archived: why it need not be kept."),
      }),
    )
    .describe("Every item of every absorbed skill, once."),
  category: z.string().optional().describe("One lower-case word to file it under."),
});
type Args = z.infer<typeof Args>;

export interface MergeOptions {
  profile: ProfileId;
  run: CurationId;
  work: WorkId;
  store: WorkStore;
  curation: CurationStore;
  skills: SkillStore;
  seeds: Seeds;
  settings: Settings;
  clock: Clock;
  /** Inspect the umbrella before the merge is stored. The umbrella is later written exactly as stored. */
  inspectors?: SkillInspector[];
}

export function createSkillMerge(options: MergeOptions): Tool<Args> {
  return {
    name: "skill_merge",
    description:
      "Merges several skills into one: writes the umbrella, then archives the skills it absorbs. Refused when one of their items is not accounted for.",
    parameters: Args,
    effect: "keyed",
    run: (args, context) => proposeMerge(args, context, options),
  };
}

/** The result of a merge. `changes`: in the order they were made. */
interface MergeResult {
  umbrella: SkillHead;
  absorbed: SkillName[];
  left: SkillName[];
  changes: CurationChange[];
}

async function proposeMerge(args: Args, context: ToolContext, options: MergeOptions): Promise<ToolResult> {
  const n = callNumberOf(context.op);
  // A stored merge is carried out even if its skills have changed.
  const stored = (await options.store.merges()).find((merge) => merge.n === n);
  const merge = stored ? ok(stored) : await planMerge(args, n, context, options);
  if (!merge.ok) return toRefusal(merge.failure);
  const end = await carryOutMerge(merge.value, options);
  if (!end.ok) return toRefusal(end.failure);
  const { umbrella, absorbed, left, changes } = end.value;
  const facts: MergeFacts = { umbrella: umbrella.name, absorbed, left, changes };
  return succeed({ done: "merged", ...facts, state: umbrella.state });
}

/** The position of a call in its script: the number at the end of the op. */
function callNumberOf(op: string): number {
  const n = Number(op.slice(op.lastIndexOf(".") + 1));
  assert(Number.isInteger(n), `the op ${op} does not end in a number`);
  return n;
}

async function planMerge(
  args: Args,
  n: number,
  { resumed }: ToolContext,
  options: MergeOptions,
): Promise<Result<CurationMerge>> {
  const { skills, store, run, work, clock } = options;
  const names = [args.umbrella, ...args.absorbs];
  const invalid = names.find((name) => !SkillName.safeParse(name).success);
  if (invalid !== undefined) {
    return err("bad_merge", `${JSON.stringify(invalid.slice(0, 80))} is not a valid skill name.`);
  }
  const umbrella = await skills.open(args.umbrella);
  const absorbs = new Map<SkillName, SkillSnapshot>();
  for (const name of args.absorbs) {
    const found = await skills.open(name);
    if (found) absorbs.set(name, found);
  }
  const checked = checkMerge(args, { umbrella, absorbs });
  if (!checked.ok) return checked;
  const heads = args.absorbs.map((name) => absorbs.get(name)!.head);
  const requests = mergeRequests(
    [umbrella, ...absorbs.values()].map((skill) => readRequests(textOrEmpty(skill?.files[REQUESTS_FILE]))),
  );
  const merge = CurationMerge.parse({
    v: 1,
    run,
    work,
    n,
    at: clock.now(),
    umbrella: args.umbrella,
    content: args.content,
    before: umbrella && standingOf(umbrella.head),
    ...checked.value,
    ...(requests.length > 0 && { requests }),
    category: args.category ?? umbrella?.head.category ?? heads[0]!.category,
    absorbs: heads.map((head) => ({ skill: head.name, seq: head.seq, standing: standingOf(head) })),
    citations: [...new Set([...(umbrella?.head.citations ?? []), ...heads.flatMap((head) => head.citations)])].slice(
      0,
      MAX_CITATIONS,
    ),
  });
  // A dry run: an umbrella that cannot be written is refused before the merge is stored.
  const trial = await decideUmbrella(merge, options)(umbrella, withoutLines(await skills.index(), args.umbrella));
  if (!trial.ok) return trial;
  const { files: after, description = "" } = trial.value;
  const { umbrella: name, citations } = merge;
  const inspectors = after ? (options.inspectors ?? []) : [];
  for (const inspect of inspectors) {
    const write = { name, before: umbrella, after: after!, description, citations, approved: false };
    const failure = await inspect({ ...write, ...(resumed && { resumed }) });
    if (failure) return { ok: false, failure };
  }
  return ok(await store.putMerge(merge));
}

const MAX_CITATIONS = 50;

/** Completes the stored merges of a piece of work whose calls have no result yet. Skips merges that fail. */
export async function finishMerges(options: MergeOptions): Promise<MergeFacts[]> {
  const { store } = options;
  const { steps } = await store.script();
  const ends: MergeFacts[] = [];
  for (const merge of await store.merges()) {
    if (steps[merge.n + 1]) continue;
    const end = await carryOutMerge(merge, options);
    if (end.ok) ends.push({ ...end.value, umbrella: merge.umbrella });
  }
  return ends;
}

/** Idempotent. Fails if the umbrella cannot be written; then no skill has been archived. */
async function carryOutMerge(merge: CurationMerge, options: MergeOptions): Promise<Result<MergeResult>> {
  const { skills } = options;
  const op = `curation:${merge.run}:${merge.work}:${merge.n}`;
  const since = merge.before?.rev ?? 0;
  const written = await skills.change({ name: merge.umbrella, op, since, decide: decideUmbrella(merge, options) });
  if (!written.ok) return written;
  const umbrella = written.value.head;
  // A later delivery may find newer revisions of the umbrella.
  const merged = (await skills.revision(merge.umbrella, since + 1)) ?? umbrella;
  const changes: CurationChange[] = [
    {
      skill: merge.umbrella,
      from: merge.before,
      to: { state: "trial", rev: merged.rev, text: merged.text },
      reason: `takes in ${merge.absorbs.map(({ skill }) => skill).join(", ")}`,
    },
  ];
  await inheritKeep(merge, options);
  const absorbed: SkillName[] = [];
  const left: SkillName[] = [];
  for (const source of merge.absorbs) {
    const change = await archiveAbsorbed(skills, `${op}:${source.skill}`, source, `absorbed into ${merge.umbrella}`);
    if (change.ok) {
      changes.push(change.value);
      absorbed.push(source.skill);
    } else if (change.failure.code === "skill_moved") left.push(source.skill);
    else return change;
  }
  return ok({ umbrella, absorbed, left, changes });
}

/** If the profile protects an absorbed skill from aging (`keepSkills`), protects the umbrella too. */
async function inheritKeep({ absorbs, umbrella }: CurationMerge, { curation, profile }: MergeOptions): Promise<void> {
  const { keepSkills } = await curation.policy(profile);
  if (!absorbs.some(({ skill }) => keepSkills.includes(skill)) || keepSkills.includes(umbrella)) return;
  await curation.changePolicy(profile, (policy) => ({
    ...policy,
    keepSkills: [...new Set([...policy.keepSkills, umbrella])],
  }));
}

/** Archives one absorbed skill. Fails with `skill_moved` when the skill has changed since the merge was planned. */
async function archiveAbsorbed(
  skills: SkillStore,
  op: string,
  { skill, seq, standing }: CurationMerge["absorbs"][number],
  reason: string,
): Promise<Result<CurationChange>> {
  const archived = await skills.change({
    name: skill,
    op,
    since: standing.rev,
    decide(current) {
      if (!current) return err("skill_moved", "The skill is gone.");
      const { head } = current;
      const isDone = head.seq === seq + 1 && head.state === "archived" && head.reason === reason;
      if (head.seq !== seq && !isDone) return err("skill_moved", "The skill has changed since the merge was planned.");
      return ok({ state: "archived", reason });
    },
  });
  if (!archived.ok) return archived;
  return ok({ skill, from: standing, to: { ...standing, state: "archived" }, reason });
}

/** Applies the rules for writes by a model. The absorbed skills do not count as duplicates of the umbrella. */
function decideUmbrella(merge: CurationMerge, { skills, seeds, settings }: MergeOptions) {
  return async (current: SkillSnapshot | null, index: SkillIndex) => {
    const standing = current ? standingOf(current.head) : null;
    if (standing?.text !== merge.before?.text || standing?.state !== merge.before?.state) {
      return err("skill_moved", `'${merge.umbrella}' has changed since it was read: read it again.`);
    }
    const { umbrella: name, content, category } = merge;
    const isNew = standing === null || standing.state === "archived";
    const operations: SkillOperation[] = [{ action: isNew ? "create" : "edit", name, content, category }];
    for (const { path, sha256 } of merge.files) {
      const body = await skills.blob(sha256);
      if (typeof body !== "string") return err("file_missing", `The contents of '${path}' are gone: leave it out.`);
      operations.push({ action: "write_file", name, path, content: body });
    }
    if (merge.requests) operations.push({ action: "set_requests", name, requests: merge.requests });
    const others = withoutLines(index, ...merge.absorbs.map(({ skill }) => skill));
    const { citations } = merge;
    const writing = { origin: "curator" as const, seeds, settings: settings.skills, citations };
    return createDecide(operations, writing)(current, others);
  };
}

function withoutLines(index: SkillIndex, ...names: SkillName[]): SkillIndex {
  const skills = Object.entries(index.skills).filter(([name]) => !names.includes(name));
  return { ...index, skills: Object.fromEntries(skills) };
}
