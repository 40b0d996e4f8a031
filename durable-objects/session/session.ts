// The Session object: the shell around core/session/engine.ts. One of the places where things are wired: bindings become
// ports here and nowhere below. Its name is `<profile>/<session>`, built by workers/api from the principal.
import { DurableObject } from "cloudflare:workers";
import type { PutAnswer } from "../../core/archive/messages/split-archive.ts";
import type { ModelChain } from "../../core/agent/contract.ts";
import { type Result, StateNewerError, assert, err, messageOf, ok } from "../../core/errors.ts";
import { parseSettings } from "../../core/limits.ts";
import type { ProviderEnv } from "../../core/memory/provider-env.ts";
import { createCircuit } from "../../core/memory/provider-guard.ts";
import { type ProviderDeps, openProvider } from "../../core/memory/providers/index.ts";
import type { ModelEnv } from "../../core/models/model-env.ts";
import type { ExecEnv } from "../../core/tools/host/exec-env.ts";
import type { SearchEnv } from "../../core/tools/web/search/search-env.ts";
import type { Alarm } from "../../core/ports.ts";
import type { CreatedSession } from "../../core/schemas/api.ts";
import type { Decision } from "../../core/session/approvals/approvals.ts";
import type { ProfileSettings } from "../../core/schemas/profile/settings.ts";
import { ProfileId, SessionId } from "../../core/schemas/ids.ts";
import type { Rating } from "../../core/schemas/learning/learning.ts";
import type { ReviewMessage } from "../../core/schemas/learning/review.ts";
import type { BranchNeed, BranchPage, BranchPlan } from "../../core/schemas/sessions/branch.ts";
import type { ClientResult } from "../../core/schemas/sessions/client-part.ts";
import type { BranchRequest } from "../../core/session/branch/read-branch.ts";
import type { AskedSessionPage } from "../../core/session/moving/export-session.ts";
import type { MovedSessionRow } from "../../core/schemas/moving/lines.ts";
import { type BoardCallee, toBoardCalls } from "../../core/board/board-calls.ts";
import type { ChangeSession } from "../../core/schemas/sessions/session-choice.ts";
import type { ChildReport, ChildTask } from "../../core/schemas/sessions/delegation.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import { readBeginner } from "../../core/session/channel/begun-by.ts";
import type { PostedMessage } from "../../core/session/accept-message.ts";
import type { ChildPort, SessionHost } from "../../core/session/context.ts";
import {
  type AcceptedStream,
  type SessionCalls,
  type NewSession,
  type SessionEngine,
  createSessionEngine,
} from "../../core/session/engine.ts";
import type { ExchangeAsked } from "../../core/session/readers/exchange.ts";
import type { AskedEvents } from "../../core/session/readers/readers.ts";
import { CLOSE_CODES, type ReaderState, type StandingReader } from "../../core/session/readers/standing-reader.ts";
import { seeds } from "../../skills-seed/index.ts";
import { toQueue } from "../../stores/platform/queue.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { runChecks } from "../../wiring/checks.ts";
import { type LoaderBinding, openSandbox } from "../../wiring/sandbox.ts";
import { openImageMaker } from "../../wiring/images.ts";
import { openModels, readModelChoices } from "../../wiring/models.ts";
import { openExecHost } from "../../wiring/exec.ts";
import { createMcpDialer } from "../../wiring/mcp/dialer.ts";
import { type SettingsAccount, openMcpDeps, storeCatalog } from "../../wiring/mcp/open-mcp.ts";
import { type SealingEnv, openSealer } from "../../wiring/sealing.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { type BrowserBinding, openWeb } from "../../wiring/web.ts";
import {
  type StoreScope,
  SESSION_INDEXES,
  openBucket,
  openEvidenceStore,
  openPendingStore,
  openReviewStore,
  openSessionMemory,
  openSkillStore,
} from "../../wiring/stores.ts";
import type { Account } from "../account.ts";
import type { Agenda } from "../agenda/agenda.ts";
import type { Archive } from "../archive.ts";
import type { Board } from "../board/board.ts";
import type { Channels } from "../channels/channels.ts";
import { toSql } from "../sql.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { openGoals, openJobs } from "./agenda-ports.ts";
import { isErased, leaveTombstone, guardErased } from "./erased.ts";

