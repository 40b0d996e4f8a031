// A profile's Account for sessions outside workerd: the real ledger, over an in-memory database.
import type { AccountPort } from "../../core/session/context.ts";
import { LEDGER_SCHEMA, createAccountLedger } from "../../durable-objects/account-ledger.ts";
import { createNodeSql } from "./bindings/node-sql.ts";

export function createAccountDouble() {
  const sql = createNodeSql();
  for (const statement of LEDGER_SCHEMA) sql.run(statement);
  const ledger = createAccountLedger(sql);
  const port: AccountPort = {
    reserveReview: async (request) => ledger.reserveReview(request),
    reserveTurn: async (request) => ledger.reserveTurn(request),
    book: async (booking) => void ledger.book(booking),
  };
  return { ...ledger, port, reservations: () => sql.run<{ id: string }>("SELECT id FROM reservation") };
}
