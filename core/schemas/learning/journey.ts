// The responses of GET /v1/learning/journey and GET /v1/learning/graph: what was learned, corrected, withdrawn and merged, in time and as
// a graph. core/learning/journey/ explains how each event is found.
import * as z from "zod";
import { Citation, CurationId, ReviewId, SessionId, Sha256, SkillName, TurnId } from "../ids.ts";
import { MemoryStoreName } from "../memory.ts";
import { PendingId } from "../approvals/pending.ts";
import { Origin, SkillState } from "../skill.ts";
import { ExperimentId } from "./experiment.ts";
import { ReviewResult } from "./review.ts";

/** What an event is about. Each kind is read from its own store. */
export const JourneyAbout = z.enum(["skill", "fact", "review", "curation", "decision"]);
export type JourneyAbout = z.infer<typeof JourneyAbout>;

export const JourneyKind = z.enum([
  // A new skill: by the agent, a review or the curator; or by a person.
  ...(["learned", "written"] as const),
  // A new revision: by the agent, a review or the curator; by a person; without a sentence that evidence refuted; an earlier text again.
  ...(["changed", "edited", "corrected", "restored"] as const),
  // Evidence against a text: the skill has an earlier text again, or is archived.
  "withdrawn",
  // The skill took in others, or was taken into another.
  "merged",
  // The files of the revision were purged.
  "purged",
  // A state without a new revision: proven by evidence, on trial again, offered last, archived, as before a curation.
  ...(["proved", "doubted", "aged", "archived", "rolled_back"] as const),
  ...(["fact_added", "fact_removed", "fact_purged"] as const),
  // A review ended, or was given up.
  ...(["reviewed", "abandoned"] as const),
  // A curation ended, or one that took another back.
  ...(["curated", "took_back"] as const),
  // A person's decision on a waiting change, or a change that was too late.
  ...(["approved", "rejected", "stale"] as const),
]);
export type JourneyKind = z.infer<typeof JourneyKind>;

/** `evidence`: a verdict on the skill's uses. `experiment`: one that tried its text on earlier turns. `null`: not known. */
export const JourneyBy = z.enum(["person", "agent", "review", "curator", "evidence", "experiment"]);
export type JourneyBy = z.infer<typeof JourneyBy>;

export const JourneyEvent = z.object({
  at: z.int(),
  about: JourneyAbout,
  kind: JourneyKind,
  by: JourneyBy.nullable(),
  /** Why, in plain words; empty where nothing says so. */
  why: z.string(),
  /** The parts of entries that show it; empty for none. */
  citations: z.array(Citation),
  skill: SkillName.optional(),
  rev: z.int().optional(),
  /** The umbrella that took in the skill. */
  into: SkillName.optional(),
  store: MemoryStoreName.optional(),
  fact: Sha256.optional(),
  /** The fact; absent for a purged one. */
  text: z.string().optional(),
  /** The work that it came from. */
  session: SessionId.optional(),
  turn: TurnId.optional(),
  review: ReviewId.optional(),
  run: CurationId.optional(),
  experiment: ExperimentId.optional(),
  pending: PendingId.optional(),
  /** Of a review: how many writes it made, and those that were refused. */
  lessons: z.int().optional(),
  refused: ReviewResult.shape.refused.optional(),
  /** Of a curation: the changes of skills, at most twenty, and how many there were. */
  changes: z
    .array(z.object({ skill: SkillName, from: SkillState.nullable(), to: SkillState, reason: z.string() }))
    .optional(),
  changed: z.int().optional(),
});
export type JourneyEvent = z.infer<typeof JourneyEvent>;

export const Journey = z.object({
  events: z.array(JourneyEvent),
  /** Past revisions were left out, because the profile has more than are listed in one request. */
  cut: z.boolean(),
  next: z.string().optional(),
});
export type Journey = z.infer<typeof Journey>;

export const LearningGraph = z.object({
  skills: z.array(
    z.object({
      name: SkillName,
      description: z.string(),
      state: SkillState,
      origin: Origin,
      /** Of the newest thousand turns, those that loaded it. */
      turns: z.int(),
    }),
  ),
  /** Sessions that skills came from. `kind`: the kind of work of its latest named turn; `null`: none was named. */
  work: z.array(z.object({ session: SessionId, title: z.string().nullable(), kind: z.string().nullable() })),
  /** `revisions`: of the skill, those that came from the session. `turn`: the latest turn that wrote one itself. */
  from: z.array(z.object({ session: SessionId, skill: SkillName, revisions: z.int(), turn: TurnId.optional() })),
  /** `turns`: of the newest thousand, those that loaded both. `last`: the latest of these. */
  together: z.array(z.object({ a: SkillName, b: SkillName, turns: z.int(), last: TurnId })),
  /** How many of each there are in all. The strongest are shown. */
  all: z.object({ skills: z.int(), from: z.int(), together: z.int() }),
});
export type LearningGraph = z.infer<typeof LearningGraph>;
