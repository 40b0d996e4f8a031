// Books what a session has used and not booked, before it is deleted: afterwards nobody can. Called by the Account.
import { messageOf } from "../core/errors.ts";
import type { SessionId } from "../core/schemas/ids.ts";
import type { Unbooked } from "../core/session/unbooked.ts";
import type { AccountLedger } from "./account-ledger.ts";

/**
 * Also of the sessions that work for it now. One that does not answer is passed over, because a deletion must not wait for it.
 * Repeating it changes nothing.
 */
export async function bookRest(
  sessions: DurableObjectNamespace,
  profile: string,
  session: SessionId,
  ledger: Pick<AccountLedger, "book">,
): Promise<void> {
  try {
    const stub = sessions.getByName(`${profile}/${session}`) as unknown as { unbooked(): Promise<Unbooked> };
    const { bookings, children } = await stub.unbooked();
    bookings.forEach((booking) => ledger.book(booking));
    await Promise.all(children.map((child) => bookRest(sessions, profile, child, ledger)));
  } catch (error) {
    console.error(JSON.stringify({ event: "usage_not_booked", session, error: messageOf(error) }));
  }
}
