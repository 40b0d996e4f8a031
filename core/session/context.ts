// What a session needs from outside (SessionHost, made by the Session object and by tests), and what the parts of its
// engine share (EngineContext). Types only.
import type { ModelChain, ModelSlot, Tool } from "../agent/contract.ts";
import type { Result } from "../errors.ts";
import type { MemoryProvider } from "../memory/provider.ts";
import type {
  Alarm,
  Clock,
  EvidenceStore,
  MemoryStore,
  Overlay,
  PendingStore,
  Queue,
  Random,
  ReviewStore,
  SkillStore,
  Sql,
  TurnArchive,
} from "../ports.ts";
import type { Learning } from "../schemas/api.ts";
import type { ReviewId, SessionId, TurnId } from "../schemas/ids.ts";
import type { Grant, ReviewMessage } from "../schemas/learning/review.ts";
import type { Settings } from "../schemas/settings.ts";
import type { Booking, Budget, Spending } from "../schemas/usage.ts";
import type { RunChecks } from "../skills/checks.ts";
import type { Seeds } from "../skills/library.ts";
import type { SkillSearch } from "../tools/skills/skill-search.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { SessionTaint } from "../learning/taint/taint.ts";
import type { Hub } from "./readers/hub.ts";
import type { Jobs } from "./jobs.ts";
import type { Log } from "./log.ts";

export interface SessionHost {
  profile: string;
  session: string;
  sql: Sql;
  alarm: Alarm;
  clock: Clock;
  random: Random;
  /** 16 characters that nobody can guess. */
  token(): string;
  settings: Settings;
  /** The models of a kind of work: the primary, then those to fall back on. */
  models(slot: ModelSlot): Result<ModelChain>;
  seeds: Seeds;
  /** Tools of the deployment beside the built-in ones. */
  moreTools?: Tool[];
  skills: SkillStore;
  /** Finds skills by all their words. Absent, failing or slow: they are found by the lines of the index. */
  search?: SkillSearch;
  /** Runs the checks that skills bring along. Absent: none runs. */
  runChecks?: RunChecks;
  /** Whether tools find a setting of this name (a variable, a file of credentials). Absent: they find none. */
  isSet?(name: string): boolean;
  memory(overlay: Overlay): MemoryStore;
  /** Writes that wait for the person. Absent: what would have to wait is refused. */
  pending?: PendingStore;
  /** The one external memory beside it; absent or `null` without. */
  memoryProvider?: MemoryProvider | null;
  evidence: EvidenceStore;
  /** The profile's memory of its turns. Absent, or failing for long: a turn is compared with those of its session. */
  archive?: TurnArchive;
  reviews: ReviewStore;
  queue: Queue<ReviewMessage>;
  account: AccountPort;
  /** Keeps the object awake for work that nobody awaits. The promise never rejects. */
  background(work: Promise<void>): void;
  report(what: string, error: unknown): void;
}

/** What a session asks of its profile's Account. */
export interface AccountPort {
  /** A place among the profile's reviews, and what the review may spend. Asked again for one review: the same grant. */
  reserveReview(request: ReviewRequest): Promise<ReviewPlace>;
  /** Up to where a turn may spend of the profile's day, to be asked again when it has come there. `null`: nothing is left. */
  reserveTurn(request: TurnRequest): Promise<Budget | null>;
  /** Counts what a turn or a review spent, once for each id, and ends what was reserved for it. */
  book(booking: Booking): Promise<void>;
}

export interface ReviewRequest {
  review: ReviewId;
  session: SessionId;
  now: number;
  /** Least time between two reviews of the profile. */
  perProfileMs: number;
  /** Corrections, ratings and `/refine` wait for nobody, and nobody waits for them. */
  urgent: boolean;
  /** So many of the profile's reviews may be open; beyond them what is not urgent is shed. Absent: any number. */
  maxBacklog?: number;
  grant: Grant;
  /** Of the profile, for a day. */
  day: Budget;
}
export type ReviewPlace =
  | { granted: true; grant: Grant }
  /** `shed`: too many are open; the work is left for a later review. */
  | { granted: false; shed: true }
  | { granted: false; shed?: false; retryAt: number };

export interface TurnRequest {
  turn: TurnId;
  session: SessionId;
  now: number;
  /** What the turn has spent so far. */
  spent: Spending;
  day: Budget;
}

export interface SessionMeta {
  v: 1;
  learning: Learning;
  title: string;
  createdAt: number;
}

/** What the parts of the engine share. */
export interface EngineContext {
  host: SessionHost;
  log: Log;
  jobs: Jobs;
  hub: Hub;
  overlay: Overlay;
  workspace: Workspace;
  /** Tells what the agent says from what it has read. */
  taint: SessionTaint;
  meta(): SessionMeta;
  /** Inside the caller's transaction. */
  rename(title: string): void;
}
