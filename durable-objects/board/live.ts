// The readers of a board's events: WebSockets that hibernate with the object. Each keeps the number of the last event that it was sent, so that
// none is lost or sent twice. Called by the Board object.
import type { Board } from "../../core/board/contract.ts";
import { type Failure, err } from "../../core/errors.ts";

/** [own] */
const MAX_READERS = 50;
const PAGE = 500;

interface Kept {
  after: number;
}

export function createLiveEvents(ctx: DurableObjectState, board: Pick<Board, "events" | "lastEvent">) {
  ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));

  function send(socket: WebSocket): void {
    let { after } = socket.deserializeAttachment() as Kept;
    for (
      let page = board.events({ after, limit: PAGE });
      page.length > 0;
      page = board.events({ after, limit: PAGE })
    ) {
      for (const event of page) socket.send(JSON.stringify(event));
      after = page.at(-1)!.n;
    }
    socket.serializeAttachment({ after } satisfies Kept);
  }

  return {
    /** `after`: the last event that the reader has; `null`: it begins with what happens from now on. Failure: `too_many_readers`. */
    connect(after: number | null): Response {
      if (ctx.getWebSockets().length >= MAX_READERS) {
        const { failure } = err("too_many_readers", `A board has at most ${MAX_READERS} readers. Close one first.`);
        return Response.json(failure satisfies Failure, { status: 400 });
      }
      const { 0: client, 1: server } = new WebSocketPair();
      ctx.acceptWebSocket(server);
      server.serializeAttachment({ after: after ?? board.lastEvent() } satisfies Kept);
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
