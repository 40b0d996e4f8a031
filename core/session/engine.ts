// The engine of a session: accepts inputs, answers questions about the log, serves readers, wakes by alarm. Its shell is a
// Durable Object; over node:sqlite it runs in tests and benches. Whatever decides something about the queue of turns
// does so in one synchronous block.
import { type Result, err, ok } from "../errors.ts";
import type { Accepted, FileInfo, Learning, SessionDetail, SessionInfo, TurnInfo } from "../schemas/api.ts";
import { sha256Hex } from "../schemas/digest.ts";
import type { AgentEvent, Entry } from "../schemas/entry.ts";
import { toTurnId } from "../schemas/ids.ts";
import { createWorkspace } from "../workspace/workspace.ts";
import type { EngineContext, SessionHost, SessionMeta } from "./context.ts";
import { createDriver } from "./drive.ts";
import { START, parsePosition, replay } from "./events.ts";
import { createHub } from "./hub.ts";
import { createJobs } from "./jobs.ts";
import { type TurnRow, createLog, isOpen } from "./log.ts";
import { createOutbox } from "./outbox.ts";
import { createOverlay } from "./overlay.ts";
import { createTables, hasTables } from "./schema.ts";

const DETAIL_TURNS = 100;
const ENTRY_PAGE = 500;

const UNKNOWN = err("session_not_found", "There is no such session. Create one with POST /v1/sessions.");

export type SessionEngine = ReturnType<typeof createSessionEngine>;

