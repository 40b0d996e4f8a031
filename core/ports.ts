// What the core needs from outside, as interfaces that the core owns. The platform's bindings satisfy the low ports (Bucket,
// KeyValue, Queue, Sql, Alarm) directly or through thin adapters; stores/ builds the high ones on top.
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
import type { HubLock, HubRef, Quarantined } from "./schemas/hub/lock.ts";
import type { ArchivedTurn, IndexedMessage, MessageQuery, MessageSearch } from "./schemas/archived-message.ts";
import type { SessionInfo } from "./schemas/api.ts";
import type { FileBodies, FileBody } from "./schemas/file-body.ts";
import type { CurationId, Day, ProfileId, ReviewId, SessionId, Sha256, SkillName, TurnId } from "./schemas/ids.ts";
import type { Neighbourhood, TaskKind, TurnSignature } from "./schemas/learning/learning.ts";
import type { MemoryAdd, MemoryEntry, MemoryStoreName } from "./schemas/memory.ts";
import type { PendingChange, PendingId, PendingInfo } from "./schemas/approvals/pending.ts";
import type { ReviewDead, ReviewJob, ReviewResult, ReviewState, ReviewStep } from "./schemas/learning/review.ts";
import type {
  Evidence,
  EvidenceInput,
  FailedWord,
  HeadMirror,
  IndexLine,
  Lineage,
  PastRevision,
  Provenance,
  SkillHead,
  SkillIndex,
  SkillStats,
  SkillTombstone,
  SkillUse,
} from "./schemas/skill.ts";

// ---- secrets of tenants ----

/** Keeps what a tenant gave in confidence unreadable where it is stored. One profile cannot open what another has sealed. */
export interface Sealer {
  seal(text: string): Promise<string>;
  /** Failure: `secret_unreadable`. */
  open(sealed: string): Promise<Result<string>>;
}

// ---- time, chance, waiting ----

