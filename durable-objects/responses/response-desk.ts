// What the API asks of a profile's stored responses. The Account hands it out.
import { RpcTarget } from "cloudflare:workers";
import type { ResponseId, StoredResponse } from "../../core/schemas/stored-response.ts";
import { toSql } from "../sql.ts";
import { createResponseRows } from "./response-rows.ts";

export class ResponseDesk extends RpcTarget {
  readonly #rows: ReturnType<typeof createResponseRows>;
  readonly #isThere: (willWrite: boolean) => boolean;

  /** `isThere`: false if there is no such profile. Throws if a newer version made its tables, unless the call only reads. */
  constructor(storage: DurableObjectStorage, isThere: (willWrite: boolean) => boolean) {
    super();
    this.#rows = createResponseRows(toSql(storage));
    this.#isThere = isThere;
  }

  /** Does nothing for a deleted profile. */
  put(response: StoredResponse): void {
    if (this.#isThere(true)) this.#rows.put(response);
  }
  find(id: ResponseId): StoredResponse | null {
    return this.#isThere(false) ? this.#rows.find(id, Date.now()) : null;
  }
  /** False: there is none of that id. */
  remove(id: ResponseId): boolean {
    return this.#isThere(true) && this.#rows.remove(id);
  }
}
