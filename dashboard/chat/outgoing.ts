// Messages on their way to the server, in order. A lost server loses none: a message stays here and is sent again with the same idempotency
// key until the server answers, also after a reload of the tab. The text of an accepted message stays until its turn begins.
import { type Signal, signal } from "@preact/signals";
import { ProblemError, UnreachableError, call } from "../data/api.ts";
import { keepInTab, readFromTab } from "../data/preferences.ts";

export type BusyMode = "queue" | "steer" | "interrupt";

/** An image as a data URL. */
export interface GivenImage {
  data: string;
  name: string;
}

/** A message as it was written. `busy`: what it does to a running turn; `null`: as the settings say. */
export interface Composed {
  text: string;
  images: GivenImage[];
  busy: BusyMode | null;
}

export interface OutgoingMessage extends Composed {
  key: string;
  /** `waiting`: the server did not answer, and the message is sent again. */
  state: "sending" | "waiting" | "accepted";
  /** Once it is accepted. */
  turn: number | null;
}

export interface OutgoingOptions {
  session: string;
  onAccepted(message: OutgoingMessage, turn: number): void;
  /** The server refused it for good: the person gets it back. */
  onRefused(message: OutgoingMessage, error: unknown): void;
}

export interface Outgoing {
  messages: Signal<readonly OutgoingMessage[]>;
  add(message: Composed): void;
  /** Their turns have begun, or never will. */
  settle(turns: ReadonlySet<number>): void;
  close(): void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

export function createOutgoing({ session, onAccepted, onRefused }: OutgoingOptions): Outgoing {
  const name = `outgoing.${session}`;
  const messages = signal<readonly OutgoingMessage[]>(parseKept(readFromTab(name)));
  let isSending = false;
  let isClosed = false;

  function set(next: readonly OutgoingMessage[]): void {
    messages.value = next;
    // Images are too large to keep: a message with some is lost with the tab, and its sender sees that.
    const kept = next.filter(({ images }) => images.length === 0);
    keepInTab(name, kept.length === 0 ? null : JSON.stringify(kept));
  }

  function update(key: string, changed: Partial<OutgoingMessage>): void {
    set(messages.peek().map((one) => (one.key === key ? { ...one, ...changed } : one)));
  }

  async function post({ key, text, images, busy }: OutgoingMessage): Promise<number> {
    const { turn } = await call("POST /v1/sessions/{session}/messages", {
      params: { session },
      headers: { "idempotency-key": key },
      body: { text, ...(images.length > 0 && { images }), ...(busy !== null && { busy }) },
    });
    return Number(turn.slice(turn.lastIndexOf("-") + 1));
  }

  async function sendAll(): Promise<void> {
    if (isSending) return;
    isSending = true;
    let waitMs = FIRST_WAIT_MS;
    for (let next = findNext(); next && !isClosed; next = findNext()) {
      const message = next;
      try {
        const turn = await post(message);
        waitMs = FIRST_WAIT_MS;
        update(message.key, { state: "accepted", turn });
        onAccepted(message, turn);
      } catch (error) {
        if (isLoss(error)) {
          update(message.key, { state: "waiting" });
          await waitForNetwork(waitMs);
          waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
        } else {
          set(messages.peek().filter(({ key }) => key !== message.key));
          onRefused(message, error);
        }
      }
    }
    isSending = false;
  }

  const findNext = () => messages.peek().find(({ state }) => state !== "accepted");

  if (findNext()) void sendAll();
  return {
    messages,
    add(message) {
      set([...messages.peek(), { ...message, key: crypto.randomUUID(), state: "sending", turn: null }]);
      void sendAll();
    },
    settle(turns) {
      const left = messages.peek().filter(({ turn }) => turn === null || !turns.has(turn));
      if (left.length !== messages.peek().length) set(left);
    },
    close() {
      isClosed = true;
    },
  };
}

function parseKept(kept: string | null): OutgoingMessage[] {
  try {
    return kept === null ? [] : (JSON.parse(kept) as OutgoingMessage[]);
  } catch {
    return []; // of another version of the page
  }
}

/** A server that restarts answers with a status of 500 or more: the message waits for it. */
function isLoss(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ProblemError && error.problem.status >= 500);
}

/** At most so long; not longer than until the network is back. */
function waitForNetwork(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, ms * (0.5 + Math.random() / 2));
    addEventListener("online", end);
  });
}
