// The Board object: one board of a profile, with its cards. Its name is `<profile>/<board>`. It answers calls, begins the sessions that work on
// cards, and tells readers. Called by the API, by the profile's sessions and by its Agenda, which lists the boards. See docs/decisions/0099.
import { DurableObject } from "cloudflare:workers";
import { ulid } from "ulid";
import { type BoardMethod, PLAN_METHODS, answerCall } from "../../core/board/board-calls.ts";
import { BOARD_SCHEMA, createBoard } from "../../core/board/board.ts";
import type { Call, Changed } from "../../core/board/contract.ts";
import { DISPATCH_SCHEMA, createDispatchRows } from "../../core/board/dispatch/dispatch-rows.ts";
import { createDispatcher } from "../../core/board/dispatch/dispatcher.ts";
import { createNewsRows } from "../../core/board/rows/news-rows.ts";
import { upgradeBoardTables } from "../../core/board/rows/tables.ts";
import { createTeller } from "../../core/board/tell.ts";
import { type Result, err, messageOf } from "../../core/errors.ts";
import type { PlanKind } from "../../core/prompts/plan/plan.ts";
import type { RoleName } from "../../core/schemas/agenda/role.ts";
import { BoardName, type CardId, DEFAULT_BOARD } from "../../core/schemas/board/card.ts";
import { CLOSE_CODES } from "../../core/session/readers/standing-reader.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import { ProfileId, type SessionId } from "../../core/schemas/ids.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { readSettings } from "../../wiring/settings.ts";
import { hasTable, toSql } from "../sql.ts";
import { type BoardEnv, openAccount, openAgenda, openSession } from "./context.ts";
import { createLiveEvents } from "./live.ts";
import { createBoardPlanner } from "./planner.ts";
import { createWorkerSessions } from "./worker-sessions.ts";

/** The alarm returns after this if the object dies while it works, or cannot reach another object. */
const WATCH_MS = 30_000;
const READS: readonly BoardMethod[] = ["show", "list", "stats", "events", "comments", "runs", "readAttachment"];

