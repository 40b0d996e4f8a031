// The Board object: one board of a profile, with its cards. Its name is `<profile>/<board>`. Called by the API, by the profile's sessions and by
// its Agenda, which lists the boards. See docs/decisions/0097.
import { DurableObject } from "cloudflare:workers";
import { BOARD_SCHEMA } from "../../core/board/board.ts";
import type { BoardMethod } from "../../core/board/board-calls.ts";
import { type Result, err } from "../../core/errors.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import { hasTable, toSql } from "../sql.ts";
import type { BoardEnv } from "./context.ts";

export class Board extends DurableObject<BoardEnv> {
  readonly #sql = toSql(this.ctx.storage);

  /** Makes the tables. Idempotent. Called by the profile's Agenda, once it lists the board. */
  async begin(): Promise<void> {
    if (hasTable(this.#sql, "card")) return;
    this.#sql.transaction(() => {
      for (const query of BOARD_SCHEMA) this.#sql.run(query);
    });
  }
  /** One of the operations of core/board/board-calls.ts. Failures: `board_not_found`, and those of the operation. */
  async call(_method: BoardMethod, _args: unknown[]): Promise<Result<unknown>> {
    return err("board_not_found", "There is no such board. Make it first.");
  }
  /** How the turn of a run has ended, or what it says. Once this has answered, it is stored. Idempotent by its id. */
  async takeDelivery(_delivery: SessionDelivery): Promise<void> {}

  /** Deletes everything. Idempotent. Called by the profile's Agenda. */
  async erase(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }
}