/** Milliseconds since 1970, UTC. */
export interface Clock {
  now(): number;
  /** Resolves early, without error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Uniform in [0, 1). For jitter only, never for a secret. */
export type Random = () => number;

// ---- requests ----

/** The platform's fetch. Only `wiring/outbound.ts` has it; everything else gets the one of `core/outbound/outbound.ts`. */
export type Fetch = typeof globalThis.fetch;

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
 * The part of `R2Bucket` that we use. A conditional put that loses returns `null`. Real buckets answer 429 to a second write of
 * one key within a second, may fail after having written, and return short pages. Every caller must tolerate all three.
 */
export interface Bucket {
  get(key: string): Promise<StoredBody | null>;
  /** The object without its body when its ETag still matches `unless`. */
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
 * The part of `KVNamespace` that we use. Eventually consistent: a list or a get may return the state of a minute ago. The last
 * write wins; metadata holds at most 1,024 bytes.
 */
export interface KeyValue {
  get(key: string): Promise<string | null>;
  /** At most a hundred keys, in one request; `null` for missing keys. */
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

/** At-least-once and unordered. A resolved promise proves nothing about delivery. */
export interface Queue<Message> {
  send(message: Message, options?: { delaySeconds?: number }): Promise<void>;
}

export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

/** Synchronous SQLite. A write is durable before any later message leaves the object. */
export interface Sql {
  run<Row = SqlRow>(query: string, ...values: SqlValue[]): Row[];
  /** All or nothing. Must not be nested and must not await. */
  transaction<T>(work: () => T): T;
}

/** A session's only alarm. `null` clears it. */
export interface Alarm {
  set(at: number | null): Promise<void>;
}

// ---- skills ----

export interface SkillSnapshot {
  head: SkillHead;
  files: FileBodies;
}

/** The wanted state of a skill. Absent fields keep their value; `files`, when given, is the complete set. */
export interface SkillNext extends Partial<Pick<SkillHead, "settled" | "health">> {
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
  shared?: boolean;
  /** Where it came from. Absent: as before; `null`: it was written here. */
  from?: Provenance | null;
  /** What a new text was made from. Absent: the present text; `null`: nothing. */
  parent?: Sha256 | null;
  /** The new text replaces an archived skill and is unrelated to it. */
  startsOver?: true;
  withdrawn?: Sha256[];
  /** A person restores a withdrawn text: its evidence so far counts by half. */
  restored?: true;
  failedWords?: FailedWord[];
  overlaps?: SkillName[];
  /** Absent: as before, for the same text; `null` releases it. See `heldUntil` of the head. */
  heldUntil?: number | null;
}

export interface SkillChange {
  name: SkillName;
  /** Unique to the operation and the same in each attempt. A revision that carries it shows that the change was made. */
  op: string;
  /** The `rev` read before the first attempt, 0 for none. Revisions after it are searched for `op`. */
  since: number;
  /**
   * Checks protection, pin, patch, duplicates. Runs completely again on the fresh head after every lost swap, and on the fresh
   * index before a create commits. `null`: the profile does not have the skill. Must be pure apart from reads.
   */
  decide(current: SkillSnapshot | null, index: SkillIndex): Promise<Result<SkillNext>> | Result<SkillNext>;
}

export interface SkillChanged {
  head: SkillHead;
  /** The operation had already been carried out. */
  replayed: boolean;
}

export interface SkillPurged {
  tombstone: SkillTombstone;
  /** Contents that were deleted; empty when an earlier call completed the purge. */
  deleted: Sha256[];
  /** Contents that are still named elsewhere, each with one such place. */
  kept: { sha256: Sha256; name: SkillName; rev: number }[];
}

/** A past revision as a listing shows it. */
export interface ListedRevision {
  name: SkillName;
  rev: number;
  /** When it was made; `null` in older ones. */
  at: number | null;
  /** When the next revision replaced it. */
  replacedAt: number;
  /** The operation that made it; its hash if it was too long for a key. */
  op: string;
  /** The beginnings of its files' hashes; empty for a purged one, absent where it has too many files. */
  refs?: string;
}

export interface SkillStore {
  /** One conditional GET; an empty index for a new profile. */
  index(): Promise<SkillIndex>;
  head(name: SkillName): Promise<SkillHead | null>;
  /** Head and all files, or null. Updates an index line that is older than the head. */
  open(name: SkillName): Promise<SkillSnapshot | null>;
  /** The content of one blob, or null. */
  blob(sha256: Sha256): Promise<FileBody | null>;
  /**
   * Newest first, the present one included, those before `before`: at most `limit`, or a thousand. Empty for an unknown name.
   */
  revisions(name: SkillName, page?: { before?: number | undefined; limit?: number }): Promise<PastRevision[]>;
  /** One revision, or null. */
  revision(name: SkillName, rev: number): Promise<PastRevision | null>;
  /** Failures: those of `decide`; `busy` when the swap was lost for too long; `profile_gone`. */
  change(change: SkillChange): Promise<Result<SkillChanged>>;
  /**
   * Deletes a past revision, and contents that nothing else of the profile names. A repetition continues after a crash.
   * Failures: `skill_not_found`, `revision_not_found`, `revision_current`, `busy`, `profile_gone`.
   */
  purge(name: SkillName, rev: number): Promise<Result<SkillPurged>>;
  /**
   * Writes the tombstone of a skill, so that writers wait until it is erased. The tombstone keeps the name and numbers, so that
   * no late write restores the skill. `orderedAt`: the time of the person's order in milliseconds, which makes a repetition
   * harmless. Failure: `profile_gone`.
   */
  markDeleted(name: SkillName, orderedAt: number): Promise<Result<null>>;
  /**
   * Deletes the whole skill: head, revisions, contents that nothing else names, evidence and counts. A repetition deletes what
   * late writes left. A skill that a person created after the order is kept. `known`: there was something to delete. Failures:
   * `busy`, `profile_gone`.
   */
  erase(name: SkillName, orderedAt: number): Promise<Result<{ known: boolean }>>;
  /**
   * Makes the index equal to the heads, some hundred heads a round. A head missing from the index must pass `check` first,
   * oldest first.
   */
  rebuildIndex(
    check: (line: { name: SkillName } & IndexLine, index: SkillIndex) => string | null,
    /** Called between rounds, each of which is stored. It may throw; a later call continues. */
    pause?: () => void,
  ): Promise<SkillIndex>;
  /**
   * Stores the counted use of skills in their index lines, in one write. The counts are copies, so a lost write loses nothing.
   */
  noteUse(use: Record<SkillName, SkillUse>): Promise<void>;
  /** All past revisions by name and number, purged ones included, without reading one. */
  pastRevisions(): AsyncIterable<ListedRevision>;
  /** The curator's scan: metadata only, no bodies. */
  scan(): AsyncIterable<{ name: SkillName; mirror: HeadMirror }>;
}

// ---- memory ----

export interface MemoryStore {
  /** Living entries, oldest first, own recent writes included. */
  list(store: MemoryStoreName): Promise<MemoryEntry[]>;
  /** Facts without a living add whose texts were not swept yet, in any order. `by`: the operation that removed the last one. */
  removed(store: MemoryStoreName): Promise<{ id: Sha256; text: string; at: number; by: string }[]>;
  /** The entries, and the ids that were purged. */
  survey(store: MemoryStoreName): Promise<{ entries: MemoryEntry[]; purged: { id: Sha256; at: number }[] }>;
  /**
   * `existed`: another add of the same fact is alive. The fact is written nevertheless (up to 50 times), because a removal of
   * the other add may be in flight. `purged`: a person purged this text, so nothing was written. `repeated`: this operation was carried out
   * before, also if the entry was forgotten since.
   */
  add(
    store: MemoryStoreName,
    op: string,
    add: MemoryAdd,
  ): Promise<{ id: Sha256; existed: boolean; purged?: true; repeated?: true }>;
  /**
   * Removes the given adds, or every living one that is visible. Returns how many: 0 for an unknown or forgotten id. A caller
   * that may be repeated passes the adds it saw first, so that later adds are kept.
   */
  remove(store: MemoryStoreName, id: Sha256, by: { op: string; at: number; adds?: string[] }): Promise<number>;
  /** The text of this id, forgotten or not; null when no key of it is left. */
  textOf(store: MemoryStoreName, id: Sha256): Promise<string | null>;
  /** Deletes every copy of the text and blocks new ones. Returns how many were deleted; `null` for an unknown id. */
  purge(store: MemoryStoreName, id: Sha256, by: { op: string; at: number }): Promise<number | null>;
  /** Deletes adds that were removed before `before`, with their removals, a thousand keys at most. */
  sweep(before: number): Promise<MemorySwept>;
}

/** What remains to be swept: more than one sweep may delete, or removals that must outlive their adds by a day. */
export interface MemorySwept {
  /** How many keys. */
  deleted: number;
  left: "now" | "later" | null;
}

/** A writer's own recent keys, so that it reads its own writes while KV lags behind. */
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
  /** Oldest first: all that wait or are not carried out yet, and the hundred decided most recently. */
  list(): Promise<PendingInfo[]>;
  get(id: PendingId): Promise<PendingChange | null>;
  /**
   * Compare-and-swap: `next` is called again on every fresh value; `null` leaves it. Returns the stored change afterwards; null
   * for none.
   */
  update(id: PendingId, next: (current: PendingChange) => PendingChange | null): Promise<PendingChange | null>;
  /** Deletes changes decided before `before`, except approved ones that are not carried out. Returns how many. */
  sweep(before: number): Promise<number>;
  /** When the latest of them was decided; `null` for none. */
  newest(): Promise<number | null>;
}

// ---- skills of the hub ----

export interface HubLockStore {
  read(): Promise<HubLock>;
  /**
   * Compare-and-swap: `next` is called again on every fresh value; `null` leaves it. Returns the lock afterwards. Throws `StateNewerError` for
   * the lock of a newer version, and an error when other writers come first for too long.
   */
  change(next: (current: HubLock) => HubLock | null): Promise<HubLock>;
}

export interface HubQuarantine {
  /** Keeps the package under what was asked for, without the version, and the hash of its content. Old ones are deleted. */
  put(asked: AskedPlace, hash: Sha256, fetched: Omit<Quarantined, "v" | "at">): Promise<{ keptUntil: number }>;
  /** Null when it was never kept, or is too old. */
  get(asked: AskedPlace, hash: Sha256): Promise<Quarantined | null>;
  /** Deletes what was put before `before`. Returns how many are left. */
  sweep(before: number): Promise<number>;
}

type AskedPlace = Pick<HubRef, "source" | "identifier">;

// ---- evidence, activity ----

export interface EvidenceStore {
  /** Create-only: a second put with the same turn, judge and `nth` for a text changes nothing. */
  put(evidence: EvidenceInput): Promise<void>;
  list(skill: SkillName): AsyncIterable<Evidence>;
  /**
   * Recomputes `stats/<name>` from the listing and stores it, unless it was written a moment ago. `lineage`: the skill's
   * present text and its parent, whose evidence counts in part.
   */
  fold(skill: SkillName, lineage?: Lineage): Promise<SkillStats>;
  /**
   * The stats of all skills with evidence, for far fewer requests than folding each. `texts` holds the present text only.
   * `null`: the stats are outdated, so fold that skill.
   */
  counted(lineages: Map<SkillName, Lineage>): Promise<Map<SkillName, SkillStats | null>>;
  /** The counts of the last fold of each skill, for one request per thousand skills. Those of folds by older versions are left out. */
  lastCounts(): Promise<Map<SkillName, SkillUse>>;
  /** Marks the profile active on a day, and due for curation when the day is over. Create-only. */
  markActive(day: Day): Promise<void>;
  /** Days on which the profile was active, ascending, from `since` on. */
  activeDays(since: Day): Promise<Day[]>;
}

/** The profile's record of its turns. Queried after an answer, never before one. */
export interface TurnArchive {
  /** Records a turn, or replaces its record, and returns what is known of similar turns. */
  observe(signature: TurnSignature): Promise<Neighbourhood>;
  /** Records the kind of work of turns that have none. Unknown turns are skipped. */
  name(turns: { turn: TurnId; kind: TaskKind }[]): Promise<void>;
}

/** The profile's index of the messages of its sessions' finished turns. */
export interface MessageIndex {
  /**
   * Idempotent by session and turn. Turns of a session come in their order. `year`: the part of the index that the turn is sent to, `null`
   * for the first. Resolves to `null`, or to the year of the part that must be sent the turn instead.
   */
  put(turn: ArchivedTurn, year: number | null): Promise<number | null>;
  /** Never rejects because of the query: one without words finds nothing. */
  search(query: MessageQuery): Promise<MessageSearch>;
  /**
   * Messages of a session in their order, from `before` before the entry `n` (or the next entry, or the last one) to `after` after it.
   * Rejects if some of them may be out of reach.
   */
  around(session: SessionId, n: number, before: number, after: number): Promise<IndexedMessage[]>;
  /** Gives all messages of a session another title. Idempotent. Absent: titles stay as they are. */
  rename?(session: SessionId, title: string): Promise<void>;
}

/** The profile's sessions, as its Account lists them. */
export interface SessionList {
  /** Newest first. */
  recent(limit: number): Promise<SessionInfo[]>;
  /** Those of these sessions that the profile has, in any order. */
  find(sessions: SessionId[]): Promise<SessionInfo[]>;
  /** Gives the session that asks another title in the list. Idempotent. Absent: titles stay as they are. */
  rename?(title: string): Promise<void>;
}

/** Measures how close texts are in meaning, in any language. Absent if nothing is bound; searches then use words alone. */
export interface Similarity {
  /** Vectors of two models cannot be compared. */
  model: string;
  /** Cosine below which two texts are unrelated. */
  least: number;
  /** One vector per text, in their order; at most 32 texts. May reject, or take any time. */
  embed(texts: string[]): Promise<number[][]>;
}

// ---- reviews ----

export interface ReviewStore {
  /** Create-only. */
  putJob(job: ReviewJob): Promise<void>;
  job(review: ReviewId): Promise<ReviewJob | null>;
  /** The script so far, in order, and when its newest object was written (0: never). */
  script(review: ReviewId): Promise<{ steps: ReviewStep[]; newestAt: number }>;
  /** Creates step `n`, or returns the one that another delivery stored. */
  createStep(review: ReviewId, n: number, step: ReviewStep): Promise<{ step: ReviewStep; won: boolean }>;
  /** Counts a failed run and returns the count. The queue's own count restarts in a dead-letter queue. */
  countFailure(review: ReviewId, code: string, message: string): Promise<number>;
  /** Create-only. Returns what is stored afterwards. */
  finish(result: ReviewResult): Promise<ReviewResult>;
  putTombstone(dead: ReviewDead): Promise<void>;
  /** `null` while neither a result nor a tombstone exists. */
  outcome(review: ReviewId): Promise<ReviewResult | ReviewDead | null>;
  /** Newest first. */
  list(session?: SessionId): Promise<{ review: ReviewId; state: ReviewState; at: number }[]>;
  /** The highest entry covered by a finished review of the session; 0 for none. */
  watermark(session: SessionId): Promise<number>;
  /** Never lowers it. */
  raiseWatermark(session: SessionId, entry: number): Promise<void>;
  /** Records that a turn of the session runs on one of the operator's own servers; `null`: it has ended. */
  markBusy(session: SessionId, server: string | null): Promise<void>;
  /** Whether a turn of the profile has started on the server since then and has not ended. */
  isBusy(server: string, since: number): Promise<boolean>;
  /** Deletes reviews whose newest object is older than `before`. Returns how many. */
  sweep(before: number): Promise<number>;
  /** When the newest object of any review was written; `null` for none. */
  newest(): Promise<number | null>;
}

// ---- curation ----

export interface CurationStore {
  /** Past days with markers, oldest first, and their shards. `sweep`: markers of quiet profiles. */
  dueShards(before: Day, marker?: DueMarker): AsyncIterable<{ day: Day; shard: string }>;
  /** One page of a shard's profiles. */
  dueProfiles(
    day: Day,
    shard: string,
    options?: { cursor?: string; marker?: DueMarker },
  ): Promise<{ profiles: ProfileId[]; cursor?: string }>;
  clearDue(day: Day, profile: ProfileId, marker?: DueMarker): Promise<void>;
  /** Schedules the profile's sweep for when a day is over. */
  markSweep(day: Day, profile: ProfileId): Promise<void>;
  /** The newest active day, and the one before it. */
  lastActive(profile: ProfileId): Promise<{ last: Day | null; before: Day | null }>;
  /**
   * Takes or renews the profile's lease until a given time. False while another run, or another piece of work of this run,
   * holds it: the first to end must not end the other's lease.
   */
  lease(profile: ProfileId, run: CurationId, now: number, until: number, work?: WorkId): Promise<boolean>;
  release(profile: ProfileId, run: CurationId, work?: WorkId): Promise<void>;
  /** Whether the profile has been deleted. */
  isGone(profile: ProfileId): Promise<boolean>;
  policy(profile: ProfileId): Promise<Policy>;
  /** Compare-and-swap: `next` is called again on every fresh value. Throws when the swap is lost for too long. */
  changePolicy(profile: ProfileId, next: (policy: Policy) => Policy): Promise<Policy>;
  /** What the Account reserved for a run on this day, given to the first run that asks. `null`: nothing. */
  takeAllowance(profile: ProfileId, day: Day, run: CurationId): Promise<CurationAllowance | null>;
  /** Create-only. */
  putSpent(profile: ProfileId, spent: CurationSpent): Promise<void>;
  /** What earlier runs left for the next one. */
  notes(profile: ProfileId): Promise<CuratorNotes>;
  changeNotes(profile: ProfileId, next: (notes: CuratorNotes) => CuratorNotes): Promise<CuratorNotes>;
  /** Create-only. Returns the plan that is stored afterwards. */
  putPlan(plan: CurationPlan): Promise<CurationPlan>;
  plan(profile: ProfileId, run: CurationId): Promise<CurationPlan | null>;
  /** The oldest run after `since` with a plan and no report. It must be finished before a new run begins. */
  openPlan(profile: ProfileId, since?: CurationId): Promise<CurationPlan | null>;
  putReport(run: CurationRun, markdown: string): Promise<void>;
  report(profile: ProfileId, run: CurationId): Promise<{ run: CurationRun; markdown: string } | null>;
  /** A piece of work for a model. */
  work(profile: ProfileId, run: CurationId, work: WorkId): WorkStore;
  /** The results of a run's work so far, by name. */
  works(profile: ProfileId, run: CurationId): Promise<CurationWork[]>;
  /** Newest first. */
  runs(profile: ProfileId): Promise<CurationId[]>;
  /** Deletes everything of runs begun before `before`, except those of `kept`. Returns how many runs. */
  sweep(profile: ProfileId, before: number, kept: CurationId[]): Promise<number>;
  /** When the newest run began; `null` for none. */
  newest(profile: ProfileId): Promise<number | null>;
  /**
   * Records that the checks of a text are about to run. False when they started at or after `since` and never ended, because
   * they stopped the Worker that ran them.
   */
  beginCheck(
    profile: ProfileId,
    skill: SkillName,
    check: { text: Sha256; now: number; since: number },
  ): Promise<boolean>;
  endCheck(profile: ProfileId, skill: SkillName): Promise<void>;
}

/** `due`: the profile was active. `sweep`: the last day to keep what it left is over. */
export type DueMarker = "due" | "sweep";

/** The record of one piece of work: a script like a review's, the merges that it began, its outcome. Create-only. */
export interface WorkStore {
  script(): Promise<{ steps: ReviewStep[]; newestAt: number }>;
  createStep(n: number, step: ReviewStep): Promise<{ step: ReviewStep; won: boolean }>;
  /** Returns the merge that is stored afterwards. */
  putMerge(merge: CurationMerge): Promise<CurationMerge>;
  /** In the order in which they were begun. */
  merges(): Promise<CurationMerge[]>;
  finish(result: CurationWork): Promise<CurationWork>;
  outcome(): Promise<CurationWork | null>;
}
