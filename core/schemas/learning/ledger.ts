// The response of GET /v1/learning: what was learned, whether it helps, what it cost and what it saved.
// core/learning/ledger/ledger.ts explains each figure.
import * as z from "zod";
import { CurationId, Day, ReviewId, Sha256, SkillName } from "../ids.ts";
import { PendingInfo } from "../approvals/pending.ts";
import { JudgedText } from "./evidence.ts";
import { Trigger } from "./review.ts";
import { Origin, SkillHead, SkillState } from "../skill.ts";

const share = z.number().min(0).max(1);

/** `judged`: turns that were judged a success or a failure. */
export const TurnCounts = z.object({ turns: z.int(), judged: z.int(), successes: z.int() });
export type TurnCounts = z.infer<typeof TurnCounts>;

/**
 * Means are over all turns. `success` is over the judged ones, `recovery` over those with a failed call; `null`: there are
 * none.
 */
export const TurnFigures = TurnCounts.extend({
  success: share.nullable(),
  calls: z.number().nullable(),
  failedCalls: z.number().nullable(),
  /** Of all model calls of a turn, in and out, cached ones included. */
  tokens: z.number().nullable(),
  /** Over the turns with a known time. */
  ms: z.number().nullable(),
  recovery: share.nullable(),
});
export type TurnFigures = z.infer<typeof TurnFigures>;

/** `r2` is `null` if all values are equal. */
export const Fit = z.object({ turns: z.int(), a: z.number(), b: z.number(), r2: z.number().nullable() });
export type Fit = z.infer<typeof Fit>;

/**
 * Fitted curves. `success`: share = a + b · ln n. `calls` and `time` (ms): value = a · n^b. n is the number of the turn among
 * the fitted ones. `null`: fewer than eight of them. `to80`: the first judged turn at which at least 80 % of the last ten (at
 * least five) succeeded; `null`: none yet.
 */
export const Curves = z.object({
  success: Fit.nullable(),
  calls: Fit.nullable(),
  time: Fit.nullable(),
  to80: z.int().nullable(),
});
export type Curves = z.infer<typeof Curves>;

/** Skills learned by then, including those archived since. */
const accumulated = { skills: z.int() };

/** Outcomes of work of a skill's kind: before the skill existed and since, with it and without. */
export const Lift = z.object({ before: TurnCounts, after: TurnCounts, lift: z.number().nullable() });
export type Lift = z.infer<typeof Lift>;

const LedgerSkill = z.object({
  name: SkillName,
  description: z.string(),
  state: SkillState,
  /** Why the skill is in that state. */
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
  /** Texts that were withdrawn. */
  withdrawn: z.array(Sha256),
  uses: z.int(),
  successes: z.int(),
  failures: z.int(),
  /** The present one first, then the most recently used. */
  texts: z.array(JudgedText),
  /** `null`: not known at the moment. */
  lift: Lift.nullable(),
  /** When one skill is requested: the newest hundred, newest first. */
  history: z
    .array(z.object({ rev: z.int(), text: Sha256, origin: Origin.nullable(), at: z.int(), purged: z.boolean() }))
    .optional(),
});
export type LedgerSkill = z.infer<typeof LedgerSkill>;

const Spent = z.object({ calls: z.int(), tokens: z.int(), usd: z.number() });

export const LearningLedger = z.object({
  /** The newest thousand, in the order in which the turns ended. */
  turns: z.object({
    seen: z.int(),
    /** Older ones exist and are not part of any figure here. */
    more: z.boolean(),
    since: z.int().nullable(),
    all: TurnFigures,
    by: z.enum(["day", "week"]),
    /**
     * `key`: a day, or an ISO week such as `2026-W47`. `loaded`: the turns that loaded a learned skill. Periods without a turn are left
     * out.
     */
    periods: z.array(TurnFigures.extend({ key: z.string(), ...accumulated, loaded: TurnCounts })),
    /** Stretches of equally many turns, from the `from`-th to the `to`-th; the last one holds the rest. */
    stretches: z.array(TurnFigures.extend({ from: z.int(), to: z.int(), ...accumulated })),
  }),
  curves: Curves,
  /**
   * Kinds of work that occurred at least three times, at most ten, ordered by turns. `kind`: the model's latest phrase, or
   * `null`. `request`: the latest request of that kind.
   */
  kinds: z.array(TurnFigures.extend({ kind: z.string().nullable(), request: z.string(), curves: Curves })),
  /** Turns for which a learned skill existed, and those of them that loaded one. */
  reuse: z.object({ had: z.int(), loaded: z.int(), rate: share.nullable() }),
  skills: z.array(LedgerSkill),
  /** Pass it as `after` to get the next page; absent on the last one. */
  next: SkillName.optional(),
  /** Over all skills of the profile. */
  byState: z.record(SkillState, z.int()),
  /** Over the newest reviews. */
  reviews: z.object({
    seen: z.int(),
    more: z.boolean(),
    lessons: z.int(),
    byTrigger: z.partialRecord(Trigger, z.int()),
    waiting: z.int(),
    superseded: z.int(),
    /** Reviews that were given up, by code. */
    dead: z.record(z.string(), z.int()),
    /** Writes that were refused, by code, and the most recent ones. */
    refused: z.record(z.string(), z.int()),
    /** By the day or week in which the reviews ended, oldest first; those without a review are left out. `key`: as for turns. */
    periods: z.array(
      z.object({ key: z.string(), reviews: z.int(), lessons: z.int(), refused: z.record(z.string(), z.int()) }),
    ),
    lastRefused: z.array(z.object({ review: ReviewId, tool: z.string(), code: z.string(), message: z.string() })),
  }),
  /** Changes that wait for a person, oldest first. */
  waits: z.array(PendingInfo.pick({ id: true, tool: true, origin: true, reason: true, summary: true, askedAt: true })),
  cost: z.object({
    from: Day,
    to: Day,
    /** What reviews used, from the profile's ledger. */
    review: Spent,
    /** What models used for the newest runs of the curator, from their records. */
    curation: Spent.extend({ runs: z.int(), oldest: CurationId.nullable() }),
  }),
  /**
   * Texts that were tried by experiment since `cost.from`. `open`: not ended yet. `noOutcome`: stopped by a person, or without a grant.
   * `withdrawnBeforeOffer`: of `harms`, those that nobody had met yet.
   * `replays`: runs of earlier turns. `null`: not known at the moment.
   */
  experiments: z
    .object({
      count: z.int(),
      ...{
        open: z.int(),
        helps: z.int(),
        noDifference: z.int(),
        harms: z.int(),
        notReplayable: z.int(),
        noOutcome: z.int(),
      },
      ...{ withdrawnBeforeOffer: z.int(), replays: z.int(), tokens: z.int() },
    })
    .nullable(),
  /** An estimate. `null`: no successful use of a learned skill has a baseline of turns without it. */
  bought: z
    .object({
      /** Successful uses with a baseline. */
      uses: z.int(),
      calls: z.number(),
      /** `null`: no turn without a learned skill shows what a call costs. */
      tokens: z.number().nullable(),
      /** Skills whose uses were counted, the most recently used ones. */
      skills: z.int(),
    })
    .nullable(),
});
export type LearningLedger = z.infer<typeof LearningLedger>;
