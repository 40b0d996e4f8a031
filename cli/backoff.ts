// How long a client goes on trying a server that does not answer, and how long it waits in between. Used by client.ts and
// follow.ts.

export interface BackoffOptions {
  /** How long it is tried without hearing anything. */
  reconnectMs?: number;
  wait?: (ms: number) => Promise<void>;
}

export type Backoff = ReturnType<typeof createBackoff>;

const FIRST_MS = 250;
const MOST_MS = 5_000;

export function createBackoff({ reconnectMs = 60_000, wait = waitFor }: BackoffOptions) {
  let waitedMs = 0;
  let delayMs = FIRST_MS;
  return {
    /** Something was heard. */
    reset(): void {
      waitedMs = 0;
      delayMs = FIRST_MS;
    },
    /** It is there, but may be gone at once again: the waits stay as long as they have become. */
    renew(): void {
      waitedMs = 0;
    },
    /** Waits, each time longer; throws the reason when it was tried for long enough. */
    async next(reason: Error, onRetry?: (reason: Error) => void): Promise<void> {
      if (waitedMs >= reconnectMs) throw reason;
      onRetry?.(reason);
      await wait(delayMs);
      waitedMs += delayMs;
      delayMs = Math.min(delayMs * 2, MOST_MS);
    },
  };
}

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
