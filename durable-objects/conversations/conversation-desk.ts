// What the API asks of a profile's conversations with compatible clients. The Account hands it out. Each call is one transaction.
import { RpcTarget } from "cloudflare:workers";
import { type Result, err, ok } from "../../core/errors.ts";
import type { SessionInfo } from "../../core/schemas/api.ts";
import type { SessionId } from "../../core/schemas/ids.ts";
import {
  type BegunRequest,
  type ConversationAsked,
  type DoorPlan,
  type FoundConversation,
  createConversationRows,
} from "./conversation-rows.ts";
import { toSql } from "../sql.ts";
import { beginConversation } from "./begin-conversation.ts";

/** What the desk needs of its Account. */
interface SessionList {
  /** False: there is no account. Throws if a newer version made the tables, unless the call only reads. */
  isThere(willWrite: boolean): boolean;
  find(session: SessionId): SessionInfo | undefined;
  register(session: SessionInfo): boolean;
}

export class ConversationDesk extends RpcTarget {
  readonly #storage: DurableObjectStorage;
  readonly #sessions: SessionList;

  constructor(storage: DurableObjectStorage, sessions: SessionList) {
    super();
    this.#storage = storage;
    this.#sessions = sessions;
  }

  /** Failures: `session_not_found` for a session that the client names, `idempotency_conflict`. */
  find({ repeats, session, name, chains }: ConversationAsked): Result<FoundConversation> {
    const { isThere, find } = this.#sessions;
    if (!isThere(false)) return ok({ joined: null, named: null, rows: [] });
    const now = Date.now();
    const rows = createConversationRows(toSql(this.#storage));
    const joined = repeats ? rows.joined(repeats, now) : ok(null);
    if (!joined.ok) return joined;
    const id = session ?? (name === null ? null : rows.named(name));
    const info = id === null ? undefined : find(id);
    if (session && !info) return err("session_not_found", "This profile has no session with that id.");
    const named = info ? { session: info.session, learning: info.learning } : null;
    return ok({ joined: joined.value, named, rows: rows.find(chains, named?.session ?? null, now) });
  }

  /** How the session was to begin. Null if no request of a client began it. */
  findFirst(session: SessionId): DoorPlan | null {
    return this.#sessions.isThere(false) ? createConversationRows(toSql(this.#storage)).first(session) : null;
  }

  /**
   * Stores what the request becomes, and lists the session that it begins. Returns the plan that holds: that of another request, if this one
   * repeats it, or one with the same conversation's name was faster. Failures: `profile_gone`, `idempotency_conflict`, and
   * `session_not_found` or `learning_differs` if a session was deleted or begun since `find`.
   */
  begin(begun: BegunRequest): Result<DoorPlan> {
    return this.#storage.transactionSync(() => {
      if (!this.#sessions.isThere(true)) return err("profile_gone", "This profile has been deleted.");
      const now = Date.now();
      return beginConversation(createConversationRows(toSql(this.#storage)), this.#sessions, begun, now);
    });
  }
}
