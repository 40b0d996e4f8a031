// A session's whole workspace as a zip, out and in. The session streams it out; one that comes in is unpacked all or nothing.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import { ImportedWorkspace } from "../../../core/schemas/api.ts";
import type { SessionId } from "../../../core/schemas/ids.ts";
import { unwrap } from "../problems.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, refuses } from "../router.ts";
import { openSession } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const workspace = createRouter();

const WORKSPACE = "/v1/sessions/{session}/workspace";
const ZIP_CONTENT = { "application/zip": { schema: z.string().meta({ format: "binary" }) } };
const LIMITS =
  "At most 30 MB packed and 20,000 entries; unpacked, the limits of the workspace apply. Links are kept as links. Absolute paths, `..`, duplicate names, encrypted entries and special files are refused. The owner counts as the writer. A checkpoint from before the import is kept.";

workspace.openapi(
  createRoute({
    method: "get",
    path: WORKSPACE,
    operationId: "exportWorkspace",
    ...refuses("archive_too_large"),
    description: "Streams all files, folders and links of the workspace as a zip, with their modes and times.",
    request: { params: SessionParams },
    responses: { 200: { description: "The zip", content: ZIP_CONTENT }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const zip = unwrap(await openSession(c.env, c.var.profile, session).exportWorkspace());
    const headers = { "content-type": "application/zip", "x-content-type-options": "nosniff" };
    return new Response(zip, {
      headers: { ...headers, "content-disposition": 'attachment; filename="workspace.zip"' },
    });
  },
);

workspace.openapi(
  createRoute({
    method: "put",
    path: WORKSPACE,
    operationId: "replaceWorkspace",
    ...refuses(
      "bad_archive",
      "archive_too_large",
      "too_many_files",
      "bad_path",
      "workspace_full",
      "file_too_large",
      "write_limit",
      "session_busy",
      "approval_needed",
    ),
    description: `Replaces all files by those of a zip, or changes nothing. ${LIMITS}`,
    request: { params: SessionParams, body: { required: true, content: ZIP_CONTENT } },
    responses: describeResponses(200, "Replaced", ImportedWorkspace),
  }),
  async (c) => c.json(await importZip(c, c.req.valid("param").session, true), 200),
);

workspace.openapi(
  createRoute({
    method: "post",
    path: WORKSPACE,
    operationId: "addToWorkspace",
    ...refuses(
      "bad_archive",
      "archive_too_large",
      "too_many_files",
      "bad_path",
      "workspace_full",
      "file_too_large",
      "write_limit",
      "session_busy",
      "approval_needed",
    ),
    description: `Adds the files of a zip to those that are there, or changes nothing. A file of the same path is replaced. ${LIMITS}`,
    request: { params: SessionParams, body: { required: true, content: ZIP_CONTENT } },
    responses: describeResponses(200, "Added", ImportedWorkspace),
  }),
  async (c) => c.json(await importZip(c, c.req.valid("param").session, false), 200),
);

async function importZip(c: Context<ApiEnv>, session: SessionId, replace: boolean): Promise<ImportedWorkspace> {
  const zip = new Uint8Array(await c.req.arrayBuffer());
  return unwrap(await openSession(c.env, c.var.profile, session).importWorkspace(zip, replace));
}
