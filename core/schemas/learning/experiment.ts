// Experiments: a skill's text is tried by running earlier turns again, with it and without it. Stored by the profile's Experiments object,
// reported by a replay, returned by the API. See docs/LEARNING.md, "Experiments".
import * as z from "zod";
import { NO_STATS, TurnStats } from "../entry.ts";
import { SessionId, Sha256, SkillName, TurnId } from "../ids.ts";
import { Outcome } from "../skill.ts";
import { UsageLine } from "../usage.ts";

/** A ULID. */
export const ExperimentId = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, "the id of an experiment is a ULID");
export type ExperimentId = z.infer<typeof ExperimentId>;

/** One run of one earlier turn. A ULID. */
export const ReplayId = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, "the id of a replay is a ULID");
export type ReplayId = z.infer<typeof ReplayId>;

/** Why a turn cannot be run again. */
export const NotReplayable = z.enum([
  /** It has not ended, or a person has taken it back. */
  "not_ended",
  /** It ended without an answer of a model, or it was a command. */
  "not_answered",
  /** A person's message joined it while it ran. */
  "steered",
  /** It worked on an exec host. */
  "on_host",
  /** The client that asked it gave it tools or a form of the answer, which are not kept. */
  "client",
  /** A call of it did something outside its workspace. */
  "effect_outside",
  /** It was cut off during a call whose outcome nobody knows. */
  "outcome_unknown",
  /** What its files were is not kept any more. */
  "files_not_kept",
  /** A result that it read is not kept in full. */
  "result_not_kept",
  /** What it would need is more than a replay may copy. */
  "too_large",
  /** Its session was deleted. */
  "session_gone",
]);
export type NotReplayable = z.infer<typeof NotReplayable>;

/** `why`: a sentence for a person, with the tool where one is the reason. */
export const Replayability = z.discriminatedUnion("replayable", [
  z.object({ replayable: z.literal(true) }),
  z.object({ replayable: z.literal(false), reason: NotReplayable, why: z.string() }),
]);
export type Replayability = z.infer<typeof Replayability>;

/** What a replay's library has under the skill's name: the text that is tried, nothing, or the text before it. */
export const Arm = z.enum(["with", "without", "parent"]);
export type Arm = z.infer<typeof Arm>;

/** Why the text is tried. `lesson`, `revision`: a review wrote it. `asked`: a person asked. `try`: a person sent a text that is not in the library. */
export const Occasion = z.enum(["lesson", "revision", "rewrite", "merge", "hub", "import", "asked", "try"]);
export type Occasion = z.infer<typeof Occasion>;

/** How a replay ended. `left_recording`: it made a call whose result nobody has recorded. `over_budget`: its grant was spent. */
export const ReplayEnd = z.enum(["answered", "left_recording", "over_budget", "failed", "lost"]);
export type ReplayEnd = z.infer<typeof ReplayEnd>;

/** Of an answer that is compared with another one. */
export const MAX_ANSWER_CHARS = 16_000;

/** What a replay reports. Without its answer it holds no words of the conversation. */
export const ReplayReport = z.object({
  v: z.literal(1),
  end: ReplayEnd,
  /** Of the notice that ended it; `null` for an answer. */
  code: z.string().nullable(),
  /** At most `MAX_ANSWER_CHARS`; `null` once the replay is erased. */
  answer: z.string().nullable(),
  stats: TurnStats,
  /** What the exits of its calls say, as for any turn. */
  exit: Outcome,
  /** The tried text was in front of the model. */
  loaded: z.boolean(),
  /** A call took a word of the text and failed, or succeeded with another value than the text gives. */
  contradicted: z.boolean(),
  failedWords: z.array(z.string()),
  refusedWords: z.array(z.string()),
  workedWords: z.array(z.string()),
  /** The call that nobody had recorded. `args`: JSON, at most 500 characters. */
  left: z.object({ tool: z.string(), args: z.string() }).nullable(),
  /** Of the kind `replay`. */
  lines: z.array(UsageLine),
  endedAt: z.int(),
});
export type ReplayReport = z.infer<typeof ReplayReport>;

