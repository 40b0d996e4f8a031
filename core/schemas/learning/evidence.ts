// The response of GET /v1/skills/{name}/evidence: the turns that used a skill, how each was judged, and how its texts stood after each.
// core/learning/evidence/describe.ts computes it.
import * as z from "zod";
import { Sha256, SkillName } from "../ids.ts";
import { FollowerCounts } from "../library/library.ts";
import { Evidence, Judge, Outcome, TextVerdict } from "../skill.ts";

const share = z.number().min(0).max(1);

/** A success rate, and the range that holds it with a probability of 90 %. Half of all turns succeed before anything is known. */
export const RateEstimate = z.object({ rate: share, low: share, high: share });
export type RateEstimate = z.infer<typeof RateEstimate>;

export const JudgedText = TextVerdict.extend({
  text: Sha256,
  present: z.boolean(),
  firstUsedAt: z.int(),
  lastUsedAt: z.int(),
});
export type JudgedText = z.infer<typeof JudgedText>;

export const SkillUsed = Evidence.pick({
  turn: true,
  text: true,
  contradicted: true,
  toolCalls: true,
  failedCalls: true,
  tokens: true,
}).extend({
  /** When the turn ended; midnight of its day in older records. */
  at: z.int(),
  /** Of the strongest judge. */
  outcome: Outcome,
  judge: Judge,
  /** All of them, the strongest first. */
  judgements: z.array(z.object({ judge: Judge, outcome: Outcome })),
  /** Words of the text with which calls failed. */
  failedWords: z.array(z.string()),
  /**
   * How the text stood after this use. `success`: its success rate, in which older uses weigh less. `without`: that of similar turns without
   * the skill; `null`: not known. `null`: a person has restored the text since, and this use counts in part.
   */
  standing: z
    .object({ verdict: TextVerdict.shape.verdict, success: RateEstimate, without: RateEstimate.nullable() })
    .nullable(),
});
export type SkillUsed = z.infer<typeof SkillUsed>;

export const SkillEvidence = z.object({
  name: SkillName,
  /** The present text. */
  text: Sha256,
  /** Texts with evidence: the present one first, then the most recently used. */
  texts: z.array(JudgedText),
  /** In the order in which the turns ended: the newest five hundred. A turn that used two texts is listed twice. */
  uses: z.array(SkillUsed),
  /** How many there are in all. */
  seen: z.int(),
  followers: FollowerCounts.optional().meta({
    description: "What followers sent of the present text. It enters no verdict. Absent for a skill that is not shared",
  }),
});
export type SkillEvidence = z.infer<typeof SkillEvidence>;
