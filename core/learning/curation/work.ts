// What a curation leaves to a model: skills to write again, stale ones to look at, skills that should be one, skills without requests. And what it
// remembers of that for the next run. Called by run-curation.ts. Pure.
import type { CurationPlan, CuratorNotes, Policy, WorkItem } from "../../schemas/learning/curation.ts";
import type { Grant } from "../../schemas/learning/review.ts";
import { type CurationId, DAY_MS, type Day, type SkillName, dayOf } from "../../schemas/ids.ts";
import { toWorkId } from "../../schemas/learning/curation.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { IndexLine, SkillIndex } from "../../schemas/skill.ts";
import { toUsdMicros } from "../../schemas/usage.ts";
import { baseOf } from "../../skills/format/validate.ts";
import { type Neighbourhood, createNeighbourhood } from "../../skills/search/similarity.ts";
import { type SkillFacts, isOwn } from "./curate.ts";

/** Enough to read a skill and its neighbours and to write one of them, with room for a refusal or two. Also used by bench:judging. */
export const WORK_TOKENS = 100_000;
const MAX_CLUSTERS = 5;
const MAX_MEMBERS = 8;
/** Skills whose requests one call is asked for: their beginnings are a few pages. Also used by bench:judging. */
export const SKILLS_A_CALL = 12;
/** From here on two skills may be about one thing; below it a shared first word has to say so as well. */
const NEAR = 0.5;
const NEAR_BY_NAME = 0.2;

export interface WorkFacts {
  skills: SkillFacts[];
  /** What was found broken of each skill, by this run or one before it. */
  broken: Map<SkillName, string[]>;
  notes: CuratorNotes;
  index: SkillIndex;
  policy: Policy;
  settings: Settings;
  now: number;
  /** State moves of this run. */
  plan: Pick<CurationPlan, "moves" | "verdicts">;
  /** Skills that may be one; `null`: nobody looks. */
  clusters: SkillName[][] | null;
  /** A person asked for the consolidation. */
  asked: boolean;
  /** What the day's budget has for this run; absent: no limit but the run's own. */
  most?: Grant;
}

/**
 * The work of one run within its grant, shared out evenly. Each skill once a staleness and once for its requests, each text
 * once for a rewrite: a model that could not help the first time is not asked every week. A consolidation that a person
 * asked for takes the whole grant; one for what reviews noted comes after what is broken.
 */
export function planWork(facts: WorkFacts): WorkItem[] {
  const { settings, policy, now, clusters, asked, most } = facts;
  const { tokens } = within(shareOf(policy, settings, 1, now), most, 1);
  if (tokens === 0) return [];
  const merge = clusters?.length ? [toConsolidation(clusters, asked)] : [];
  const others = () => [...rewritesOf(facts), ...merge, ...looksOf(facts), ...requestsOf(facts)];
  const wanted = asked && merge.length > 0 ? merge : others();
  const chosen = wanted.slice(0, Math.max(1, Math.floor(tokens / WORK_TOKENS)));
  const grant = within(shareOf(policy, settings, chosen.length, now), most, chosen.length);
  return chosen.map((item) => ({ ...item, grant }));
}

/** The operator's figure; an owner's own limit is the curator's to keep. */
export function defaultCurationGrant({ curation, review }: Settings, now: number): Grant {
  const usdMicros = toUsdMicros(curation.grantUsd);
  const expiresAt = now + review.keepDays * DAY_MS;
  return { tokens: curation.grantTokens, ...(usdMicros > 0 && { usdMicros }), expiresAt };
}

/** What each of so many pieces of work may spend; for as long as it may stay owed to a profile that sleeps. */
export function shareOf(policy: Policy, settings: Settings, shares: number, now: number): Grant {
  const tokens = policy.grantTokens ?? settings.curation.grantTokens;
  const usdMicros = toUsdMicros(policy.grantUsd ?? settings.curation.grantUsd);
  const n = Math.max(1, shares);
  return {
    tokens: Math.floor(tokens / n),
    ...(usdMicros > 0 && { usdMicros: Math.max(1, Math.floor(usdMicros / n)) }),
    expiresAt: now + settings.review.keepDays * DAY_MS,
  };
}

/** What was set aside for the day is for that day: work that is not done by its end asks no model any more. */
function within(share: Grant, most: Grant | undefined, shares: number): Grant {
  if (!most) return share;
  const money = most.usdMicros === undefined ? Infinity : Math.floor(most.usdMicros / shares);
  const usdMicros = Math.min(share.usdMicros ?? Infinity, money);
  return {
    tokens: Math.min(share.tokens, Math.floor(most.tokens / shares)),
    ...(usdMicros < Infinity && { usdMicros }),
    expiresAt: Math.min(share.expiresAt, most.expiresAt),
  };
}

type Wanted = Omit<WorkItem, "grant">;

