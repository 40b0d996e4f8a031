// Finds the moments of a profile's journey: what was learned, corrected, withdrawn, merged, forgotten and decided. Called by
// workers/api/learning/journey.ts. Reads only, and keeps nothing. Listings find the moments; an object is read when its event is shown.
//
// Of a skill there is an event for each revision, and one for the last change of its state that made none: heads keep no earlier ones. Reviews,
// curations and decisions go back as far as their records are kept (30 days by default), and a removed fact until it is swept.
import type { CurationStore, ListedRevision, MemoryStore, PendingStore, ReviewStore, SkillStore } from "../../ports.ts";
import { type CurationId, type ProfileId, type SkillName, fromCurationId, fromReviewId } from "../../schemas/ids.ts";
import type { PendingInfo } from "../../schemas/approvals/pending.ts";
import type { JourneyAbout, JourneyEvent } from "../../schemas/learning/journey.ts";
import { type MemoryEntry, MemoryStoreName } from "../../schemas/memory.ts";
import type { HeadMirror } from "../../schemas/skill.ts";
import { readOp } from "./read-op.ts";
import { type RevisionPlace, toRevisionEvent, toStateEvent } from "./skill-events.ts";

export interface JourneySources {
  profile: ProfileId;
  skills: Pick<SkillStore, "scan" | "pastRevisions" | "head" | "revision">;
  memory: Pick<MemoryStore, "survey" | "removed">;
  reviews: Pick<ReviewStore, "list" | "outcome">;
  curation: Pick<CurationStore, "runs" | "report" | "works">;
  pending: Pick<PendingStore, "list">;
}

/** One event, found but not read yet. */
export interface Moment {
  at: number;
  /** Unique in the journey. */
  id: string;
  /** `null`: the record is gone, or there is nothing to say. */
  tell(): Promise<JourneyEvent | null>;
}

/** [own] A listing has a thousand keys a request. */
const MAX_REVISIONS = 50_000;
const MAX_CHANGES = 20;

/** In any order. `cut`: past revisions were left out, those of the last skills by name. */
export async function findMoments(
  sources: JourneySources,
  about?: JourneyAbout,
): Promise<{ moments: Moment[]; cut: boolean }> {
  const isAsked = (kind: JourneyAbout) => about === undefined || about === kind;
  const [ofSkills, ...others] = await Promise.all([
    isAsked("skill") ? momentsOfSkills(sources) : { moments: [], cut: false },
    isAsked("fact") ? momentsOfFacts(sources) : [],
    isAsked("review") ? momentsOfReviews(sources) : [],
    isAsked("curation") ? momentsOfCurations(sources) : [],
    isAsked("decision") ? momentsOfDecisions(sources) : [],
  ]);
  return { moments: [...ofSkills.moments, ...others.flat()], cut: ofSkills.cut };
}

// ---- skills ----

async function momentsOfSkills({ skills }: JourneySources): Promise<{ moments: Moment[]; cut: boolean }> {
  const { past, cut } = await readPast(skills);
  const moments: Moment[] = [];
  for await (const { name, mirror } of skills.scan()) {
    // A writer that died before its swap leaves a copy of the present revision.
    const older = (past.get(name) ?? []).filter(({ rev }) => rev < Number(mirror.rev));
    for (const [i, listed] of older.entries()) {
      const before = older[i - 1];
      // Exact but in revisions of an earlier version: those were made when the one before was replaced.
      const at = listed.at ?? before?.replacedAt ?? Number(mirror.createdAt);
      moments.push({
        at,
        id: `skill.${name}.${newestFirst(listed.rev)}`,
        tell: () => tellPast(skills, listed, at, placeOf(older, i)),
      });
    }
    moments.push(...momentsOfHead(skills, name, mirror, older));
  }
  return { moments, cut };
}

async function readPast(skills: JourneySources["skills"]) {
  const past = new Map<SkillName, ListedRevision[]>();
  let listed = 0;
  for await (const revision of skills.pastRevisions()) {
    if (++listed > MAX_REVISIONS) return { past, cut: true };
    const known = past.get(revision.name);
    if (known) known.push(revision);
    else past.set(revision.name, [revision]);
  }
  return { past, cut: false };
}

function placeOf(revisions: { refs?: string }[], i: number): RevisionPlace {
  const { refs } = revisions[i]!;
  const isBack = Boolean(refs) && revisions.slice(0, Math.max(0, i - 1)).some((earlier) => earlier.refs === refs);
  return { isFirst: i === 0, isBack };
}

async function tellPast(
  skills: JourneySources["skills"],
  { name, rev }: ListedRevision,
  at: number,
  place: RevisionPlace,
): Promise<JourneyEvent | null> {
  const revision = await skills.revision(name, rev);
  return revision && toRevisionEvent(revision, at, place, null);
}

