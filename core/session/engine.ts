// The engine of a session: accepts inputs, answers questions about the log, serves readers, wakes by alarm. Its shell is a
// Durable Object; over node:sqlite it runs in tests and benches. Whatever decides something about the queue of turns
// does so in one synchronous block.
import { type Result, err, ok } from "../errors.ts";
import { FIXED } from "../limits.ts";
import type { BusyMode } from "../schemas/settings.ts";
import type {
  Accepted,
  ApprovalDetail,
  ApprovalInfo,
  FileInfo,
  Learning,
  SessionDetail,
  SessionInfo,
  TurnInfo,
  TurnObservation,
} from "../schemas/api.ts";
import type { Sql } from "../ports.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { Entry } from "../schemas/entry.ts";
import { toTurnId } from "../schemas/ids.ts";
import type { Observation, Rating } from "../schemas/learning/learning.ts";
import { createWorkspace } from "../workspace/workspace.ts";
import { createApprovals } from "./turn/approvals.ts";
import type { EngineContext, SessionHost, SessionMeta } from "./context.ts";
import { createDriver } from "./turn/drive.ts";
import { placeTurnStart } from "./readers/events.ts";
import { type Kept, type StandingReader, createHub } from "./readers/hub.ts";
import { createJobs } from "./jobs.ts";
import { sessionUsage } from "./ledger.ts";
import { type TurnRow, createLog, isOpen } from "./log.ts";
import { createOutbox } from "./outbox.ts";
import { createOverlay } from "./memory/overlay.ts";
import { rateTurn, readObservation } from "./learning/ratings.ts";
import { createReaders } from "./readers/readers.ts";
import { createTables, hasTables, migrate } from "./schema.ts";
import { createTaintOf } from "./learning/taint.ts";

const DETAIL_TURNS = 100;

const UNKNOWN = err("session_not_found", "There is no such session. Create one with POST /v1/sessions.");

export interface PostedMessage {
  text: string;
  /** Idempotency key. */
  key?: string;
  /** What to do with it when a turn is running; the operator's `turn.busy` without. */
  busy?: BusyMode;
}

/** An accepted message and its turn's server-sent events, from the beginning. */
export interface AcceptedStream {
  accepted: Accepted;
  events: ReadableStream<Uint8Array>;
}

interface Taken {
  turn: TurnRow;
  /** The same key and body came before: this is the turn they started. */
  replayed: boolean;
}

export type SessionEngine = ReturnType<typeof createSessionEngine>;

/** What the API asks of a session. The Session object forwards these calls to its engine, so each returns a promise. */
export type SessionCalls = Promised<
  Pick<
    SessionEngine,
    | ("detail" | "post" | "events" | "entryPage" | "stop" | "rate" | "observation")
    | ("putFile" | "getFile" | "deleteFile" | "listFiles")
    | ("listApprovals" | "openApproval" | "decideApproval")
  >
>;
type Promised<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...asked: infer Asked) => infer Answer
    ? (...asked: Asked) => Promise<Awaited<Answer>>
    : never;
};

