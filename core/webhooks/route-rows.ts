// The webhook routes of a profile, and the sessions they have. Tables are made with the first route. Used by the Webhooks object, over any
// Sql. Synchronous.
import { parseStored } from "../errors.ts";
import type { Sql } from "../ports.ts";
import type { SessionId } from "../schemas/ids.ts";
import { StoredWebhook, type WebhookName } from "../schemas/webhooks/webhook.ts";

export const ROUTE_SCHEMA = [
  "CREATE TABLE IF NOT EXISTS webhook_route (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
  `CREATE TABLE IF NOT EXISTS webhook_session (route TEXT, key TEXT, session TEXT NOT NULL, PRIMARY KEY (route, key))
    STRICT, WITHOUT ROWID`,
];

export type RouteRows = ReturnType<typeof createRouteRows>;

export function createRouteRows(sql: Sql) {
  return {
    /** Throws `StateNewerError` for a route that a newer version wrote. */
    find(name: WebhookName): StoredWebhook | null {
      const [row] = sql.run<{ body: string }>("SELECT body FROM webhook_route WHERE name = ?", name);
      return row ? parse(name, row.body) : null;
    },
    /** By name. */
    list(): { name: WebhookName; route: StoredWebhook }[] {
      const rows = sql.run<{ name: WebhookName; body: string }>("SELECT name, body FROM webhook_route ORDER BY name");
      return rows.map(({ name, body }) => ({ name, route: parse(name, body) }));
    },
    count: (): number => sql.run<{ n: number }>("SELECT count(*) AS n FROM webhook_route")[0]!.n,
    put(name: WebhookName, route: StoredWebhook): void {
      const body = JSON.stringify(route);
      sql.run("INSERT INTO webhook_route VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body", name, body);
    },
    /** With its sessions' bindings. The sessions stay. */
    remove(name: WebhookName): void {
      sql.run("DELETE FROM webhook_route WHERE name = ?", name);
      sql.run("DELETE FROM webhook_session WHERE route = ?", name);
    },
    /** The session of a key of the route, or `fresh`, which is its from now on. Inside the caller's transaction. */
    bind(name: WebhookName, key: string, fresh: SessionId): SessionId {
      const query = "SELECT session FROM webhook_session WHERE route = ? AND key = ?";
      const [known] = sql.run<{ session: SessionId }>(query, name, key);
      if (known) return known.session;
      sql.run("INSERT INTO webhook_session VALUES (?, ?, ?)", name, key, fresh);
      return fresh;
    },
    /** The session was deleted, and its key goes with it. Before `fresh` takes its place, what waits for the session keeps it bound. */
    forgetSession(session: SessionId): void {
      sql.run(
        `DELETE FROM webhook_session WHERE session = ?1 AND NOT EXISTS
          (SELECT 1 FROM webhook_delivery WHERE lane = ?1 AND due IS NOT NULL)`,
        session,
      );
    },
    /** The session was deleted; `fresh` takes its place. Inside the caller's transaction. */
    rebind(name: WebhookName, session: SessionId, fresh: SessionId): void {
      sql.run("UPDATE webhook_session SET session = ? WHERE route = ? AND session = ?", fresh, name, session);
    },
  };
}

function parse(name: string, body: string): StoredWebhook {
  return parseStored(StoredWebhook, `The webhook ${name}`, JSON.parse(body));
}
