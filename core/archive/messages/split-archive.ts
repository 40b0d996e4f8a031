// The messages of a profile, split by year. The first part takes those up to the end of its year, and every later year has a part of its
// own, an object by itself. The first part knows which years there are, and answers for all of them. Run by the profile's Archive object.
import { type Result, ok } from "../../errors.ts";
import type { Clock, Sql } from "../../ports.ts";
import type {
  ArchivedTurn,
  IndexedMessage,
  MessageQuery,
  MessageSearch,
  PurgedPiece,
  TextPurge,
} from "../../schemas/archived-message.ts";
import { DAY_MS, type SessionId } from "../../schemas/ids.ts";
import { holdsAny } from "../../skills/search/text-pieces.ts";
import { withTimeout } from "../../timeout.ts";
import { type MessageArchive, cutAround } from "./message-archive.ts";
import { TITLES, createPurgedMatcher } from "./purged-texts.ts";
import { createTitleMatcher } from "./purged-titles.ts";
import { PART_MS, type PartReader, type SearchedPart, searchParts } from "./split-search.ts";
import { createdAtOf, firstIdOf, yearOf } from "./years.ts";

/** What the first part asks of another. Each may reject. */
export interface OtherPart extends PartReader {
  near(session: SessionId, n: number, before: number, after: number): Promise<IndexedMessage[]>;
  rename(session: SessionId, title: string): Promise<void>;
  eraseSession(session: SessionId): Promise<number>;
  putPurge(purge: TextPurge): Promise<void>;
  purges(subject?: string): Promise<TextPurge[]>;
  erasePieces(pieces: ErasedPieces, after: number): Promise<number | null>;
}

/** The pieces of a text that is erased: themselves, or their hashes if the text is not known any more. */
export type ErasedPieces = { texts: string[] } | { hashes: PurgedPiece[] };

/** `stored`, or the year whose part takes the turn. */
export type PutAnswer = { stored: true } | { stored: false; year: number };

export interface SplitArchive {
  /** See `MessageArchive.put`. From this answer on the part of that year exists for searches and erasures. */
  put(turn: ArchivedTurn): Result<PutAnswer>;
  search(query: MessageQuery): Promise<MessageSearch>;
  /** As `MessageArchive.around`. Rejects if a part is out of reach that may have such messages. */
  around(session: SessionId, n: number, before: number, after: number): Promise<IndexedMessage[]>;
  /** Idempotent. After a failure, repeat it. */
  rename(session: SessionId, title: string): Promise<void>;
  /** Idempotent. After a failure, repeat it. */
  eraseSession(session: SessionId): Promise<number>;
  putPurge(purge: TextPurge): Promise<void>;
  /** Erases messages in one part. Returns what to pass as `after` to continue; `null` at the end. */
  erasePieces(pieces: ErasedPieces, after: number): Promise<number | null>;
}

export interface SplitArchiveOptions {
  sql: Sql;
  own: MessageArchive;
  openPart(year: number): OtherPart;
  clock: Clock;
  salt: string;
}

/** A turn that waits for a person may end in the year after its messages. */
const LATE_YEARS = 1;

