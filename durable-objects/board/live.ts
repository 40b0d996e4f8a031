// The readers of a board's events: WebSockets that hibernate with the object. Each keeps the number of the last event that it was sent, so that
// none is lost or sent twice. Called by the Board object.
import type { Board } from "../../core/board/contract.ts";
import { type Failure, err } from "../../core/errors.ts";
import type { Clock } from "../../core/ports.ts";
import type { CardId } from "../../core/schemas/board/card.ts";
import { CLOSE_CODES, MAX_STANDING_MS } from "../../core/session/readers/standing-reader.ts";

/** [own] */
const MAX_READERS = 50;
const PAGE = 500;
/** [own] Characters that one socket is sent at once: what it has not read yet is in the object's memory. */
const MAX_SENT_CHARS = 2_000_000;

interface Kept {
  after: number;
  /** `null`: the events of all cards. */
  card: CardId | null;
  /** When it connected. */
  since: number;
}

export function createLiveEvents(
  ctx: DurableObjectState,
  board: Pick<Board, "events" | "lastEvent">,
  clock: Pick<Clock, "now">,
) {
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));

  function send(socket: WebSocket): void {
    const kept = socket.deserializeAttachment() as Kept;
    const { card, since } = kept;
    let { after } = kept;
    for (let sent = 0; ;) {
      const page = board.events({ after, limit: PAGE, ...(card !== null && { card }) });
      if (page.length === 0) break;
      if (clock.now() - since > MAX_STANDING_MS) {
        return socket.close(CLOSE_CODES.signInAgain, "Connect again with the last number and your key.");
      }
      for (const event of page) {
        const text = JSON.stringify(event);
        sent += text.length;
        socket.send(text);
        after = event.n;
        if (sent > MAX_SENT_CHARS)
          return socket.close(CLOSE_CODES.signInAgain, "There is more: connect again with the last number.");
      }
    }
    if (after > kept.after) socket.serializeAttachment({ ...kept, after } satisfies Kept);
  }

  return {
    /**
     * `after`: the last event that the reader has; `null`: it begins with what happens from now on. `owner`: the tag of the socket. Failure, as JSON
     * with the status 400: `too_many_readers`.
     */
    connect({ after, card, owner }: { after: number | null; card: CardId | null; owner: string | null }): Response {
      if (ctx.getWebSockets().length >= MAX_READERS) {
        const { failure } = err("too_many_readers", `A board has at most ${MAX_READERS} readers. Close one first.`);
        return Response.json(failure satisfies Failure, { status: 400 });
      }
      const { 0: client, 1: server } = new WebSocketPair();
      ctx.acceptWebSocket(server, owner === null ? [] : [owner]);
      server.serializeAttachment({ after: after ?? board.lastEvent(), card, since: clock.now() } satisfies Kept);
      send(server);
      return new Response(null, { status: 101, webSocket: client });
    },
    /** Sends each reader what it has not. A reader that is gone is left. */
    tell(): void {
      for (const socket of ctx.getWebSockets()) {
        try {
          send(socket);
        } catch {
          socket.close(1011, "The events could not be sent.");
        }
      }
    },
  };
}
