// Marks in the profile's store that a turn uses one of the operator's own model servers. Such a server may answer one call at a
// time, so reviews wait while the mark is set. Used by run-turn.ts. A turn never depends on its mark.
import type { SessionHost } from "../context.ts";

/** A turn that ends sooner delays no review, and saves the two writes of a mark. */
const MARK_AFTER_MS = 500;

export interface ServerMark {
  /** Call once, when the turn is over. */
  clear(): void;
}

/** Runs in the background. `server`: the fingerprint from `Model.server`. */
export function markServer(host: SessionHost, server: string): ServerMark {
  const { clock, reviews, session } = host;
  let isOver = false;

  async function write(marked: string | null): Promise<void> {
    try {
      await reviews.markBusy(session, marked);
    } catch (error) {
      host.report("server", error);
    }
  }

  async function mark(): Promise<boolean> {
    await clock.sleep(MARK_AFTER_MS);
    if (isOver) return false;
    await write(server);
    return true;
  }

  const marked = mark();
  host.background(marked.then(() => undefined));
  return {
    clear() {
      isOver = true;
      host.background(marked.then((isMarked) => (isMarked ? write(null) : undefined)));
    },
  };
}
