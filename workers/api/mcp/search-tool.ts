// The tool search_sessions: the agent's own session_search for a client that is in no session. It searches and reads all of them.
import type * as z from "zod";
import { renderForModel, renderParts } from "../../../core/agent/tool-result.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { createSessionSearch } from "../../../core/tools/recall/session-search.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { openAccount, openArchive } from "../sessions/session-rpc.ts";
import type { McpScope, McpTool } from "./contract.ts";

export function createSearchTool({ env, profile }: McpScope): McpTool<Record<string, never>> {
  const tool = createSessionSearch({
    index: {
      search: (query) => openArchive(env, profile).searchMessages(query),
      around: (session, n, before, after) => openArchive(env, profile).messagesAround(session, n, before, after),
    },
    sessions: {
      recent: (limit) => openAccount(env, profile).listSessions({ limit }),
      find: (sessions) => openAccount(env, profile).findSessions(sessions),
    },
    outOfView: () => null,
    clock: systemClock,
  });
  return {
    name: "search_sessions",
    title: "Search sessions",
    description:
      "Finds what was said and done in Talaria's sessions. Give query to search; session and message to read on around a result; " +
      "session to read its beginning and end; nothing to list the recent sessions. If nothing fits, search again in other words.",
    parameters: tool.parameters as unknown as z.ZodType<Record<string, never>>,
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run(args, { signal }) {
      const { failed, parts } = await tool.run(args, { op: "mcp", prepared: {}, signal });
      return {
        isError: failed,
        content: [{ type: "text", text: renderForModel(parts) }],
        structuredContent: JSON.parse(renderParts(parts)) as JsonObject,
      };
    },
  };
}