export interface SessionEnv
  extends ModelEnv, ProviderEnv, ExecEnv, SearchEnv, BrowserBinding, LoaderBinding, SealingEnv {
  SKILLS: R2Bucket;
  MEMORY: KVNamespace;
  REVIEWS: Queue<ReviewMessage>;
  SESSION: DurableObjectNamespace<Session>;
  ACCOUNT: DurableObjectNamespace<Account>;
  ARCHIVE: DurableObjectNamespace<Archive>;
  CHANNELS: DurableObjectNamespace<Channels>;
  WEBHOOKS: DurableObjectNamespace<Webhooks>;
  AGENDA: DurableObjectNamespace<Agenda>;
  BOARD: DurableObjectNamespace<Board>;
  TALARIA_SETTINGS?: string;
}

const WRONG_SETTINGS_MS = 60_000;
const SESSION_GONE = err("session_gone", "This session, or the one that began it, has been deleted.");

/** 32 letters, so that five random bits select one. */
const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

/** Shared by the sessions of an isolate, and with it the circuit breaker of the memory provider. */
const MEMORY_DEPS: Omit<ProviderDeps, "fetch"> = {
  clock: systemClock,
  circuit: createCircuit(systemClock),
};

export class Session extends DurableObject<SessionEnv> implements SessionCalls {
  readonly #opened: Result<SessionEngine>;
  readonly #readers = new Map<WebSocket, StandingReader>();
  /** Counts of changes are compared within one life of the object only. */
  readonly #life = crypto.randomUUID();
  /** Set when the session is deleted: work that still runs can no longer reach a store. */
  #isErased = false;

