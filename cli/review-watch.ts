// Looks for finished reviews of a session and tells of each that learned something, once. Polls, and stops by itself some
// minutes after the last turn: a terminal left open must not keep asking.
import type { Client } from "./client.ts";

export interface ReviewWatchOptions {
  client: Pick<Client, "listReviews">;
  session: string;
  /** One line: what was learned. */
  onLearned: (review: string, summary: string) => void;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const FIRST_MS = 1_000;
const MOST_MS = 10_000;
const GIVE_UP_MS = 5 * 60_000;

export function createReviewWatch({ client, session, onLearned, wait }: ReviewWatchOptions) {
  const told = new Set<string>();
  let current = new AbortController();

  /** Failures pass: the next look, or the next message, will show that nobody answers. */
  async function look(tell: boolean): Promise<void> {
    for (const { review, state, lessons, summary } of await client.listReviews(session)) {
      if (state === "waiting" || told.has(review)) continue;
      told.add(review);
      if (tell && lessons && lessons.length > 0) onLearned(review, summary ?? "Learned something.");
    }
  }

  return {
    /** What was learned before is no news. */
    skipPast: () => look(false),
    /** Begins anew after each turn. */
    start(): void {
      current.abort();
      current = new AbortController();
      void poll(current.signal);
    },
    stop: () => current.abort(),
  };

  async function poll(signal: AbortSignal): Promise<void> {
    for (let delayMs = FIRST_MS, waitedMs = 0; waitedMs < GIVE_UP_MS; waitedMs += delayMs) {
      await wait(delayMs, signal);
      if (signal.aborted) return;
      await look(true).catch(() => {}); // Nobody answers just now, see `look`.
      delayMs = Math.min(delayMs * 1.5, MOST_MS);
    }
  }
}