export function createSplitArchive({ sql, own, openPart, clock, salt }: SplitArchiveOptions): SplitArchive {
  const years = () => sql.run<{ year: number }>("SELECT year FROM message_year ORDER BY year").map(({ year }) => year);
  const others = () => years().slice(1);

  function listParts(isMeant: (year: number) => boolean): SearchedPart[] {
    const [first, ...later] = years();
    const all = [
      { year: first ?? 0, mayFail: false, reader: own },
      ...later.map((year) => ({ year, mayFail: true, reader: openPart(year) })),
    ];
    return all.filter(({ year }) => first === undefined || isMeant(year));
  }

  async function putPurge(purge: TextPurge): Promise<void> {
    own.putPurge(purge);
    await Promise.all(others().map((year) => openPart(year).putPurge(purge)));
  }

  return {
    put(turn) {
      const year = yearOf(turn.endedAt ?? turn.messages.at(-1)?.at ?? clock.now());
      const [first] = years();
      if (first === undefined) sql.run("INSERT INTO message_year VALUES(?)", year);
      if (first === undefined || year <= first) {
        const put = own.put(turn);
        return put.ok ? ok({ stored: true }) : put;
      }
      // An erased session has no new part to go to.
      if (own.isErased(turn.session)) return ok({ stored: true });
      sql.run("INSERT INTO message_year VALUES(?) ON CONFLICT DO NOTHING", year);
      return ok({ stored: false, year });
    },

    search(query) {
      const { from, to, only } = query;
      const begin = Math.max(from ?? 0, only === undefined ? 0 : createdAtOf(only) - DAY_MS);
      const end = to === undefined ? Infinity : yearOf(to - 1) + LATE_YEARS;
      const [first = 0] = years();
      const parts = listParts((year) => year >= yearOf(begin) && (year <= end || year === first));
      return searchParts(parts, query, clock);
    },

    async around(session, n, before, after) {
      const begin = yearOf(createdAtOf(session) - DAY_MS);
      const asked = others().filter((year) => year >= begin);
      if (asked.length === 0) return own.around(session, n, before, after);
      const near = await Promise.all([
        own.near(session, n, before, after),
        ...asked.map((year) => withTimeout(openPart(year).near(session, n, before, after), PART_MS, clock)),
      ]);
      return cutAround(joinNear(near.flat(), n, before, after), n, before, after);
    },

    async rename(session, title) {
      own.rename(session, title);
      const begin = yearOf(createdAtOf(session) - DAY_MS);
      for (const year of others()) if (year >= begin) await openPart(year).rename(session, title);
    },

    async eraseSession(session) {
      // The first part refuses the session from here on, so it can begin no other part.
      let erased = own.eraseSession(session);
      for (const year of others()) erased += await openPart(year).eraseSession(session);
      return erased;
    },

    putPurge,

    async erasePieces(pieces, after) {
      const year = others().findLast((one) => firstIdOf(one) <= after);
      const part = year === undefined ? null : openPart(year);
      const next = part ? await part.erasePieces(pieces, after) : eraseIn(own, pieces, { after, salt });
      if (next !== null) return next;
      // A title that this part has taken away would come back with the session's next turn in another.
      const [titles, ...more] = part ? await part.purges(TITLES) : own.purges(TITLES);
      if (titles) await putPurge({ ...titles, pieces: [titles, ...more].flatMap((purge) => purge.pieces) });
      // Another part may have begun meanwhile.
      const following = others().find((one) => firstIdOf(one) > after);
      return following === undefined ? null : firstIdOf(following);
    },
  };
}

/** Erases messages in one part. Returns what to pass as `after` to continue; `null` at its end. */
export function eraseIn(
  part: MessageArchive,
  pieces: ErasedPieces,
  { after, salt }: { after: number; salt: string },
): number | null {
  const holds = toMatcher(pieces, salt);
  return part.eraseWhere(holds, after, "texts" in pieces ? createTitleMatcher(pieces.texts) : holds).next;
}

export function toMatcher(pieces: ErasedPieces, salt: string): (text: string) => boolean {
  return "texts" in pieces ? (text) => holdsAny(text, pieces.texts) : createPurgedMatcher(pieces.hashes, salt);
}

/** Each part brought its own nearest ones, so only the nearest of all are known to be complete. */
function joinNear(near: IndexedMessage[], n: number, before: number, after: number): IndexedMessage[] {
  const inOrder = near.toSorted((a, b) => a.n - b.n || a.id - b.id);
  const from = inOrder.findIndex((message) => message.n >= n);
  const at = from < 0 ? inOrder.length : from;
  return inOrder.slice(Math.max(0, at - before - 1), at + after + 1);
}
