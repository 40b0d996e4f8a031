// A client of the Chrome DevTools Protocol over one WebSocket: commands with answers and a timeout, and events. Used by browser-page.ts.
// The field's libraries do the same in 60 to 200 KB; these tools need a dozen commands.
import { type Result, err, ok } from "../../../errors.ts";
import type { Clock } from "../../../ports.ts";
import { isObject, toObject, type UnknownObject } from "../../../unknown-object.ts";

/** A WebSocket to a browser. wiring/browser.ts opens one. */
export interface BrowserSocket {
  send(text: string): void;
  /** Ends the connection, and the browser with it. Idempotent. */
  close(): void;
  listen(handlers: { message(text: string): void; close(): void }): void;
}

export interface Cdp {
  /** Failures: `browser_refused` (the browser answers with an error), `browser_timed_out`, `browser_gone`. */
  send(method: string, params?: UnknownObject, session?: string): Promise<Result<UnknownObject>>;
  /** Every event of the browser, with the id of the target's session. */
  onEvent(listener: (method: string, params: UnknownObject, session: string | undefined) => void): void;
  isOpen(): boolean;
  close(): void;
}

/** From Hermes Agent. */
const COMMAND_MS = 30_000;

export function createCdp(socket: BrowserSocket, clock: Clock): Cdp {
  const waiting = new Map<number, (result: Result<UnknownObject>) => void>();
  const listeners: Parameters<Cdp["onEvent"]>[0][] = [];
  let isOpen = true;
  let lastId = 0;

  function end(): void {
    isOpen = false;
    for (const answer of [...waiting.values()]) answer(gone());
  }

  socket.listen({
    message(text) {
      const message = parse(text);
      if (message === null) return;
      const { id, method, params, sessionId } = message;
      if (typeof id === "number") {
        const refusal = isObject(message.error) ? String(message.error.message).slice(0, 300) : null;
        waiting.get(id)?.(refusal === null ? ok(toObject(message.result)) : err("browser_refused", refusal));
      } else if (typeof method === "string") {
        for (const listener of listeners) {
          listener(method, toObject(params), typeof sessionId === "string" ? sessionId : undefined);
        }
      }
    },
    close: end,
  });

  return {
    send(method, params = {}, session) {
      if (!isOpen) return Promise.resolve(gone());
      const id = ++lastId;
      const timer = new AbortController();
      const { promise, resolve } = Promise.withResolvers<Result<UnknownObject>>();
      waiting.set(id, resolve);
      void clock.sleep(COMMAND_MS, timer.signal).then(() => {
        if (!timer.signal.aborted) resolve(err("browser_timed_out", "The browser did not answer within 30 seconds."));
      });
      socket.send(JSON.stringify({ id, method, params, ...(session && { sessionId: session }) }));
      return promise.finally(() => {
        waiting.delete(id);
        timer.abort();
      });
    },
    onEvent: (listener) => void listeners.push(listener),
    isOpen: () => isOpen,
    close() {
      end();
      socket.close();
    },
  };
}

function gone(): Result<never> {
  return err("browser_gone", "The browser has closed. Open the page again with browser_navigate.");
}

function parse(text: string): UnknownObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // not a message of the protocol
  }
}
