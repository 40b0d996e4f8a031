// The engine of a session: accepts inputs, answers questions about the log, serves readers, wakes up by an alarm. Its shell is a
// Durable Object; in tests and benches it runs over node:sqlite. Decisions about the queue of turns are synchronous.
import { type Result, err, ok } from "../errors.ts";
import { FIXED } from "../limits.ts";
import type {
  Accepted,
  AllowanceInfo,
  ApprovalDetail,
  ApprovalInfo,
  CreatedSession,
  SessionDetail,
  TurnObservation,
} from "../schemas/api.ts";
import type { Entry, TurnStats } from "../schemas/entry.ts";
import type { RecordedTurn } from "../experiments/ports.ts";
import { type SessionId, toTurnId } from "../schemas/ids.ts";
import type { BranchNeed, BranchPage, BranchPlan } from "../schemas/sessions/branch.ts";
import type { ReplayNeed, ReplayPage } from "../schemas/sessions/replay.ts";
import { readReplay } from "./replay/read-replay.ts";
import type { PromptSize } from "../schemas/sessions/prompt-size.ts";
import { readPromptSize } from "./prompt/prompt-size.ts";
import type { ClientResult } from "../schemas/sessions/client-part.ts";
import { takeClientResults } from "./client/client-calls.ts";
import type { ChangeSession } from "../schemas/sessions/session-choice.ts";
import type { ExperimentId } from "../schemas/learning/experiment.ts";
import type { Observation, Rating } from "../schemas/learning/learning.ts";
import { type PostedMessage, acceptMessage, continueGoal, toAccepted } from "./accept-message.ts";
import type { SessionHost } from "./context.ts";
import { type BranchRequest, planBranch, readBranch } from "./branch/read-branch.ts";
import { takeBranch } from "./branch/take-branch.ts";
import { changeSession } from "./choice/change-session.ts";
import { areSettingsOld, renewProfileSettings } from "./prompt/profile-settings.ts";
import { renameNow } from "./rename.ts";
import { createDelegationCalls } from "./delegation/delegation-calls.ts";
import { refuseMessage } from "./delegation/child-life.ts";
import { planExperimentNotice } from "./learning/experiment-job.ts";
import { rateTurn, readObservation } from "./learning/ratings.ts";
import { createGoalCalls } from "./goals/goal-calls.ts";
import { stopGoal } from "./goals/plan-goal.ts";
import { type AskedTurn, describeTurn, findOrigin } from "./replay/describe-turn.ts";
import { createTurnCalls } from "./runs/turn-calls.ts";
import { createOwnerFiles } from "./files/owner-files.ts";
import {
  type Engine,
  type NewSession,
  UNKNOWN_SESSION,
  carryOn,
  createSession,
  openEngine,
  wake,
} from "./open-engine.ts";
import type { ListedTool } from "../schemas/tool-list.ts";
import { listTools } from "../tools/tool-list.ts";
import { listMadeTools } from "./turn/session-tools.ts";
import { type AskedSessionPage, type SessionPage, exportSession } from "./moving/export-session.ts";
import { type TrajectoryLogPage, readTrajectory } from "./moving/read-trajectory.ts";
import type { MovedSessionRow } from "../schemas/moving/lines.ts";
import { adoptSession, importSession } from "./moving/import-session.ts";
import { type Exchange, type ExchangeAsked, countEntries, readExchange } from "./readers/exchange.ts";
import type { AskedEvents } from "./readers/readers.ts";
import type { ReaderState, StandingReader } from "./readers/standing-reader.ts";
import { type Unbooked, findUnbooked } from "./unbooked.ts";
import { toSessionDetail, toSessionInfo } from "./session-info.ts";
import {
  type Decision,
  decideApproval,
  listAllowances,
  listApprovals,
  openApproval,
  revokeAllowance,
} from "./approvals/approvals.ts";

/** An accepted message and its turn's server-sent events, from the beginning. */
export interface AcceptedStream {
  accepted: Accepted;
  events: ReadableStream<Uint8Array>;
}

export type SessionEngine = ReturnType<typeof createSessionEngine>;

