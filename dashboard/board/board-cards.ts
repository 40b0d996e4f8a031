// All cards of one board that are not archived, kept up to date: the board's WebSocket says that something happened, and after a pause the
// list is read again. Old cards stay on the screen meanwhile.
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { fillPath } from "../../cli/connection/routes.ts";
import { call, isLoss } from "../data/api.ts";
import { type LiveState, openLive } from "../data/live.ts";
import { invalidate } from "../data/resource.ts";
import type { CardLine } from "./cards.ts";
import type { CardEvent } from "./drawer/events.ts";

export interface BoardCards {
  cards: CardLine[];
  /** The first cards are here, or could not be read. */
  isReady: boolean;
  error: unknown;
  /** The board has more cards than are shown. */
  isCut: boolean;
  live: LiveState;
  reload(): Promise<void>;
  /** Shows a card as a change has just answered it, before the list is read again. */
  put(card: CardLine): void;
  remove(id: string): void;
}

const PAGE = 200;
/** More cards on one board are not shown: they would be archived. */
export const MAX_CARDS = 5_000;
/** Events come in bursts. */
const PAUSE_MS = 300;
/** After a read that was lost on its way. */
const AGAIN_MS = 3_000;
/** A large board is read less often: the page is busy with it a fifth of the time at most. */
const PAUSE_FACTOR = 4;

export function useBoardCards(board: string): BoardCards {
  const store = useMemo(() => createBoardCards(board), [board]);
  useEffect(() => store.start(), [store]);
  return { ...store.state.value, live: store.live.value, reload: store.read, put: store.put, remove: store.remove };
}

/** The cards without a component. */
export function createBoardCards(board: string) {
  type State = Pick<BoardCards, "cards" | "isReady" | "error" | "isCut">;
  const state = signal<State>({ cards: [], isReady: false, error: undefined, isCut: false });
  const live = signal<LiveState>("connecting");
  const path = fillPath("/v1/boards/{board}", { board });
  let stopped = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [isReading, isStale, isChanged, tookMs] = [false, false, false, 0];

  async function read(): Promise<void> {
    if (isReading) {
      isStale = true;
      return;
    }
    isReading = true;
    [isStale, isChanged] = [false, false];
    const { signal: mine } = stopped;
    const began = performance.now();
    try {
      const cards: CardLine[] = [];
      let after: string | undefined;
      do {
        const query = { limit: String(PAGE), counts: "1" as const, after };
        const page = await call("GET /v1/boards/{board}/cards", { params: { board }, query, signal: mine });
        cards.push(...page.cards);
        after = page.next;
        // The first time, cards are shown as they come.
        if (!state.peek().isReady || state.peek().cards.length < cards.length) {
          state.value = { cards: [...cards], isReady: true, error: undefined, isCut: false };
        }
      } while (after !== undefined && cards.length < MAX_CARDS);
      // The reader's own change, made meanwhile, may be missing in what was read: it is read again.
      if (!isChanged) state.value = { cards, isReady: true, error: undefined, isCut: after !== undefined };
    } catch (error) {
      if (!mine.aborted) state.value = { ...state.peek(), isReady: true, error };
      // What happened may be told once only.
      if (isLoss(error)) setTimeout(() => void (mine.aborted || readSoon()), AGAIN_MS);
    } finally {
      tookMs = performance.now() - began;
      isReading = false;
      if (isStale && !mine.aborted) readSoon();
    }
  }

  function readSoon(): void {
    if (isReading) isStale = true;
    timer ??= setTimeout(
      () => {
        timer = undefined;
        void read();
        // The open card and the numbers.
        void invalidate(`${path}/`);
      },
      Math.max(PAUSE_MS, PAUSE_FACTOR * tookMs),
    );
  }

  return {
    state,
    live,
    read,
    put(card: CardLine): void {
      isChanged = true;
      const { cards } = state.peek();
      const known = cards.find(({ id }) => id === card.id);
      const rest = cards.filter(({ id }) => id !== card.id);
      const line = { ...card, ...(known?.counts && { counts: known.counts }) };
      state.value = { ...state.peek(), cards: card.status === "archived" ? rest : [line, ...rest] };
      readSoon();
    },
    remove(id: string): void {
      isChanged = true;
      state.value = { ...state.peek(), cards: state.peek().cards.filter((card) => card.id !== id) };
      readSoon();
    },
    start(): () => void {
      stopped = new AbortController();
      isReading = false;
      void read();
      const close = openLive<CardEvent>({
        path: `${path}/events`,
        cursorOf: ({ n }) => String(n),
        onMessage: readSoon,
        onState(next) {
          // Between reading and listening something may have happened.
          if (next === "open") readSoon();
          live.value = next;
        },
      });
      return () => {
        close();
        clearTimeout(timer);
        timer = undefined;
        stopped.abort();
      };
    },
  };
}