function toConsolidation(clusters: SkillName[][], asked: boolean): Wanted {
  const many = clusters.length === 1 ? "one group" : `${clusters.length} groups`;
  const because = `${many} of skills that may be one${asked ? "" : ", as reviews noted"}`;
  return { work: toWorkId("consolidate"), because, ...(!asked && { groups: clusters }) };
}

/** What is broken comes before what merely fails. */
function rewritesOf({ skills, broken, notes, plan }: WorkFacts): Wanted[] {
  const moving = new Set([...plan.moves, ...(plan.verdicts ?? [])].filter(isLeaving).map((move) => move.skill));
  const own = skills.filter((skill) => isOwn(skill) && !moving.has(skill.name));
  const fresh = own.filter(({ name, mirror }) => noteOf(notes, name)?.rewritten !== mirror.text);
  const isBroken = (skill: SkillFacts) => (broken.get(skill.name) ?? []).length > 0;
  const ill = fresh.filter(isBroken).map(({ name }) => toRewrite(name, `broken: ${broken.get(name)!.join("; ")}`));
  const poor = fresh
    .filter((skill) => !isBroken(skill))
    .flatMap(({ name, mirror, stats }) => {
      const said = Object.hasOwn(stats.texts, mirror.text) ? stats.texts[mirror.text]! : null;
      return said?.rewrite ? [toRewrite(name, said.why)] : [];
    });
  return [...ill, ...poor];
}

function isLeaving(move: { to?: string; verdict?: string }): boolean {
  return move.to === "archived" || move.verdict === "withdrawn";
}

function toRewrite(skill: SkillName, because: string): Wanted {
  return { work: toWorkId("rewrite", skill), skill, because };
}

/** Those that are stale once the plan is carried out, longest unchanged first. */
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

/** Skills that are offered and found by their own words alone, most used first, for one call. */
function requestsOf({ skills, notes, index, plan }: WorkFacts): Wanted[] {
  const moving = new Set([...plan.moves, ...(plan.verdicts ?? [])].map((move) => move.skill));
  const lineOf = (name: SkillName) => (Object.hasOwn(index.skills, name) ? index.skills[name] : undefined);
  const bare = skills
    .filter((skill) => isOwn(skill) && skill.mirror.state !== "stale" && !moving.has(skill.name))
    .map(({ name }) => ({ name, line: lineOf(name) }))
    .filter(({ name, line }) => line && line.requests === undefined && noteOf(notes, name)?.asked === undefined)
    .toSorted((a, b) => (b.line?.use?.uses ?? 0) - (a.line?.use?.uses ?? 0) || (a.name < b.name ? -1 : 1))
    .slice(0, SKILLS_A_CALL)
    .map(({ name }) => name);
  if (bare.length === 0) return [];
  const many = bare.length === 1 ? "one skill is" : `${bare.length} skills are`;
  return [{ work: toWorkId("requests"), skills: bare, because: `${many} found by no words but their own` }];
}

/**
 * Groups of skills that may be one: reviews said so, or their names and descriptions are near. A companion belongs to its
 * base, and what a curation may not change is in no group. Largest group first.
 */
export function clustersOf(skills: Pick<SkillFacts, "name" | "mirror">[], index: SkillIndex): SkillName[][] {
  return groupsOf(skills, index, (lines) => {
    const hood = createNeighbourhood(lines);
    return (line) => [...notedOf(line.name, index), ...nearTo(line, hood)];
  }).slice(0, MAX_CLUSTERS);
}

/** `relate`: makes of all lines the question which skills a line belongs with, those first that matter most. */
function groupsOf(
  skills: Pick<SkillFacts, "name" | "mirror">[],
  index: SkillIndex,
  relate: (lines: Line[]) => (line: Line) => SkillName[],
): SkillName[][] {
  const own = skills.filter((skill) => isOwn(skill) && baseOf(skill.name) === null);
  const lines = own.flatMap(({ name }) => {
    const line = Object.hasOwn(index.skills, name) ? index.skills[name]! : null;
    return line ? [{ ...line, name }] : [];
  });
  const leader = new Map(lines.map(({ name }) => [name, name]));
  const sizes = new Map(lines.map(({ name }) => [name, 1]));
  const find = (name: SkillName): SkillName => {
    const next = leader.get(name)!;
    return next === name ? name : find(next);
  };
  const relatedTo = relate(lines);
  for (const line of lines) {
    for (const near of relatedTo(line).filter((name) => leader.has(name))) {
      const [a, b] = [find(line.name), find(near)];
      const size = sizes.get(a)! + sizes.get(b)!;
      if (a === b || size > MAX_MEMBERS) continue;
      leader.set(b, a);
      sizes.set(a, size);
    }
  }
  const groups = [...Map.groupBy(lines, ({ name }) => find(name)).values()].map((group) =>
    group.map(({ name }) => name).sort(),
  );
  return groups.filter((group) => group.length > 1).sort((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1));
}

