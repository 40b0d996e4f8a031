// How long somebody is waited for who may never answer. Used where a search is asked, and by a session's outbox. What was
// asked for goes on by itself: whoever does it must not mind being given up.
import type { Clock } from "./ports.ts";

/** What `work` resolves to; rejects when that has not come within `ms`. */
export async function answerWithin<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).then(() => {
    throw new Error(`no answer within ${ms} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
