// What a session has used and its Account has not counted yet, read before the session is deleted. Called by the engine. Writes nothing.
import { toTurnId, type SessionId } from "../schemas/ids.ts";
import { type Booking, toUsageLines } from "../schemas/usage.ts";
import type { EngineContext } from "./context.ts";
import { isOpenChild, openChildRows } from "./delegation/child-rows.ts";
import { toTurnLines } from "./ledger.ts";
import { hasBegun } from "./log-turns.ts";
import { toTitleId } from "./turn/title.ts";

export interface Unbooked {
  /** Of turns that have not ended, and of bookings on their way. Each has the id that it would be booked under. */
  bookings: Booking[];
  /** The sessions that work for this one now, and may have used something as well. */
  children: SessionId[];
  /** The session that began this one. */
  parent?: SessionId;
}

/** A model call that has not answered is not in it. */
export function findUnbooked(context: EngineContext): Unbooked {
  const bookings = [...listSent(context), ...listRunning(context)].filter(({ lines }) => lines.length > 0);
  const children = openChildRows(context).list().filter(isOpenChild);
  const { parent } = context.meta();
  return { bookings, children: children.map(({ session }) => session), ...(parent && { parent }) };
}

function listSent({ host, jobs }: EngineContext): Booking[] {
  const { session, clock } = host;
  return jobs.all().flatMap(({ job }): Booking[] => {
    if (job.kind === "usage") return [job.booking];
    if (job.kind === "observe") return job.booking ? [job.booking] : [];
    if (job.kind !== "title") return [];
    const lines = toUsageLines(job.spent.map((call) => ({ kind: "title", ...call })));
    return [{ id: toTitleId(session), session, at: clock.now(), lines }];
  });
}

function listRunning({ host, log }: EngineContext): Booking[] {
  const { session, clock } = host;
  return log
    .openTurns()
    .filter(hasBegun)
    .map(({ n, input }) => {
      const entries = log.entries(input!).filter((entry) => entry.turn === n);
      return { id: toTurnId(session, n), session, at: clock.now(), lines: toTurnLines(entries) };
    });
}
