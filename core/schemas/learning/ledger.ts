// What GET /v1/learning answers: what was learned, whether it helps, what it cost and what it brought. How each figure is made
// stands in core/learning/ledger/ledger.ts.
import * as z from "zod";
import { CurationId, Day, ReviewId, Sha256, SkillName } from "../ids.ts";
import { PendingInfo } from "../pending.ts";
import { Trigger } from "./review.ts";
import { Origin, SkillHead, SkillState, TextVerdict } from "../skill.ts";

const share = z.number().min(0).max(1);

/** `judged`: those that were judged a success or a failure. */
export const TurnCounts = z.object({ turns: z.int(), judged: z.int(), successes: z.int() });
export type TurnCounts = z.infer<typeof TurnCounts>;

/** Means are of all turns, `success` is of the judged ones, `recovery` of those in which a call failed; `null`: of none. */
export const TurnFigures = TurnCounts.extend({
  success: share.nullable(),
  calls: z.number().nullable(),
  failedCalls: z.number().nullable(),
  /** Of the turns whose time is known. */
  ms: z.number().nullable(),
  recovery: share.nullable(),
});
export type TurnFigures = z.infer<typeof TurnFigures>;

/** `r2` is `null` where all values are the same. */
export const Fit = z.object({ turns: z.int(), a: z.number(), b: z.number(), r2: z.number().nullable() });
export type Fit = z.infer<typeof Fit>;

/**
 * `success`: share = a + b · ln n; `calls` and `time` (ms): value = a · n^b; n is the number of the turn among those the curve
 * was fitted to. `null`: fewer than eight of them. `to80`: the judged turn from which on the last ten (five at least)
 * succeeded at 80 %; `null`: none yet.
 */
export const Curves = z.object({
  success: Fit.nullable(),
  calls: Fit.nullable(),
  time: Fit.nullable(),
  to80: z.int().nullable(),
});
export type Curves = z.infer<typeof Curves>;

/** Skills that were learned by then, those put away since included. */
const accumulated = { skills: z.int() };

/** How work of a skill's kind went before there was the skill, and since, with it and without. */
export const Lift = z.object({ before: TurnCounts, after: TurnCounts, lift: z.number().nullable() });
export type Lift = z.infer<typeof Lift>;

const LedgerText = TextVerdict.extend({
  text: Sha256,
  present: z.boolean(),
  firstUsedAt: z.int(),
  lastUsedAt: z.int(),
});

const LedgerSkill = z.object({
  name: SkillName,
  description: z.string(),
  state: SkillState,
  /** Why it came into that state. */
  reason: z.string().nullable(),
  origin: Origin,
  pinned: z.boolean(),
  text: Sha256,
  revisions: z.int(),
  createdAt: z.int(),
  revisedAt: z.int(),
  firstUsedAt: z.int().nullable(),
  lastUsedAt: z.int().nullable(),
  health: SkillHead.shape.health,
  /** Texts that were taken back. */
  withdrawn: z.array(Sha256),
  uses: z.int(),
  successes: z.int(),
  failures: z.int(),
  /** The present one first, then those used last. */
  texts: z.array(LedgerText),
  /** `null`: not known now. */
  lift: Lift.nullable(),
  /** When one skill is asked for: newest first, the newest hundred. */
  history: z
    .array(z.object({ rev: z.int(), text: Sha256, origin: Origin.nullable(), at: z.int(), purged: z.boolean() }))
    .optional(),
});
export type LedgerSkill = z.infer<typeof LedgerSkill>;

const Spent = z.object({ calls: z.int(), tokens: z.int(), usd: z.number() });

export const LearningLedger = z.object({
  /** In the order in which the turns ended, the newest thousand. */
  turns: z.object({
    seen: z.int(),
    /** There are older ones, which are in no figure here. */
    more: z.boolean(),
    since: z.int().nullable(),
    all: TurnFigures,
    by: z.enum(["day", "week"]),
    /** `key`: a day, or an ISO week such as `2026-W47`. Periods without a turn are left out. */
    periods: z.array(TurnFigures.extend({ key: z.string(), ...accumulated })),
    /** Stretches of equally many turns, the last one of what is left; from the `from`-th to the `to`-th. */
    stretches: z.array(TurnFigures.extend({ from: z.int(), to: z.int(), ...accumulated })),
  }),
  curves: Curves,
  /** Kinds of work that came at least three times, at most ten, by the number of turns. `kind`: what a model last called it, `null` where none did. `request`: how it was last asked for. */
  kinds: z.array(TurnFigures.extend({ kind: z.string().nullable(), request: z.string(), curves: Curves })),
  /** Turns for which there was a learned skill, and those of them that loaded one. */
  reuse: z.object({ had: z.int(), loaded: z.int(), rate: share.nullable() }),
  skills: z.array(LedgerSkill),
  /** Ask with `after` of this value for the next page; absent on the last one. */
  next: SkillName.optional(),
  /** Of all skills of the profile. */
  byState: z.record(SkillState, z.int()),
  /** Of the newest reviews. */
  reviews: z.object({
    seen: z.int(),
    more: z.boolean(),
    lessons: z.int(),
    byTrigger: z.partialRecord(Trigger, z.int()),
    waiting: z.int(),
    superseded: z.int(),
    /** Given up, by code. */
    dead: z.record(z.string(), z.int()),
    /** Writes that were refused, by code, and the last few. */
    refused: z.record(z.string(), z.int()),
    lastRefused: z.array(z.object({ review: ReviewId, tool: z.string(), code: z.string(), message: z.string() })),
  }),
  /** What waits for a person, oldest first. */
  waits: z.array(PendingInfo.pick({ id: true, tool: true, origin: true, reason: true, summary: true, askedAt: true })),
  cost: z.object({
    from: Day,
    to: Day,
    /** What reviews used, as the profile's ledger has it. */
    review: Spent,
    /** What models did for the newest runs of the curator, as their records say. */
    curation: Spent.extend({ runs: z.int(), oldest: CurationId.nullable() }),
  }),
  /** An estimate. `null`: no successful use of a learned skill has a baseline of turns without it. */
  bought: z
    .object({
      /** Successful uses with a baseline. */
      uses: z.int(),
      calls: z.number(),
      /** `null`: no turn without a learned skill says what a call costs. */
      tokens: z.number().nullable(),
      /** Skills whose uses were counted; the others were used longer ago. */
      skills: z.int(),
    })
    .nullable(),
});
export type LearningLedger = z.infer<typeof LearningLedger>;
