// Waits for the review that follows a session's turn. Used by the demo and by bench:real.
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../../cli/connection/client.ts";
import type { ReviewDetail } from "../../core/schemas/api.ts";

const POLL_MS = 100;

/** Timeouts in milliseconds from the call: until a review starts, and until it has ended. */
export interface ReviewPatience {
  beginsMs: number;
  endsMs: number;
}

/** The newest review of the session once it has ended; `null` when none starts or it takes too long. */
export async function awaitReview(
  client: Client,
  session: string,
  { beginsMs, endsMs }: ReviewPatience,
): Promise<ReviewDetail | null> {
  const began = performance.now();
  for (;;) {
    const waited = performance.now() - began;
    const [line] = await client.listReviews(session);
    if (line && line.state !== "waiting") return client.review(line.review);
    const due = line !== undefined || (await client.session(session)).reviewing.length > 0;
    if (waited > (due ? endsMs : beginsMs)) return null;
    await pause(POLL_MS);
  }
}
