// The product's search over the messages of bench:recall. Used for its results (measure.ts) and for its time (search-time.ts).
import { type ArchivedTurn, createMessageArchive } from "../../core/archive/messages/message-archive.ts";
import type { Sql } from "../../core/ports.ts";

/** A ranked message. */
export interface Place {
  session: string;
  n: number;
}
/** Ranks the messages that match a question, best first. */
export type Search = (question: string) => Place[];

/** More than the product ranks, so that ten distinct sessions are found if there are as many. */
export const MAX_RANKED = 1_000;

export function openProductSearch(sql: Sql, sessions: Iterable<ArchivedTurn>): Search {
  const archive = createMessageArchive(sql);
  for (const session of sessions) archive.put(session);
  return (query) => archive.search({ query, limit: MAX_RANKED });
}