  constructor(ctx: DurableObjectState, env: SessionEnv) {
    super(ctx, env);
    const settings = parseSettings(env.TALARIA_SETTINGS);
    const host = settings.ok ? toHost(ctx, env, settings.value) : null;
    this.#opened = host ? openEngine(this.adapt(guardErased(host, () => this.#isErased))) : (settings as Result<never>);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    const kept = (socket: WebSocket) => ({
      reader: this.#toReader(socket),
      kept: socket.deserializeAttachment() as ReaderState,
    });
    if (this.#opened.ok) this.#opened.value.rejoin(ctx.getWebSockets().map(kept));
  }

  /** Lets a bench or a chaos run wrap the ports of the engine. */
  protected adapt(host: SessionHost): SessionHost {
    return host;
  }

  get #engine(): SessionEngine {
    assert(this.#opened.ok, this.#opened.ok ? "" : this.#opened.failure.message);
    return this.#opened.value;
  }

  /** `null`: the session was deleted before it was created. */
  async create(input: NewSession): Promise<CreatedSession | null> {
    return this.#isGone() ? null : this.#engine.create(input);
  }
  #isGone(): boolean {
    return this.#isErased || isErased(this.ctx.storage);
  }
  /** `null`: the session was deleted before it was whole. */
  async takeBranch(plan: BranchPlan, page: BranchPage | null): Promise<BranchNeed | null> {
    return this.#isGone() ? null : this.#engine.takeBranch(plan, page);
  }
  // ---- whole profiles out and in ----
  async exportPage(asked: AskedSessionPage) {
    return this.#isGone() ? SESSION_GONE : this.#engine.exportPage(asked, this.#life);
  }
  async readTrajectory(after: number) {
    return this.#isGone() ? SESSION_GONE : this.#engine.readTrajectory(after);
  }
  async importPage(rows: MovedSessionRow[], trusted: boolean) {
    return this.#isGone() ? SESSION_GONE : this.#engine.importPage(rows, trusted);
  }
  async adopt(): Promise<boolean> {
    return this.#isGone() ? false : this.#engine.adopt();
  }
  /** What the session has used and not booked. Called by the profile's Account before it deletes the session. */
  async unbooked() {
    return this.#isGone() ? { bookings: [], children: [] } : this.#engine.unbooked();
  }
  /** Deletes everything and leaves a tombstone. Idempotent. Called by the profile's Account. */
  async erase(): Promise<void> {
    this.#isErased = true;
    if (this.#opened.ok) this.#opened.value.end();
    const { storage } = this.ctx;
    await storage.deleteAlarm();
    if (isErased(storage)) return;
    await storage.deleteAll();
    leaveTombstone(storage);
  }
  // ---- calls that the engine answers; core/session/engine.ts documents them ----
  async detail() {
    return this.#engine.detail();
  }
  async promptSize() {
    return this.#engine.promptSize();
  }
  async listTools() {
    return this.#engine.listTools();
  }
  async post(input: PostedMessage) {
    return this.#engine.post(input);
  }
  async answerClient(results: readonly ClientResult[]) {
    return this.#engine.answerClient(results);
  }
  async events(from: AskedEvents) {
    return this.#engine.events(from);
  }
  async entryPage(asked: { after: number; limit: number }) {
    return this.#engine.entryPage(asked);
  }
  async readExchange(asked: ExchangeAsked) {
    return this.#engine.readExchange(asked);
  }
  async countEntries(asked: { turn: number; from: number; to: number }) {
    return this.#engine.countEntries(asked);
  }
  async stop() {
    return this.#engine.stop();
  }
  async planBranch(asked: BranchRequest) {
    return this.#engine.planBranch(asked);
  }
  async readBranch(plan: BranchPlan, need: BranchNeed) {
    return this.#engine.readBranch(plan, need);
  }
  async change(changes: ChangeSession, settingsRev: number) {
    return this.#engine.change(changes, settingsRev);
  }
  async rate(n: number, rating: Rating) {
    return this.#engine.rate(n, rating);
  }
  async observation(n: number) {
    return this.#engine.observation(n);
  }
  async readTurn(n: number) {
    return this.#engine.readTurn(n);
  }
  async stopTurn(n: number) {
    return this.#engine.stopTurn(n);
  }
  async putFile(path: string, body: Uint8Array) {
    return this.#engine.putFile(path, body);
  }
  async getFile(path: string) {
    return this.#engine.getFile(path);
  }
  async deleteFile(path: string) {
    return this.#engine.deleteFile(path);
  }
  async getImage(sha256: string) {
    return this.#engine.getImage(sha256);
  }
  async listFiles() {
    return this.#engine.listFiles();
  }
  async listCheckpoints() {
    return this.#engine.listCheckpoints();
  }
  async openCheckpoint(n: number, path?: string) {
    return this.#engine.openCheckpoint(n, path);
  }
  async restoreCheckpoint(n: number, key?: string) {
    return this.#engine.restoreCheckpoint(n, key);
  }
  async deleteCheckpoints() {
    return this.#engine.deleteCheckpoints();
  }
  async exportWorkspace() {
    return this.#engine.exportWorkspace();
  }
  async importWorkspace(zip: Uint8Array, replace: boolean) {
    return this.#engine.importWorkspace(zip, replace);
  }
  async listApprovals() {
    return this.#engine.listApprovals();
  }
  async openApproval(id: string) {
    return this.#engine.openApproval(id);
  }
  async decideApproval(id: string, decision: Decision) {
    return this.#engine.decideApproval(id, decision);
  }
  async stopChild(task: ChildTask) {
    return this.#isGone() ? SESSION_GONE : this.#engine.stopChild(task);
  }
  async beginChild(task: ChildTask) {
    return this.#isGone() ? SESSION_GONE : this.#engine.beginChild(task);
  }
  async lookAtChild() {
    return this.#engine.lookAtChild();
  }
  async loseChild(child: SessionId) {
    return this.#engine.loseChild(child);
  }
  async takeReport(child: SessionId, report: ChildReport) {
    return this.#engine.takeReport(child, report);
  }
  async lookAtGoal(): Promise<boolean> {
    return this.#isGone() ? false : this.#engine.lookAtGoal();
  }
  async listChildren() {
    return this.#engine.listChildren();
  }
  async listAllowances() {
    return this.#engine.listAllowances();
  }
  async revokeAllowance(id: string) {
    return this.#engine.revokeAllowance(id);
  }

  /**
   * The calls that answer with a connection; callers are already authenticated by workers/api. A POST of a `PostedMessage`
   * answers with the events of its turn, whose id is in the header `talaria-turn`: a stream begins later when it is the
   * result of an RPC call. Anything else is a WebSocket upgrade (101). Failures are JSON with status 400: those of `post`,
   * `bad_event_id`, `too_many_readers`.
   */
  override fetch(request: Request): Response | Promise<Response> {
    return request.method === "POST" ? this.#stream(request) : this.#watch(request);
  }

  async #stream(request: Request): Promise<Response> {
    const posted = await this.postAndRead(await request.json<PostedMessage>());
    if (!posted.ok) return Response.json(posted.failure, { status: 400 });
    const { accepted, events } = posted.value;
    return new Response(events, { headers: { "talaria-turn": accepted.turn } });
  }
  protected async postAndRead(input: PostedMessage): Promise<Result<AcceptedStream>> {
    return this.#engine.postAndRead(input);
  }

  /** Connects a reader from `after` on, opened by `owner`. The object may hibernate while the connection stays open. */
  #watch(request: Request): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    const { searchParams } = new URL(request.url);
    const owner = searchParams.get("owner");
    const watching = this.#engine.watch(searchParams.get("after") ?? undefined, () => {
      this.ctx.acceptWebSocket(server, owner === null ? [] : [owner]);
      return this.#toReader(server);
    });
    if (!watching.ok) return Response.json(watching.failure, { status: 400 });
    return new Response(null, { status: 101, webSocket: client });
  }
  /** Closes the sockets that `owner` has opened: its key or sign-in has ended. Idempotent. Called by the profile's Account. */
  async closeSockets(owner: string, reason: string): Promise<void> {
    for (const socket of this.ctx.getWebSockets(owner)) {
      this.#leave(socket);
      socket.close(CLOSE_CODES.keyEnded, reason);
    }
  }
  /** Never called for `ping`: the platform answers it without waking the object. */
  override webSocketMessage(socket: WebSocket): void {
    this.#leave(socket);
    socket.close(CLOSE_CODES.notUnderstood, "Readers only listen: say `ping` or nothing.");
  }
  /** Answers the close: the client waits for it, and its process would not exit. */
  override webSocketClose(socket: WebSocket): void {
    this.#leave(socket);
    socket.close();
  }
  override webSocketError(socket: WebSocket): void {
    this.#leave(socket);
  }

  #toReader(socket: WebSocket): StandingReader {
    const reader: StandingReader = {
      send: (text) => socket.send(text),
      close: (code, reason) => socket.close(code, reason),
      keep: (kept) => socket.serializeAttachment(kept),
    };
    this.#readers.set(socket, reader);
    return reader;
  }

  #leave(socket: WebSocket): void {
    const reader = this.#readers.get(socket);
    this.#readers.delete(socket);
    if (reader && this.#opened.ok) this.#opened.value.leave(reader);
  }

  /** With invalid settings the alarm repeats until the operator has fixed them. A throw would end it after six retries. */
  override async alarm(): Promise<void> {
    if (this.#opened.ok) return this.#opened.value.alarm();
    console.error(this.#opened.failure.message);
    await this.ctx.storage.setAlarm(systemClock.now() + WRONG_SETTINGS_MS);
  }
}

/** A session that a newer version wrote stays unchanged, and every call fails with `state_newer`. */
function openEngine(host: SessionHost): Result<SessionEngine> {
  try {
    return ok(createSessionEngine(host));
  } catch (error) {
    if (error instanceof StateNewerError) return err("state_newer", error.message);
    throw error;
  }
}

function toHost(ctx: DurableObjectState, env: SessionEnv, settings: Settings): SessionHost {
  const [profilePart, sessionPart] = (ctx.id.name ?? "").split("/");
  const profile = ProfileId.parse(profilePart);
  const session = SessionId.parse(sessionPart);
  const clock = systemClock;
  const place: StoreScope = { bucket: openBucket(env.SKILLS), profile, settings };
  const chains = new Map<string, Result<ModelChain>>();
  const outbound = openOutbound(env, settings);
  const memoryProvider = openProvider(env, { profile, session }, { ...MEMORY_DEPS, fetch: outbound.fetch });
  // A session works without a memory provider. The log tells the operator what is wrong.
  if (!memoryProvider.ok) console.error(`session ${session}: memory provider: ${memoryProvider.failure.message}`);
  const account: SettingsAccount = {
    readSettings: () => env.ACCOUNT.getByName(profile).readSettings() as Promise<ProfileSettings>,
    putSetting: (...setting) => env.ACCOUNT.getByName(profile).putSetting(...setting) as Promise<Result<null>>,
  };
  const exec = openExecHost(env, profile, outbound);
  if (!exec.ok) console.error(`session ${session}: exec host: ${exec.failure.message}`);
  return {
    profile,
    session,
    exec: exec.ok ? exec.value : null,
    sql: toSql(ctx.storage),
    alarm: toAlarm(ctx.storage),
    clock,
    random: Math.random,
    settings,
    token: () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => LETTERS[byte & 31]).join(""),
    models(slot, first) {
      const key = `${slot} ${first ?? ""}`;
      const chain = chains.get(key) ?? openModels(env, settings, slot, outbound, first);
      chains.set(key, chain);
      return chain;
    },
    modelChoices: () => readModelChoices(env, settings).map(({ name }) => name),
    seeds,
    runChecks,
    sandbox: openSandbox(env, settings, clock, (problem) => console.error(`session ${session}: ${problem}`)),
    skills: openSkillStore(place, { indexes: SESSION_INDEXES }),
    search: (query) => env.ARCHIVE.getByName(profile).searchSkills(query),
    memory: (overlay) => openSessionMemory(env.MEMORY, place, overlay),
    outbound,
    imageMaker: openImageMaker(env, settings, outbound),
    memoryProvider: memoryProvider.ok ? memoryProvider.value : null,
    evidence: openEvidenceStore(place),
    archive: {
      observe: (signature) => env.ARCHIVE.getByName(profile).observeTurn(signature),
      name: (turns) => env.ARCHIVE.getByName(profile).nameTurns(turns),
    },
    sessions: {
      recent: (limit) => env.ACCOUNT.getByName(profile).listSessions({ limit }),
      find: (sessions) => env.ACCOUNT.getByName(profile).findSessions(sessions),
      rename: (title) => env.ACCOUNT.getByName(profile).renameSession(session, title),
    },
    messages: {
      async put(turn, year) {
        const part = env.ARCHIVE.getByName(year === null ? profile : `${profile}/${year}`);
        const put = (await part.putMessages(turn)) as Result<PutAnswer>;
        if (!put.ok) throw new Error(`${put.failure.code}: ${put.failure.message}`);
        return put.value.stored ? null : put.value.year;
      },
      search: (query) => env.ARCHIVE.getByName(profile).searchMessages(query),
      around: (of, n, before, after) => env.ARCHIVE.getByName(profile).messagesAround(of, n, before, after),
      rename: (of, title) => env.ARCHIVE.getByName(profile).renameSession(of, title),
    },
    web: openWeb(env, settings, outbound, (problem) => console.error(`session ${session}: web_search: ${problem}`)),
    pending: openPendingStore(place),
    reviews: openReviewStore(place),
    queue: toQueue(env.REVIEWS),
    account: {
      reserveReview: (request) => env.ACCOUNT.getByName(profile).reserveReview(request),
      reserveTurn: (request) => env.ACCOUNT.getByName(profile).reserveTurn(request),
      book: (booking) => env.ACCOUNT.getByName(profile).book(booking),
      tellFollowers: () => env.ACCOUNT.getByName(profile).tellFollowers(),
    },
    approvals: {
      read: () => env.ACCOUNT.getByName(profile).readApprovals(),
      allow: (allowance) => env.ACCOUNT.getByName(profile).allow(allowance) as Promise<Result<null>>,
      revoke: async (id) => (await env.ACCOUNT.getByName(profile).revokeAllowance(id)).ok,
    },
    mcp: {
      dialer: createMcpDialer(
        openMcpDeps(account, { outbound, sealer: openSealer(env, profile), exec: exec.ok ? exec.value : null }),
      ),
      storeCatalog: (server, catalog) => storeCatalog(account, server, catalog),
    },
    readProfileSettings: account.readSettings,
    goals: openGoals(env, profile, session),
    profileJobs: openJobs(env, profile),
    children: openChildren(env, profile, session),
    channels: { take: (delivery) => openTaker(env, profile, delivery).takeDelivery(delivery) },
    board: { open: (name) => toBoardCalls(env.BOARD.getByName(`${profile}/${name}`) as unknown as BoardCallee) },
    hooks: { take: (event) => env.ACCOUNT.getByName(profile).takeHookEvent(event) },
    background: (work) => ctx.waitUntil(work),
    report: (what, error) => console.error(`session ${session}: ${what}: ${messageOf(error)}`),
  };
}