export function createSessionEngine(host: SessionHost) {
  const { sql, clock, settings } = host;
  const log = createLog(sql);
  const jobs = createJobs(host);
  const hub = createHub();
  const workspace = createWorkspace({
    sql,
    clock,
    maxFileBytes: settings.turn.maxFileBytes,
    maxBytes: settings.turn.maxWorkspaceBytes,
  });
  let known: SessionMeta | null = hasTables(sql) ? log.meta<SessionMeta>("session") : null;
  const meta = () => {
    if (!known) throw new Error("the session was never created");
    return known;
  };
  const context: EngineContext = { host, log, jobs, hub, overlay: createOverlay(sql), workspace, meta };
  const outbox = createOutbox(context);
  const driver = createDriver(context, outbox);

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

  return {
    async create(input: { learning: Learning; title: string }): Promise<SessionInfo> {
      if (!known) {
        const created: SessionMeta = { v: 1, ...input, createdAt: clock.now() };
        sql.transaction(() => {
          createTables(sql);
          log.setMeta("session", created);
        });
        known = created;
      }
      return info();
    },

    detail(): SessionDetail | null {
      if (!wake()) return null;
      const turns = log.turns();
      const reviewing = jobs.all().flatMap((row) => (row.job.kind === "review" ? [row.job.review] : []));
      return {
        ...info(),
        state: turns.some(isOpen) ? "busy" : "idle",
        turns: turns.slice(-DETAIL_TURNS).map((turn) => toTurnInfo(host.session, turn)),
        reviewing,
      };
    },

    async post(input: { text: string; key?: string }): Promise<Result<Accepted>> {
      if (!wake()) return UNKNOWN;
      const { maxMessageChars } = settings.turn;
      if (input.text.length > maxMessageChars) {
        return err(
          "message_too_long",
          `A message has at most ${maxMessageChars} characters. Put longer texts into a file.`,
        );
      }
      const hash = sha256Hex(input.text);
      const before = input.key === undefined ? null : log.key(input.key);
      if (before && before.hash !== hash) {
        return err("idempotency_conflict", "This Idempotency-Key came with another body before. Use a new key.");
      }
      if (before) return ok(toAccepted(host.session, log.turn(before.turn)!, true));
      const open = log.openTurns();
      if (open.length >= settings.turn.maxQueuedTurns) {
        return err(
          "too_many_queued",
          `${open.length} messages are waiting in this session. Try again when one is answered.`,
        );
      }
      const turn = sql.transaction(() => {
        const accepted = driver.accept((log.lastTurn()?.n ?? 0) + 1, input.text, open.length > 0);
        if (input.key !== undefined) log.putKey(input.key, hash, accepted.n);
        return accepted;
      });
      await jobs.arm();
      driver.kick();
      return ok(toAccepted(host.session, turn, false));
    },

    events(from: { after?: string; turn?: number }): Result<ReadableStream<Uint8Array>> {
      if (!wake()) return UNKNOWN;
      const parsed = from.after === undefined ? ok(START) : parsePosition(from.after);
      if (!parsed.ok) return parsed;
      const after = parsed.value;
      const target = from.turn === undefined ? log.lastTurn() : log.turn(from.turn);
      if (!target) {
        return from.turn === undefined
          ? ok(hub.openSettled([]))
          : err("turn_not_found", `This session has no turn ${from.turn}.`);
      }
      const first = from.after === undefined ? (target.input ?? Number.MAX_SAFE_INTEGER) : Math.max(1, after.entry);
      const ofTurn = (turn: number) => from.turn === undefined || turn === from.turn;
      const entries = log.entries(first).filter((entry) => ofTurn(entry.turn));
      const turns = [...new Set(entries.map((entry) => entry.turn))].map((n) => log.turn(n)!);
      const live = driver.live();
      const missed = replay(after, entries, turns, live && ofTurn(live.turn) ? live : null);
      if (!isOpen(target)) return ok(hub.openSettled(missed));
      const isLast = (event: AgentEvent) => event.type === "turn_end" && event.turn === target.n;
      const waitsFor = from.turn !== undefined && target.state === "queued" ? target.n : null;
      return ok(hub.open(missed, isLast, waitsFor));
    },

    entries(after: number): Result<Entry[]> {
      if (!wake()) return UNKNOWN;
      return ok(log.entries(after + 1, after + ENTRY_PAGE));
    },

    /** Wakes nobody: a turn that is resumed first would lose what was read of its answer. */
    async stop(): Promise<Result<{ stopped: string[] }>> {
      if (!known) return UNKNOWN;
      const stopped = driver.stop();
      await jobs.arm();
      return ok({ stopped: stopped.map((n) => toTurnId(host.session, n)) });
    },

    // ---- the owner's side of the workspace ----
    putFile(path: string, body: Uint8Array): Result<{ path: string; size: number }> {
      return wake() ? workspace.putAsPrincipal(path, body) : UNKNOWN;
    },
    getFile(path: string): Result<Uint8Array> {
      if (!wake()) return UNKNOWN;
      const body = workspace.read(path);
      return body ? ok(body) : err("file_not_found", `There is no file '${path}' in this session's workspace.`);
    },
    deleteFile(path: string): Result<null> {
      if (!wake()) return UNKNOWN;
      return workspace.remove(path)
        ? ok(null)
        : err("file_not_found", `There is no file '${path}' in this session's workspace.`);
    },
    listFiles(): Result<FileInfo[]> {
      return wake() ? ok(workspace.list()) : UNKNOWN;
    },

    /** The next wake is armed before any work, so that a throw never ends the chain of alarms. */
    async alarm(): Promise<void> {
      if (!known) return;
      await jobs.armFor(clock.now() + settings.turn.leaseMs);
      driver.onAlarm();
      await outbox.drain();
      await jobs.arm({ exact: true });
    },
  };
}

function toTurnInfo(session: string, turn: TurnRow): TurnInfo {
  const { n, state, input, final, attempts, stats, startedAt, endedAt } = turn;
  return { turn: toTurnId(session, n), n, state, input, final, attempts, stats, startedAt, endedAt };
}

function toAccepted(session: string, turn: TurnRow, replayed: boolean): Accepted {
  return {
    session,
    turn: toTurnId(session, turn.n),
    entry: turn.input,
    replayed,
    events: `/v1/sessions/${session}/events?turn=${turn.n}`,
  };
}
