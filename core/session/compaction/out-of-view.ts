// Tells which messages of a session its model no longer reads, because a compaction removed or shortened them. Used by the tool
// session_search, which may find them again.
import type { MessageRole } from "../../schemas/archived-message.ts";
import type { Log } from "../log.ts";
import { compactionsBefore } from "../prompt/history.ts";

/** `null`: the model reads every message of the session. A pruning shortens tool results only. */
export function findOutOfView(log: Log): ((message: { n: number; role: MessageRole }) => boolean) | null {
  const compactions = compactionsBefore(log, Number.MAX_SAFE_INTEGER);
  if (compactions.length === 0) return null;
  return ({ n, role }) =>
    compactions.some(({ head, tail, kept, method }) => {
      const isInGap = n > head && n < tail && !kept.includes(n);
      return isInGap && (method !== "prune" || role === "tool");
    });
}
