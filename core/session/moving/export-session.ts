// A session on its way out: its rows, page by page. All pages of one export show one state of the session: a change between two pages is
// noticed, and the session is then read again from its first page. Called by the engine. Writes nothing.
import { type Result, err, ok } from "../../errors.ts";
import { SESSION_FATES, travellingTables } from "../../moving/stored.ts";
import { readChangeCount, readTablePage } from "../../moving/table-pages.ts";
import type { MovedRow, TablePlace } from "../../schemas/moving/lines.ts";
import type { Engine } from "../open-engine.ts";

const TABLES = travellingTables(SESSION_FATES);

/** Rows of `meta` that stay: the profile's settings as last read have sealed values, and the destination reads its own. */
const META_STAYS = ["profile"];

export interface AskedSessionPage {
  /** `null`: the first page. */
  place: TablePlace | null;
  /** Of the page before; `null` at the first. */
  stamp: string | null;
  maxChars: number;
}

export interface SessionPage {
  /** Lines of the archive, without a line break at the end; empty: nothing is left of this session. */
  lines: string[];
  next: TablePlace | null;
  stamp: string;
}

/** `life`: random for each object in memory. Failures: `session_not_found`, `session_changing`. */
export function exportSession(
  { known, context }: Engine,
  { place, stamp, maxChars }: AskedSessionPage,
  life: string,
): Result<SessionPage> {
  const { sql, session } = context.host;
  if (!known) return err("session_not_found", "There is no such session.");
  const now = `${life}.${readChangeCount(sql)}`;
  if (place && stamp !== now) {
    return err(
      "session_changing",
      `The session ${session} was used while it was read. Read it again from its beginning.`,
    );
  }
  const page = readTablePage(sql, { tables: TABLES, place, maxChars, change: leave });
  const lines = page.rows.map(({ table, row }) => JSON.stringify({ in: "session", id: session, table, row }));
  if (!page.next) lines.push(JSON.stringify({ in: "session", id: session, whole: true }));
  return ok({ lines, next: page.next, stamp: now });
}

function leave(table: string, row: MovedRow): MovedRow | null {
  return table === "meta" && META_STAYS.includes(String(row.key)) ? null : row;
}
