// What the core needs from outside, each owned by its consumer here. Bindings of the platform satisfy the low ports
// (Bucket, KeyValue, Queue, Sql, Alarm) as they are or through a few lines; stores/ builds the high ones from those.
import type { Result } from "./errors.ts";
import type {
  CurationAllowance,
  CurationMerge,
  CurationPlan,
  CurationRun,
  CurationSpent,
  CurationWork,
  CuratorNotes,
  Policy,
  WorkId,
} from "./schemas/learning/curation.ts";
import type { FileBodies, FileBody } from "./schemas/file-body.ts";
import type { CurationId, Day, ProfileId, ReviewId, SessionId, Sha256, SkillName, TurnId } from "./schemas/ids.ts";
import type { Neighbourhood, TaskKind, TurnSignature } from "./schemas/learning/learning.ts";
import type { MemoryAdd, MemoryEntry, MemoryStoreName } from "./schemas/memory.ts";
import type { PendingChange, PendingId, PendingInfo } from "./schemas/pending.ts";
import type { ReviewDead, ReviewJob, ReviewResult, ReviewState, ReviewStep } from "./schemas/learning/review.ts";
import type {
  Evidence,
  EvidenceInput,
  FailedWord,
  HeadMirror,
  IndexLine,
  Lineage,
  PastRevision,
  SkillHead,
  SkillIndex,
  SkillStats,
  SkillTombstone,
  SkillUse,
} from "./schemas/skill.ts";

// ---- time, chance, waiting ----

