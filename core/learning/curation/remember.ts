// What a curation remembers for the next run: since when it knows each skill, what it checked, and what it asked a model. Called by
// carry-out.ts. Pure.
import { type CurationId, type SkillName, dayOf } from "../../schemas/ids.ts";
import { type CurationPlan, type CuratorNotes, type WorkItem, toWorkId } from "../../schemas/learning/curation.ts";
import type { SkillIndex } from "../../schemas/skill.ts";
import { clustersOf, overlapsOf } from "./work/clusters.ts";
import type { SkillFacts } from "./curate.ts";
import { noteOf } from "./lookup.ts";

export interface CurationOutcome {
  /** The skills as they are after the plan was carried out. */
  skills: SkillFacts[];
  plan: CurationPlan;
  index: SkillIndex;
  /** Skills whose age is reset. */
  ageReset: SkillName[];
  now: number;
}

/** Idempotent. */
export function toNotes(notes: CuratorNotes, { skills, plan, index, ageReset, now }: CurationOutcome): CuratorNotes {
  const { work = [] } = plan;
  const today = dayOf(now);
  const checkedNow = new Set(plan.checked ?? []);
  const workNow = new Set(work.map((item) => item.work));
  const merge = work.find((item) => item.work === "consolidate");
  const shownNow = new Set(merge ? (merge.groups ?? clustersOf(skills, index)).flat() : []);
  const askedNow = new Set(work.flatMap((item) => item.skills ?? []));
  const entries = skills.map(({ name, mirror }) => {
    const known = noteOf(notes, name);
    const lookedBefore = mirror.state === "stale" ? known?.looked : undefined;
    const looked = workNow.has(toWorkId("look", name)) ? plan.run : lookedBefore;
    const rewritten = workNow.has(toWorkId("rewrite", name)) ? mirror.text : known?.rewritten;
    const consolidated = shownNow.has(name) ? overlapsOf(name, index) : (known?.consolidated ?? []);
    const asked = askedNow.has(name) ? plan.run : known?.asked;
    const note = {
      seen: known && !ageReset.includes(name) ? known.seen : today,
      ...(checkedNow.has(name) ? { checked: today } : known?.checked && { checked: known.checked }),
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
    owed: [...notes.owed, ...work.filter(isNew).map((item) => ({ run: plan.run, work: item.work }))],
    last: laterOf(notes.last, plan.run),
  };
}

function laterOf(a: CurationId | null, b: CurationId): CurationId {
  return a !== null && a > b ? a : b;
}
