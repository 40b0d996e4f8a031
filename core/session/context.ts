// What a session's engine needs from outside (SessionHost, made by the Session object and by tests), and what its parts share
// (EngineContext, made by open-engine.ts). Types only.
import type { ModelChain, ModelSlot, Tool } from "../agent/contract.ts";
import type { BoardPort } from "../board/board-calls.ts";
import type { JobPort } from "../commands/jobs/job-port.ts";
import type { Result } from "../errors.ts";
import type { NewExperiment } from "../experiments/ports.ts";
import type { McpDialer } from "../mcp/ports.ts";
import type { MemoryProvider } from "../memory/provider.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type {
  Alarm,
  Clock,
  EvidenceStore,
  MemoryStore,
  MessageIndex,
  Overlay,
  PendingStore,
  Queue,
  Random,
  ReviewStore,
  SessionList,
  SkillStore,
  Sql,
  TurnArchive,
} from "../ports.ts";
import type { NewGoal } from "../goals/goal-machine.ts";
import type { Goal, GoalChange, GoalVerdict } from "../schemas/agenda/goal.ts";
import type { GoalId, GoalMark } from "../schemas/agenda/goal-mark.ts";
import type { Learning } from "../schemas/api.ts";
import type { ApprovalMode, StandingAllowance } from "../schemas/approvals/approval.ts";
import type { BoardName, CardId, RunId } from "../schemas/board/card.ts";
import type { ReviewId, SessionId, TurnId } from "../schemas/ids.ts";
import type { McpCatalog } from "../schemas/profile/mcp.ts";
import type { ToolSettings } from "../schemas/profile/tools.ts";
import type { ChannelOrigin, ChannelScene, SessionDelivery } from "../schemas/channels/delivery.ts";
import type { HookEvent } from "../schemas/profile/hooks.ts";
import type { ProfileSettings } from "../schemas/profile/settings.ts";
import type { Grant, ReviewMessage } from "../schemas/learning/review.ts";
import type { CodeSandbox } from "../sandbox/code-sandbox.ts";
import type { Origin } from "../schemas/sessions/origin.ts";
import type { SessionChoice } from "../schemas/sessions/session-choice.ts";
import type { ChildProgress, ChildReport, ChildTask } from "../schemas/sessions/delegation.ts";
import type { ForeignSession } from "../schemas/sessions/transcript.ts";
import type { SessionKind } from "../schemas/sessions/session-kind.ts";
import type { Settings } from "../schemas/settings.ts";
import type { Booking, Budget, MonthSpent, Spending } from "../schemas/usage.ts";
import type { RunChecks } from "../skills/checks.ts";
import type { Seeds } from "../skills/library.ts";
import type { ExecHost } from "../tools/host/exec-host.ts";
import type { WebPorts } from "../tools/web/web.ts";
import type { ImageMaker } from "../tools/vision/image-generate.ts";
import type { SkillSearch } from "../tools/skills/skill-search.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { SessionTaint } from "../learning/taint/taint.ts";
import type { ImageRows } from "./images/image-rows.ts";
import type { Hub } from "./readers/hub.ts";
import type { Jobs } from "./jobs.ts";
import type { ReplayPart } from "./replay/replay-part.ts";
import type { Log } from "./log.ts";

