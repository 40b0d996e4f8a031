// What a profile's experiments ask of its ledger. The Account hands it out; ledger-replays.ts documents the calls.
import { RpcTarget } from "cloudflare:workers";
import type { Sql } from "../../core/ports.ts";
import type { ReplayGrant } from "../../core/experiments/ports.ts";
import { toDayBudget } from "../../core/schemas/usage.ts";
import { type SettingsVariable, readSettings } from "../../wiring/settings.ts";
import { createAccountLedger } from "../account-ledger.ts";
import { openMonth } from "../account-quota.ts";
import { createAccountSettings } from "../account-settings.ts";
import type { AskedReplay, ReplayBooking } from "../ledger-replays.ts";

export class GrantDesk extends RpcTarget {
  readonly #open: () => Sql | null;
  readonly #env: SettingsVariable;

  /** `open`: `null` for a deleted profile. Throws if a newer version made its tables. */
  constructor(open: () => Sql | null, env: SettingsVariable) {
    super();
    [this.#open, this.#env] = [open, env];
  }

  /** `null`: nothing is left, or the profile was deleted. */
  reserve(asked: AskedReplay): ReplayGrant | null {
    const sql = this.#open();
    if (!sql) return null;
    const settings = createAccountSettings(sql);
    const { review, budget } = settings.inForce(readSettings(this.#env));
    const month = openMonth(sql, settings, createAccountLedger(sql));
    const limit = review.replayTokens;
    const left = month.reserveReplay({ ...asked, limit, day: toDayBudget(budget) });
    return left && { ...left, ofDay: limit };
  }
  /** Idempotent. A deleted profile has no ledger. */
  book(booking: ReplayBooking): void {
    const sql = this.#open();
    if (sql) createAccountLedger(sql).bookReplay(booking);
  }
  /** Idempotent. */
  release(id: string): void {
    const sql = this.#open();
    if (sql) createAccountLedger(sql).release(id);
  }
}
