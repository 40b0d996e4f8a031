// What the owner said of suggestions: accepted or dismissed, so that none comes again, also after the profile has moved. The table is made with
// the first row. Called by the Account.
import { MAX_DECISIONS } from "../core/blueprints/suggestions/suggest.ts";
import type { Sql } from "../core/ports.ts";
import { SuggestionDecision } from "../core/schemas/agenda/blueprint.ts";
import { hasTable } from "./sql.ts";

export type { SuggestionDecision };

export const SUGGESTION_TABLE = "suggestion_decision";

export const SUGGESTION_SCHEMA =
  "CREATE TABLE IF NOT EXISTS suggestion_decision (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID";

export function createAccountSuggestions(sql: Sql) {
  return {
    /** Stores a decision, if one is given, and returns all, at most `MAX_DECISIONS`. Idempotent: what was said first stays. */
    put(decision: SuggestionDecision | null): SuggestionDecision[] {
      return sql.transaction(() => {
        if (decision) {
          const row = [decision.id, JSON.stringify(decision)];
          sql.run(SUGGESTION_SCHEMA);
          sql.run(`INSERT INTO ${SUGGESTION_TABLE} VALUES (?, ?) ON CONFLICT DO NOTHING`, ...row);
        }
        return hasTable(sql, SUGGESTION_TABLE) ? read() : [];
      });
    },
  };

  function read(): SuggestionDecision[] {
    return sql
      .run<{ body: string }>(`SELECT body FROM ${SUGGESTION_TABLE} ORDER BY id LIMIT ${MAX_DECISIONS}`)
      .map(({ body }) => SuggestionDecision.parse(JSON.parse(body)));
  }
}
