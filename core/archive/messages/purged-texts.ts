// Texts that a person purged, kept as hashes, so that what reaches the index later is recognised and left out. Used by
// message-archive.ts, and by wiring/erase-text.ts for a repeated purge. Keeps no text, but a reader of the hashes can test a guess.
import type { Sql } from "../../ports.ts";
import type { PurgedPiece, TextPurge } from "../../schemas/archived-message.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { squeeze } from "../../skills/search/text-pieces.ts";

/** Characters whose hash is compared first at each position of a text. Nearly all pieces are longer. */
const HEAD = 8;
/** Hexadecimal digits of a hash that are kept. */
const HASH_DIGITS = 32;
/** [own] A piece takes 80 bytes. Skills have hundreds of lines; the files of an imported one may have many more. */
const MAX_PIECES = 20_000;
/** Pieces in a row, which may have 2 MB [cf]. */
const ROW_PIECES = 10_000;

/** `pieces`: what `toPieces` returns. `salt`: the same for all parts of an archive, different for each profile. */
export function hashPieces(pieces: string[], salt: string): PurgedPiece[] {
  return pieces.slice(0, MAX_PIECES).map((piece) => ({
    ...{ length: piece.length, head: hashHead(piece), hash: hashPiece(piece, salt) },
  }));
}

/** Recognises texts that contain one of the pieces, whatever stands between their letters and digits. */
export function createPurgedMatcher(pieces: PurgedPiece[], salt: string): (text: string) => boolean {
  const bySalt = Map.groupBy(pieces, (piece) => piece.salt ?? salt);
  const matchers = [...bySalt].map(([own, salted]) => createSaltedMatcher(salted, own));
  return (text) => matchers.some((holds) => holds(text));
}

function createSaltedMatcher(pieces: PurgedPiece[], salt: string): (text: string) => boolean {
  const byHead = new Map<number, { lengths: Set<number>; hashes: Set<string> }>();
  const heads = new Set<number>();
  for (const { length, head, hash } of pieces) {
    heads.add(Math.min(HEAD, length));
    const known = byHead.get(head) ?? { lengths: new Set(), hashes: new Set() };
    byHead.set(head, known);
    known.lengths.add(length);
    known.hashes.add(hash);
  }
  return (text) => {
    const squeezed = squeeze(text);
    for (let at = 0; at < squeezed.length; at++) {
      for (const size of heads) {
        const found = byHead.get(hashHead(squeezed, at, size));
        if (!found) continue;
        for (const length of found.lengths) {
          const part = squeezed.slice(at, at + length);
          if (part.length === length && found.hashes.has(hashPiece(part, salt))) return true;
        }
      }
    }
    return false;
  };
}

export function putPurge(sql: Sql, { subject, at, pieces }: TextPurge): void {
  sql.transaction(() => {
    // A repeated purge of a text that is unknown by then keeps its pieces. One that knows more texts adds theirs.
    const known = new Set(readPurges(sql, subject).flatMap((purge) => purge.pieces.map(({ hash }) => hash)));
    const added = pieces.filter(({ hash }) => !known.has(hash));
    sql.run("UPDATE message_purge SET at = max(at, ?) WHERE subject = ?", at, subject);
    for (let from = 0; from < added.length; from += ROW_PIECES) {
      const row = JSON.stringify(added.slice(from, from + ROW_PIECES));
      sql.run("INSERT INTO message_purge(subject, at, pieces) VALUES(?, ?, ?)", subject, at, row);
    }
  });
}

/** The subject of titles that purges have taken away. */
export const TITLES = "titles";

/** Titles that a purge has taken away. Their sessions send them again with the next turn. */
export function putPurgedTitles(sql: Sql, titles: string[], salt: string): void {
  const [last] = sql.run<{ at: number | null }>("SELECT max(at) AS at FROM message_purge");
  const pieces = hashPieces(
    titles.map(squeeze).filter((title) => title !== ""),
    salt,
  );
  if (pieces.length > 0) putPurge(sql, { subject: TITLES, at: last?.at ?? 0, pieces });
}

/** Pieces of all purges after a time. */
export function readPurgedSince(sql: Sql, since: number): PurgedPiece[] {
  return parseRows(sql.run<PurgeRow>("SELECT subject, at, pieces FROM message_purge WHERE at > ?", since));
}

/** All, or those of one subject. */
export function readPurges(sql: Sql, subject?: string): TextPurge[] {
  const rows = sql.run<PurgeRow>(
    "SELECT subject, at, pieces FROM message_purge WHERE subject = coalesce(?, subject) ORDER BY id",
    subject ?? null,
  );
  return rows.map((row) => ({ subject: row.subject, at: row.at, pieces: parseRows([row]) }));
}

interface PurgeRow {
  subject: string;
  at: number;
  pieces: string;
}

function parseRows(rows: PurgeRow[]): PurgedPiece[] {
  return rows.flatMap(({ pieces }) => JSON.parse(pieces) as PurgedPiece[]);
}

/** FNV-1a over UTF-16 units. */
export function hashHead(text: string, at = 0, size = HEAD): number {
  let hash = 0x811c9dc5;
  for (let i = at; i < at + size && i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function hashPiece(piece: string, salt: string): string {
  return sha256Hex(`${salt}\n${piece}`).slice(0, HASH_DIGITS);
}
