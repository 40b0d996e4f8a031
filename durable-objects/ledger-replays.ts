// What experiments may spend on running earlier turns again. The grant of the day is `review.replayTokens`; what a person gave to one experiment
// does not count to it, so the two are kept under different names. Used by the ledger. Has no clock and opens no transaction.
import type { Sql } from "../core/ports.ts";
import { DAY_MS, dayOf } from "../core/schemas/ids.ts";
import type { Booking, Budget } from "../core/schemas/usage.ts";
import { takenOfDay } from "./ledger-admission.ts";
import { ASKED_REPLAYS, REPLAYS, replayTokensOf } from "./ledger-lines.ts";
import { type Reservation, findReservation, listReservations, putReservation } from "./ledger-reservations.ts";

/** A reservation that nobody releases. An experiment waits for its runs for a few hours at most; until then midnight must not free it. */
const REPLAY_RESERVATION_MS = 2 * DAY_MS;
/** The largest share of the day's budget that experiments nobody asked for may reserve: answers take precedence. */
const UNASKED_SHARE = 0.5;

export interface AskedReplay {
  /** Of the experiment. */
  id: string;
  now: number;
  tokens: number;
  /** A person gave these tokens to this experiment, so the grant of the day does not count. */
  isOwn: boolean;
}

export interface ReplayRequest extends AskedReplay {
  /** `review.replayTokens`: of all experiments of a day. 0: none are run. */
  limit: number;
  /** The profile's daily budget. */
  day: Budget;
}

/**
 * At most what was asked for, and what the grant of the day and the day's budget leave. `usdMicros`: 0 is no limit. `null`: nothing is left.
 * Asked again for the same experiment, it answers what is left of the first answer, and less if the grant was lowered meanwhile.
 */
export function reserveReplay(sql: Sql, { id, now, tokens: asked, limit, isOwn, day }: ReplayRequest): Budget | null {
  const given = findReservation(sql, id);
  if (given && given.expiresAt > now) {
    const most = isOwn ? Infinity : Math.max(0, limit - takenOfGrant(sql, now, id));
    return toBudget({ ...given, tokens: Math.min(given.tokens, most) });
  }
  const taken = takenOfDay(sql, now, id);
  const share = isOwn ? 1 : UNASKED_SHARE;
  const ofDay = (of: keyof Budget) =>
    day[of] === 0 ? Infinity : Math.min(day[of] - taken[of], Math.ceil(day[of] * share));
  const ofGrant = isOwn ? Infinity : limit - takenOfGrant(sql, now, id);
  const tokens = Math.min(asked, ofGrant, ofDay("tokens"));
  const usdMicros = ofDay("usdMicros");
  if (tokens <= 0 || usdMicros <= 0) return null;
  const reservation: Reservation = {
    ...{ id, kind: "replay", session: isOwn ? ASKED_REPLAYS : REPLAYS, tokens },
    usdMicros: usdMicros === Infinity ? null : usdMicros,
    ...{ reservedAt: now, expiresAt: now + REPLAY_RESERVATION_MS },
  };
  putReservation(sql, reservation);
  return toBudget(reservation);
}

/** What is taken of one UTC day's grant: bookings, and open reservations other than `except`. */
function takenOfGrant(sql: Sql, now: number, except: string): number {
  return listReservations(sql)
    .filter(({ id, session, expiresAt }) => session === REPLAYS && id !== except && expiresAt > now)
    .reduce((sum, { tokens }) => sum + tokens, replayTokensOf(sql, dayOf(now), REPLAYS));
}

/** The name under which a run is booked. One whose reservation is gone counts to the grant of the day. */
export function holderOfReplay(sql: Sql, grant: string): string {
  return findReservation(sql, grant)?.session ?? REPLAYS;
}

export interface ReplayBooking {
  booking: Omit<Booking, "session">;
  /** The id of the reservation that it was spent from: of the experiment. */
  grant: string;
}

/** A reservation of which nothing is left allows nothing: 0 in a budget would be no limit. */
function toBudget({ tokens, usdMicros }: Pick<Reservation, "tokens" | "usdMicros">): Budget | null {
  return tokens === 0 || usdMicros === 0 ? null : { tokens, usdMicros: usdMicros ?? 0 };
}
