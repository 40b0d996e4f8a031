// What pages read: one answer of the API for each address, shared by all components that show it. Old data stays on the screen while
// it is read again, so that nothing blinks. A change of the reader's own makes the affected addresses read again.
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { fillRoute } from "../../cli/connection/routes.ts";
import { type Answer, type AskedArgs, type Route, call } from "./api.ts";

export type ReadRoute = Extract<Route, `GET ${string}`>;

export interface Resource<T> {
  /** The last answer. Absent until the first one. */
  value: T | undefined;
  /** Why the last attempt failed. `value` may still be there from before. */
  error: unknown;
  isLoading: boolean;
  reload(): Promise<void>;
}

interface Entry {
  state: Signal<{ value: unknown; error: unknown; isLoading: boolean }>;
  /** Sends a new request, which replaces one under way. Resolves when the newest request has ended. */
  load(): Promise<void>;
  /** Waits for the request under way, if there is one: asked again and again, a slow answer would never come. */
  ensure(): Promise<void>;
  /** Components that show it now. */
  users: number;
  loadedAt: number;
  /** The request under way; a later one replaces it. */
  running: AbortController | null;
  newest: Promise<void>;
}

/** An answer this young is shown without asking again: going back and forth costs nothing. */
const FRESH_MS = 2_000;
/** Entries that nobody shows, kept for going back. */
const KEPT = 100;
const entries = new Map<string, Entry>();

/** Reads a route. `asked` may be `null`: nothing is read yet. `every`: reads again so often, in ms, while the tab is visible. */
export function useResource<R extends ReadRoute>(
  route: R,
  asked: NonNullable<AskedArgs<R>[0]> | null,
  options: { every?: number } = {},
): Resource<Answer<R>> {
  const address = asked === null ? null : toAddress(route, asked);
  const entry = useMemo(() => (address === null ? null : openEntry(address, route, asked!)), [address]);
  const { every } = options;
  useEffect(() => {
    if (!entry) return undefined;
    entry.users += 1;
    if (Date.now() - entry.loadedAt > FRESH_MS) void entry.ensure();
    const again = () => void (document.visibilityState === "visible" && entry.ensure());
    const timer = every === undefined ? undefined : setInterval(again, every);
    document.addEventListener("visibilitychange", again);
    return () => {
      entry.users -= 1;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [entry, every]);
  const { value, error, isLoading } = entry?.state.value ?? NOTHING;
  return { value: value as Answer<R> | undefined, error, isLoading, reload: entry?.load ?? noReload };
}

/** Reads a route once, from the same store. Throws ProblemError, UnreachableError. */
export async function readOnce<R extends ReadRoute>(route: R, asked: NonNullable<AskedArgs<R>[0]>): Promise<Answer<R>> {
  const entry = openEntry(toAddress(route, asked), route, asked);
  if (Date.now() - entry.loadedAt > FRESH_MS) await entry.ensure();
  const { value, error } = entry.state.peek();
  if (error !== undefined) throw error;
  return value as Answer<R>;
}

/** Sends a change, then reads again what is shown under these beginnings of addresses. Default: the resource that was changed. */
export async function change<R extends Exclude<Route, ReadRoute>>(
  route: R,
  asked: NonNullable<AskedArgs<R>[0]>,
  affected: string[] = [resourceOf(route)],
): Promise<Answer<R>> {
  const answer = await call(route, ...([asked] as unknown as AskedArgs<R>));
  await invalidate(...affected);
  return answer;
}

/** Reads again what is shown under these beginnings of addresses (`/v1/skills`), and forgets the rest of it. */
export async function invalidate(...beginnings: string[]): Promise<void> {
  const matching = [...entries].filter(([address]) => beginnings.some((start) => address.startsWith(start)));
  for (const [address, entry] of matching) if (entry.users === 0) entries.delete(address);
  await Promise.all(matching.filter(([, { users }]) => users > 0).map(([, entry]) => entry.load()));
}

const NOTHING = { value: undefined, error: undefined, isLoading: false };
const noReload = async () => {};

function toAddress(route: string, asked: object): string {
  return fillRoute(route, asked)[1];
}

/** `/v1/skills` of `PUT /v1/skills/{name}`. */
function resourceOf(route: string): string {
  return /\/v1\/[^/]+/.exec(route)![0];
}

function openEntry<R extends ReadRoute>(address: string, route: R, asked: object): Entry {
  const known = entries.get(address);
  if (known) return known;
  const entry: Entry = {
    state: signal({ value: undefined, error: undefined, isLoading: true } as {
      value: unknown;
      error: unknown;
      isLoading: boolean;
    }),
    users: 0,
    loadedAt: 0,
    running: null,
    newest: Promise.resolve(),
    load() {
      entry.running?.abort();
      const running = (entry.running = new AbortController());
      const done: Promise<void> = read(running).then(() => (entry.newest === done ? undefined : entry.newest));
      return (entry.newest = done);
    },
    ensure: () => (entry.running === null ? entry.load() : entry.newest),
  };

  async function read(running: AbortController): Promise<void> {
    entry.state.value = { ...entry.state.peek(), isLoading: true };
    const asking = call(route, ...([{ ...asked, signal: running.signal }] as unknown as AskedArgs<R>));
    const found = await asking.then(
      (value) => ({ value, error: undefined }),
      (error: unknown) => ({ error }),
    );
    if (entry.running !== running) return;
    entry.running = null;
    if ("value" in found) entry.loadedAt = Date.now();
    entry.state.value = { ...entry.state.peek(), ...found, isLoading: false };
  }

  entries.set(address, entry);
  if (entries.size > KEPT) forgetUnused();
  return entry;
}

function forgetUnused(): void {
  for (const [address, { users }] of entries) {
    if (entries.size <= KEPT) return;
    if (users === 0) entries.delete(address);
  }
}
