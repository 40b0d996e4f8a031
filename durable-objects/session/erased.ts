// A session that was deleted: the tombstone in its object, and the ports of an engine that may still have work under way.
// Used by session.ts.
import { DeletedError } from "../../core/errors.ts";
import type { Overlay, Sql } from "../../core/ports.ts";
import type { SessionHost } from "../../core/session/context.ts";

export function isErased(storage: DurableObjectStorage): boolean {
  return (
    storage.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'tombstone'").toArray().length > 0
  );
}

/** Its name says which session it was: the row holds nothing. */
export function leaveTombstone(storage: DurableObjectStorage): void {
  storage.sql.exec("CREATE TABLE IF NOT EXISTS tombstone (one INTEGER PRIMARY KEY) STRICT, WITHOUT ROWID");
}

/** The same ports, until the session is erased: from then on each call is refused, and no alarm is set. */
export function toMortal(host: SessionHost, isDead: () => boolean): SessionHost {
  const sql: Sql = {
    run: (query, ...values) => (assertAlive(isDead), host.sql.run(query, ...values)),
    transaction: (work) => (assertAlive(isDead), host.sql.transaction(work)),
  };
  return {
    ...host,
    sql,
    alarm: { set: async (at) => void (isDead() || (await host.alarm.set(at))) },
    skills: alive(host.skills, isDead),
    memory: (overlay: Overlay) => alive(host.memory(overlay), isDead),
    evidence: alive(host.evidence, isDead),
    reviews: alive(host.reviews, isDead),
    queue: alive(host.queue, isDead),
    account: alive(host.account, isDead),
    ...(host.archive && { archive: alive(host.archive, isDead) }),
    ...(host.pending && { pending: alive(host.pending, isDead) }),
    background: (work) =>
      host.background(
        work.catch((error: unknown) => {
          if (!isDead()) throw error;
        }),
      ),
    report: (what, error) => (isDead() ? undefined : host.report(what, error)),
  };
}

function alive<Port extends object>(port: Port, isDead: () => boolean): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        assertAlive(isDead);
        return (member as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

function assertAlive(isDead: () => boolean): void {
  if (isDead()) throw new DeletedError("session_not_found", "This session has been deleted.");
}