export function createSessionEngine(given: SessionHost) {
  const { clock, settings } = given;
  const log = createLog(given.sql);
  const sql: Sql = {
    run: given.sql.run,
    transaction(work) {
      try {
        return given.sql.transaction(work);
      } catch (error) {
        log.forget();
        jobs.forget();
        throw error;
      }
    },
  };
  const host: SessionHost = { ...given, sql };
  const jobs = createJobs(host);
  const hub = createHub(clock, () => driver.isRunning());
  const workspace = createWorkspace({
    sql,
    clock,
    maxFileBytes: settings.turn.maxFileBytes,
    maxBytes: settings.turn.maxWorkspaceBytes,
  });
  let known: SessionMeta | null = null;
  if (hasTables(sql)) {
    migrate(sql);
    known = log.meta<SessionMeta>("session");
  }
  const meta = () => {
    if (!known) throw new Error("the session was never created");
    return known;
  };
  const rename = (title: string) => {
    const renamed = { ...meta(), title };
    log.setMeta("session", renamed);
    known = renamed;
  };
  const overlay = createOverlay(sql);
  const context: EngineContext = {
    ...{ host, log, jobs, hub, overlay, workspace, meta, rename },
    taint: createTaintOf(log),
  };
  const outbox = createOutbox(context);
  const driver = createDriver(context, outbox);
  const readers = createReaders({ log, hub, live: driver.live });

  function info(): SessionInfo {
    const { title, learning, createdAt } = meta();
    return { session: host.session, title, learning, createdAt };
  }

  /**
   * Whether the session was ever created. One with open turns and no driver was cut off: any touch resumes it, without
   * waiting for the alarm.
   */
  function wake(): boolean {
    if (!known) return false;
    if (log.openTurns().length > 0) driver.kick();
    return true;
  }

  /** Throws, if it does, as a promise. */
  async function kick(): Promise<void> {
    driver.kick();
  }

  /** Decides and enqueues in one synchronous block; what follows only wakes. */
  async function take(input: PostedMessage): Promise<Result<Taken>> {
    if (!wake()) return UNKNOWN;
    const { maxMessageChars } = settings.turn;
    if (input.text.length > maxMessageChars) {
      return err(
        "message_too_long",
        `A message has at most ${maxMessageChars} characters. Put longer texts into a file.`,
      );
    }
    const idempotency = input.key === undefined ? null : { key: input.key, hash: hashBody(input) };
    const before = idempotency && log.key(idempotency.key);
    if (before && !isSameBody(before.hash, input)) {
      return err("idempotency_conflict", "This Idempotency-Key came with another body before. Use a new key.");
    }
    if (before) return ok({ turn: log.turn(before.turn)!, replayed: true });
    const open = log.openTurns();
    if (open.length >= settings.turn.maxQueuedTurns) {
      return err(
        "too_many_queued",
        `${open.length} messages are waiting in this session. Try again when one is answered.`,
      );
    }
    const turn = sql.transaction(() => {
      const accepted = driver.accept((log.lastTurn()?.n ?? 0) + 1, input.text, input.busy ?? settings.turn.busy);
      if (idempotency) log.putKey(idempotency.key, idempotency.hash, accepted.n);
      return accepted;
    });
    if (turn.state === "running") hub.emit(placeTurnStart(turn));
    driver.redirect();
    // The first model call need not wait for the alarm; the answer to this does.
    await Promise.all([jobs.arm(), kick()]);
    return ok({ turn, replayed: false });
  }

  return {
    async create(input: { learning: Learning; title: string; createdAt?: number }): Promise<SessionInfo> {
      if (!known) {
        const created: SessionMeta = { v: 1, createdAt: clock.now(), ...input };
        sql.transaction(() => {
          createTables(sql);
          log.setMeta("session", created);
        });
        known = created;
      }
      return info();
    },

    /** `null` for a session that was never created. */
    detail(): SessionDetail | null {
      if (!wake()) return null;
      const turns = log.turns(DETAIL_TURNS);
      const reviewing = jobs.all().flatMap((row) => (row.job.kind === "review" ? [row.job.review] : []));
      return {
        ...info(),
        state: turns.some(isOpen) ? "busy" : "idle",
        turns: turns.map((turn) => toTurnInfo(host.session, turn)),
        reviewing,
        usage: sessionUsage(context),
      };
    },

    /** Failures: `session_not_found`, `message_too_long`, `idempotency_conflict`, `too_many_queued`. */
    async post(input: PostedMessage): Promise<Result<Accepted>> {
      const taken = await take(input);
      return taken.ok ? ok(toAccepted(host.session, taken.value)) : taken;
    },
    /** `post`, and the events of its turn in the same answer: one round trip less before the first token. */
    async postAndRead(input: PostedMessage): Promise<Result<AcceptedStream>> {
      const taken = await take(input);
      if (!taken.ok) return taken;
      const events = readers.events({ turn: taken.value.turn.n });
      return events.ok ? ok({ accepted: toAccepted(host.session, taken.value), events: events.value }) : events;
    },

    /**
     * Server-sent events of `turn`, or of all turns up to the end of the newest. The stream ends at once when nothing is to
     * come. Failures: `bad_event_id`, `turn_not_found`.
     */
    events(from: { after?: string; turn?: number }): Result<ReadableStream<Uint8Array>> {
      return wake() ? readers.events(from) : UNKNOWN;
    },
    /** Failures: `bad_event_id`, `too_many_readers`. `accept` is called when there is none. */
    watch(after: string | undefined, accept: () => StandingReader): Result<null> {
      return wake() ? readers.watch(after, accept) : UNKNOWN;
    },
    /** Connections that an object of this name accepted before this one woke. */
    rejoin(connections: { reader: StandingReader; kept: Kept }[]): void {
      if (known) readers.rejoin(connections);
    },
    leave: (reader: StandingReader): void => readers.leave(reader),

    /** For callers in the same process; what crosses to another one is paged by bytes. */
    entries(after: number): Result<Entry[]> {
      return wake() ? ok(log.entries(after + 1)) : UNKNOWN;
    },
    /** A page is bounded in bytes as well as in entries; `next` is absent on the last one. */
    entryPage({ after, limit }: { after: number; limit: number }): Result<{ entries: Entry[]; next?: string }> {
      if (!wake()) return UNKNOWN;
      const { entries, more } = log.entryPage(after + 1, limit, FIXED.pageBytes);
      return ok({ entries, ...(more && { next: String(entries.at(-1)!.n) }) });
    },

    /** Wakes nobody: a turn that is resumed first would lose what was read of its answer. */
    async stop(): Promise<Result<{ stopped: string[] }>> {
      if (!known) return UNKNOWN;
      const stopped = driver.stop();
      await jobs.arm();
      return ok({ stopped: stopped.map((n) => toTurnId(host.session, n)) });
    },

    // ---- what was learned of a turn ----
    /** Returns the turn as it is judged now. Failures: `turn_not_found`, `turn_not_ended`, `too_many_ratings`. */
    async rate(n: number, rating: Rating): Promise<Result<Observation>> {
      if (!wake()) return UNKNOWN;
      const rated = rateTurn(context, n, rating);
      await jobs.arm();
      host.background(outbox.drain());
      return rated;
    },
    /** Failures: `turn_not_found`, `turn_not_ended`. */
    observation(n: number): Result<TurnObservation> {
      return wake() ? readObservation(context, n) : UNKNOWN;
    },

    // ---- the owner's side of the workspace ----
    /** Failures: `bad_path`, `file_too_large`, `workspace_full`. */
    putFile(path: string, body: Uint8Array): Result<{ path: string; size: number }> {
      return wake() ? workspace.putAsPrincipal(path, body) : UNKNOWN;
    },
    /** Failures: `file_not_found`. */
    getFile(path: string): Result<Uint8Array> {
      if (!wake()) return UNKNOWN;
      const body = workspace.read(path);
      return body ? ok(body) : err("file_not_found", `There is no file '${path}' in this session's workspace.`);
    },
    /** Failures: `file_not_found`. */
    deleteFile(path: string): Result<null> {
      if (!wake()) return UNKNOWN;
      return workspace.remove(path)
        ? ok(null)
        : err("file_not_found", `There is no file '${path}' in this session's workspace.`);
    },
    listFiles(): Result<FileInfo[]> {
      return wake() ? ok(workspace.list()) : UNKNOWN;
    },

    // ---- changes that only the owner may make ----
    listApprovals(): Result<ApprovalInfo[]> {
      return wake() ? ok(createApprovals(context).list()) : UNKNOWN;
    },
    /** Failures: `approval_not_found`. */
    openApproval(id: string): Result<ApprovalDetail> {
      return wake() ? createApprovals(context).open(id) : UNKNOWN;
    },
    /** Failures: `approval_not_found`, `approval_decided`, `approval_replaced`, and those of `putFile`. */
    decideApproval(id: string, approve: boolean): Result<ApprovalInfo> {
      return wake() ? createApprovals(context).decide(id, approve) : UNKNOWN;
    },

    /** The session is deleted: what runs is cut off, readers are sent away, and from here on nobody knows it. */
    end(): void {
      driver.end();
      hub.end();
      known = null;
      log.forget();
    },

    /** The next wake is armed before any work, so that a throw never ends the chain of alarms. */
    async alarm(): Promise<void> {
      if (!known) return;
      if (jobs.isEmpty()) return jobs.armFor(null);
      await jobs.armFor(clock.now() + settings.turn.leaseMs);
      driver.onAlarm();
      // Not awaited: no alarm fires while one is handled, and what the outbox asks may take its time.
      host.background(
        outbox
          .drain()
          .then(() => jobs.arm({ exact: true }))
          .catch((error) => host.report("arm", error)),
      );
    },
  };
}