/** What the API asks of a session. The Session object forwards these calls to its engine, so each returns a promise. */
export type SessionCalls = Promised<
  Pick<
    SessionEngine,
    | (
        | "detail"
        | "promptSize"
        | "planBranch"
        | "readBranch"
        | "readReplay"
        | "listTools"
        | "post"
        | "answerClient"
        | "change"
        | "events"
        | "entryPage"
        | "readExchange"
        | "countEntries"
        | "stop"
        | "rate"
        | "observation"
        | "describeTurn"
        | "readTurn"
        | "readTurnInfo"
        | "stopTurn"
      )
    | ("putFile" | "getFile" | "deleteFile" | "listFiles" | "getImage")
    | ("listCheckpoints" | "openCheckpoint" | "restoreCheckpoint" | "deleteCheckpoints")
    | ("exportWorkspace" | "importWorkspace")
    | ("beginChild" | "stopChild" | "lookAtChild" | "takeReport" | "loseChild" | "listChildren")
    | ("listApprovals" | "openApproval" | "decideApproval" | "listAllowances" | "revokeAllowance")
  >
>;
type Promised<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...asked: infer Asked) => infer Answer
    ? (...asked: Asked) => Promise<Awaited<Answer>>
    : never;
};

export type { NewSession } from "./open-engine.ts";

/** A session that was never created answers `session_not_found`, or nothing, to everything but `create`. */
export function createSessionEngine(host: SessionHost) {
  const engine = openEngine(host, continueGoal);
  return {
    ...toLifecycle(engine),
    ...toConversation(engine),
    ...toReading(engine),
    ...toLearning(engine),
    ...createOwnerFiles(engine),
    ...toApprovals(engine),
    ...createTurnCalls(engine),
    ...createDelegationCalls(engine),
    ...createGoalCalls(engine),
  };
}

function toLifecycle(engine: Engine) {
  const { context, driver } = engine;
  const { log, jobs, hub } = context;
  return {
    async create(input: NewSession): Promise<CreatedSession> {
      createSession(engine, input);
      return toSessionInfo(context);
    },

    /** Failures: `session_not_found`, and those of `planBranch` in branch/read-branch.ts. */
    planBranch: (asked: BranchRequest): Result<BranchPlan> =>
      wake(engine) ? planBranch(context, asked) : UNKNOWN_SESSION,
    /** Failures: `session_not_found`, `branch_outdated`. */
    readBranch: (plan: BranchPlan, need: BranchNeed): Result<BranchPage> =>
      wake(engine) ? readBranch(context, plan, need) : UNKNOWN_SESSION,
    /** What a replay of a turn copies, page by page. Failures: `session_not_found`, and those of `readReplay` in replay/read-replay.ts. */
    readReplay: (turn: number, need: ReplayNeed): Result<ReplayPage> =>
      wake(engine) ? readReplay(context, turn, need) : UNKNOWN_SESSION,
    /** Makes this session a branch, page by page. Returns what it needs next. */
    async takeBranch(plan: BranchPlan, page: BranchPage | null): Promise<BranchNeed> {
      const need = takeBranch(engine, plan, page);
      if (need.stage === "done") await jobs.arm();
      return need;
    },
    /** `null` for a session that was never created. */
    detail: (): SessionDetail | null => (wake(engine) ? toSessionDetail(context) : null),

    promptSize: (): Result<PromptSize> => (wake(engine) ? ok(readPromptSize(context)) : UNKNOWN_SESSION),

    /** `null` for a session that was never created. */
    async listTools(): Promise<{ tools: ListedTool[]; isOnHost: boolean } | null> {
      if (!wake(engine)) return null;
      const { made, rules } = listMadeTools(context);
      return { tools: listTools(made, rules), isOnHost: context.meta().backend === "host" };
    },

    /** One page of the session's rows, for an export. Failures: `session_not_found`, `session_changing`. */
    exportPage: (asked: AskedSessionPage, life: string): Result<SessionPage> => exportSession(engine, asked, life),
    /** One page of the log for an export of data to train on. Failures: `session_not_found`, `trajectory_too_large`. */
    readTrajectory: (after: number): Result<TrajectoryLogPage> => readTrajectory(engine, after),
    /** Takes rows of an imported session. Failures: `archive_version`, `archive_invalid`. */
    importPage: (rows: MovedSessionRow[], trusted: boolean): Result<"taken" | "exists"> =>
      importSession(engine, rows, trusted),
    /** Ends an import. False: there is nothing to adopt. */
    async adopt(): Promise<boolean> {
      const isAdopted = adoptSession(engine);
      if (isAdopted) await jobs.arm();
      return isAdopted;
    },

    /** What the session has used and not booked, before it is deleted. Resumes nothing. */
    unbooked: (): Unbooked => (engine.known ? findUnbooked(context) : { bookings: [], children: [] }),

    /** The session is deleted: aborts the running turn, sends readers away, and forgets the session. */
    end(): void {
      driver.end();
      hub.end();
      engine.known = false;
      log.forget();
    },

    async alarm(): Promise<void> {
      if (!engine.known) return;
      if (jobs.isEmpty()) return jobs.armFor(null);
      await carryOn(engine);
    },
  };
}

