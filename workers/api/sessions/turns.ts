// Single turns: what became of one, what was observed of it, and the person's rating of it.
import { createRoute } from "@hono/zod-openapi";
import { TurnObservation } from "../../../core/schemas/api.ts";
import { Observation, Rating } from "../../../core/schemas/learning/learning.ts";
import { TurnInfo } from "../../../core/schemas/run.ts";
import { unwrap } from "../problems.ts";
import { describeResponses, createRouter, numeric, jsonBody, refuses } from "../router.ts";
import { openSession } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const turns = createRouter();

const TurnParams = SessionParams.extend({ n: numeric(1, 999_999_999) });

turns.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/turns/{n}",
    operationId: "readTurn",
    ...refuses("turn_not_found"),
    description:
      "Reads one turn: its state, its answer, what it waits for, what it used. `replayable` says whether an experiment can run it again; " +
      "if not, `reason` and `why` say what is in the way.",
    request: { params: TurnParams },
    responses: describeResponses(200, "The turn", TurnInfo),
  }),
  async (c) => {
    const { session, n } = c.req.valid("param");
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).readTurnInfo(n)), 200);
  },
);

turns.openapi(
  createRoute({
    method: "post",
    path: "/v1/sessions/{session}/turns/{n}/rating",
    operationId: "rateTurn",
    ...refuses("turn_not_found", "turn_not_ended", "turn_undone", "turn_inherited", "too_many_ratings"),
    description:
      "Rates a turn, also days later. The last rating counts; repeating it changes nothing. The next turn and the next " +
      "review read the words of a correction.",
    request: { params: TurnParams, body: jsonBody(Rating) },
    responses: describeResponses(200, "The turn's current judgement", Observation),
  }),
  async (c) => {
    const { session, n } = c.req.valid("param");
    const rating = c.req.valid("json");
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).rate(n, rating)), 200);
  },
);

turns.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/turns/{n}/observation",
    operationId: "readObservation",
    ...refuses("turn_not_found"),
    description:
      "Reads what was observed of a finished turn, how it was judged, and a short trace of its steps. `replayability` says whether an " +
      "experiment can run the turn again, and if not, why.",
    request: { params: TurnParams },
    responses: describeResponses(200, "The observation and the trace", TurnObservation),
  }),
  async (c) => {
    const { session, n } = c.req.valid("param");
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).observation(n)), 200);
  },
);
