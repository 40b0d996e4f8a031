// What a session's model has read, for whoever must know whether it repeats it: one index over the log, grown as the log grows.
// Made once by the engine; empty until it is first asked.
import { type SessionTaint, createSessionTaint } from "../../learning/taint/taint.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { Log } from "../log.ts";

/** Of a longer log the newest: what was before reaches the model through summaries, which carry their label. */
const MAX_CHARS = 1_500_000;
const PAGE = 100;

export function createTaintOf(log: Log): SessionTaint {
  return createSessionTaint((after) => settled(after === 0 ? readUpTo(log) : log.entries(after + 1), log));
}

/** The newest entries up to one, the last unless told. */
export function readUpTo(log: Log, last = log.nextEntry() - 1): Entry[] {
  const pages: Entry[][] = [];
  let chars = 0;
  for (let to = last; to > 0 && chars < MAX_CHARS; to -= PAGE) {
    const page = log.entries(Math.max(1, to - PAGE + 1), to);
    chars += page.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);
    pages.unshift(page);
  }
  return pages.flat();
}

/** Up to the first call of the running turn that has no result yet: it is taken in when it has. */
function settled(entries: Entry[], log: Log): Entry[] {
  const running = log.openTurns()[0]?.n;
  const open = entries.findIndex((entry) => entry.kind === "tool" && entry.state === "open" && entry.turn === running);
  return open < 0 ? entries : entries.slice(0, open);
}
