// Brave Search: GET /web/search. Form of requests, replies and errors: api-dashboard.search.brave.com/api-reference/web/search,
// read in November 2026. At most 400 characters and 20 results. Pure.
import * as z from "zod";
import { type SearchProvider, optionalText, readItems } from "./provider.ts";

export const BRAVE_BASE = "https://api.search.brave.com/res/v1";

const Reply = z.object({ web: z.object({ results: z.array(z.unknown()) }).nullish() });
const Item = z.object({ title: optionalText, url: z.string(), description: optionalText, page_age: optionalText });
/** `{"type":"ErrorResponse","error":{"id":"…","status":422,"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"…"}}` */
const Refusal = z.object({ error: z.object({ code: z.string() }) });

export function createBrave({ apiKey, base }: { apiKey: string; base: string }): SearchProvider {
  return {
    name: "brave",
    toRequest(query, limit) {
      const words = new URLSearchParams({ q: query, count: String(limit), text_decorations: "false" });
      return {
        url: `${base}/web/search?${words}`,
        method: "GET",
        headers: { accept: "application/json", "x-subscription-token": apiKey },
      };
    },
    readHits(reply) {
      const read = Reply.safeParse(reply);
      if (!read.success) return null;
      // A query without results has no `web` at all.
      return readItems(read.data.web?.results ?? [], Item).map(({ title, url, description, page_age }) => ({
        ...{ title, url, snippet: description },
        ...(page_age && { published: page_age }),
      }));
    },
    readFault(_status, reply) {
      const code = Refusal.safeParse(reply).data?.error.code;
      if (code === "SUBSCRIPTION_TOKEN_INVALID") return "search_key_refused";
      return code === "QUOTA_LIMITED" ? "search_quota_spent" : null;
    },
  };
}
