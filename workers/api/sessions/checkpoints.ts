// The checkpoints of a session's workspace: a person lists them, sees what has changed since, sets the files back, or deletes them.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import {
  type Checkpoint,
  CheckpointDetail,
  CheckpointList,
  DeletedCheckpoints,
  RestoredCheckpoint,
} from "../../../core/schemas/api.ts";
import { descending, pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, numeric, refuses } from "../router.ts";
import { IdempotencyKey } from "./messages.ts";
import { openSession } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const checkpoints = createRouter();

const CHECKPOINTS = "/v1/sessions/{session}/checkpoints";
const CheckpointParams = SessionParams.extend({ checkpoint: numeric(1, 999_999_999) });

checkpoints.openapi(
  createRoute({
    method: "get",
    path: CHECKPOINTS,
    operationId: "listCheckpoints",
    description:
      "Lists what the files were at the beginning of recent turns that changed them, and before restores and imports. The newest 20 are kept, within `turn.maxCheckpointBytes`.",
    request: { params: SessionParams, query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Checkpoints, newest first", CheckpointList),
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const all = unwrap(await openSession(c.env, c.var.profile, session).listCheckpoints());
    const sortKey = ({ n }: Checkpoint) => descending(n);
    const { page, next } = toPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ checkpoints: page, ...(next !== undefined && { next }) }, 200);
  },
);

checkpoints.openapi(
  createRoute({
    method: "get",
    path: `${CHECKPOINTS}/{checkpoint}`,
    operationId: "readCheckpoint",
    ...refuses("checkpoint_not_found", "file_not_found", "bad_path"),
    description:
      "Says which paths have changed since the checkpoint. With `path` it also shows the difference of that file, which must be in the checkpoint or there now.",
    request: { params: CheckpointParams, query: z.strictObject({ path: z.string().min(1).optional() }) },
    responses: describeResponses(200, "The checkpoint", CheckpointDetail),
  }),
  async (c) => {
    const { session, checkpoint } = c.req.valid("param");
    const { path } = c.req.valid("query");
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).openCheckpoint(checkpoint, path)), 200);
  },
);

checkpoints.openapi(
  createRoute({
    method: "post",
    path: `${CHECKPOINTS}/{checkpoint}/restore`,
    operationId: "restoreCheckpoint",
    ...refuses(
      "checkpoint_not_found",
      "idempotency_conflict",
      "session_busy",
      "workspace_full",
      "write_limit",
      "files_not_kept",
    ),
    description:
      "Sets all files back to the checkpoint, exactly, instruction files included. Refused while a turn runs or waits. The restore has a checkpoint of its own and can be undone. A repeated request with the same `Idempotency-Key` restores nothing again.",
    request: { params: CheckpointParams, headers: z.object({ "idempotency-key": IdempotencyKey.optional() }) },
    responses: describeResponses(200, "Restored", RestoredCheckpoint),
  }),
  async (c) => {
    const { session, checkpoint } = c.req.valid("param");
    const key = c.req.valid("header")["idempotency-key"];
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).restoreCheckpoint(checkpoint, key)), 200);
  },
);

checkpoints.openapi(
  createRoute({
    method: "delete",
    path: CHECKPOINTS,
    operationId: "deleteCheckpoints",
    ...refuses("session_busy"),
    description:
      "Deletes all checkpoints, with the contents that only they hold, such as those of deleted files. The files stay as they are.",
    request: { params: SessionParams },
    responses: describeResponses(200, "Deleted", DeletedCheckpoints),
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).deleteCheckpoints()), 200);
  },
);
