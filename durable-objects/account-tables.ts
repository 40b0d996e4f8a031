// The tables of an Account, as it makes and drops them. A table that is made with its first row is made where that row is written.
import { CONVERSATION_TABLES, createConversationRows } from "./conversations/conversation-rows.ts";
import type { Sql } from "../core/ports.ts";
import type { SessionId } from "../core/schemas/ids.ts";
import { HOOK_TABLES, openDeliveryRows } from "../core/hooks/delivery-rows.ts";
import { APPROVAL_TABLES } from "./account-approvals.ts";
import { CURATION_SCHEMA } from "./account-curation.ts";
import { ERASURE_SCHEMA, createErasures } from "./account-erasure.ts";
import type { AccountLedger } from "./account-ledger.ts";
import { SESSION_SCHEMA, SESSION_TABLES, createSessionRows } from "./account-sessions.ts";
import { SETTINGS_TABLE } from "./account-settings.ts";
import { SUGGESTION_TABLE } from "./account-suggestions.ts";
import { TRAINING_TABLES, createTrainingRows } from "./training/training-rows.ts";
import { SIGN_IN_CODE_TABLE } from "./keys/sign-in-codes.ts";
import { SIGN_IN_TABLE } from "./keys/sign-in-rows.ts";
import { UPKEEP_SCHEMA } from "./account-upkeep.ts";
import { AUDIT_TABLE } from "./keys/audit-rows.ts";
import { SOCKET_TABLE, createKeySockets } from "./keys/key-sockets.ts";
import { LIBRARY_TABLES } from "./library/library-rows.ts";
import { RESPONSE_TABLES, createResponseRows } from "./responses/response-rows.ts";
import { RUN_TABLES, createRunRows } from "./runs/run-rows.ts";
import { toSql } from "./sql.ts";

/** All tables except those that an erasure still needs. */
export const OWN_TABLES = [
  ...["keys", "review_slot", "booked", "usage_line", "reservation", "account_state", "curation_request"],
  ...SESSION_TABLES,
  ...CONVERSATION_TABLES,
  ...APPROVAL_TABLES,
  SETTINGS_TABLE,
  SUGGESTION_TABLE,
  ...TRAINING_TABLES,
  ...HOOK_TABLES,
  ...RUN_TABLES,
  ...RESPONSE_TABLES,
  SIGN_IN_TABLE,
  SIGN_IN_CODE_TABLE,
  SOCKET_TABLE,
  AUDIT_TABLE,
  ...LIBRARY_TABLES,
];

export const MORE_SCHEMA = [...SESSION_SCHEMA, ...ERASURE_SCHEMA, ...CURATION_SCHEMA, ...UPKEEP_SCHEMA];

/**
 * Forgets a session and those that it began, and plans that the rest of them is erased. False: there is no such session, and no erasure of it
 * waits.
 */
export function beginSessionErasure(
  storage: DurableObjectStorage,
  { session, ledger, now }: { session: SessionId; ledger: Pick<AccountLedger, "forgetSession">; now: number },
): boolean {
  const sql = toSql(storage);
  const [sessions, erasures] = [createSessionRows(sql), createErasures(sql)];
  return storage.transactionSync(() => {
    const begun = sessions.descendants(session);
    if (!sessions.remove(session) && !erasures.isPending("session", session)) return false;
    for (const one of [session, ...begun]) {
      sessions.remove(one);
      forgetSessionRows(sql, one);
      ledger.forgetSession(one);
      erasures.begin("session", one, now);
    }
    return true;
  });
}

/** What the Account keeps of a session for programs and sockets: it dies with the session. Inside the caller's transaction. */
export function forgetSessionRows(sql: Sql, session: SessionId): void {
  const ofHooks = openDeliveryRows(sql);
  const tables = [
    createRunRows(sql),
    createResponseRows(sql),
    createConversationRows(sql),
    createKeySockets(sql),
    ofHooks,
  ];
  for (const rows of tables) rows.forgetSession(session);
}

/** Removes what is too old. */
export function tidyRows(sql: Sql, now: number): void {
  createRunRows(sql).tidy(now);
  createResponseRows(sql).tidy(now);
  createConversationRows(sql).tidy(now);
  createTrainingRows(sql).tidy(now);
}
