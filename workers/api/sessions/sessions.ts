// Sessions: created, listed, read and deleted. Messages are in messages.ts, files in files.ts.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ulid } from "ulid";
import { CreateSession, CreatedSession, SessionDetail, SessionList } from "../../../core/schemas/api.ts";
import { SessionId } from "../../../core/schemas/ids.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { type ChildInfo, ChildList } from "../../../core/schemas/sessions/delegation.ts";
import { PromptSize } from "../../../core/schemas/sessions/prompt-size.ts";
import { SessionKind } from "../../../core/schemas/sessions/session-kind.ts";
import { assertExecHost } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { assertToolWords } from "../tools/tool-words.ts";
import { pageQuery, descending, toSortedPage } from "../pages.ts";
import { PROBLEM_RESPONSE, describeResponses, createRouter, optionalJsonBody, refuses } from "../router.ts";
import { openAccount, openSession } from "./session-rpc.ts";

export const sessions = createRouter();

/** As for messages. */
const SessionKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, "an idempotency key is 1 to 255 visible ASCII characters");

export const SessionParams = z.object({ session: SessionId });

sessions.openapi(
  createRoute({
    method: "post",
    path: "/v1/sessions",
    operationId: "createSession",
    ...refuses("backend_unavailable", "tool_unknown", "session_not_found"),
    description:
      'Starts a conversation. With `"learning":"off"` it neither uses nor produces learned skills and memory. With `"backend":"host"` ' +
      "the agent works on the operator's exec host (docs/EXEC-HOST.md): real commands and files, each command asks first. Without " +
      "an exec host, or if the operator did not allow it to this profile, that is refused (`backend_unavailable`). `tools` takes tools or " +
      "toolsets away from this session (GET /v1/tools names them). With an `Idempotency-Key` the same key is the same session, while it exists; " +
      "what it was first created with stays.",
    request: {
      headers: z.object({ "idempotency-key": SessionKey.optional() }),
      body: optionalJsonBody(CreateSession),
    },
    responses: describeResponses(201, "The session", CreatedSession),
  }),
  async (c) => {
    const { learning, title = "", backend, tools } = c.req.valid("json");
    if (tools) assertToolWords(tools);
    const { profile } = c.var;
    if (backend === "host") assertExecHost(c.env, profile);
    // Registered first: the deletion of a profile must know every session.
    const createdAt = Date.now();
    const listed = { session: ulid(), title, learning, createdAt };
    const key = c.req.valid("header")["idempotency-key"];
    const account = openAccount(c.env, profile);
    const session =
      key === undefined
        ? (await account.registerSession(listed)) && listed.session
        : await account.registerSessionOnce(sha256Hex(`POST /v1/sessions ${key}`), listed);
    if (!session) throw new AppError("profile_gone", "This profile has been deleted.");
    const info = await openSession(c.env, profile, session).create({
      ...{ learning, title, createdAt, backend },
      ...(tools && { tools }),
    });
    if (!info)
      throw new AppError(
        "session_not_found",
        "The session was deleted while it was being created. Create another one.",
      );
    return c.json(info, 201);
  },
);

sessions.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions",
    operationId: "listSessions",
    description:
      "Lists the profile's sessions: the chats, or those of another kind. `delegated`: begun by `delegate_task` in another session.",
    request: {
      query: z.strictObject({
        ...pageQuery(1_000, { after: SessionId }),
        kind: z.enum([...SessionKind.options, "all"]).default("chat"),
      }),
    },
    responses: describeResponses(200, "Sessions, newest first", SessionList),
  }),
  async (c) => {
    const { after, limit, kind } = c.req.valid("query");
    const sessions = await openAccount(c.env, c.var.profile).listSessions({ after, limit: limit + 1, kind });
    const page = sessions.slice(0, limit);
    return c.json({ sessions: page, ...(sessions.length > limit && { next: page.at(-1)!.session }) }, 200);
  },
);

sessions.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}",
    operationId: "readSession",
    description: "Reads a session, its turns, the reviews in flight and what it has cost.",
    request: { params: SessionParams },
    responses: describeResponses(200, "The session and its turns", SessionDetail),
  }),
  async (c) => {
    const detail = await openSession(c.env, c.var.profile, c.req.valid("param").session).detail();
    if (!detail)
      throw new AppError(
        "session_not_found",
        "This profile has no session with that id. List the sessions with GET /v1/sessions.",
      );
    return c.json(detail, 200);
  },
);

sessions.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/prompt",
    operationId: "readPromptSize",
    description:
      "Says what every model call of the session repeats: the system prompt of the present epoch by section, and the tools. Tokens are " +
      "estimated. Before the first turn there is no prompt (epoch 0), only tools.",
    request: { params: SessionParams },
    responses: describeResponses(200, "Characters and estimated tokens", PromptSize),
  }),
  async (c) => c.json(unwrap(await openSession(c.env, c.var.profile, c.req.valid("param").session).promptSize()), 200),
);

sessions.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/children",
    operationId: "listChildren",
    description:
      "Lists the sessions that this one delegated tasks to, the newest 200: what each was to do, its state and what it has cost so far. " +
      "Those that run are asked. Each is a session of its own: its log is at `/v1/sessions/{session}/entries`, its own children here.",
    request: { params: SessionParams, query: z.strictObject(pageQuery(200)) },
    responses: describeResponses(200, "The children, newest first", ChildList),
  }),
  async (c) => {
    const all = unwrap(await openSession(c.env, c.var.profile, c.req.valid("param").session).listChildren());
    const sortKey = ({ turn, task }: ChildInfo) => `${descending(turn)}.${descending(task)}`;
    const { page, ...next } = toSortedPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ children: page, ...next }, 200);
  },
);

sessions.openapi(
  createRoute({
    method: "delete",
    path: "/v1/sessions/{session}",
    operationId: "deleteSession",
    description:
      "Permanently deletes the session: its log and files, its reviews, and what is remembered of its turns. What was learned " +
      "from it stays. A running turn is cut off, and open streams are closed. Sessions that it delegated work to are deleted with it.",
    request: { params: SessionParams },
    responses: {
      202: { description: "Accepted; a store failed, and the rest is deleted within minutes" },
      204: { description: "Deleted" },
      default: PROBLEM_RESPONSE,
    },
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const erased = await openAccount(c.env, c.var.profile).eraseSession(session);
    if (erased === "unknown")
      throw new AppError(
        "session_not_found",
        "This profile has no session with that id. List the sessions with GET /v1/sessions.",
      );
    return c.body(null, erased === "pending" ? 202 : 204);
  },
);
