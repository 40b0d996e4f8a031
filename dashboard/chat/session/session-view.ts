// One session on the page: loads the end of its log, follows its events, reads again what the stream does not tell, and sends messages.
// Holds no markup. Opened by the chat page; closed when another session is shown.
import { type Signal, computed, signal } from "@preact/signals";
import { fillPath } from "../../../cli/connection/routes.ts";
import type { AgentEvent, Entry } from "../../../core/schemas/entry.ts";
import { type Answer, ProblemError, call, isLoss } from "../../data/api.ts";
import { type LiveState, openLive } from "../../data/live.ts";
import { invalidate } from "../../data/resource.ts";
import { loadSignIn } from "../../data/sign-in.ts";
import {
  type Conversation,
  EMPTY,
  applyEntries,
  applyEvent,
  applyTurns,
  askAgain,
  chooseStart,
  firstUnread,
  takeReread,
} from "./conversation.ts";
import type { Item } from "./items.ts";
import { type OutgoingMessage, openOutgoing } from "./outgoing.ts";

export type Detail = Answer<"GET /v1/sessions/{session}">;

interface LiveMessage {
  id: string;
  event: AgentEvent;
}

/** Entries that are read at first, and again for each step upwards. */
const PAGE = 150;
/** Titles are made after the first answer. */
const TITLE_MS = [2_000, 6_000];
/** After a read that was lost on its way. */
const AGAIN_MS = 3_000;
/** In a hidden tab nothing is drawn. */
const HIDDEN_MS = 100;

export type SessionView = ReturnType<typeof openSession>;

