// The client's own tools as tools of a turn: the model calls them, the client runs them, and the turn is parked until it sends the
// results. Made for each turn of a message that brought tools. The session keeps the calls (core/session/client/client-calls.ts).
import * as z from "zod";
import type { CallWait, Tool, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { findProblems } from "../../json-schema.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import type { ClientResult, ClientTool } from "../../schemas/sessions/client-part.ts";

export interface ClientDesk {
  /** What the call of this `op` waits for, together with all other open calls of its step; `null`: nothing more. */
  wait(op: string): CallWait | null;
  /** What the client sent for the call of this `op`; `null`: it did not answer in time. */
  find(op: string): Pick<ClientResult, "text" | "failed"> | null;
}

export const CLIENT_TOOLSET = "client";

export function createClientTools(tools: readonly ClientTool[], desk: ClientDesk): Tool[] {
  return tools.map(({ name, description, parameters }): Tool<JsonObject> => ({
    name,
    description,
    parameters: toArguments(parameters),
    schema: parameters,
    effect: "keyed",
    toolset: CLIENT_TOOLSET,
    waitsForAll: true,
    async wait(_args, { op }) {
      // The intents of the step's other calls are written before this goes on.
      await Promise.resolve();
      return desk.wait(op);
    },
    run: async (_args, { op }) => toResult(desk.find(op)),
  }));
}

/** The client may be stricter than its schema, and says so in its result. */
function toArguments(schema: JsonObject): z.ZodType<JsonObject> {
  return z.looseObject({}).superRefine((args, { addIssue }) => {
    for (const message of findProblems(args, schema)) addIssue({ code: "custom", message });
  });
}

/** The words are the client's, and the harness cannot know where the client has them from. */
function toResult(answer: ReturnType<ClientDesk["find"]>): ToolResult {
  if (answer === null) return CLIENT_SILENT;
  const content = { result: answer.text };
  if (!answer.failed) return succeed({ answered: true }, { content });
  const failed = fail("client_tool_failed", "The client's tool failed, and says why in result. Do it another way.");
  return { ...failed, parts: [...failed.parts, { source: "content", text: JSON.stringify(content) }] };
}

export const CLIENT_SILENT = fail(
  "client_silent",
  "The client did not answer, so it is unknown whether it ran this. Do not count on its effect, and do not call it again in this turn.",
);