export interface SessionHost {
  profile: string;
  session: string;
  sql: Sql;
  alarm: Alarm;
  clock: Clock;
  random: Random;
  /** 16 random characters that cannot be guessed. */
  token(): string;
  /** The operator's. In the engine's context: those in force, with what the person has changed. */
  readonly settings: Settings;
  /**
   * The models of a kind of work: the primary, then the fallbacks. `first`: a name of `modelChoices`, which is then the primary.
   * Failures: `model_not_configured`, `unknown_model`.
   */
  models(slot: ModelSlot, first?: string): Result<ModelChain>;
  /** The names of the models that a person may choose for a session. Absent: there is nothing to choose. */
  modelChoices?(): string[];
  seeds: Seeds;
  /** Tools that the deployment adds to the built-in ones. */
  moreTools?: Tool[];
  skills: SkillStore;
  /** Full-text search over skills. If it is absent, fails or is slow, the lines of the index are searched. */
  search?: SkillSearch;
  /** Runs the checks in skills. Absent: no check runs. */
  runChecks?: RunChecks;
  /** Runs code that the model writes. Absent: the tool execute_code is absent. */
  sandbox?: CodeSandbox;
  /** The operator's exec host. Absent or `null`: there is none for this profile. */
  exec?: ExecHost | null;
  /** Whether a setting of this name exists for tools (a variable, a credentials file). Absent: none exists. */
  isSet?(name: string): boolean;
  memory(overlay: Overlay): MemoryStore;
  /** Writes that wait for a person's approval. Absent: such writes are refused. */
  pending?: PendingStore;
  /** The way out for tools whose requests go where a model, a message or a person says. Absent: such tools are absent. */
  outbound?: Outbound;
  /** Makes images for `image_generate`. Absent or `null`: there is no such tool. */
  imageMaker?: ImageMaker | null;
  /** The external memory; absent or `null` if there is none. */
  memoryProvider?: MemoryProvider | null;
  evidence: EvidenceStore;
  /** The profile's index of turns. If it is absent or fails for long, a turn is compared only with turns of its session. */
  archive?: TurnArchive;
  /** The profile's index of messages. Absent: finished turns are not indexed, and nothing is found. */
  messages?: MessageIndex;
  /** The titles and times of the profile's sessions. Absent: the agent cannot search earlier sessions. */
  sessions?: SessionList;
  /** The way to the web. Absent: the session has no web tools. */
  web?: WebPorts;
  reviews: ReviewStore;
  queue: Queue<ReviewMessage>;
  account: AccountPort;
  /** The profile's standing allowances and its own mode of approval. Absent: there are none. */
  approvals?: ApprovalPort;
  /** What the profile's owner has set for its agent. Absent: nothing can be set. */
  readProfileSettings?(): Promise<ProfileSettings>;
  /** The way to the profile's MCP servers. Absent: none has tools here. */
  mcp?: McpPort;
  /** The sessions that this one begins, and the one that began it. Absent: the agent cannot delegate. */
  children?: ChildPort;
  /**
   * The profile's boards. A session that works on a card (`meta().card`) names its run in each call's `author.run`; `op` is the operation id of
   * the tool's call, so that a call repeated after a crash finds its own effect. Absent: there are no board tools.
   */
  board?: BoardPort;
  /** The goals of this session, which the profile's Agenda keeps. Absent: there are none. Rejects if it cannot be reached. */
  goals?: GoalPort;
  /** What the profile has done by the clock; its Agenda keeps it. Absent: there are no such jobs. Rejects if it cannot be reached. */
  profileJobs?: JobPort;
  /** Takes a text that is to be tried on earlier turns, once for each key. It is stored once this has answered. Absent: nothing is tried. */
  experiments?: { take(asked: NewExperiment): Promise<Result<unknown>> };
  /** Takes an event for the profile's webhooks. It is stored once this has answered. Absent: there are no webhooks. */
  hooks?: { take(event: HookEvent): Promise<void> };
  /** Takes what a chat is to be told. It is stored once this has answered; the same delivery again changes nothing. Absent: there are no chats. */
  channels?: { take(delivery: SessionDelivery): Promise<void> };
  /** The session runs a turn of another one again. Absent: it is a session of its own. */
  replay?: ReplayPart;
  /** True: nobody can answer a question in this run, so calls that need an answer are refused. Absent: somebody can. */
  isUnattended?(): boolean;
  /** Keeps the object awake for work that is not awaited. The promise must not reject. */
  background(work: Promise<void>): void;
  report(what: string, error: unknown): void;
}

export interface GoalPort {
  /** The session's newest goal, in whatever state. */
  newest(): Promise<Goal | null>;
  /** Failures: those of `begin` in core/goals/goals.ts, `profile_gone`. */
  begin(goal: Omit<NewGoal, "session">): Promise<Result<Goal>>;
  /** Failures: those of `change` in core/goals/goals.ts, which says what `source` is. */
  change(id: GoalId, change: GoalChange, source?: "content"): Promise<Result<Goal>>;
  /** Once for each turn. `null`: the session works at it no more. */
  takeVerdict(id: GoalId, turn: number, verdict: GoalVerdict): Promise<Goal | null>;
}

/** The message with which a session goes on with its goal. `key`: names the goal and the number. */
export interface Continuation {
  key: string;
  mark: GoalMark;
  /** The text, by who says it. */
  parts: { source: "principal" | "content"; text: string }[];
  channel?: ChannelOrigin | undefined;
  settingsRev?: number;
}

export interface McpPort {
  dialer: McpDialer;
  /** Stores what a server offered, for all sessions of the profile. A server that was removed meanwhile is left alone. */
  storeCatalog(server: string, catalog: McpCatalog): Promise<void>;
}

/** Calls between sessions of a profile. Each is repeated until it answers; ids make that harmless. Rejects if it cannot be reached. */
export interface ChildPort {
  /** Lists the child with the Account and gives it its task. Failure: it, or its parent, was deleted, or it refuses the task. */
  begin(child: SessionId, task: ChildTask): Promise<Result<null>>;
  /** Ends the child's turn; a child that never began is made and stopped, so that a late `begin` changes nothing. */
  stop(child: SessionId, task: ChildTask): Promise<Result<null>>;
  /** `null`: there is no such session. */
  look(child: SessionId): Promise<ChildProgress | null>;
  /** Tells the parent how the child ended. A parent that was deleted takes it too. */
  report(parent: SessionId, child: SessionId, report: ChildReport): Promise<void>;
}