/** The object that began the turn, which hears what it says. */
function openTaker(env: SessionEnv, profile: ProfileId, { origin }: SessionDelivery) {
  const beginner = readBeginner(origin);
  switch (beginner.kind) {
    case "channel":
      return env.CHANNELS.getByName(profile);
    case "webhook":
      return env.WEBHOOKS.getByName(profile);
    case "job":
      return env.AGENDA.getByName(profile);
    case "card":
      return env.BOARD.getByName(`${profile}/${beginner.board}`);
  }
}

/** The children of a session are objects of the same profile: their names are built from it. */
function openChildren(env: SessionEnv, profile: ProfileId, parent: SessionId): ChildPort {
  const open = (session: SessionId) => env.SESSION.getByName(`${profile}/${session}`) as unknown as ChildRpc;
  const register = (session: SessionId, { title, learning, createdAt }: ChildTask): Promise<boolean> =>
    env.ACCOUNT.getByName(profile).registerSession({ session, title, learning, createdAt, kind: "delegated", parent });
  return {
    begin: async (child, task) => ((await register(child, task)) ? open(child).beginChild(task) : SESSION_GONE),
    stop: async (child, task) => ((await register(child, task)) ? open(child).stopChild(task) : SESSION_GONE),
    look: (child) => open(child).lookAtChild(),
    report: (to, child, report) => open(to).takeReport(child, report),
  };
}

type ChildRpc = Pick<Session, "beginChild" | "stopChild" | "lookAtChild" | "takeReport">;

function toAlarm(storage: DurableObjectStorage): Alarm {
  return {
    set: (at) => (at === null ? storage.deleteAlarm() : storage.setAlarm(at)),
  };
}
