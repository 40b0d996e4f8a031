// What must happen before a session is deleted, because nobody can do it afterwards: what it has used is booked, and the session that
// waits for it is told. Called by the Account.
import { messageOf } from "../core/errors.ts";
import type { SessionId } from "../core/schemas/ids.ts";
import type { Unbooked } from "../core/session/unbooked.ts";
import type { AccountLedger } from "./account-ledger.ts";

/** The calls of a Session that are needed here. */
interface ReleasedSession {
  unbooked(): Promise<Unbooked>;
  loseChild(child: SessionId): Promise<void>;
}

/** A session that does not answer is passed over, because a deletion must not wait for it. Repeating it changes nothing. */
export async function releaseSession(
  sessions: DurableObjectNamespace,
  profile: string,
  session: SessionId,
  ledger: Pick<AccountLedger, "book">,
): Promise<void> {
  const open = (id: SessionId) => sessions.getByName(`${profile}/${id}`) as unknown as ReleasedSession;
  const report = (event: string) => (error: unknown) =>
    console.error(JSON.stringify({ event, session, error: messageOf(error) }));

  /** Also of the sessions that work for it now. */
  async function bookRest(id: SessionId): Promise<Unbooked> {
    const rest = await open(id).unbooked();
    rest.bookings.forEach((booking) => ledger.book(booking));
    await Promise.all(rest.children.map((child) => bookRest(child).catch(report("usage_not_booked"))));
    return rest;
  }

  const rest = await bookRest(session).catch(report("usage_not_booked"));
  if (rest?.parent) await open(rest.parent).loseChild(session).catch(report("parent_not_told"));
}