/** Skills of which reviews noted that they overlap, in groups with one that no model was shown; `null`: none. */
export function notedClusters(skills: SkillFacts[], index: SkillIndex, notes: CuratorNotes): SkillName[][] | null {
  const isNew = (name: SkillName, group: SkillName[]) =>
    notedOf(name, index).some((other) => group.includes(other) && !noteOf(notes, name)?.consolidated?.includes(other));
  const groups = groupsOf(skills, index, () => (line) => notedOf(line.name, index))
    .filter((group) => group.some((name) => isNew(name, group)))
    .slice(0, MAX_CLUSTERS);
  return groups.length > 0 ? groups : null;
}

/** What reviews say overlaps with a skill. */
function notedOf(name: SkillName, index: SkillIndex): SkillName[] {
  const noted = Object.hasOwn(index.skills, name) ? (index.skills[name]!.overlaps ?? []) : [];
  return noted.filter((other) => other !== name);
}

type Line = IndexLine & { name: SkillName };

function nearTo(line: Line, hood: Neighbourhood): SkillName[] {
  return hood
    .nearest(line, MAX_MEMBERS)
    .filter(
      ({ name, similarity }) =>
        similarity >= NEAR || (similarity >= NEAR_BY_NAME && firstWord(name) === firstWord(line.name)),
    )
    .map(({ name }) => name);
}

function firstWord(name: SkillName): string {
  return name.split("-")[0]!;
}

export interface Remembered {
  /** As they are once the plan is carried out. */
  skills: SkillFacts[];
  plan: CurationPlan;
  index: SkillIndex;
  /** Skills whose age begins again. */
  afresh: SkillName[];
  now: number;
}

/** What the next run has to know of this one. Done twice it is the same. */
export function toNotes(notes: CuratorNotes, { skills, plan, index, afresh, now }: Remembered): CuratorNotes {
  const today = dayOf(now);
  const checked = new Set(plan.checked ?? []);
  const work = new Set((plan.work ?? []).map((item) => item.work));
  const merge = (plan.work ?? []).find((item) => item.work === "consolidate");
  const shown = new Set(merge ? (merge.groups ?? clustersOf(skills, index)).flat() : []);
  const askedNow = new Set((plan.work ?? []).flatMap((item) => item.skills ?? []));
  const entries = skills.map(({ name, mirror }) => {
    const known = noteOf(notes, name);
    const looked = work.has(toWorkId("look", name)) ? plan.run : mirror.state === "stale" ? known?.looked : undefined;
    const rewritten = work.has(toWorkId("rewrite", name)) ? mirror.text : known?.rewritten;
    const consolidated = shown.has(name) ? notedOf(name, index) : (known?.consolidated ?? []);
    const asked = askedNow.has(name) ? plan.run : known?.asked;
    const note = {
      seen: known && !afresh.includes(name) ? known.seen : today,
      ...(checked.has(name) ? { checked: today } : known?.checked && { checked: known.checked }),
      ...(looked !== undefined && { looked }),
      ...(rewritten !== undefined && { rewritten }),
      ...(consolidated.length > 0 && { consolidated }),
      ...(asked !== undefined && { asked }),
    };
    return [name, note] as const;
  });
  const isNew = (item: WorkItem) => !notes.owed.some(({ run, work: id }) => run === plan.run && id === item.work);
  return {
    ...notes,
    skills: Object.fromEntries(entries),
    owed: [...notes.owed, ...(plan.work ?? []).filter(isNew).map((item) => ({ run: plan.run, work: item.work }))],
    last: laterOf(notes.last, plan.run),
  };
}

function laterOf(a: CurationId | null, b: CurationId): CurationId {
  return a !== null && a > b ? a : b;
}

export function noteOf(notes: CuratorNotes, name: SkillName): CuratorNotes["skills"][SkillName] | undefined {
  return Object.hasOwn(notes.skills, name) ? notes.skills[name] : undefined;
}

/**
 * Skills whose checks have not run for `curation.checkDays` days. What is broken comes first, and in every run, for a new text may
 * have put it right; then the most used, for which a broken one costs most.
 */
export function dueForCheck(
  skills: SkillFacts[],
  { notes, index, now, checkDays }: { notes: CuratorNotes; index: SkillIndex; now: number; checkDays: number },
): SkillName[] {
  const before: Day = dayOf(now - checkDays * DAY_MS);
  const isBroken = (name: SkillName) => Object.hasOwn(index.skills, name) && isIll(index.skills[name]!);
  return skills
    .filter(({ mirror }) => mirror.state !== "archived" && mirror.state !== "pending")
    .map(({ name, stats }) => ({
      name,
      ill: isBroken(name),
      uses: stats.uses,
      checked: noteOf(notes, name)?.checked ?? "",
    }))
    .filter(({ ill, checked }) => ill || checked <= before)
    .sort((a, b) => Number(b.ill) - Number(a.ill) || b.uses - a.uses || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function isIll({ health }: IndexLine): boolean {
  return (health?.broken ?? []).length > 0;
}