const BODY_V2 = "v2:";

/** Of all that a body may say: what it leaves out is not what it says by name. */
function hashBody(input: PostedMessage): string {
  const { key: _, ...body } = input;
  const said = Object.entries(body).filter(([, value]) => value !== undefined);
  return BODY_V2 + sha256Hex(JSON.stringify(said.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** An earlier version kept the hash of the text alone. */
function isSameBody(hash: string, input: PostedMessage): boolean {
  return hash === (hash.startsWith(BODY_V2) ? hashBody(input) : sha256Hex(input.text));
}

function toTurnInfo(session: string, turn: TurnRow): TurnInfo {
  const { n, state, input, final, attempts, stats, startedAt, endedAt, more } = turn;
  const into = more.into === undefined ? {} : { into: more.into };
  const reason = more.reason === undefined ? {} : { reason: more.reason };
  const waits = more.pausedUntil === undefined ? {} : { pausedUntil: more.pausedUntil };
  const ends = { final, ...reason };
  return {
    turn: toTurnId(session, n),
    n,
    state,
    ...into,
    input,
    ...ends,
    attempts,
    ...waits,
    stats,
    startedAt,
    endedAt,
  };
}

function toAccepted(session: string, { turn, replayed }: Taken): Accepted {
  return {
    session,
    turn: toTurnId(session, turn.n),
    entry: turn.input,
    replayed,
    events: `/v1/sessions/${session}/events?turn=${turn.n}`,
  };
}
