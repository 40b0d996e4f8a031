// Notes in the profile's store that a turn runs on a model server of the operator's own, so that reviews let it go first on a
// server that answers one call at a time. Used by the driver. The turn never depends on it.
import type { SessionHost } from "../context.ts";

/** A turn that is over so soon is in no review's way, and pays for no mark. */
const MARK_AFTER_MS = 500;

export interface ServerMark {
  /** Call once, when the turn is over. */
  clear(): void;
}

/** Runs beside the turn. `server`: as the model names it. */
export function markServer(host: SessionHost, server: string): ServerMark {
  const { clock, reviews, session } = host;
  let isOver = false;

  async function tell(marked: string | null): Promise<void> {
    try {
      await reviews.markBusy(session, marked);
    } catch (error) {
      host.report("server", error);
    }
  }

  async function mark(): Promise<boolean> {
    await clock.sleep(MARK_AFTER_MS);
    if (isOver) return false;
    await tell(server);
    return true;
  }

  const marked = mark();
  host.background(marked.then(() => undefined));
  return {
    clear() {
      isOver = true;
      host.background(marked.then((isMarked) => (isMarked ? tell(null) : undefined)));
    },
  };
}
