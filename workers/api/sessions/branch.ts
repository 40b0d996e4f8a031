// Branching a session: a new one that begins as the other was after one of its turns.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ulid } from "ulid";
import { BranchSession, SessionDetail } from "../../../core/schemas/api.ts";
import { AppError } from "../problems.ts";
import { createRouter, describeResponses, optionalJsonBody, refuses } from "../router.ts";
import { IdempotencyKey } from "./messages.ts";
import { makeBranch } from "./make-branch.ts";
import { openSession } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const branch = createRouter();

branch.openapi(
  createRoute({
    method: "post",
    path: "/v1/sessions/{session}/branch",
    operationId: "branchSession",
    ...refuses(
      "turn_not_found",
      "turn_not_ended",
      "files_not_kept",
      "branch_outdated",
      "idempotency_conflict",
      "turn_undone",
      "session_busy",
      "session_delegated",
    ),
    description:
      "Begins a session that is as this one was after a turn: its log up to that turn, the files of that time, images and choices. Its " +
      "usage begins at zero, and deleting either leaves the other whole. A request that was cut off is sent again with its " +
      "`Idempotency-Key`, and goes on where it was. Files on an exec host are not copied.",
    request: {
      params: SessionParams,
      headers: z.object({ "idempotency-key": IdempotencyKey.optional() }),
      body: optionalJsonBody(BranchSession),
    },
    responses: describeResponses(201, "The branch", SessionDetail),
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const { profile } = c.var;
    const key = c.req.valid("header")["idempotency-key"];
    const asked = { ...c.req.valid("json"), key, session: ulid(), at: Date.now() };
    const made = await makeBranch(c.env, profile, session, asked);
    const detail = await openSession(c.env, profile, made).detail();
    if (!detail)
      throw new AppError("session_not_found", "The branch was deleted. Make another one with a new Idempotency-Key.");
    return c.json(detail, 201);
  },
);
