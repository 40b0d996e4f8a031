// A conversation of another program becomes a session, page by page. Its id is made from the program's own, so that a repetition finds it.
import { createRoute } from "@hono/zod-openapi";
import { PostTranscript, TranscriptTaken } from "../../../core/schemas/sessions/transcript.ts";
import { toTranscriptRows, toTranscriptSession } from "../../../core/session/moving/transcript-rows.ts";
import { openDesk } from "../moving/open-desk.ts";
import { AppError, unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { openAccount, openSession } from "./session-rpc.ts";

export const transcripts = createRouter();

transcripts.openapi(
  createRoute({
    method: "post",
    path: "/v1/sessions/transcript",
    operationId: "importTranscript",
    ...refuses("archive_invalid", "archive_version", "profile_gone"),
    description:
      "Makes a session of a conversation that another program has kept. Nothing is learned from it, every word counts as content, and " +
      "searches find it. A long one comes in pages: `more` says that another follows, which begins with the `place` of the answer before. " +
      "The same conversation again answers `exists` and changes nothing; after its deletion here, `deleted`.",
    request: { body: jsonBody(PostTranscript) },
    responses: describeResponses(200, "The session", TranscriptTaken),
  }),
  async (c) => {
    const posted = c.req.valid("json");
    const { env } = c;
    const { profile } = c.var;
    const session = toTranscriptSession(posted.from, posted.createdAt);
    const now = Date.now();
    const title = posted.title.toWellFormed();
    const createdAt = Math.min(posted.createdAt, now);
    // Registered first: the deletion of a profile must know every session.
    if (!(await openAccount(env, profile).registerSession({ session, title, learning: "off", createdAt }))) {
      throw new AppError("profile_gone", "This profile has been deleted.");
    }
    const { rows, place } = toTranscriptRows(posted, now);
    const opened = openSession(env, profile, session);
    const taken = await opened.importPage(rows, true);
    if (!taken.ok && taken.failure.code === "session_gone") {
      await openDesk(env, profile).dropSession(session);
      return c.json({ session, state: "deleted" as const }, 200);
    }
    if (unwrap(taken) === "exists") return c.json({ session, state: "exists" as const }, 200);
    if (posted.more) return c.json({ session, state: "more" as const, place }, 200);
    await opened.adopt();
    return c.json({ session, state: "created" as const }, 200);
  },
);
