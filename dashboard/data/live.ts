// The live event stream: a WebSocket of a session or of a board, opened again after every loss, from the last event on.

export type LiveState = "connecting" | "open" | "waiting" | "ended";

export interface LiveOptions<Message> {
  /** `/v1/sessions/{session}/socket` or `/v1/boards/{board}/events`, filled in. */
  path: string;
  /** Cursor of the last known message. Absent: only new messages come. */
  after?: string;
  /** Cursor of a message, for `after` of the next connection. */
  cursorOf(message: Message): string;
  onMessage(message: Message): void;
  onState(state: LiveState, why?: string): void;
}

/** Codes of a close, as the API gives them. */
const SIGN_IN_AGAIN = 4001;
const SIGN_IN_ENDED = 4003;
const GONE = 4404;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;
/** A connection that died without a word is found by a question that gets no answer. */
const PING_EVERY_MS = 25_000;
const PONG_MS = 10_000;

/** Returns how to close it. */
export function openLive<Message>({ path, after, cursorOf, onMessage, onState }: LiveOptions<Message>): () => void {
  let last = after;
  let attempts = 0;
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let pinger: ReturnType<typeof setInterval> | undefined;
  let missing: ReturnType<typeof setTimeout> | undefined;

  function quiet(): void {
    clearInterval(pinger);
    clearTimeout(missing);
  }

  /** Gives the connection up, and opens another one. */
  function drop(): void {
    const dropped = socket;
    if (dropped === null || isClosed) return;
    lose(0, "");
    dropped.close();
  }

  function ping(opened: WebSocket): void {
    clearTimeout(missing);
    opened.send("ping");
    missing = setTimeout(drop, PONG_MS);
  }

  function connect(): void {
    clearTimeout(timer);
    onState("connecting");
    const url = new URL(path, location.href.replace(/^http/, "ws"));
    url.hash = "";
    if (last !== undefined) url.searchParams.set("after", last);
    const opened = (socket = new WebSocket(url, ["talaria.v1"]));
    opened.addEventListener("open", () => {
      if (opened !== socket) return;
      pinger = setInterval(() => ping(opened), PING_EVERY_MS);
      onState("open");
    });
    opened.addEventListener("message", ({ data }) => {
      if (opened !== socket) return;
      clearTimeout(missing);
      // A connection that is cut before it brought anything helps nobody: the next one waits longer.
      attempts = 0;
      if (data === "pong") return;
      const message = JSON.parse(String(data)) as Message;
      last = cursorOf(message);
      onMessage(message);
    });
    opened.addEventListener("close", ({ code, reason }) => {
      if (opened === socket) lose(code, reason);
    });
  }

  function lose(code: number, reason: string): void {
    socket = null;
    quiet();
    if (isClosed) return;
    if (code === SIGN_IN_ENDED || code === GONE) {
      isClosed = true;
      onState("ended", reason);
      return;
    }
    if (code === SIGN_IN_AGAIN) return connect();
    onState("waiting");
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts++);
    timer = setTimeout(connect, longest * (0.5 + Math.random() / 2));
  }

  /** The network is back: do not wait for the timer. */
  const onOnline = () => {
    if (socket === null && !isClosed) connect();
  };
  /** The reader is back, perhaps on a machine that slept: does the connection still live? */
  const onShown = () => {
    if (document.visibilityState === "hidden" || isClosed) return;
    if (socket === null) connect();
    else if (socket.readyState === WebSocket.OPEN) ping(socket);
  };
  // The network is gone: an open connection may not notice for minutes.
  window.addEventListener("offline", drop);
  window.addEventListener("online", onOnline);
  document.addEventListener("visibilitychange", onShown);
  connect();
  return () => {
    isClosed = true;
    clearTimeout(timer);
    quiet();
    window.removeEventListener("offline", drop);
    window.removeEventListener("online", onOnline);
    document.removeEventListener("visibilitychange", onShown);
    socket?.close();
    socket = null;
  };
}
