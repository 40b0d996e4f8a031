// What an export or import of the whole profile asks of its Account, for the API. The Account hands it out; account-moving.ts documents
// the calls. Each fails with `profile_gone` if the profile was deleted.
import { RpcTarget } from "cloudflare:workers";
import { type Result, err, ok } from "../core/errors.ts";
import type { Sql } from "../core/ports.ts";
import type { SessionId } from "../core/schemas/ids.ts";
import type { TablePlace } from "../core/schemas/moving/lines.ts";
import { type AccountRow, createAccountMoving } from "./account-moving.ts";
import { createSessionRows } from "./account-sessions.ts";

const PROFILE_GONE = err("profile_gone", "This profile has been deleted.");

export class MovingDesk extends RpcTarget {
  readonly #open: () => Sql | null;

  /** `open`: the tables of a profile that exists, `null` for a deleted one. Throws if a newer version made them. */
  constructor(open: () => Sql | null) {
    super();
    this.#open = open;
  }

  sessions(after: string): Result<SessionId[]> {
    const sql = this.#open();
    return sql ? ok(createAccountMoving(sql).sessions(after)) : PROFILE_GONE;
  }
  exportPage(asked: { place: TablePlace | null; maxChars: number; last: string }) {
    const sql = this.#open();
    return sql ? ok(createAccountMoving(sql).exportPage({ ...asked, at: Date.now() })) : PROFILE_GONE;
  }
  isEmpty(): Result<boolean> {
    const sql = this.#open();
    return sql ? ok(createAccountMoving(sql).isEmpty()) : PROFILE_GONE;
  }
  importPage(rows: AccountRow[]): Result<null> {
    const sql = this.#open();
    return sql ? createAccountMoving(sql).importPage(rows) : PROFILE_GONE;
  }
  /** A listed session of which nothing arrived: it began while the profile was exported. */
  dropSession(session: SessionId): void {
    const sql = this.#open();
    if (sql) createSessionRows(sql).remove(session);
  }
}