export class Board extends DurableObject<BoardEnv> {
  readonly #profile = ProfileId.parse(this.ctx.id.name?.split("/")[0]);
  readonly #name = BoardName.parse(this.ctx.id.name?.split("/")[1]);
  readonly #notFound = err(
    "board_not_found",
    `There is no board '${this.#name}'. Make it with PUT /v1/boards/${this.#name}, or list the boards with GET /v1/boards.`,
  );
  readonly #sql = toSql(this.ctx.storage);
  readonly #operators = readSettings(this.env);
  readonly #settings = this.#operators.board;
  readonly #agenda = openAgenda(this.env, this.#profile);
  readonly #account = openAccount(this.env, this.#profile);
  readonly #board = createBoard({
    ...{ sql: this.#sql, clock: systemClock, random: Math.random, limits: this.#settings },
  });
  readonly #live = createLiveEvents(this.ctx, this.#board, systemClock);
  readonly #rows = createDispatchRows(this.#sql);
  readonly #workers = createWorkerSessions({
    ...{ board: this.#name, agenda: this.#agenda, account: this.#account },
    session: (id) => openSession(this.env, this.#profile, id),
    maxTokens: this.#settings.maxTokens,
  });
  readonly #dispatcher = createDispatcher({
    ...{ board: this.#board, rows: this.#rows, clock: systemClock, newSession: () => ulid() },
    workers: {
      ...this.#workers,
      begin: (run, view, session) => this.#unlessErased(session, this.#workers.begin(run, view, session)),
      remind: (run, session) => this.#unlessErased(session, this.#workers.remind(run, session)),
    },
    takePlaces: async (open) => (this.#exists() ? this.#agenda.takePlaces(this.#name, open) : 0),
    changed: () => {
      this.#live.tell();
      this.#tell();
    },
    report: (what, error) => this.#report(what, error),
  });
  readonly #planner = createBoardPlanner(this.env, {
    ...{ board: this.#board, settings: this.#operators, account: this.#account, agenda: this.#agenda },
    isGone: () => !this.#exists(),
  });
  readonly #teller = createTeller({
    ...{ profile: this.#profile, board: this.#name, clock: systemClock, rows: createNewsRows(this.#sql) },
    exists: () => this.#exists(),
    take: (event) => this.#account.takeHookEvent(event),
    report: (what, error) => this.#report(what, error),
  });
  #working: Promise<void> | null = null;
  #again = false;
  #isErasing = false;

  constructor(state: DurableObjectState, env: BoardEnv) {
    super(state, env);
    if (this.#exists()) upgradeBoardTables(this.#sql);
  }

  /** Makes the tables. Idempotent. Called by the profile's Agenda, once it lists the board. */
  async begin(): Promise<void> {
    if (this.#exists()) return;
    this.#sql.transaction(() => {
      for (const query of [...BOARD_SCHEMA, ...DISPATCH_SCHEMA]) this.#sql.run(query);
    });
  }

  /**
   * One of the operations of core/board/board-calls.ts. A card on the board `main` makes the board. Failures: `board_not_found`, `profile_gone`,
   * and those of the operation.
   */
  async call(method: BoardMethod | PlanKind, args: unknown[]): Promise<Result<unknown>> {
    if (isPlan(method)) return this.#plan(method, args as [Call, CardId]);
    const isRead = READS.includes(method);
    if (!this.#exists()) {
      const makesBoard = method === "create" && this.#name === DEFAULT_BOARD && !this.#isErasing;
      const made = makesBoard ? await this.#agenda.addBoard(this.#name) : this.#notFound;
      if (!made.ok) return made;
    }
    const answer = answerCall(this.#board, method, args);
    if (!isRead) await this.#follow(answer.ok ? answer.value : null);
    return answer;
  }

  async #plan(kind: PlanKind, [call, id]: [Call, CardId]): Promise<Result<Changed>> {
    if (!this.#exists()) return this.#notFound;
    const planned = await this.#planner.plan(kind, call, id);
    if (planned.ok) await this.#follow(planned.value);
    return planned;
  }

  /** How the turn of a run has ended, or what it says. Once this has answered, it is stored. Idempotent by its id. */
  async takeDelivery(delivery: SessionDelivery): Promise<void> {
    if (!this.#exists()) return;
    this.#dispatcher.takeDelivery(delivery);
    await this.#arm(systemClock.now());
    this.#work();
  }

  /** There may be a place for a run, or a role that cards wait for. Called by the profile's Agenda. Idempotent. */
  async wake(role?: RoleName): Promise<void> {
    if (!this.#exists()) return;
    if (role !== undefined) this.#dispatcher.noteRole(role);
    await this.#arm(this.#nextDue());
    this.#work();
  }

  /**
   * A WebSocket of the board's events, opened by `owner`. `after`: the last one that the reader has. `card`: of that card alone. Failures as JSON,
   * with the status 400: `board_not_found`, `too_many_readers`.
   */
  override fetch(request: Request): Response {
    if (!this.#exists()) return Response.json(this.#notFound.failure, { status: 400 });
    const asked = new URL(request.url).searchParams;
    const after = asked.get("after");
    const [card, owner] = [asked.get("card"), asked.get("owner")];
    return this.#live.connect({ after: after === null ? null : Number(after), card, owner });
  }
  /** Closes the sockets that `owner` has opened: its key or sign-in has ended. Idempotent. Called by the profile's Account. */
  async closeSockets(owner: string, reason: string): Promise<void> {
    for (const socket of this.ctx.getWebSockets(owner)) socket.close(CLOSE_CODES.keyEnded, reason);
  }
  /** Never called for `ping`: the platform answers it without waking the object. */
  override webSocketMessage(socket: WebSocket): void {
    socket.close(CLOSE_CODES.notUnderstood, "Readers only listen: say `ping` or nothing.");
  }
  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  override async alarm(): Promise<void> {
    if (!this.#exists()) return;
    await this.ctx.storage.setAlarm(systemClock.now() + WATCH_MS);
    this.#tell();
    this.#work();
  }

  /** Stops the runs, then deletes everything. Idempotent. Called by the profile's Agenda. */
  async erase(): Promise<void> {
    const sessions = this.#exists() ? this.#rows.all().map(({ session }) => session) : [];
    this.#isErasing = true;
    try {
      for (const socket of this.ctx.getWebSockets()) socket.close(CLOSE_CODES.deleted, "This board was deleted.");
      const stop = (session: SessionId) =>
        this.#workers.stop(session).catch((error: unknown) => this.#report(`the turn of ${session}`, error));
      await Promise.all([...sessions.map(stop), this.#teller.telling()]);
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    } finally {
      this.#isErasing = false;
    }
  }

  // ---- work ----

  /** What a change means for others: a stopped worker, readers, the next claim. */
  async #follow(value: unknown): Promise<void> {
    const { stopped = null } = (value ?? {}) as Partial<Changed>;
    if (stopped) this.#dispatcher.stopRun(stopped);
    this.#dispatcher.noteCall();
    this.#live.tell();
    this.#tell();
    const due = this.#dispatcher.nextDue();
    const now = systemClock.now();
    await this.#arm(first(due, this.#teller.nextDue()));
    if (this.#dispatcher.mustRun() || (due !== null && due <= now)) this.#work();
  }

  /** Not awaited. One run at a time; what comes meanwhile is done by another. */
  #work(): void {
    if (this.#working) {
      this.#again = true;
      return;
    }
    this.#working = this.#run().finally(() => {
      this.#working = null;
      if (!this.#again) return;
      this.#again = false;
      this.#work();
    });
    this.ctx.waitUntil(this.#working);
  }

  async #run(): Promise<void> {
    try {
      await this.#dispatcher.run();
      if (this.#exists()) await this.#arm(this.#nextDue(), true);
    } catch (error) {
      this.#report("dispatch", error);
      if (this.#exists()) await this.ctx.storage.setAlarm(systemClock.now() + WATCH_MS);
    }
  }

  /** Not awaited. Tells webhooks what has become of cards. */
  #tell(): void {
    const telling = this.#teller.tell();
    if (!telling) return;
    const over = telling.then(() => (this.#exists() ? this.#arm(this.#nextDue(), !this.#working) : undefined));
    this.ctx.waitUntil(over.catch((error: unknown) => this.#report("webhooks", error)));
  }
  #nextDue(): number | null {
    return first(this.#dispatcher.nextDue(), this.#teller.nextDue());
  }

  /** At `due`, at once if the time has passed. `isOver`: the work is done, so the alarm of the watch is not needed. */
  async #arm(due: number | null, isOver = false): Promise<void> {
    const set = await this.ctx.storage.getAlarm();
    if (due === null) return isOver && set !== null ? this.ctx.storage.deleteAlarm() : undefined;
    const at = Math.max(due, systemClock.now());
    if (isOver || set === null || set > at) await this.ctx.storage.setAlarm(at);
  }

  /** Without creating tables: anyone may guess a profile's id, and a guess must not leave rows. */
  #exists(): boolean {
    return !this.#isErasing && hasTable(this.#sql, "dispatch");
  }
  /** A turn that was posted while the board was erased is stopped. */
  async #unlessErased<T>(session: SessionId, posted: Promise<T>): Promise<T> {
    const answer = await posted;
    if (!this.#exists()) await this.#workers.stop(session);
    return answer;
  }

  #report(what: string, error: unknown): void {
    console.error(`board ${this.#profile}/${this.#name}: ${what}: ${messageOf(error)}`);
  }
}

function isPlan(method: BoardMethod | PlanKind): method is PlanKind {
  return (PLAN_METHODS as readonly string[]).includes(method);
}

/** The earlier one. `null`: never. */
function first(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
