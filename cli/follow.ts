// Follows a session over all its turns, for as long as somebody looks: on a standing connection, opened again where it
// stopped; by server-sent events, a turn at a time, where a server or a proxy takes no such connection.
import { type BackoffOptions, createBackoff } from "./backoff.ts";
import type { Client } from "./client.ts";
import type { StreamedEvent } from "./events.ts";
import { UnreachableError } from "./http.ts";
import { SESSION_DELETED, SIGN_IN_AGAIN, SocketClosed } from "./socket.ts";

export interface FollowOptions extends BackoffOptions {
  client: Pick<Client, "watch" | "readEvents" | "session">;
  session: string;
  /** The last event id that was seen; `0.0` for everything. */
  after: string;
  signal: AbortSignal;
  /** Without a standing connection: resolves when a turn is to be read. */
  turn(): Promise<void>;
  onReconnect?: (reason: Error) => void;
  /** From now on a turn at a time: what comes between turns is shown with the next. */
  onFallback?: () => void;
}

/** Upgrades refused in a row, while the API answers, before it is given up for good. */
const MAX_REFUSED = 2;

/** Ends by the signal's reason, or by an error that trying again would not help. */
export async function* followSession(options: FollowOptions): AsyncGenerator<StreamedEvent> {
  const { client, session, signal, onReconnect, onFallback } = options;
  const backoff = createBackoff(options);
  let after = options.after;
  let isAskedAgain = false;
  for (let refused = 0; refused < MAX_REFUSED;) {
    let reason: Error;
    try {
      for await (const streamed of client.watch(session, { after, signal, onOpen: backoff.renew })) {
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

/** 1 when the API answers a plain request: then it is the upgrade that does not get through. A refusal is passed on. */
async function isAnswering(client: FollowOptions["client"], session: string): Promise<0 | 1> {
  try {
    await client.session(session);
    return 1;
  } catch (error) {
    if (error instanceof UnreachableError) return 0;
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
