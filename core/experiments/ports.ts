// What the experiments of a profile need from outside, and what they offer. The Experiments object wires them; the bench and tests use them
// over node:sqlite. Types only.
import type { ModelChain, ModelSlot } from "../agent/contract.ts";
import type { Result } from "../errors.ts";
import type { Alarm, Clock, EvidenceStore, Random, SkillStore, Sql } from "../ports.ts";
import type { FileBodies } from "../schemas/file-body.ts";
import type { SessionId, Sha256, SkillName, TurnId } from "../schemas/ids.ts";
import type { TurnStats } from "../schemas/entry.ts";
import type {
  Arm,
  Experiment,
  ExperimentId,
  ExperimentSum,
  Occasion,
  Replayability,
  ReplayId,
  ReplayReport,
} from "../schemas/learning/experiment.ts";
import type { ExperimentLine } from "../schemas/learning/experiment-api.ts";
import type { LoadedText } from "../schemas/learning/learning.ts";
import type { Judge, Outcome, SkillState } from "../schemas/skill.ts";
import type { Settings } from "../schemas/settings.ts";
import type { Booking, Budget } from "../schemas/usage.ts";
import type { RunChecks } from "../skills/checks.ts";

/** What a profile's Experiments object is asked to try. */
export interface NewExperiment {
  /** Unique to the wish, the same in every attempt: `review:<review>:<skill>:<rev>`, `asked:<key>`. */
  key: string;
  /** What a person sent. The same key with another one is refused. Absent: with anything else that differs. */
  sent?: string;
  skill: SkillName;
  occasion: Occasion;
  /** Absent: the text is `given`. */
  rev?: number;
  text: Sha256;
  parent: Sha256 | null;
  /** In the stored form, `<session>/<entry>#<source>`. */
  citations: string[];
  /** The turns that a person named: it is tried on these alone. Absent: none. */
  named?: TurnId[];
  /** The text's description and requests: what similar work is searched with. */
  about: string;
  /** The session that is told how it ended; `null`: nobody is. */
  session: SessionId | null;
  /** The files of a text that is not in the library. */
  given?: FileBodies;
  /** A person grants this many tokens for this experiment alone. Absent: the grant of the day. */
  tokens?: number;
}

/** One run that a Replay object is to make. Sent again until it has answered; the id makes that harmless. */
export interface ReplayOrder {
  v: 1;
  id: ReplayId;
  experiment: ExperimentId;
  source: { session: SessionId; turn: number };
  /** `recorded`: nothing is changed, and the replay must give the recorded turn again, entry for entry. */
  arm: Arm | "recorded";
  skill: SkillName;
  /** What it may spend. */
  budget: Budget;
}

export interface ReplayPort {
  /** Failures: `session_gone`, `not_replayable`. */
  begin(order: ReplayOrder): Promise<Result<null>>;
  /** `null`: it never began, or was erased. `activeAt`: when something last came from a model or a tool. */
  look(id: ReplayId): Promise<{ report: ReplayReport | null; activeAt: number } | null>;
  /** Idempotent. */
  erase(id: ReplayId): Promise<void>;
}

/** What a session says of one of its turns. */
export interface RecordedTurn {
  turn: TurnId;
  replayability: Replayability;
  /** At most 4,000 characters. */
  request: string;
  /** What the person says in the entry that was asked for, at most 4,000 characters; `""` if it is not theirs, or a turn was asked for. */
  said: string;
  /** The strings in the arguments of the call that the entry holds, at most 4,000 characters; empty if it failed, or is no call. */
  called: string[];
  endedAt: number;
  /** The model of its last answer. */
  model: string;
  stats: TurnStats;
  /** At most 16,000 characters. */
  answer: string;
  /** How it is judged now, and what its exits say. */
  outcome: Outcome;
  judge: Judge;
  exit: Outcome;
  /** Texts of skills that its model had read. */
  loaded: LoadedText[];
  /**
   * The answer that the person accepted: its own, or that of a later turn which a correction asked for. `null`: nobody has said.
   * `isOwn`: its own.
   */
  accepted: { turn: TurnId; text: string; isOwn: boolean } | null;
  /** A person has refused its answer, and accepted no other one. `correction`: what they said, at most 4,000 characters; may be empty. */
  refused?: { correction: string };
}

