// Indexes what a session's model has read, so that a caller can ask whether a text repeats it. The engine creates one index
// per session. The index is empty until its first use and grows with the log.
import { type SessionTaint, createSessionTaint } from "../../learning/taint/taint.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { Log } from "../log.ts";

/** Only the newest entries of a longer log: older content reaches the model through summaries, which carry its label. */
const MAX_CHARS = 1_500_000;
const PAGE_ENTRIES = 100;

export function createLogTaint(log: Log): SessionTaint {
  return createSessionTaint((after) => withoutOpenCall(after === 0 ? readUpTo(log) : log.entries(after + 1), log));
}

/** The newest entries up to and including `last`. */
export function readUpTo(log: Log, last = log.nextEntry() - 1): Entry[] {
  const pages: Entry[][] = [];
  let chars = 0;
  for (let to = last; to > 0 && chars < MAX_CHARS; to -= PAGE_ENTRIES) {
    const page = log.entries(Math.max(1, to - PAGE_ENTRIES + 1), to);
    chars += page.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);
    pages.unshift(page);
  }
  return pages.flat();
}

/** The entries before the first open call of the running turn. That call is indexed once it has a result. */
function withoutOpenCall(entries: Entry[], log: Log): Entry[] {
  const running = log.openTurns()[0]?.n;
  const open = entries.findIndex((entry) => entry.kind === "tool" && entry.state === "open" && entry.turn === running);
  return open < 0 ? entries : entries.slice(0, open);
}
