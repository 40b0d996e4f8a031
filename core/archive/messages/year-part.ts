// The part of an archive for a year after the first. It takes turns that the first part has sent to it, and learns from the first part which
// texts were purged before it began. Run by the Archive object of that year.
import { type Result, ok } from "../../errors.ts";
import type { Sql } from "../../ports.ts";
import type { ArchivedTurn, TextPurge } from "../../schemas/archived-message.ts";
import { isPartCurrent, putPartVersion } from "../schema.ts";
import type { MessageArchive } from "./message-archive.ts";
import type { PutAnswer } from "./split-archive.ts";

/** In `archive_part`: the purges from before this part began are known. Later ones are sent to it. */
const PURGES_KNOWN = "purges";

/** `readPurges`: asks the first part; may reject, and then nothing was stored. */
export async function putIntoYear(
  { sql, own, readPurges }: { sql: Sql; own: MessageArchive; readPurges(): Promise<TextPurge[]> },
  turn: ArchivedTurn,
): Promise<Result<PutAnswer>> {
  if (!isPartCurrent(sql, PURGES_KNOWN, 1)) {
    for (const purge of await readPurges()) own.putPurge(purge);
    putPartVersion(sql, PURGES_KNOWN, 1);
  }
  const put = own.put(turn);
  return put.ok ? ok({ stored: true }) : put;
}
