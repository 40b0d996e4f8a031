// Searches the messages of a profile's sessions for a person: by words, without a model.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { toSnippet } from "../../../core/archive/messages/message-snippets.ts";
import { toQueryWords } from "../../../core/archive/messages/message-words.ts";
import { toOneLine } from "../../../core/clip.ts";
import { type SearchResult, SearchResults } from "../../../core/schemas/api.ts";
import type { FoundMessage, MessageRole } from "../../../core/schemas/archived-message.ts";
import { DAY_MS, type Day } from "../../../core/schemas/ids.ts";
import { AppError } from "../problems.ts";
import { CalendarDay, createRouter, describeResponses, numeric } from "../router.ts";
import { openAccount, openArchive } from "./session-rpc.ts";

export const search = createRouter();

const MAX_QUERY_CHARS = 1_000;
const MAX_RESULTS = 50;
const USUAL_RESULTS = 20;
const SNIPPET_CHARS = 240;
const DEFAULT_ROLES: MessageRole[] = ["user", "assistant"];

const SearchQuery = z.strictObject({
  q: z
    .string()
    .min(1)
    .max(MAX_QUERY_CHARS)
    .meta({ description: 'Words to find. A text in quotes is found exactly: `"disk full"`.' }),
  limit: numeric(1, MAX_RESULTS)
    .default(USUAL_RESULTS)
    .meta({ description: `Results: 1 to ${MAX_RESULTS}, ${USUAL_RESULTS} without it.` }),
  role: z
    .enum(["user", "assistant", "tool"])
    .optional()
    .meta({ description: "Only messages of this role. Without it: `user` and `assistant`." }),
  from: CalendarDay.optional().meta({ description: "The first day, UTC." }),
  to: CalendarDay.optional().meta({ description: "The last day, UTC." }),
});

search.openapi(
  createRoute({
    method: "get",
    path: "/v1/search",
    operationId: "searchMessages",
    description:
      "Searches the messages of finished turns. A query without words finds nothing. `highlights` are offsets of the found words in " +
      "the snippet, in UTF-16 units. `missing` names years whose messages cannot be searched now; the results are then of the others.",
    request: { query: SearchQuery },
    responses: describeResponses(200, "Messages, best first", SearchResults),
  }),
  async (c) => {
    const { q, limit, role, from, to } = c.req.valid("query");
    if (from !== undefined && to !== undefined && from > to) {
      throw new AppError("query_invalid", `\`from\` (${from}) is after \`to\` (${to}). Swap them.`);
    }
    const { found, missing } = await openArchive(c.env, c.var.profile).searchMessages({
      query: q,
      limit,
      roles: role ? [role] : DEFAULT_ROLES,
      ...(from !== undefined && { from: startOf(from) }),
      ...(to !== undefined && { to: startOf(to) + DAY_MS }),
    });
    const sessions = [...new Set(found.map(({ session }) => session))];
    const listed = await openAccount(c.env, c.var.profile).findSessions(sessions);
    const titles = new Map(listed.map(({ session, title }) => [session, title]));
    const words = toQueryWords(q);
    // The index may still have messages of a session that was deleted a moment ago.
    const results = found.flatMap((message) => {
      const title = titles.get(message.session);
      return title === undefined ? [] : [toResult(message, title, words)];
    });
    return c.json({ results, missing }, 200);
  },
);

function toResult({ session, turn, n, role, at, text }: FoundMessage, title: string, words: string[]): SearchResult {
  const snippet = toSnippet(toOneLine(text), words, SNIPPET_CHARS);
  const path = `/v1/sessions/${session}`;
  return {
    session,
    title,
    turn: `${session}-${turn}`,
    entry: n,
    role,
    at,
    snippet: { text: snippet.text, highlights: snippet.highlights.map(([from, to]) => ({ from, to })) },
    links: { session: path, turn: `${path}/events?turn=${turn}`, entry: `${path}/entries?after=${n - 1}` },
  };
}

function startOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}
