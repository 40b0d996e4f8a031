// What the API asks of a profile's stored responses. The Account hands it out.
import { RpcTarget } from "cloudflare:workers";
import type { SessionInfo } from "../../core/schemas/api.ts";
import type { SessionId } from "../../core/schemas/ids.ts";
import type { ResponseId, StoredResponse } from "../../core/schemas/stored-response.ts";
import { toSql } from "../sql.ts";
import { createResponseRows } from "./response-rows.ts";

/** What the desk needs of its Account. */
interface SessionList {
  /** False: there is no such profile. Throws if a newer version made its tables, unless the call only reads. */
  isThere(willWrite: boolean): boolean;
  find(session: SessionId): SessionInfo | undefined;
}

export class ResponseDesk extends RpcTarget {
  readonly #rows: ReturnType<typeof createResponseRows>;
  readonly #sessions: SessionList;

  constructor(storage: DurableObjectStorage, sessions: SessionList) {
    super();
    this.#rows = createResponseRows(toSql(storage));
    this.#sessions = sessions;
  }

  /** Does nothing for a deleted profile, or a session that was deleted while its answer began. */
  put(response: StoredResponse): void {
    if (this.#sessions.isThere(true) && this.#sessions.find(response.session)) this.#rows.put(response);
  }
  find(id: ResponseId): StoredResponse | null {
    return this.#sessions.isThere(false) ? this.#rows.find(id, Date.now()) : null;
  }
  /** False: there is none of that id. */
  remove(id: ResponseId): boolean {
    return this.#sessions.isThere(true) && this.#rows.remove(id);
  }
}
