// A list of the API, read page by page as the reader scrolls.
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Answer, type AskedArgs, call } from "./api.ts";
import type { ListRoute } from "../../cli/connection/routes.ts";

export interface List<Item> {
  items: Item[];
  /** The first page is here, or failed. */
  isReady: boolean;
  isLoading: boolean;
  error: unknown;
  hasMore: boolean;
  /** Reads the next page. Does nothing while one is read, and at the end. */
  more(): void;
  reload(): Promise<void>;
  /** Shows what a change of the reader's own has made of the items, without reading all pages again. */
  update(change: (items: Item[]) => Item[]): void;
}

interface ListOptions {
  /** Reads all pages at once: for lists that are seldom long, and whose reader needs every item. */
  isWhole?: boolean;
  /** Reads again so often, in ms, while the tab is visible. */
  every?: number;
}

/** `asked` may be `null`: nothing is read yet. */
export function useList<R extends ListRoute, Item>(
  route: R,
  asked: NonNullable<AskedArgs<R>[0]> | null,
  itemsOf: (answer: Answer<R>) => Item[],
  { isWhole = false, every }: ListOptions = {},
): List<Item> {
  const key = asked === null ? null : JSON.stringify(asked);
  const list = useMemo(() => createList(route, asked, itemsOf), [route, key]);
  useEffect(() => {
    list.more();
    return list.stop;
  }, [list]);
  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = setInterval(() => void (document.visibilityState === "visible" && list.reload()), every);
    return () => clearInterval(timer);
  }, [list, every]);
  const state = list.state.value;
  useEffect(() => {
    if (isWhole && state.isReady && state.error === undefined) list.more();
  }, [list, state, isWhole]);
  return { ...state, more: list.more, reload: list.reload, update: list.update };
}

/** The list without a component. */
export function createList<R extends ListRoute, Item>(
  route: R,
  asked: NonNullable<AskedArgs<R>[0]> | null,
  itemsOf: (answer: Answer<R>) => Item[],
) {
  type State = Pick<List<Item>, "items" | "isReady" | "isLoading" | "error" | "hasMore">;
  const state = signal<State>({
    items: [],
    isReady: false,
    isLoading: false,
    error: undefined,
    hasMore: asked !== null,
  });
  let next: string | undefined;
  let pages = 0;
  let stopped = new AbortController();
  /** The reader's own, since the reading under way began, whose answer may not have them. */
  let changes: ((items: Item[]) => Item[])[] = [];

  async function readPage(after: string | undefined) {
    const { query, ...rest } = asked as { query?: object };
    const full = { ...rest, query: { ...query, after }, signal: stopped.signal };
    return (await call(route, ...([full] as unknown as AskedArgs<R>))) as Answer<R> & { next?: string };
  }

  /** Reads `count` pages from `after` on, and shows them after `before`. */
  async function read(count: number, after: string | undefined, before: Item[]): Promise<void> {
    const { signal: mine } = stopped;
    changes = [];
    state.value = { ...state.peek(), isLoading: true };
    try {
      const items = [...before];
      let at = after;
      let got = 0;
      do {
        const answer = await readPage(at);
        items.push(...itemsOf(answer));
        at = answer.next;
        got += 1;
      } while (at !== undefined && got < count);
      if (mine.aborted) return;
      next = at;
      pages = (before.length > 0 ? pages : 0) + got;
      const changed = changes.reduce((all, change) => change(all), items);
      state.value = { items: changed, isReady: true, isLoading: false, error: undefined, hasMore: next !== undefined };
    } catch (error) {
      if (!mine.aborted) state.value = { ...state.peek(), isReady: true, isLoading: false, error };
    }
  }

  return {
    state,
    more() {
      const { hasMore, isLoading, items } = state.peek();
      if (hasMore && !isLoading) void read(1, next, items);
    },
    async reload() {
      stopped.abort();
      stopped = new AbortController();
      await read(Math.max(1, pages), undefined, []);
    },
    update(change: (items: Item[]) => Item[]) {
      changes.push(change);
      state.value = { ...state.peek(), items: change(state.peek().items) };
    },
    stop() {
      stopped.abort();
      stopped = new AbortController();
      state.value = { ...state.peek(), isLoading: false };
    },
  };
}
