// A session's workspace for its owner: bytes in, bytes out. The workspace validates paths.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { FileList, StoredFile } from "../../../core/schemas/api.ts";
import { pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, describeResponses, createRouter, refuses, ANY_PATH } from "../router.ts";
import { openSession } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const files = createRouter();

/** Hono's syntax for the rest of a path; `toDocument` of index.ts translates it for OpenAPI. */
const FILE_PATH = `/v1/sessions/{session}/files/{path}${ANY_PATH}` as const;
const FileParams = SessionParams.extend({ path: z.string().min(1) });
const BYTES_CONTENT = { "application/octet-stream": { schema: z.string().meta({ format: "binary" }) } };

files.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/files",
    operationId: "listFiles",
    description: "Lists the files of the workspace.",
    request: { params: SessionParams, query: z.strictObject(pageQuery(1_000)) },
    responses: describeResponses(200, "Files, by path", FileList),
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const all = unwrap(await openSession(c.env, c.var.profile, session).listFiles());
    const sorted = all.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const { page, next } = toPage(sorted, { ...c.req.valid("query"), sortKey: ({ path }) => path });
    return c.json({ files: page, ...(next !== undefined && { next }) }, 200);
  },
);

files.openapi(
  createRoute({
    method: "put",
    path: FILE_PATH,
    operationId: "putFile",
    ...refuses(
      "file_too_large",
      "bad_path",
      "workspace_full",
      "write_limit",
      "approval_needed",
      "busy",
      "bad_text",
      "backend_unavailable",
    ),
    description: "Stores a file. The body is kept unchanged, whatever its content type.",
    request: { params: FileParams, body: { content: BYTES_CONTENT } },
    responses: describeResponses(201, "Stored", StoredFile),
  }),
  async (c) => {
    const { session, path } = c.req.valid("param");
    const body = new Uint8Array(await c.req.arrayBuffer());
    return c.json(unwrap(await openSession(c.env, c.var.profile, session).putFile(path, body)), 201);
  },
);

files.openapi(
  createRoute({
    method: "get",
    path: FILE_PATH,
    operationId: "getFile",
    ...refuses("file_not_found"),
    description: "Reads one file, byte for byte.",
    request: { params: FileParams },
    responses: { 200: { description: "The file", content: BYTES_CONTENT }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { session, path } = c.req.valid("param");
    const body = unwrap(await openSession(c.env, c.var.profile, session).getFile(path));
    // A file may contain anything, including a page with a script, so it is never displayed as part of this origin.
    const headers = { "content-type": "application/octet-stream", "x-content-type-options": "nosniff" };
    return new Response(body, { headers: { ...headers, "content-disposition": "attachment" } });
  },
);

files.openapi(
  createRoute({
    method: "delete",
    path: FILE_PATH,
    operationId: "deleteFile",
    ...refuses("file_not_found", "approval_needed", "write_limit"),
    description: "Deletes one file.",
    request: { params: FileParams },
    responses: { 204: { description: "Deleted" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { session, path } = c.req.valid("param");
    unwrap(await openSession(c.env, c.var.profile, session).deleteFile(path));
    return c.body(null, 204);
  },
);
