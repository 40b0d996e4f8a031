// How many requests a route takes in a minute. In memory: the Webhooks object tells it at its start what the last minute has seen. Pure.
const MINUTE_MS = 60_000;

export type RateLimit = ReturnType<typeof createRateLimit>;

/** A window begins with its first request. `seen`: of each route, at the start. */
export function createRateLimit({
  perMinute,
  seen,
  now,
}: {
  perMinute: number;
  seen: Map<string, number>;
  now: number;
}) {
  const windows = new Map([...seen].map(([route, count]) => [route, { from: now, count }]));
  return {
    perMinute,
    /** Counts a request. 0: it is taken; otherwise how long, in ms, until one is. */
    take(route: string, at: number): number {
      const window = windows.get(route);
      if (!window || at >= window.from + MINUTE_MS) {
        windows.set(route, { from: at, count: 1 });
        return 0;
      }
      if (window.count >= perMinute) return window.from + MINUTE_MS - at;
      window.count++;
      return 0;
    },
  };
}
