// The WebSocket of a session, which reports the events of all turns. It may stay open while the session hibernates. Checked
// here like every request, then handed to the Session object, which accepts it.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { answerProtocols, isUpgrade, noteSocket } from "../auth/note-socket.ts";
import { EventId } from "./messages.ts";
import { AppError } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, refuses } from "../router.ts";
import { openSession, unwrapResponse } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const socket = createRouter();

socket.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/socket",
    operationId: "watchSession",
    ...refuses("upgrade_required", "too_many_readers", "turn_not_found"),
    description:
      'Opens a WebSocket for the events of all turns, each as `{"id", "event"}`: first those after the id `after`, then new ' +
      "ones. `after=0.0` begins at the first event; without `after` only new events come. `ping` is answered with `pong`; " +
      "any other message closes the socket with 4400. After a close with 4001, connect again with the last id; 4003 means that " +
      "the key or the sign-in has ended. A client " +
      "that cannot send headers offers the protocols `talaria.v1` and `bearer.<key>`.",
    request: { params: SessionParams, query: z.strictObject({ after: EventId.optional() }) },
    responses: { 101: { description: "The connection" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    if (!isUpgrade(c)) {
      throw new AppError("upgrade_required", "This route needs a WebSocket upgrade. To read one turn, use `…/events`.");
    }
    const headers = answerProtocols(c);
    // A new request without the client's headers, above all without the key.
    const url = new URL("https://session/socket");
    const { after } = c.req.valid("query");
    if (after !== undefined) url.searchParams.set("after", after);
    const { session: id } = c.req.valid("param");
    const owner = await noteSocket(c, id);
    url.searchParams.set("owner", owner);
    const session = openSession(c.env, c.var.profile, id);
    const upgrade = new Request(url, { headers: { upgrade: "websocket" } });
    const answer = await unwrapResponse(await session.fetch(upgrade));
    return new Response(null, { status: 101, webSocket: answer.webSocket, headers });
  },
);
