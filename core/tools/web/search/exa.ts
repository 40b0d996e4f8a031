// Exa: POST /search with `x-api-key`. Form of requests, replies and errors: exa.ai/docs/reference/search and
// exa.ai/docs/reference/error-codes, read in November 2026. Up to ten results cost one request; more cost extra. Pure.
import * as z from "zod";
import { type SearchProvider, optionalText, readItems } from "./provider.ts";

export const EXA_BASE = "https://api.exa.ai";

const Reply = z.object({ results: z.array(z.unknown()) });
const Item = z.object({
  title: optionalText,
  url: z.string(),
  publishedDate: optionalText,
  highlights: z.array(z.string()).nullish(),
  summary: optionalText,
  text: optionalText,
});

export function createExa({ apiKey, base }: { apiKey: string; base: string }): SearchProvider {
  return {
    name: "exa",
    toRequest: (query, limit) => ({
      url: `${base}/search`,
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json", "x-api-key": apiKey },
      body: JSON.stringify({ query, numResults: limit, type: "auto", contents: { highlights: true } }),
    }),
    readHits(reply) {
      const read = Reply.safeParse(reply);
      if (!read.success) return null;
      return readItems(read.data.results, Item).map(({ title, url, publishedDate, highlights, summary, text }) => ({
        ...{ title, url, snippet: highlights?.join(" … ") || summary || text },
        ...(publishedDate && { published: publishedDate }),
      }));
    },
    // 402: NO_MORE_CREDITS or API_KEY_BUDGET_EXCEEDED. Other statuses mean what they say.
    readFault: (status) => (status === 402 ? "search_quota_spent" : null),
  };
}