function momentsOfHead(
  skills: JourneySources["skills"],
  name: SkillName,
  mirror: HeadMirror,
  older: ListedRevision[],
): Moment[] {
  const [at, updatedAt, rev] = [Number(mirror.revisedAt), Number(mirror.updatedAt), Number(mirror.rev)];
  const place = placeOf([...older, mirror], older.length);
  const made: Moment = {
    at,
    id: `skill.${name}.${newestFirst(rev)}`,
    async tell() {
      const head = await skills.head(name);
      if (!head) return null;
      // A later state has a reason of its own.
      return toRevisionEvent(head, at, place, head.updatedAt === head.revisedAt ? head : null);
    },
  };
  if (updatedAt <= at) return [made];
  const moved: Moment = {
    at: updatedAt,
    id: `skill.${name}.${newestFirst(rev)}.state`,
    async tell() {
      const head = await skills.head(name);
      return head && toStateEvent(head);
    },
  };
  return [made, moved];
}

/** Of revisions made in the same millisecond the later one comes first. Keys of revisions have eight digits. */
function newestFirst(rev: number): string {
  return String(99_999_999 - rev).padStart(8, "0");
}

// ---- facts ----

async function momentsOfFacts({ memory }: JourneySources): Promise<Moment[]> {
  const stores = await Promise.all(
    MemoryStoreName.options.map(async (store) => {
      const [{ entries, purged }, removed] = await Promise.all([memory.survey(store), memory.removed(store)]);
      return [
        ...entries.map((entry) => toMoment(`fact.${store}.${entry.id}`, toFactEvent(entry))),
        ...removed.map(({ id, by: op, ...gone }) => {
          const { by, turn, session, review } = readOp(op);
          const of = { ...(turn && { turn }), ...(session && { session }), ...(review && { review }) };
          return toMoment(`fact.${store}.${id}.gone`, {
            ...{ about: "fact", kind: "fact_removed", by, store, fact: id, why: "", citations: [], ...gone, ...of },
          });
        }),
        ...purged.map(({ id, at }) =>
          toMoment(`fact.${store}.${id}.purged`, {
            ...{ about: "fact", kind: "fact_purged", by: "person", store, fact: id, at, why: "", citations: [] },
          }),
        ),
      ];
    }),
  );
  return stores.flat();
}

function toFactEvent(entry: MemoryEntry): JourneyEvent {
  const { id, store, text, since, origin, session, citations = [], adds } = entry;
  const { by, work: _work, ...op } = readOp(adds[0]!);
  return {
    ...{ at: since, about: "fact", kind: "fact_added", by: by ?? (origin === "user" ? "person" : "agent") },
    ...{ store, fact: id, text, why: "", citations },
    ...(session && { session }),
    ...op,
  };
}

function toMoment(id: string, event: JourneyEvent): Moment {
  return { at: event.at, id, tell: async () => event };
}

// ---- reviews, curations, decisions ----

/** Reviews that have ended. One without an outcome is not part of the past. */
async function momentsOfReviews({ reviews }: JourneySources): Promise<Moment[]> {
  const lines = await reviews.list();
  return lines
    .filter(({ state }) => state !== "waiting")
    .map(({ review, at }) => ({
      at,
      id: `review.${review}`,
      async tell(): Promise<JourneyEvent | null> {
        const outcome = await reviews.outcome(review);
        if (!outcome) return null;
        const { session } = fromReviewId(review);
        const base = { at, about: "review" as const, by: "review" as const, review, session, citations: [] };
        if ("message" in outcome) return { ...base, kind: "abandoned", why: outcome.message };
        const { summary, lessons, refused } = outcome;
        return { ...base, kind: "reviewed", why: summary, lessons: lessons.length, refused };
      },
    }));
}

async function momentsOfCurations(sources: JourneySources): Promise<Moment[]> {
  const runs = await sources.curation.runs(sources.profile);
  return runs.map((run) => ({
    at: fromCurationId(run),
    id: `curation.${run}`,
    tell: () => tellCuration(sources, run),
  }));
}

/** `null`: unfinished, a dry run, or one that changed nothing. */
async function tellCuration({ curation, profile }: JourneySources, run: CurationId): Promise<JourneyEvent | null> {
  const report = (await curation.report(profile, run))?.run;
  if (!report || report.dryRun) return null;
  const works = report.work ? await curation.works(profile, run) : [];
  const changes = [...(report.changes ?? []), ...works.flatMap((work) => work.changes)];
  if (changes.length === 0 && !report.undoes) return null;
  return {
    ...{
      at: fromCurationId(run),
      about: "curation",
      kind: report.undoes ? "took_back" : "curated",
      by: "curator",
      run,
    },
    why: report.undoes ? `It took back the run ${report.undoes}.` : "",
    citations: [],
    changes: changes.slice(0, MAX_CHANGES).map(({ skill, from, to, reason }) => {
      return { skill, from: from?.state ?? null, to: to.state, reason };
    }),
    changed: changes.length,
  };
}

async function momentsOfDecisions({ pending }: JourneySources): Promise<Moment[]> {
  const decided = (await pending.list()).filter(({ state }) => state !== "waiting");
  return decided.map((change) => toMoment(`decision.${change.id}`, toDecisionEvent(change)));
}

function toDecisionEvent({ id, state, decidedAt, askedAt, seen, session, summary }: PendingInfo): JourneyEvent {
  return {
    ...{ at: decidedAt ?? askedAt, about: "decision", kind: state === "waiting" ? "stale" : state, by: "person" },
    ...{ pending: id, why: summary, citations: [] },
    ...(seen && { skill: seen.skill }),
    ...(session && { session }),
  };
}
