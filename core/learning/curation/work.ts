// Decides what a curation leaves to a model: skills to rewrite, stale skills to look at, skills to merge, skills without requests.
// Called by make-plan.ts. Pure.
import type { SkillName } from "../../schemas/ids.ts";
import {
  type CurationPlan,
  type CuratorNotes,
  type Policy,
  type WorkItem,
  toWorkId,
} from "../../schemas/learning/curation.ts";
import type { Grant } from "../../schemas/learning/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { SkillIndex } from "../../schemas/skill.ts";
import { type SkillFacts, isOwn } from "./curate.ts";
import { shareOf, within } from "./grants.ts";
import { lineOf, noteOf, verdictOn } from "./lookup.ts";

/** Enough to read a skill and its neighbours and to write one of them, and for a refusal or two. Also used by bench:judging. */
export const WORK_TOKENS = 100_000;
/** Skills whose requests one piece of work asks for. Their beginnings fill a few pages. Also used by bench:judging. */
export const SKILLS_A_CALL = 12;

export interface WorkFacts {
  skills: SkillFacts[];
  /** What this run or an earlier one found broken, by skill. */
  broken: Map<SkillName, string[]>;
  notes: CuratorNotes;
  index: SkillIndex;
  policy: Policy;
  settings: Settings;
  now: number;
  /** State moves of this run. */
  plan: Pick<CurationPlan, "moves" | "verdicts">;
  /** Skills that may be merged; `null`: none are proposed. */
  clusters: SkillName[][] | null;
  /** A person asked for the consolidation. */
  asked: boolean;
  /** What the day's budget has for this run. Absent: only the run's own limit holds. */
  most?: Grant;
}

/**
 * The work of one run. It shares the run's grant evenly. A skill is looked at once each time it becomes stale and asked for requests
 * once, and a text is rewritten once: a model that could not help is not asked every week. A consolidation that a person asked for
 * takes the whole grant; one that reviews suggest comes after what is broken.
 */
export function planWork(facts: WorkFacts): WorkItem[] {
  const { settings, policy, now, clusters, asked, most } = facts;
  const { tokens } = within(shareOf(policy, settings, 1, now), most, 1);
  if (tokens === 0) return [];
  const merge = clusters?.length ? [toConsolidation(clusters, asked)] : [];
  const wanted =
    asked && merge.length > 0 ? merge : [...rewritesOf(facts), ...merge, ...looksOf(facts), ...requestsOf(facts)];
  const chosen = wanted.slice(0, Math.max(1, Math.floor(tokens / WORK_TOKENS)));
  const grant = within(shareOf(policy, settings, chosen.length, now), most, chosen.length);
  return chosen.map((item) => ({ ...item, grant }));
}

type Wanted = Omit<WorkItem, "grant">;

function toConsolidation(clusters: SkillName[][], asked: boolean): Wanted {
  const many = clusters.length === 1 ? "one group" : `${clusters.length} groups`;
  const because = `${many} of skills that may be one${asked ? "" : ", as reviews noted"}`;
  return { work: toWorkId("consolidate"), because, ...(!asked && { groups: clusters }) };
}

/** Broken skills come before those that merely fail. */
function rewritesOf({ skills, broken, notes, plan }: WorkFacts): Wanted[] {
  const leaving = new Set([...plan.moves, ...(plan.verdicts ?? [])].filter(isLeaving).map((move) => move.skill));
  const own = skills.filter((skill) => isOwn(skill) && !leaving.has(skill.name));
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

function isLeaving(move: { to?: string; verdict?: string }): boolean {
  return move.to === "archived" || move.verdict === "withdrawn";
}

function toRewrite(skill: SkillName, because: string): Wanted {
  return { work: toWorkId("rewrite", skill), skill, because };
}

/** Skills that are stale once the plan is carried out, longest unchanged first. */
function looksOf({ skills, notes, plan }: WorkFacts): Wanted[] {
  const moves = new Map(plan.moves.map((move) => [move.skill, move]));
  const judged = new Set((plan.verdicts ?? []).map((move) => move.skill));
  return skills
    .filter((skill) => isOwn(skill) && !judged.has(skill.name))
    .filter(({ name, mirror }) => (moves.get(name)?.to ?? mirror.state) === "stale")
    .filter(({ name }) => noteOf(notes, name)?.looked === undefined)
    .sort((a, b) => Number(a.mirror.updatedAt) - Number(b.mirror.updatedAt) || (a.name < b.name ? -1 : 1))
    .map(({ name }) => ({
      work: toWorkId("look", name),
      skill: name,
      because: moves.get(name)?.reason ?? "stale, and never looked at",
    }));
}

/** One piece of work for skills that are offered but have no requests, most used first. */
function requestsOf({ skills, notes, index, plan }: WorkFacts): Wanted[] {
  const moving = new Set([...plan.moves, ...(plan.verdicts ?? [])].map((move) => move.skill));
  const bare = skills
    .filter((skill) => isOwn(skill) && skill.mirror.state !== "stale" && !moving.has(skill.name))
    .map(({ name }) => ({ name, line: lineOf(index, name) }))
    .filter(({ name, line }) => line && line.requests === undefined && noteOf(notes, name)?.asked === undefined)
    .toSorted((a, b) => (b.line?.use?.uses ?? 0) - (a.line?.use?.uses ?? 0) || (a.name < b.name ? -1 : 1))
    .slice(0, SKILLS_A_CALL)
    .map(({ name }) => name);
  if (bare.length === 0) return [];
  const many = bare.length === 1 ? "one skill is" : `${bare.length} skills are`;
  return [{ work: toWorkId("requests"), skills: bare, because: `${many} found by no words but their own` }];
}