/** Milliseconds since 1970, UTC. */
export interface Clock {
  now(): number;
  /** Resolves early, without error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Uniform in [0, 1): jitter only, never a secret. */
export type Random = () => number;

// ---- object store (R2) ----

export interface StoredObject {
  key: string;
  etag: string;
  uploaded: Date;
  customMetadata?: Record<string, string>;
}
export interface StoredBody extends StoredObject {
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
export interface ObjectPage {
  objects: StoredObject[];
  truncated: boolean;
  cursor?: string;
  delimitedPrefixes: string[];
}

/**
 * The part of `R2Bucket` we use. A conditional put that loses answers `null`. Real buckets answer 429 to a second write
 * to one key within a second, may fail after having written, and return short pages: every caller must stand all three.
 */
export interface Bucket {
  get(key: string): Promise<StoredBody | null>;
  /** The object without a body when the ETag still matches `unless`. */
  getUnless(key: string, unless: string): Promise<StoredBody | StoredObject | null>;
  put(
    key: string,
    body: string | Uint8Array,
    options?: { ifMatch?: string; ifAbsent?: boolean; customMetadata?: Record<string, string> },
  ): Promise<StoredObject | null>;
  list(options: {
    prefix: string;
    cursor?: string;
    limit?: number;
    delimiter?: string;
    metadata?: boolean;
    startAfter?: string;
  }): Promise<ObjectPage>;
  delete(keys: string | string[]): Promise<void>;
}

// ---- key-value store (KV) ----

/**
 * The part of `KVNamespace` we use. Eventually consistent: a list or a get may answer with what was there a minute ago;
 * last write wins; metadata holds at most 1,024 bytes.
 */
export interface KeyValue {
  get(key: string): Promise<string | null>;
  /** At most a hundred keys, in one request; `null` for what is not there. */
  getMany(keys: string[]): Promise<Map<string, string | null>>;
  /** Throws "429 Too Many Requests" at the second write of a key within a second. */
  put(key: string, value: string, options?: { metadata?: unknown }): Promise<void>;
  delete(key: string): Promise<void>;
  list(options: { prefix: string; cursor?: string }): Promise<{
    keys: { name: string; metadata?: unknown }[];
    list_complete: boolean;
    cursor?: string;
  }>;
}

// ---- queue, SQL, alarm ----

/** At-least-once, unordered; resolving proves nothing about delivery. */
export interface Queue<Message> {
  send(message: Message, options?: { delaySeconds?: number }): Promise<void>;
}

export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

/** Synchronous SQLite. A write is durable before anything sent after it leaves the object. */
export interface Sql {
  run<Row = SqlRow>(query: string, ...values: SqlValue[]): Row[];
  /** All or nothing; may not be nested, may not await. */
  transaction<T>(work: () => T): T;
}

/** The one wake-up of a session. `null` clears it. */
export interface Alarm {
  set(at: number | null): Promise<void>;
}

// ---- skills ----

export interface SkillSnapshot {
  head: SkillHead;
  files: FileBodies;
}

/** What a skill is to become. Absent fields keep their value; `files`, when given, is the whole set. */
export interface SkillNext {
  files?: FileBodies;
  description?: string;
  category?: string;
  state?: SkillHead["state"];
  pinned?: boolean;
  origin?: SkillHead["origin"];
  citations?: string[];
  extends?: SkillName;
  reason?: string;
  public?: boolean;
  /** What a new text was made from; absent: the present text; `null`: nothing. */
  parent?: Sha256 | null;
  /** A new text in place of an archived skill, which it has nothing to do with. */
  anew?: true;
  withdrawn?: Sha256[];
  /** A person puts back a text that had been withdrawn: its evidence so far counts by half. */
  restored?: true;
  settled?: SkillHead["settled"];
  health?: SkillHead["health"];
  failedWords?: FailedWord[];
  overlaps?: SkillName[];
}

export interface SkillChange {
  name: SkillName;
  /** Unique to the operation; the same in each attempt. A revision that carries it means the change is done. */
  op: string;
  /** The `rev` that was read before the first attempt, 0 for none: revisions after it are searched for `op`. */
  since: number;
  /**
   * Protection, pin, patch match, duplicate check: run again, whole, on the fresh head after every lost swap, and on the
   * fresh index before a create commits. `null` for a skill the profile does not hold. Must be pure but for reads.
   */
  decide(current: SkillSnapshot | null, index: SkillIndex): Promise<Result<SkillNext>> | Result<SkillNext>;
}

export interface SkillChanged {
  head: SkillHead;
  /** The operation had been carried out before. */
  replayed: boolean;
}

export interface SkillPurged {
  tombstone: SkillTombstone;
  /** Contents that are gone; empty when an earlier call finished the purge. */
  deleted: Sha256[];
  /** Contents that something else names, and one place that does. */
  kept: { sha256: Sha256; name: SkillName; rev: number }[];
}

export interface SkillStore {
  /** One conditional GET; an empty index for a new profile. */
  index(): Promise<SkillIndex>;
  head(name: SkillName): Promise<SkillHead | null>;
  /** Head and all files, or null. A head newer than its index line brings the index up. */
  open(name: SkillName): Promise<SkillSnapshot | null>;
  /** Contents of one blob, null when there is none. */
  blob(sha256: Sha256): Promise<FileBody | null>;
  /** Newest first, the present one included, those before `before`: at most `limit`, or a thousand. Empty for an unknown name. */
  revisions(name: SkillName, page?: { before?: number | undefined; limit?: number }): Promise<PastRevision[]>;
  /** One of them; null when there is none. */
  revision(name: SkillName, rev: number): Promise<PastRevision | null>;
  /** Failures: those of `decide`; `busy` when the swap was lost for too long; `profile_gone`. */
  change(change: SkillChange): Promise<Result<SkillChanged>>;
  /**
   * Removes a past revision for good, and the contents that nothing else of the profile names. Done again, it goes on
   * where a crash left it. Failures: `skill_not_found`, `revision_not_found`, `revision_current`, `busy`, `profile_gone`.
   */
  purge(name: SkillName, rev: number): Promise<Result<SkillPurged>>;
  /**
   * Puts down that the skill is deleted: from then on writers wait until it is erased. A tombstone keeps its name and numbers, so that
   * no late write brings it back. `orderedAt`: when a person said so, in milliseconds; the same again changes nothing. Failure: `profile_gone`.
   */
  bury(name: SkillName, orderedAt: number): Promise<Result<null>>;
  /**
   * Removes the whole skill: head, revisions, contents that nothing else names, evidence and counts; again, what late writes have
   * left of it. One that a person has made after the order stays. `known`: there was something. Failures: `busy`, `profile_gone`.
   */
  erase(name: SkillName, orderedAt: number): Promise<Result<{ known: boolean }>>;
  /** Makes the index equal to the heads, some hundred heads a round. A head it never held goes through `check` first, oldest first. */
  rebuildIndex(
    check: (line: { name: SkillName } & IndexLine, index: SkillIndex) => string | null,
    /** Called between rounds, each of which has been stored; may throw, and a later call goes on. */
    pause?: () => void,
  ): Promise<SkillIndex>;
  /** Puts what was counted of skills' use into their index lines, one write for all. A copy: who comes late loses nothing. */
  noteUse(use: Record<SkillName, SkillUse>): Promise<void>;
  /** The curator's scan: mirrors only, no bodies. */
  scan(): AsyncIterable<{ name: SkillName; mirror: HeadMirror }>;
}

// ---- memory ----

export interface MemoryStore {
  /** Living entries, oldest first, own recent writes included. */
  list(store: MemoryStoreName): Promise<MemoryEntry[]>;
  /** The same with the ids that were purged. */
  survey(store: MemoryStoreName): Promise<{ entries: MemoryEntry[]; purged: { id: Sha256; at: number }[] }>;
  /**
   * `existed`: the same fact already lived by another add. It is written all the same (up to 50 times): a removal of the
   * other one may be on its way. `purged`: a person had this text removed for good; nothing was written.
   */
  add(store: MemoryStoreName, op: string, add: MemoryAdd): Promise<{ id: Sha256; existed: boolean; purged?: true }>;
  /**
   * Removes the given adds, or else each living one that is seen. Returns how many: 0 for an unknown or already forgotten
   * id. Who may be run again gives the adds it saw first, so that what was added since stays.
   */
  remove(store: MemoryStoreName, id: Sha256, by: { op: string; at: number; adds?: string[] }): Promise<number>;
  /** What a key of this id says, forgotten or not; null when none is left. */
  textOf(store: MemoryStoreName, id: Sha256): Promise<string | null>;
  /** Deletes every copy of the text and keeps it from coming back. Returns how many went; `null` for an unknown id. */
  purge(store: MemoryStoreName, id: Sha256, by: { op: string; at: number }): Promise<number | null>;
  /** Deletes pairs removed before `before`, a thousand at most. */
  sweep(before: number): Promise<MemorySwept>;
}

/** What is left to sweep: more than one sweep may delete, or removals that have to outlive their adds by a day. */
export interface MemorySwept {
  /** Keys. */
  deleted: number;
  left: "now" | "later" | null;
}

/** A writer's own recent keys, so that it reads its own writes while KV is behind. */
export interface Overlay {
  put(key: string, value: string, at: number): void;
  /** Keys under a prefix put at or after `since`. */
  list(prefix: string, since: number): { key: string; value: string }[];
  delete(key: string): void;
}

// ---- changes that wait for a person ----

export interface PendingStore {
  /** Creates it, or returns what an earlier attempt created. Failure: `too_many_pending`. */
  park(change: PendingChange): Promise<Result<PendingChange>>;
  /** Oldest first: all that wait or are not carried out yet, and of the others the hundred decided last. */
  list(): Promise<PendingInfo[]>;
  get(id: PendingId): Promise<PendingChange | null>;
  /** Compare-and-swap: `next` is asked again on what is there; `null` leaves it. What stands afterwards; null for none. */
  update(id: PendingId, next: (current: PendingChange) => PendingChange | null): Promise<PendingChange | null>;
  /** Deletes those decided, and if approved carried out, before `before`. Returns how many went. */
  sweep(before: number): Promise<number>;
  /** When the last of those was decided; `null` for none. */
  newest(): Promise<number | null>;
}

// ---- evidence, activity ----

export interface EvidenceStore {
  /** Create-only: the second put of a turn, judge and `nth` for a text changes nothing. */
  put(evidence: EvidenceInput): Promise<void>;
  list(skill: SkillName): AsyncIterable<Evidence>;
  /**
   * Recomputes `stats/<name>` from the listing and stores it, if nobody wrote it a moment ago. `lineage`: the skill's
   * present text and what it was made from, whose evidence counts in part.
   */
  fold(skill: SkillName, lineage?: Lineage): Promise<SkillStats>;
  /**
   * The stats of all skills that have evidence, of a fraction of the requests that folding each would take. `texts` holds the
   * present text alone. `null`: there is evidence that they do not count, or the lineage has changed; fold that skill.
   */
  counted(lineages: Map<SkillName, Lineage>): Promise<Map<SkillName, SkillStats | null>>;
  /** Marks the profile active on a day and due for curation once the day is over. Create-only. */
  markActive(day: Day): Promise<void>;
  /** Days on which the profile was active, ascending, from `since` on. */
  activeDays(since: Day): Promise<Day[]>;
}

/** The profile's memory of its turns. Asked after an answer, never before one. */
export interface TurnArchive {
  /** Records a turn, or records it again, and says what is known of turns like it. */
  observe(signature: TurnSignature): Promise<Neighbourhood>;
  /** Notes the kind of work of turns that are recorded and have none. Others are passed over. */
  name(turns: { turn: TurnId; kind: TaskKind }[]): Promise<void>;
}

/** Tells how near texts are by what they mean, in any language. Absent where nothing is bound: then words alone are searched. */
export interface Similarity {
  /** Vectors of two models cannot be compared. */
  model: string;
  /** Cosine below which two texts have nothing to do with each other. */
  least: number;
  /** A vector a text, in their order; at most 32 texts. May reject, or take any time. */
  embed(texts: string[]): Promise<number[][]>;
}

// ---- reviews ----

export interface ReviewStore {
  /** Create-only. */
  putJob(job: ReviewJob): Promise<void>;
  job(review: ReviewId): Promise<ReviewJob | null>;
  /** The script so far, in order, and when its newest object was written (0: never). */
  script(review: ReviewId): Promise<{ steps: ReviewStep[]; newestAt: number }>;
  /** Creates step `n`, or returns what another delivery put there. */
  createStep(review: ReviewId, n: number, step: ReviewStep): Promise<{ step: ReviewStep; won: boolean }>;
  /** Counts a failed run; returns the count. Own count: a dead-letter queue starts again at one. */
  countFailure(review: ReviewId, code: string, message: string): Promise<number>;
  /** Create-only; returns what is there afterwards. */
  finish(result: ReviewResult): Promise<ReviewResult>;
  bury(dead: ReviewDead): Promise<void>;
  /** `null` while neither a result nor a tombstone exists. */
  outcome(review: ReviewId): Promise<ReviewResult | ReviewDead | null>;
  /** Newest first. */
  list(session?: SessionId): Promise<{ review: ReviewId; state: ReviewState; at: number }[]>;
  /** The highest entry a finished review of the session covered, 0 for none. */
  watermark(session: SessionId): Promise<number>;
  /** Never lowers it. */
  raiseWatermark(session: SessionId, entry: number): Promise<void>;
  /** Notes that a turn of the session runs on a server of the operator's own; `null`: it has ended. */
  markBusy(session: SessionId, server: string | null): Promise<void>;
  /** Whether a turn of the profile has been noted for a server since then, and has not ended. */
  isBusy(server: string, since: number): Promise<boolean>;
  /** Deletes reviews whose newest object is older than `before`. Returns how many reviews went. */
  sweep(before: number): Promise<number>;
  /** When the newest object of any review was written; `null` for none. */
  newest(): Promise<number | null>;
}

// ---- curation ----

export interface CurationStore {
  /** Past days with markers, oldest first, and their shards. `sweep`: of profiles that have gone quiet. */
  dueShards(before: Day, marker?: DueMarker): AsyncIterable<{ day: Day; shard: string }>;
  /** One page of a shard's profiles. */
  dueProfiles(
    day: Day,
    shard: string,
    options?: { cursor?: string; marker?: DueMarker },
  ): Promise<{ profiles: ProfileId[]; cursor?: string }>;
  clearDue(day: Day, profile: ProfileId, marker?: DueMarker): Promise<void>;
  /** Has the profile swept once a day is over. */
  markSweep(day: Day, profile: ProfileId): Promise<void>;
  /** The newest active day up to this one, and the one before it. */
  lastActive(profile: ProfileId): Promise<{ last: Day | null; before: Day | null }>;
  /**
   * Takes or renews the profile's lease up to a time; false while another run holds it, or another piece of work of this
   * one: what ends first must not end the lease of the other.
   */
  lease(profile: ProfileId, run: CurationId, now: number, until: number, work?: WorkId): Promise<boolean>;
  release(profile: ProfileId, run: CurationId, work?: WorkId): Promise<void>;
  /** The profile has been deleted: nothing is to be done for it. */
  isGone(profile: ProfileId): Promise<boolean>;
  policy(profile: ProfileId): Promise<Policy>;
  /** Compare-and-swap: `next` is asked again on what is there. Throws when it is lost for too long. */
  changePolicy(profile: ProfileId, next: (policy: Policy) => Policy): Promise<Policy>;
  /** What the Account set aside for a run on this day; taken by the first run that asks. `null`: nothing. */
  takeAllowance(profile: ProfileId, day: Day, run: CurationId): Promise<CurationAllowance | null>;
  /** Create-only. */
  putSpent(profile: ProfileId, spent: CurationSpent): Promise<void>;
  /** What earlier runs left for the next one. */
  notes(profile: ProfileId): Promise<CuratorNotes>;
  changeNotes(profile: ProfileId, next: (notes: CuratorNotes) => CuratorNotes): Promise<CuratorNotes>;
  /** Create-only: the plan that is there afterwards. */
  putPlan(plan: CurationPlan): Promise<CurationPlan>;
  plan(profile: ProfileId, run: CurationId): Promise<CurationPlan | null>;
  /** A run with a plan and no report, oldest first: to be finished before a new one begins. Of runs after `since`. */
  openPlan(profile: ProfileId, since?: CurationId): Promise<CurationPlan | null>;
  putReport(run: CurationRun, markdown: string): Promise<void>;
  report(profile: ProfileId, run: CurationId): Promise<{ run: CurationRun; markdown: string } | null>;
  /** A piece of work for a model. */
  work(profile: ProfileId, run: CurationId, work: WorkId): WorkStore;
  /** What became of a run's work, so far, by name. */
  works(profile: ProfileId, run: CurationId): Promise<CurationWork[]>;
  /** Newest first. */
  runs(profile: ProfileId): Promise<CurationId[]>;
  /** Deletes all that runs begun before `before` have left, but for those of `kept`. Returns how many runs went. */
  sweep(profile: ProfileId, before: number, kept: CurationId[]): Promise<number>;
  /** When the newest run began; `null` for none. */
  newest(profile: ProfileId): Promise<number | null>;
  /**
   * Notes that the checks of a text are about to run; false when they were begun at or after `since` and never ended,
   * because they ended whoever ran them.
   */
  beginCheck(
    profile: ProfileId,
    skill: SkillName,
    check: { text: Sha256; now: number; since: number },
  ): Promise<boolean>;
  endCheck(profile: ProfileId, skill: SkillName): Promise<void>;
}

/** `due`: the profile was active. `sweep`: what it left has reached its last day. */
export type DueMarker = "due" | "sweep";

/** The record of one piece of work: a script like a review's, the merges it has begun, its outcome. All create-only. */
export interface WorkStore {
  script(): Promise<{ steps: ReviewStep[]; newestAt: number }>;
  createStep(n: number, step: ReviewStep): Promise<{ step: ReviewStep; won: boolean }>;
  /** The merge that is there afterwards. */
  putMerge(merge: CurationMerge): Promise<CurationMerge>;
  /** In the order they were begun. */
  merges(): Promise<CurationMerge[]>;
  finish(result: CurationWork): Promise<CurationWork>;
  outcome(): Promise<CurationWork | null>;
}
