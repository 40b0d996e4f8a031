// Messages on their way to the server, in order. A lost server loses none: a message stays here and is sent again with the same idempotency
// key until the server answers, also after a reload of the tab, and while another page is shown. The text of an accepted message stays until
// its turn begins.
import { type Signal, signal } from "@preact/signals";
import { toastError } from "../../components/toasts.tsx";
import { call, isLoss } from "../../data/api.ts";
import { keepInTab, readFromTab } from "../../data/preferences.ts";

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
  /** The server refused it, and a retry would not help: the person gets it back. */
  onRefused(message: OutgoingMessage, error: unknown): void;
}

export interface Outgoing {
  messages: Signal<readonly OutgoingMessage[]>;
  add(message: Composed): void;
  /** Their turns have begun, or never will. */
  settle(turns: ReadonlySet<number>): void;
  /** The conversation is left. What is on its way goes on. */
  close(): void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

interface Sender extends Outgoing {
  attach(options: OutgoingOptions): void;
}

/** Of sessions that are shown, or have messages on their way. */
const senders = new Map<string, Sender>();

export function openOutgoing(options: OutgoingOptions): Outgoing {
  const { session } = options;
  const sender = senders.get(session) ?? createSender(session);
  senders.set(session, sender);
  sender.attach(options);
  return sender;
}

function createSender(session: string): Sender {
  const name = `outgoing.${session}`;
  const messages = signal<readonly OutgoingMessage[]>(parseKept(readFromTab(name)));
  let isSending = false;
  /** Who shows the conversation. */
  let shown: OutgoingOptions | null = null;

  function set(next: readonly OutgoingMessage[]): void {
    messages.value = next;
    // Images are too large to keep: the browser asks before a tab is left that has some to send.
    const kept = next.filter(({ images }) => images.length === 0);
    const isLostWithTab = next.some(({ images, state }) => images.length > 0 && state !== "accepted");
    if (isLostWithTab) addEventListener("beforeunload", askFirst);
    else removeEventListener("beforeunload", askFirst);
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
    for (let next = findNext(); next; next = findNext()) {
      const message = next;
      try {
        const turn = await post(message);
        waitMs = FIRST_WAIT_MS;
        update(message.key, { state: "accepted", turn });
        shown?.onAccepted(message, turn);
      } catch (error) {
        if (isLoss(error)) {
          update(message.key, { state: "waiting" });
          await waitForNetwork(waitMs);
          waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
        } else {
          set(messages.peek().filter(({ key }) => key !== message.key));
          giveBack(message, error);
        }
      }
    }
    isSending = false;
    forget();
  }

  function giveBack(message: OutgoingMessage, error: unknown): void {
    if (shown) return shown.onRefused(message, error);
    const draft = `draft.${session}`;
    keepInTab(draft, joinTexts(message.text, readFromTab(draft) ?? ""));
    toastError(error);
  }

  /** Another view reads the rest from the tab. */
  function forget(): void {
    if (shown === null && !isSending && senders.get(session) === sender) senders.delete(session);
  }

  const askFirst = (event: Event) => event.preventDefault();

  const findNext = () => messages.peek().find(({ state }) => state !== "accepted");

  const sender: Sender = {
    messages,
    attach(options) {
      shown = options;
      if (findNext()) void sendAll();
    },
    add(message) {
      senders.set(session, sender);
      set([...messages.peek(), { ...message, key: crypto.randomUUID(), state: "sending", turn: null }]);
      void sendAll();
    },
    settle(turns) {
      const left = messages.peek().filter(({ turn }) => turn === null || !turns.has(turn));
      if (left.length !== messages.peek().length) set(left);
    },
    close() {
      shown = null;
      forget();
    },
  };
  return sender;
}

/** Two texts that both wait to be sent. */
export function joinTexts(first: string, second: string): string {
  return [first, second].filter((text) => text.trim() !== "").join("\n\n");
}

function parseKept(kept: string | null): OutgoingMessage[] {
  try {
    return kept === null ? [] : (JSON.parse(kept) as OutgoingMessage[]);
  } catch {
    return []; // of another version of the page
  }
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
