// Exponential backoff for requests to a server that does not answer. Used by client.ts, follow.ts and orders.ts.

export interface BackoffOptions {
  /** Total waiting time without an answer, after which retries end. */
  reconnectMs?: number;
  wait?: (ms: number) => Promise<void>;
}

export type Backoff = ReturnType<typeof createBackoff>;

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;

export function createBackoff({ reconnectMs = 60_000, wait = waitFor }: BackoffOptions) {
  let waitedMs = 0;
  let delayMs = FIRST_DELAY_MS;
  return {
    /** Call when data has arrived. */
    reset(): void {
      waitedMs = 0;
      delayMs = FIRST_DELAY_MS;
    },
    /** Call when a connection was opened. It may break at once, so the delays stay as long as they are. */
    renew(): void {
      waitedMs = 0;
    },
    /** Waits, longer each time. Throws the reason once the total waiting time is used up. */
    async next(reason: Error, onRetry?: (reason: Error) => void): Promise<void> {
      if (waitedMs >= reconnectMs) throw reason;
      onRetry?.(reason);
      await wait(delayMs);
      waitedMs += delayMs;
      delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
    },
  };
}

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
