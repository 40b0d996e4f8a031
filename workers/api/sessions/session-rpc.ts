// What the API asks of a Session, and how it finds one. Names of objects are built here, from the principal, only.
import type { Failure, Result } from "../../../core/errors.ts";
import type {
  Accepted,
  ApprovalDetail,
  ApprovalInfo,
  FileInfo,
  Learning,
  SessionDetail,
  SessionInfo,
  StoredFile,
  TurnObservation,
} from "../../../core/schemas/api.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import type { Observation, Rating } from "../../../core/schemas/learning/learning.ts";
import type { PostedMessage } from "../../../core/session/engine.ts";
import type { Account } from "../../../durable-objects/account.ts";
import type { Archive } from "../../../durable-objects/archive.ts";
import type { Env } from "../env.ts";
import { unwrap } from "../problems.ts";

export interface SessionRpc {
  /** `null`: it was deleted before it was made. */
  create(input: { learning: Learning; title: string; createdAt?: number }): Promise<SessionInfo | null>;
  /** `null` for a session that was never created. */
  detail(): Promise<SessionDetail | null>;
  /** Failures: `session_not_found`, `message_too_long`, `idempotency_conflict`, `too_many_queued`. */
  post(input: PostedMessage): Promise<Result<Accepted>>;
  /**
   * Server-sent events: of `turn` alone, or else of all up to the end of the newest; at once when nothing is to come.
   * Failures: `turn_not_found`, `bad_event_id`.
   */
  events(from: { after?: string; turn?: number }): Promise<Result<ReadableStream<Uint8Array>>>;
  /**
   * A POST of what `post` takes: the events of its turn, whose id is in the header `talaria-turn`; a stream takes longer to
   * begin as the result of a call. Or a WebSocket upgrade: 101. Failures come as JSON: those of `post`, `bad_event_id`,
   * `too_many_readers`.
   */
  fetch(request: Request): Promise<Response>;
  /** Bounded in bytes as well; `next` is absent on the last page. */
  entryPage(asked: { after: number; limit: number }): Promise<Result<{ entries: Entry[]; next?: string }>>;
  stop(): Promise<Result<{ stopped: string[] }>>;
  /** The turn as it is judged now. Failures: `turn_not_found`, `turn_not_ended`, `too_many_ratings`. */
  rate(n: number, rating: Rating): Promise<Result<Observation>>;
  /** Failures: `turn_not_found`, `turn_not_ended`. */
  observation(n: number): Promise<Result<TurnObservation>>;
  /** Failures: `bad_path`, `file_too_large`, `workspace_full`. */
  putFile(path: string, body: Uint8Array): Promise<Result<StoredFile>>;
  getFile(path: string): Promise<Result<Uint8Array<ArrayBuffer>>>;
  deleteFile(path: string): Promise<Result<null>>;
  listFiles(): Promise<Result<FileInfo[]>>;
  listApprovals(): Promise<Result<ApprovalInfo[]>>;
  /** Failure: `approval_not_found`. */
  openApproval(id: string): Promise<Result<ApprovalDetail>>;
  /** Failures: `approval_not_found`, `approval_decided`, `approval_replaced`, and those of `putFile`. */
  decideApproval(id: string, approve: boolean): Promise<Result<ApprovalInfo>>;
}

export function openSession(env: Env, profile: ProfileId, session: SessionId): SessionRpc {
  // The platform's types turn an `unknown` in an answer (a tool call's arguments) into `never`; the objects themselves
  // cross as they are.
  return env.SESSION.getByName(`${profile}/${session}`) as unknown as SessionRpc;
}

/** What came of `fetch`; throws the failure it brought. */
export async function unwrapResponse(response: Response): Promise<Response> {
  return response.status === 400 ? unwrap<never>({ ok: false, failure: await response.json<Failure>() }) : response;
}

export function openAccount(env: Env, profile: ProfileId): DurableObjectStub<Account> {
  return env.ACCOUNT.getByName(profile);
}

export function openArchive(env: Env, profile: ProfileId): DurableObjectStub<Archive> {
  return env.ARCHIVE.getByName(profile);
}