/** `onRefused`: a message that the server does not take, for its writer. */
export function openSession(session: string, onRefused: (message: OutgoingMessage, error: unknown) => void) {
  const conversation = signal<Conversation>(EMPTY);
  const detail: Signal<Detail | null> = signal(null);
  const live = signal<LiveState>("connecting");
  /** Why the session cannot be shown. */
  const error = signal<unknown>(undefined);
  const isLoaded = signal(false);
  /** The lowest entry that was read. */
  const first = signal(Infinity);
  const isLoadingOlder = signal(false);
  /** Grows when files of the session may have changed. */
  const filesVersion = signal(0);
  const params = { session };
  const left = new AbortController();
  let stopLive = () => {};
  let waiting: AgentEvent[] = [];
  let isScheduled = false;
  let isLoading = false;
  let isRereading = false;
  let changes = 0;
  const repeats = new Map<() => Promise<unknown>, ReturnType<typeof setTimeout>>();

  const outgoing = openOutgoing({
    session,
    onAccepted() {
      settle();
      void refresh();
    },
    onRefused,
  });

  /** Reads again what was lost on its way. Without it the page would show old data until something happens. */
  function repeat(read: () => Promise<unknown>): void {
    clearTimeout(repeats.get(read));
    repeats.set(
      read,
      setTimeout(() => void (left.signal.aborted || read()), AGAIN_MS),
    );
  }

  async function load(): Promise<void> {
    if (isLoading) return;
    isLoading = true;
    stopLive();
    waiting = [];
    try {
      const found = await call("GET /v1/sessions/{session}", { params, signal: left.signal });
      const end = Math.max(0, ...found.turns.map(({ input, final }) => final ?? input ?? 0));
      const from = Math.max(1, end - PAGE + 1);
      let shown = applyTurns(EMPTY, found.turns);
      for await (const entries of readPages(from)) shown = applyEntries(shown, entries);
      detail.value = found;
      conversation.value = shown;
      first.value = from;
      isLoaded.value = true;
      error.value = undefined;
      settle();
      follow(chooseStart(found.turns, shown));
    } catch (failure) {
      if (left.signal.aborted) return;
      error.value = failure;
      if (isLoss(failure)) repeat(load);
    } finally {
      isLoading = false;
    }
  }

  /** The log from an entry to its end. */
  async function* readPages(from: number, to = Infinity) {
    for (let after: string | undefined = String(from - 1); after !== undefined;) {
      const query = { after, ...(to < Infinity && { limit: String(Math.min(500, to - Number(after))) }) };
      const page: Answer<"GET /v1/sessions/{session}/entries"> = await call("GET /v1/sessions/{session}/entries", {
        params,
        query,
        signal: left.signal,
      });
      // The contract's type and the schema's differ in what a provider's own data may lack.
      yield page.entries as Entry[];
      after = page.next !== undefined && Number(page.next) < to ? page.next : undefined;
    }
  }

  function follow(after: string): void {
    stopLive();
    let hasHeard = false;
    stopLive = openLive<LiveMessage>({
      path: fillPath("/v1/sessions/{session}/socket", params),
      after,
      cursorOf: ({ id }) => id,
      onMessage({ event }) {
        hasHeard = true;
        waiting.push(event);
        schedule();
      },
      onState(state, why) {
        if (state === "connecting") hasHeard = false;
        if (state === "waiting" && !hasHeard) void catchUp();
        if (state === "ended") end(why);
        live.value = state;
      },
    });
  }

  function end(why: string | undefined): void {
    // Whether the sign-in or the session is gone, a request says.
    void call("GET /v1/sessions/{session}", { params, signal: left.signal }).then(
      () => loadSignIn(),
      (failure: unknown) => {
        error.value = failure instanceof ProblemError ? failure : new Error(why ?? "This session cannot be followed.");
      },
    );
  }

  /** Events of one frame are applied together. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    if (document.visibilityState === "hidden") setTimeout(flush, HIDDEN_MS);
    else requestAnimationFrame(flush);
  }

  function flush(): void {
    isScheduled = false;
    const events = waiting;
    waiting = [];
    let next = conversation.peek();
    for (const event of events) next = applyEvent(next, event);
    conversation.value = next;
    if (next.isBroken) {
      // Until it is loaded, further events would only ask for the same again.
      stopLive();
      return void load();
    }
    settle();
    for (const event of events) if (event.type === "turn_end") onTurnEnd(event.stats.modelCalls);
    if (events.some((event) => event.type === "notice_add" && event.code === "learned")) onLearned();
    if (next.reread !== null) void reread();
  }

  function onTurnEnd(modelCalls: number): void {
    void refresh();
    filesVersion.value += 1;
    void invalidate(`/v1/sessions/${session}/`, "/v1/reviews", "/v1/pending");
    if (modelCalls > 0 && detail.peek()?.title === "") for (const ms of TITLE_MS) setTimeout(() => void refresh(), ms);
  }

  function onLearned(): void {
    void invalidate("/v1/reviews", "/v1/skills", "/v1/pending");
  }

  async function reread(): Promise<void> {
    if (isRereading) return;
    isRereading = true;
    try {
      for (;;) {
        const { from, next } = takeReread(conversation.peek());
        if (from === null) return;
        conversation.value = next;
        try {
          for await (const entries of readPages(from)) conversation.value = applyEntries(conversation.peek(), entries);
          settle();
        } catch (failure) {
          // Until then the page shows what the stream has sent.
          conversation.value = askAgain(conversation.peek(), from);
          if (isLoss(failure)) repeat(reread);
          return;
        }
      }
    } finally {
      isRereading = false;
    }
  }

  /** Messages whose turn has begun are in the conversation. */
  function settle(): void {
    const { turns, into } = conversation.peek();
    const isPerson = (item: Item) => item.kind === "person";
    const isUnknown = (item: Item) => item.kind === "person" && item.text === null;
    const begun = turns
      .filter(({ items, end: over }) => !items.some(isUnknown) && (over !== null || items.some(isPerson)))
      .map(({ n }) => n);
    outgoing.settle(new Set([...begun, ...into.keys()]));
  }

  /** What the session says of itself: its title, choices, cost, and the turns that wait. */
  async function refresh(): Promise<Detail | null> {
    const known = changes;
    try {
      const found = await call("GET /v1/sessions/{session}", { params, signal: left.signal });
      // The person has changed something meanwhile: this answer may be older.
      if (known === changes) detail.value = found;
      const { turns, into } = conversation.peek();
      const isNew = (n: number) => !into.has(n) && !turns.some((turn) => turn.n === n && turn.items.length > 0);
      const queued = found.turns.filter(({ state, n }) => state === "queued" && isNew(n)).map(({ n }) => n);
      conversation.value = { ...conversation.peek(), queued };
      return found;
    } catch (failure) {
      if (left.signal.aborted) return null;
      if (isLoss(failure)) repeat(refresh);
      if (failure instanceof ProblemError && failure.problem.status === 404) error.value = failure;
      return null;
    }
  }

  /**
   * After a connection that brought nothing. A refused one does not say why, a request does; and some networks let no WebSocket through,
   * or cut each one: the log then tells the conversation.
   */
  async function catchUp(): Promise<void> {
    const found = await refresh();
    if (found === null || !isLoaded.peek() || isLoading) return;
    conversation.value = askAgain(conversation.peek(), firstUnread(conversation.peek()));
    await reread();
    conversation.value = { ...applyTurns(conversation.peek(), found.turns), queued: conversation.peek().queued };
    settle();
  }

  async function readOlder(): Promise<void> {
    const before = first.peek();
    if (isLoadingOlder.peek() || before <= 1) return;
    isLoadingOlder.value = true;
    const from = Math.max(1, before - PAGE);
    try {
      for await (const entries of readPages(from, before - 1))
        conversation.value = applyEntries(conversation.peek(), entries);
      first.value = from;
    } finally {
      isLoadingOlder.value = false;
    }
  }

  void load();
  return {
    session,
    conversation,
    detail,
    live,
    error,
    isLoaded,
    outgoing,
    isLoadingOlder,
    filesVersion,
    hasOlder: computed(() => first.value > 1 && first.value < Infinity),
    /** Reads the entries before the first one. Throws what the request throws. */
    readOlder,
    /** Reads upwards until a turn is there, if it is in the log. */
    async readUpTo(turn: number): Promise<void> {
      const isThere = () => conversation.peek().turns.some(({ n, items }) => n === turn && items.length > 0);
      while (isLoaded.peek() && !isThere() && first.peek() > 1) await readOlder();
    },
    load,
    async refresh(): Promise<void> {
      await refresh();
    },
    /** The session as it is after a change of the person's own. */
    setDetail(changed: Detail): void {
      changes += 1;
      detail.value = changed;
    },
    async stop(): Promise<void> {
      await call("POST /v1/sessions/{session}/stop", { params });
    },
    close(): void {
      left.abort();
      outgoing.close();
      stopLive();
    },
  };
}