function toConversation(engine: Engine) {
  const { context, driver, readers } = engine;
  const { session } = context.host;
  return {
    /** Failures: `session_not_found`, `session_delegated`, and those of `acceptMessage`. */
    async post(input: PostedMessage): Promise<Result<Accepted>> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      const posted = refuseMessage(context) ?? (await acceptMessage(engine, input));
      return posted.ok ? ok(toAccepted(session, posted.value)) : posted;
    },
    /** `post` and the events of its turn in one answer: saves a round trip before the first token. */
    async postAndRead(input: PostedMessage): Promise<Result<AcceptedStream>> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      const posted = refuseMessage(context) ?? (await acceptMessage(engine, input));
      if (!posted.ok) return posted;
      const events = readers.events({ turn: posted.value.turn.n });
      return events.ok ? ok({ accepted: toAccepted(session, posted.value), events: events.value }) : events;
    },
    /**
     * Returns the session as it is now. `settingsRev`: revision of the profile's settings, as the caller knows it. A running turn keeps
     * what it began with. Failures: `session_not_found`, `unknown_model`, `unknown_personality`.
     */
    async change(changes: ChangeSession, settingsRev: number): Promise<Result<SessionDetail>> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      if (areSettingsOld(context, { more: { settingsRev } })) await renewProfileSettings(context);
      const changed = await changeSession(context, changes);
      if (!changed.ok) return changed;
      await context.jobs.arm();
      if (changes.title !== undefined) await renameNow(context);
      return ok(toSessionDetail(context));
    },
    /**
     * The results of calls that the client runs. Failures: `session_not_found`, and those of `takeClientResults` in
     * client/client-calls.ts.
     */
    async answerClient(results: readonly ClientResult[]): Promise<Result<{ turn: string }>> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      const taken = takeClientResults(context, results);
      if (context.log.openTurns().length > 0) driver.kick();
      await context.jobs.arm();
      return taken;
    },
    /** Resumes nothing first: a resumed turn would drop the part of its answer that a person has read. */
    async stop(): Promise<Result<{ stopped: string[] }>> {
      if (!engine.known) return UNKNOWN_SESSION;
      stopGoal(context);
      const stopped = driver.stop();
      await context.jobs.arm();
      return ok({ stopped: stopped.map((n) => toTurnId(session, n)) });
    },
  };
}

