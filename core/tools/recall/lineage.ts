// Messages that a branch has as copies: which of them a search shows. Used by the tool session_search. Pure.
import type { FoundMessage } from "../../schemas/archived-message.ts";
import type { SessionId } from "../../schemas/ids.ts";
import type { Origin } from "../../schemas/sessions/origin.ts";

/** Of each session that is a branch: where its first messages were copied from, the farthest session first. */
export type Lineage = ReadonlyMap<SessionId, readonly Origin[]>;

/** Names a message and its copies alike. */
function nameMessage(session: SessionId, n: number, lineage: Lineage): string {
  const origin = lineage.get(session)?.find(({ entry }) => n <= entry);
  return `${origin?.session ?? session} ${n}`;
}

/**
 * `found`: best first. Keeps one of a message and its copies, and none that the present session has as its own copy or original,
 * unless its model no longer reads it.
 */
export function withoutCopies(
  found: FoundMessage[],
  {
    present,
    lineage,
    isOutOfView,
  }: { present: SessionId; lineage: Lineage; isOutOfView: (message: FoundMessage) => boolean },
): FoundMessage[] {
  const own = lineage.get(present) ?? [];
  const last = own.at(-1)?.entry ?? 0;
  const isRead = (message: FoundMessage) =>
    message.session !== present &&
    message.n <= last &&
    nameMessage(message.session, message.n, lineage) === nameMessage(present, message.n, lineage) &&
    !isOutOfView(message);
  const names = new Set<string>();
  return found.filter((message) => {
    const name = nameMessage(message.session, message.n, lineage);
    return !isRead(message) && !names.has(name) && names.add(name);
  });
}
