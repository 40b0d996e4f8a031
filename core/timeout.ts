// A timeout for work that may never answer. Used by searches and a session's outbox. The work itself is not cancelled, so it
// must tolerate being abandoned.
import type { Clock } from "./ports.ts";

/** Resolves to the result of `work`; rejects when it takes longer than `ms`. */
export async function withTimeout<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T> {
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