/** What a profile has allowed for all its sessions. Kept by its Account. */
export interface ApprovalPort {
  read(): Promise<ProfileApprovals>;
  /** Idempotent by `id`. Failure: `too_many_allowances`. */
  allow(allowance: Omit<StandingAllowance, "v">): Promise<Result<null>>;
  /** False: there is none of that id. */
  revoke(id: string): Promise<boolean>;
}

/** `mode`: stricter than the operator's, or `null`. */
export interface ProfileApprovals {
  mode: ApprovalMode | null;
  allowances: StandingAllowance[];
}

/** What a session asks of its profile's Account. */
export interface AccountPort {
  /** Admits a review and says what it may spend. Asked again for the same review, it answers the same grant. */
  reserveReview(request: ReviewRequest): Promise<ReviewAdmission>;
  /** How much the turn may spend of the profile's daily budget before it must ask again. `null`: nothing is left. */
  reserveTurn(request: TurnRequest): Promise<Budget | MonthSpent | null>;
  /** Books what a turn or a review spent, once for each id, and releases its reservation. */
  book(booking: Booking): Promise<void>;
  /** A text that the profile shares was withdrawn: its followers are told. Absent: nobody can follow it. */
  tellFollowers?(): Promise<void>;
}

export interface ReviewRequest {
  review: ReviewId;
  session: SessionId;
  now: number;
  /** Minimum time between two reviews of the profile. */
  perProfileMs: number;
  /** Corrections, ratings and `/refine`: exempt from `perProfileMs`, in both directions. */
  urgent: boolean;
  /** How many of the profile's reviews may be open. Beyond that, reviews that are not urgent are shed. Absent: no limit. */
  maxBacklog?: number;
  grant: Grant;
  /** The profile's daily budget. */
  day: Budget;
}
export type ReviewAdmission =
  | { granted: true; grant: Grant }
  /** `shed`: too many reviews are open; a later review covers this work. */
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

/** `by`: the turn of the command that took it back. */
export interface UndoneTurn {
  turn: number;
  by: number;
}

/** A run of a card. `run` is its fencing token: once the board has taken the card away, writes in its name are refused. */
export interface CardPlace {
  board: BoardName;
  card: CardId;
  run: RunId;
}

export interface SessionMeta {
  v: 1;
  learning: Learning;
  title: string;
  createdAt: number;
  /** What the session's creator left it. Absent: everything. */
  tools?: ToolSettings;
  /** Where the agent works. Absent: in the session's workspace. */
  backend?: "host";
  /** Absent: `chat`. */
  kind?: Exclude<SessionKind, "chat">;
  /** Of a session that another one began: which, and how many sessions are above it. Absent: 0. */
  parent?: SessionId;
  depth?: number;
  /** What the person has chosen for it. Absent: all defaults. */
  choice?: SessionChoice;
  /** Of a delegated session: the label of its task, and what it may spend. */
  delegated?: Pick<ChildTask, "source" | "budget">;
  /** Turns that the person took back, oldest first. */
  undone?: UndoneTurn[];
  /** Of a branch: where its first turns were copied from, the farthest session first. Turns and entries up to these are copies. */
  branchedFrom?: Origin[];
  /** Every turn that has ended is indexed, or a job for it exists. Absent in sessions from before the index existed. */
  indexed?: true;
  /** The year whose part of the index this session sends turns of that year to. Absent while the first part takes them. */
  indexYear?: number;
  /** Of a session of the kind `card`: the run that it carries out. */
  card?: CardPlace;
  /** What each of its turns may spend, if the operator does not allow less. Absent: what the operator allows. */
  budget?: Budget;
  /** The goal it works at: read at the end of each turn. `channel`: the chat that it was last written from. `over`: it is not active. */
  goal?: { id: GoalId; channel?: ChannelOrigin; over?: true };
  /** Of a session that began in a chat: what its prompt says of it. */
  channel?: ChannelScene;
  /** It is being imported, and does not exist yet. */
  moving?: true;
  /** Of a session that was made from a transcript: which conversation of which program it was. */
  from?: ForeignSession;
}

/** What the parts of the engine share. */
export interface EngineContext {
  host: SessionHost;
  log: Log;
  jobs: Jobs;
  hub: Hub;
  overlay: Overlay;
  workspace: Workspace;
  /** The images of its messages. */
  images: ImageRows;
  /** Recognises which of the agent's words come from content it has read. */
  taint: SessionTaint;
  meta(): SessionMeta;
  /** As `meta`, with the learning that the session was created with, although the person has switched it off for all sessions. */
  storedMeta(): SessionMeta;
  /** Inside the caller's transaction. A field that is `undefined` is removed. */
  changeMeta(changes: { [Field in keyof SessionMeta]?: SessionMeta[Field] | undefined }): void;
  /** Inside the caller's transaction. */
  rename(title: string): void;
  /** From now on, each turn's end plans that its messages are indexed. Inside the caller's transaction. */
  markIndexed(): void;
  setIndexYear(year: number): void;
  /** See `continueGoal` in accept-message.ts. */
  continueGoal(message: Continuation): boolean;
}
