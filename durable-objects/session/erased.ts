// What remains of a deleted session: the tombstone in its object, and ports that refuse the work that still runs. Used by
// the objects of sessions and of experiments.
import { DeletedError } from "../../core/errors.ts";
import type { Overlay, Sql } from "../../core/ports.ts";
import type { SessionHost } from "../../core/session/context.ts";

export function isErased(storage: DurableObjectStorage): boolean {
  return (
    storage.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tombstone'").toArray().length > 0
  );
}

/** The table is enough: the object's name says which session it was. */
export function leaveTombstone(storage: DurableObjectStorage): void {
  storage.sql.exec("CREATE TABLE IF NOT EXISTS tombstone (one INTEGER PRIMARY KEY) STRICT, WITHOUT ROWID");
}

export function guardSql(sql: Sql, wasErased: () => boolean): Sql {
  return {
    run: (query, ...values) => (assertNotErased(wasErased), sql.run(query, ...values)),
    transaction: (work) => (assertNotErased(wasErased), sql.transaction(work)),
  };
}

/** Wraps the ports. Once the session is erased, every call is refused and no alarm is set. */
export function guardErased(host: SessionHost, wasErased: () => boolean): SessionHost {
  return {
    ...host,
    sql: guardSql(host.sql, wasErased),
    alarm: { set: async (at) => void (wasErased() || (await host.alarm.set(at))) },
    skills: guardPort(host.skills, wasErased),
    memory: (overlay: Overlay) => guardPort(host.memory(overlay), wasErased),
    evidence: guardPort(host.evidence, wasErased),
    reviews: guardPort(host.reviews, wasErased),
    queue: guardPort(host.queue, wasErased),
    account: guardPort(host.account, wasErased),
    ...(host.archive && { archive: guardPort(host.archive, wasErased) }),
    ...(host.sessions && { sessions: guardPort(host.sessions, wasErased) }),
    ...(host.messages && { messages: guardPort(host.messages, wasErased) }),
    ...(host.mcp && { mcp: guardPort(host.mcp, wasErased) }),
    ...(host.children && { children: guardPort(host.children, wasErased) }),
    ...(host.experiments && { experiments: guardPort(host.experiments, wasErased) }),
    ...(host.hooks && { hooks: guardPort(host.hooks, wasErased) }),
    ...(host.pending && { pending: guardPort(host.pending, wasErased) }),
    background: (work) =>
      host.background(
        work.catch((error: unknown) => {
          if (!wasErased()) throw error;
        }),
      ),
    report: (what, error) => (wasErased() ? undefined : host.report(what, error)),
  };
}

function guardPort<Port extends object>(port: Port, wasErased: () => boolean): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        assertNotErased(wasErased);
        return (member as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

function assertNotErased(wasErased: () => boolean): void {
  if (wasErased()) throw new DeletedError("session_not_found", "This session has been deleted.");
}