function toReading(engine: Engine) {
  const { context, readers } = engine;
  const { log } = context;
  return {
    /**
     * Server-sent events of `turn`, or of all turns up to the end of the newest. The stream ends at once when nothing is to
     * come. Failures: `bad_event_id`, `turn_not_found`.
     */
    events: (from: AskedEvents): Result<ReadableStream<Uint8Array>> =>
      wake(engine) ? readers.events(from) : UNKNOWN_SESSION,
    /** Failures: `bad_event_id`, `too_many_readers`. Calls `accept` only if there is none. */
    watch: (after: string | undefined, accept: () => StandingReader): Result<null> =>
      wake(engine) ? readers.watch(after, accept) : UNKNOWN_SESSION,
    /** Connections that were accepted before the object hibernated or restarted. */
    rejoin(connections: { reader: StandingReader; kept: ReaderState }[]): void {
      if (engine.known) readers.rejoin(connections);
    },
    leave: (reader: StandingReader): void => readers.leave(reader),

    /** What a posted message has brought so far. Failures: `session_not_found`, `turn_not_found`. */
    readExchange: (asked: ExchangeAsked): Result<Exchange> =>
      wake(engine) ? readExchange(log, asked) : UNKNOWN_SESSION,
    /** What a turn used between two of its entries. Failures: `session_not_found`, `turn_not_found`. */
    countEntries: (asked: { turn: number; from: number; to: number }): Result<TurnStats> =>
      wake(engine) ? countEntries(log, asked) : UNKNOWN_SESSION,

    /** Only for callers in the same process: other callers need `entryPage`, which is limited by bytes. */
    entries: (after: number): Result<Entry[]> => (wake(engine) ? ok(log.entries(after + 1)) : UNKNOWN_SESSION),
    /** A page is bounded in bytes as well as in entries; `next` is absent on the last one. */
    entryPage({ after, limit }: { after: number; limit: number }): Result<{ entries: Entry[]; next?: string }> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      const { entries, more } = log.entryPage(after + 1, limit, FIXED.pageBytes);
      return ok({ entries, ...(more && { next: String(entries.at(-1)!.n) }) });
    },
  };
}

function toLearning(engine: Engine) {
  const { context, outbox } = engine;
  return {
    /** Returns the turn as it is judged now. Failures: `turn_not_found`, `turn_not_ended`, `too_many_ratings`. */
    async rate(n: number, rating: Rating): Promise<Result<Observation>> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      const rated = rateTurn(context, n, rating);
      await context.jobs.arm();
      context.host.background(outbox.drain());
      return rated;
    },
    /** Tells the person how an experiment ended, once for each id. Failure: `session_not_found`. */
    async tellExperiment(id: ExperimentId, text: string): Promise<Result<null>> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      planExperimentNotice(context, id, text);
      await context.jobs.arm();
      return ok(null);
    },
    /** Failures: `turn_not_found`, `turn_not_ended`. */
    observation: (n: number): Result<TurnObservation> => (wake(engine) ? readObservation(context, n) : UNKNOWN_SESSION),
    /** What the experiments of the profile need to know of a turn. See replay/describe-turn.ts. */
    describeTurn: (asked: AskedTurn): RecordedTurn | null => (wake(engine) ? describeTurn(context, asked) : null),
    /** The session that describes a copied turn; `null`: this one. */
    findOrigin: (asked: AskedTurn): SessionId | null => (wake(engine) ? findOrigin(context, asked) : null),
  };
}

/** What waits for the owner, and what the owner has allowed. */
function toApprovals(engine: Engine) {
  const { context, driver } = engine;
  return {
    listApprovals: (): Result<ApprovalInfo[]> => (wake(engine) ? ok(listApprovals(context)) : UNKNOWN_SESSION),
    /** Failures: `approval_not_found`. */
    openApproval: (id: string): Result<ApprovalDetail> => (wake(engine) ? openApproval(context, id) : UNKNOWN_SESSION),
    /** A turn that waited for it goes on. Failures: those of `decideApproval` in approvals.ts. */
    async decideApproval(id: string, decision: Decision): Promise<Result<ApprovalInfo>> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      const decided = await decideApproval(context, id, decision);
      if (context.log.openTurns().length > 0) driver.kick();
      await context.jobs.arm();
      return decided;
    },
    async listAllowances(): Promise<Result<AllowanceInfo[]>> {
      return wake(engine) ? ok(await listAllowances(context)) : UNKNOWN_SESSION;
    },
    /** Failure: `allowance_not_found`. */
    async revokeAllowance(id: string): Promise<Result<null>> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      if (await revokeAllowance(context, id)) return ok(null);
      return err("allowance_not_found", "Neither this session nor its profile has an allowance of that id.");
    },
  };
}
