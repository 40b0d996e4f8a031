// The Accounts of the platform: the product's ledgers, over in-memory databases.
import type { ReplayBudget } from "../../../core/experiments/ports.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { toDayBudget } from "../../../core/schemas/usage.ts";
import type { AccountPort } from "../../../core/session/context.ts";
import { type AccountLedger, LEDGER_SCHEMA, createAccountLedger } from "../../../durable-objects/account-ledger.ts";
import { createBenchSql } from "./sql.ts";

export function createAccounts({ review, budget }: Settings) {
  const ledgers = new Map<ProfileId, AccountLedger>();

  function ledger(profile: ProfileId): AccountLedger {
    const known = ledgers.get(profile);
    if (known) return known;
    const sql = createBenchSql();
    for (const statement of LEDGER_SCHEMA) sql.run(statement);
    const made = createAccountLedger(sql);
    ledgers.set(profile, made);
    return made;
  }

  return {
    forSession(profile: ProfileId): AccountPort {
      const { reserveReview, reserveTurn, book } = ledger(profile);
      return {
        reserveReview: async (request) => reserveReview(request),
        reserveTurn: async (request) => reserveTurn(request),
        book: async (booking) => void book(booking),
      };
    },
    /** As the Account's desk of grants. */
    forExperiments(profile: ProfileId): ReplayBudget {
      const { reserveReplay, bookReplay, release } = ledger(profile);
      return {
        async reserve(asked) {
          const ofDay = review.replayTokens;
          const left = reserveReplay({ ...asked, limit: ofDay, day: toDayBudget(budget) });
          return left && { ...left, ofDay };
        },
        book: async (booking, grant) => bookReplay({ booking, grant }),
        release: async (id) => release(id),
      };
    },
  };
}