export interface RecordedTurns {
  /** The turn of this number, or the one that this entry belongs to. `null`: there is no such session or turn. */
  describe(asked: { session: SessionId } & ({ turn: number } | { entry: number })): Promise<RecordedTurn | null>;
  /** Turns that used the skill or are similar to `words`, best first, those that ended at or before `before` only. */
  findSimilar(asked: { skill: SkillName; words: string; before: number; limit: number }): Promise<TurnId[]>;
}

export interface ReplayGrant extends Budget {
  ofDay: number;
}

/** The Account's ledger. */
export interface ReplayBudget {
  /**
   * What the experiment may spend, at most `tokens` and at most what `review.replayTokens` and the day's budget leave; `usdMicros`: 0 is no
   * limit. `null`: nothing. Asked again for the same id, it answers what is left of it. `isOwn`: a person gave it, so the grant of the day
   * does not count. `ofDay`: that grant, as the profile has it.
   */
  reserve(asked: { id: ExperimentId; now: number; tokens: number; isOwn: boolean }): Promise<ReplayGrant | null>;
  /** Books once under its id, and reduces the reservation. */
  book(booking: Booking, grant: ExperimentId): Promise<void>;
  release(id: ExperimentId): Promise<void>;
}

export interface ExperimentHost {
  sql: Sql;
  alarm: Alarm;
  clock: Clock;
  random: Random;
  newId(): string;
  readonly settings: Settings;
  skills: SkillStore;
  evidence: EvidenceStore;
  turns: RecordedTurns;
  replays: ReplayPort;
  budget: ReplayBudget;
  models(slot: ModelSlot): Result<ModelChain>;
  /** The models of the slot `judge`, only where it is configured. Absent: no model compares answers. */
  judges?: ModelChain;
  runChecks?: RunChecks;
  /** The line for the person, once for each id. `null`, or a deleted session: nobody is told. */
  tell(session: SessionId, id: ExperimentId, text: string): Promise<void>;
  /** A text that the profile shares was withdrawn. Absent: nobody can follow it. */
  tellFollowers?(): Promise<void>;
  /** A text was withdrawn: the profile's webhooks are told. The same revision is the same event. Absent: there are none. */
  tellHooks?(withdrawn: {
    skill: SkillName;
    state: SkillState;
    rev: number;
    inPart: boolean;
    experiment: ExperimentId;
  }): Promise<void>;
  report(what: string, error: unknown): void;
}

/** What a Replay object asks of the profile's experiments. */
export interface ReplayDesk {
  /** What the skill's name stands for in this arm; `null`: nothing. Failure: `experiment_not_found`. */
  readText(experiment: ExperimentId, arm: Arm): Promise<Result<FileBodies | null>>;
  /** Repeated until it has answered. */
  takeReport(id: ReplayId, report: ReplayReport): Promise<void>;
}

/** What a profile's experiments offer to the API and to sessions. */
export interface ExperimentCalls {
  /** Once for each key: asked again, it answers with the experiment that it made. */
  take(asked: NewExperiment): Promise<Result<Experiment>>;
  /** Failure: `experiment_not_found`. */
  read(id: ExperimentId): Promise<Result<Experiment>>;
  /** Newest first, without their runs: those older than `after`, at most `limit`. */
  list(asked: { skill?: SkillName; after?: ExperimentId; limit: number }): Promise<ExperimentLine[]>;
  /** Ends it now, without an outcome; its runs are stopped. One that has ended stays as it is. Failure: `experiment_not_found`. */
  stop(id: ExperimentId): Promise<Result<Experiment>>;
}

/** Everything that a profile's Experiments object does. Made by `createExperiments(host)` in experiments.ts. */
export interface Experiments extends ExperimentCalls, ReplayDesk {
  /** Carries out what is due, and sets the next alarm. Never rejects. */
  alarm(): Promise<void>;
  /** A session was deleted: its replays are erased, its words are forgotten, and it is told nothing. Idempotent. */
  forgetSession(session: SessionId): Promise<void>;
  /** A person deleted the skill: its open experiments end without an outcome. Idempotent. */
  forgetSkill(skill: SkillName): Promise<void>;
  /**
   * A person purged a text, which any run may quote: every run is erased at once, open experiments end without an outcome, and of all
   * experiments only results are left: no text, answer, request or argument. Idempotent.
   */
  forgetWords(): Promise<void>;
  /** The profile is deleted: erases every replay, then all rows. Idempotent. */
  eraseAll(): Promise<void>;
  /** Of the experiments that were asked for at or after `since`. */
  sum(asked: { since: number }): ExperimentSum;
}
