// Years, as the archive is split by them: which one a time or a session is of, and the ids of its part. Pure.
import type { SessionId } from "../../schemas/ids.ts";

/** Ids of a part: more than an object of 10 GB can hold. The parts of the next 8,000 years have ids that a number can hold. */
const IDS_OF_YEAR = 2 ** 40;
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** UTC. */
export function yearOf(at: number): number {
  return new Date(at).getUTCFullYear();
}

/** Ids of a year's part are above this one, and so above all ids of earlier years. */
export function firstIdOf(year: number): number {
  return (year - 1970) * IDS_OF_YEAR;
}

/** When a session was created, Unix time in ms: the first ten characters of its ULID. 0 for another form. */
export function createdAtOf(session: SessionId): number {
  const digits = [...session.slice(0, 10)].map((letter) => CROCKFORD.indexOf(letter));
  if (session.length !== 26 || digits.includes(-1)) return 0;
  return digits.reduce((sum, digit) => sum * 32 + digit, 0);
}
