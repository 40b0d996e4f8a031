// What a person chooses for a session: title, model, effort, personality, tools. The models to choose from are in doors/models.ts.
import { createRoute } from "@hono/zod-openapi";
import { SessionDetail } from "../../../core/schemas/api.ts";
import { ChangeSession } from "../../../core/schemas/sessions/session-choice.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { assertToolWords } from "../tools/tool-words.ts";
import { openSession } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const sessionChoices = createRouter();

sessionChoices.openapi(
  createRoute({
    method: "patch",
    path: "/v1/sessions/{session}",
    operationId: "changeSession",
    ...refuses("unknown_model", "unknown_personality", "tool_unknown", "session_delegated", "personality_refused"),
    description:
      "Renames the session, or chooses its model, how much it reasons, its personality and the tools that are switched off for it. " +
      "An absent field stays as it is; `null` goes back to the default. A running turn keeps what it began with. A personality begins a new epoch.",
    request: { params: SessionParams, body: jsonBody(ChangeSession) },
    responses: describeResponses(200, "The session as it is now", SessionDetail),
  }),
  async (c) => {
    const { session } = c.req.valid("param");
    const change = c.req.valid("json");
    if (change.tools) assertToolWords(change.tools);
    const changed = await openSession(c.env, c.var.profile, session).change(change, c.var.settingsRev);
    return c.json(unwrap(changed), 200);
  },
);
