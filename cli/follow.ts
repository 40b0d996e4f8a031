// Follows all turns of a session until the signal aborts. Uses a WebSocket and reconnects with the last event id. Falls back
// on server-sent events, one turn at a time, where the server or a proxy refuses WebSockets. Used by converse.ts.
import { type BackoffOptions, createBackoff } from "./connection/backoff.ts";
import type { Client } from "./connection/client.ts";
import type { StreamedEvent } from "./events.ts";
import { UnreachableError, isAway } from "./connection/http.ts";
import { SESSION_DELETED, SIGN_IN_AGAIN, SocketClosed } from "./connection/socket.ts";

export interface FollowOptions extends BackoffOptions {
  client: Pick<Client, "watch" | "readEvents" | "session">;
  session: string;
  /** The last event id that was received; `0.0` for all events. */
  after: string;
  signal: AbortSignal;
  /** For the fallback: resolves when a turn is open. */
  turn(): Promise<void>;
  onReconnect?: (reason: Error) => void;
  /** Called whenever a WebSocket has been opened. */
  onOpen?: () => void;
  /** Called once at the fallback. Events between turns then arrive with the next turn. */
  onFallback?: () => void;
}

/** Refused upgrades in a row, while the API answers, before the fallback. */
const MAX_REFUSED = 2;

/** Throws the signal's reason, or an error that a retry would not fix. Never returns by itself. */
export async function* followSession(options: FollowOptions): AsyncGenerator<StreamedEvent> {
  const { client, session, signal, onReconnect, onFallback } = options;
  const backoff = createBackoff(options);
  const onOpen = () => {
    backoff.renew();
    options.onOpen?.();
  };
  let after = options.after;
  let isAskedAgain = false;
  for (let refused = 0; refused < MAX_REFUSED;) {
    let reason: Error;
    try {
      for await (const streamed of client.watch(session, { after, signal, onOpen })) {
        after = streamed.id;
        refused = 0;
        isAskedAgain = false;
        backoff.reset();
        yield streamed;
      }
      continue;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SocketClosed) || error.code === SESSION_DELETED) throw error;
      if (error.code === SIGN_IN_AGAIN && !isAskedAgain) {
        isAskedAgain = true;
        continue;
      }
      if (!error.opened) refused += await isAnswering(client, session);
      reason = new UnreachableError(error.message, { cause: error });
    }
    if (refused < MAX_REFUSED) await backoff.next(reason, onReconnect);
    signal.throwIfAborted();
  }
  onFallback?.();
  yield* followTurns(options, after);
}

/** 1 when the API answers a plain request, so that only the upgrade fails. Throws the refusal of that request. */
async function isAnswering(client: FollowOptions["client"], session: string): Promise<0 | 1> {
  try {
    await client.session(session);
    return 1;
  } catch (error) {
    if (isAway(error)) return 0;
    throw error;
  }
}

async function* followTurns(options: FollowOptions, from: string): AsyncGenerator<StreamedEvent> {
  const { client, session, signal, turn, onReconnect } = options;
  const backoff = createBackoff(options);
  for (let after = from; ;) {
    await turn();
    signal.throwIfAborted();
    let isOver = false;
    try {
      for await (const streamed of client.readEvents(session, { after, signal })) {
        after = streamed.id;
        isOver = streamed.event.type === "turn_end";
        backoff.reset();
        yield streamed;
      }
      if (!isOver) await backoff.next(new UnreachableError("The stream ended before its turn did."));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UnreachableError) || isOver) throw error;
      await backoff.next(error, onReconnect);
    }
  }
}
