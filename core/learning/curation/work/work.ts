// Plans the work of a curation that needs a model: rewrite broken or failing skills, look at stale ones, merge similar ones, and
// write example requests for skills that have none. Called by make-plan.ts. Pure.
import type { SkillName } from "../../../schemas/ids.ts";
import {
  type CurationPlan,
  type CuratorNotes,
  type Policy,
  type WorkItem,
  toWorkId,
} from "../../../schemas/learning/curation.ts";
import type { Grant } from "../../../schemas/learning/review.ts";
import type { Settings } from "../../../schemas/settings.ts";
import { type SkillIndex, lineOf } from "../../../schemas/skill.ts";
import { type SkillFacts, mayCurate } from "../curate.ts";
import { shareOf, capGrant } from "./grants.ts";
import { noteOf, verdictOn } from "../lookup.ts";

/** Tokens of one piece of work: enough to read a skill and similar ones, to write one, and to be refused twice. Also used by bench:judging. */
export const WORK_TOKENS = 100_000;
/** Skills for which one piece of work writes requests. The model reads the beginning of each. Also used by bench:judging. */
export const SKILLS_PER_CALL = 12;

export interface WorkFacts {
  skills: SkillFacts[];
  /** What this run or an earlier one found broken, by skill. */
  broken: Map<SkillName, string[]>;
  notes: CuratorNotes;
  index: SkillIndex;
  policy: Policy;
  settings: Settings;
  now: number;
  /** State changes that this run makes without a model. */
  plan: Pick<CurationPlan, "moves" | "verdicts">;
  /** Skills that may be merged; `null`: none are proposed. */
  clusters: SkillName[][] | null;
  /** Whether a person asked for the consolidation. */
  asked: boolean;
  /** What is left of the day's budget. Absent: only the run's own limit applies. */
  allowance?: Grant;
}

/**
 * The work of one run, which shares the run's grant evenly. A skill is looked at once each time it becomes stale. Its requests are
 * written once, and each of its texts is rewritten once, so that a model that could not help is not asked every week. A
 * consolidation that a person asked for takes the whole grant; one that reviews suggest comes after the rewrites.
 */
export function planWork(facts: WorkFacts): WorkItem[] {
  const { settings, policy, now, clusters, asked, allowance } = facts;
  const { tokens } = capGrant(shareOf(policy, settings, 1, now), allowance, 1);
  if (tokens === 0) return [];
  const merge = clusters?.length ? [toConsolidation(clusters, asked)] : [];
  const wanted =
    asked && merge.length > 0 ? merge : [...planRewrites(facts), ...merge, ...planLooks(facts), ...planRequests(facts)];
  const chosen = wanted.slice(0, Math.max(1, Math.floor(tokens / WORK_TOKENS)));
  const grant = capGrant(shareOf(policy, settings, chosen.length, now), allowance, chosen.length);
  return chosen.map((item) => ({ ...item, grant }));
}

type UnfundedWork = Omit<WorkItem, "grant">;

function toConsolidation(clusters: SkillName[][], asked: boolean): UnfundedWork {
  const many = clusters.length === 1 ? "one group" : `${clusters.length} groups`;
  const because = `${many} of similar skills${asked ? "" : ", as reviews noted"}`;
  return { work: toWorkId("consolidate"), because, ...(!asked && { groups: clusters }) };
}

/** Broken skills first, then those whose uses often fail. */
function planRewrites({ skills, broken, notes, plan }: WorkFacts): UnfundedWork[] {
  const leaving = new Set([...plan.moves, ...(plan.verdicts ?? [])].filter(isRemoval).map((move) => move.skill));
  const own = skills.filter((skill) => mayCurate(skill) && !leaving.has(skill.name));
  const fresh = own.filter(({ name, mirror }) => noteOf(notes, name)?.rewritten !== mirror.text);
  const isBroken = (skill: SkillFacts) => (broken.get(skill.name) ?? []).length > 0;
  const repairs = fresh.filter(isBroken).map(({ name }) => toRewrite(name, `broken: ${broken.get(name)!.join("; ")}`));
  const failing = fresh
    .filter((skill) => !isBroken(skill))
    .flatMap(({ name, mirror, stats }) => {
      const found = verdictOn(stats, mirror.text);
      return found?.rewrite ? [toRewrite(name, found.why)] : [];
    });
  return [...repairs, ...failing];
}

function isRemoval(move: { to?: string; verdict?: string }): boolean {
  return move.to === "archived" || move.verdict === "withdrawn";
}

function toRewrite(skill: SkillName, because: string): UnfundedWork {
  return { work: toWorkId("rewrite", skill), skill, because };
}

/** Skills that are stale after this run's state changes, longest unchanged first. */
function planLooks({ skills, notes, plan }: WorkFacts): UnfundedWork[] {
  const moves = new Map(plan.moves.map((move) => [move.skill, move]));
  const judged = new Set((plan.verdicts ?? []).map((move) => move.skill));
  return skills
    .filter((skill) => mayCurate(skill) && !judged.has(skill.name))
    .filter(({ name, mirror }) => (moves.get(name)?.to ?? mirror.state) === "stale")
    .filter(({ name }) => noteOf(notes, name)?.looked === undefined)
    .sort((a, b) => Number(a.mirror.updatedAt) - Number(b.mirror.updatedAt) || (a.name < b.name ? -1 : 1))
    .map(({ name }) => ({
      work: toWorkId("look", name),
      skill: name,
      because: moves.get(name)?.reason ?? "stale, and not yet looked at",
    }));
}

/** At most one piece of work, for offered skills without requests, most used first. */
function planRequests({ skills, notes, index, plan }: WorkFacts): UnfundedWork[] {
  const moving = new Set([...plan.moves, ...(plan.verdicts ?? [])].map((move) => move.skill));
  const withoutRequests = skills
    .filter((skill) => mayCurate(skill) && skill.mirror.state !== "stale" && !moving.has(skill.name))
    .map(({ name }) => ({ name, line: lineOf(index, name) }))
    .filter(({ name, line }) => line && line.requests === undefined && noteOf(notes, name)?.asked === undefined)
    .toSorted((a, b) => (b.line?.use?.uses ?? 0) - (a.line?.use?.uses ?? 0) || (a.name < b.name ? -1 : 1))
    .slice(0, SKILLS_PER_CALL)
    .map(({ name }) => name);
  if (withoutRequests.length === 0) return [];
  const many = withoutRequests.length === 1 ? "one skill has" : `${withoutRequests.length} skills have`;
  return [{ work: toWorkId("requests"), skills: withoutRequests, because: `${many} no example requests` }];
}