/** Of a run that made no report itself. */
export function emptyReport(end: ReplayEnd, code: string | null, endedAt: number): ReplayReport {
  return {
    ...{ v: 1, end, code, answer: null, stats: NO_STATS, exit: "unknown", loaded: false, contradicted: false },
    ...{ failedWords: [], refusedWords: [], workedWords: [], left: null, lines: [], endedAt },
  };
}

/** Whether a run did what the person wanted. */
export const RunVerdict = z.enum(["right", "wrong", "unknown"]);
export type RunVerdict = z.infer<typeof RunVerdict>;

/** Who said so, in the order in which they are asked. `words`: a call with a word of the text failed. */
export const RunJudge = z.enum(["checks", "words", "answer", "model", "exit", "none"]);
export type RunJudge = z.infer<typeof RunJudge>;

/** One run. `replay`: `null` for the recorded turn itself, which counts as a run without the text where the same model answered. */
export const ExperimentRun = z.object({
  replay: ReplayId.nullable(),
  turn: TurnId,
  arm: Arm,
  nth: z.int().min(1),
  state: z.enum(["waiting", "running", "done"]),
  verdict: RunVerdict.nullable(),
  judge: RunJudge.nullable(),
  report: ReplayReport.nullable(),
});
export type ExperimentRun = z.infer<typeof ExperimentRun>;

/** A turn that was chosen. `cited`: the text cites it; else it is similar work that the text does not cite. */
export const ExperimentTurn = z.object({
  turn: TurnId,
  cited: z.boolean(),
  /** At most 200 characters; `null` once its session is deleted. */
  request: z.string().nullable(),
  replayability: Replayability,
});
export type ExperimentTurn = z.infer<typeof ExperimentTurn>;

export const ExperimentOutcome = z.enum(["helps", "no_difference", "harms", "not_replayable"]);
export type ExperimentOutcome = z.infer<typeof ExperimentOutcome>;

/** One arm, over its runs that ended with an answer. `calls`, `failedCalls`, `tokens`: medians over them; `null` for none. */
export const ArmSum = z.object({
  runs: z.int().min(0),
  right: z.int().min(0),
  wrong: z.int().min(0),
  calls: z.number().nullable(),
  failedCalls: z.number().nullable(),
  tokens: z.number().nullable(),
});
export type ArmSum = z.infer<typeof ArmSum>;

export const Experiment = z.object({
  v: z.literal(1),
  id: ExperimentId,
  skill: SkillName,
  text: Sha256,
  /** `null`: it replaces nothing. */
  parent: Sha256.nullable(),
  /** `null`: the text is not in the library. */
  rev: z.int().min(1).nullable(),
  occasion: Occasion,
  /** The session that is told how it ended. */
  session: SessionId.nullable(),
  /** `waiting`: for a grant. */
  state: z.enum(["waiting", "running", "done"]),
  outcome: ExperimentOutcome.nullable(),
  /** One sentence with the figures; empty while it runs. */
  why: z.string(),
  turns: z.array(ExperimentTurn),
  runs: z.array(ExperimentRun),
  arms: z.partialRecord(Arm, ArmSum),
  /** What was granted, and what its runs and its judge have used. */
  tokens: z.object({ granted: z.int().min(0), used: z.int().min(0) }),
  createdAt: z.int(),
  endedAt: z.int().nullable(),
  /** From then on its runs are erased, and only the result is left. `null` while it runs. */
  runsUntil: z.int().nullable(),
});
export type Experiment = z.infer<typeof Experiment>;

/** What the experiments of a profile have found. `waiting` to `not_replayable`: how many there are. */
export const ExperimentSum = z.object({
  waiting: z.int().min(0),
  running: z.int().min(0),
  helps: z.int().min(0),
  no_difference: z.int().min(0),
  harms: z.int().min(0),
  not_replayable: z.int().min(0),
  /** Ended without an outcome: stopped by a person, or without a grant. */
  none: z.int().min(0),
  /** Of `harms`: texts that were withdrawn before anybody met them. */
  withdrawnBeforeOffer: z.int().min(0),
  /** Runs that were made. */
  replays: z.int().min(0),
  /** What those runs and their judge have used. */
  tokens: z.int().min(0),
});
export type ExperimentSum = z.infer<typeof ExperimentSum>;
