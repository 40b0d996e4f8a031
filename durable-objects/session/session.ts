// The Session object: the shell around core/session/engine.ts. Its name is `<profile>/<session>`, built by workers/api from the
// principal. What its engine needs is wired in host.ts.
import { DurableObject } from "cloudflare:workers";
import { type Result, StateNewerError, assert, err, ok } from "../../core/errors.ts";
import { parseSettings } from "../../core/limits.ts";
import type { CreatedSession } from "../../core/schemas/api.ts";
import type { Decision } from "../../core/session/approvals/approvals.ts";
import type { SessionId } from "../../core/schemas/ids.ts";
import type { ExperimentId } from "../../core/schemas/learning/experiment.ts";
import type { Rating } from "../../core/schemas/learning/learning.ts";
import type { BranchNeed, BranchPage, BranchPlan } from "../../core/schemas/sessions/branch.ts";
import type { ClientResult } from "../../core/schemas/sessions/client-part.ts";
import type { ReplayNeed } from "../../core/schemas/sessions/replay.ts";
import type { BranchRequest } from "../../core/session/branch/read-branch.ts";
import type { AskedSessionPage } from "../../core/session/moving/export-session.ts";
import type { MovedSessionRow } from "../../core/schemas/moving/lines.ts";
import type { ChangeSession } from "../../core/schemas/sessions/session-choice.ts";
import type { ChildReport, ChildTask } from "../../core/schemas/sessions/delegation.ts";
import type { PostedMessage } from "../../core/session/accept-message.ts";
import type { SessionHost } from "../../core/session/context.ts";
import {
  type AcceptedStream,
  type SessionCalls,
  type NewSession,
  type SessionEngine,
  createSessionEngine,
} from "../../core/session/engine.ts";
import type { RecordedTurn } from "../../core/experiments/ports.ts";
import type { AskedTurn } from "../../core/session/replay/describe-turn.ts";
import type { ExchangeAsked } from "../../core/session/readers/exchange.ts";
import type { AskedEvents } from "../../core/session/readers/readers.ts";
import { CLOSE_CODES, type ReaderState, type StandingReader } from "../../core/session/readers/standing-reader.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { isErased, leaveTombstone, guardErased } from "./erased.ts";
import { SESSION_GONE, type SessionEnv, toHost } from "./host.ts";

const WRONG_SETTINGS_MS = 60_000;

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
  async readReplay(turn: number, need: ReplayNeed) {
    return this.#engine.readReplay(turn, need);
  }
  async change(changes: ChangeSession, settingsRev: number) {
    return this.#engine.change(changes, settingsRev);
  }
  async rate(n: number, rating: Rating) {
    return this.#engine.rate(n, rating);
  }
  /** Called by the profile's Experiments. A deleted session is told nothing. */
  async tellExperiment(id: ExperimentId, text: string) {
    return this.#isGone() ? SESSION_GONE : this.#engine.tellExperiment(id, text);
  }
  async observation(n: number) {
    return this.#engine.observation(n);
  }
  /** A turn that was copied is described by the session that it comes from. `isOrigin`: the caller is its branch, so nobody else is asked. */
  async describeTurn(asked: AskedTurn, isOrigin = false): Promise<RecordedTurn | null> {
    const origin = isOrigin ? null : this.#engine.findOrigin(asked);
    if (origin === null) return this.#engine.describeTurn(asked);
    const [profile] = this.ctx.id.name!.split("/");
    const stub = this.env.SESSION.getByName(`${profile}/${origin}`) as unknown as Pick<Session, "describeTurn">;
    return stub.describeTurn(asked, true);
  }
  async readTurn(n: number) {
    return this.#engine.readTurn(n);
  }
  async readTurnInfo(n: number) {
    return this.#engine.readTurnInfo(n);
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
