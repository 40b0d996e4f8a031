// Tavily: POST /search with a bearer key. Form of requests, replies and errors: docs.tavily.com/api-reference/endpoint/search, read
// in November 2026. At most 20 results; a basic search costs one credit. Pure.
import * as z from "zod";
import { type SearchProvider, optionalText, readItems } from "./provider.ts";

export const TAVILY_BASE = "https://api.tavily.com";

const Reply = z.object({ results: z.array(z.unknown()) });
const Item = z.object({ title: optionalText, url: z.string(), content: optionalText, published_date: optionalText });

export function createTavily({ apiKey, base }: { apiKey: string; base: string }): SearchProvider {
  return {
    name: "tavily",
    toRequest: (query, limit) => ({
      url: `${base}/search`,
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ query, max_results: limit, search_depth: "basic" }),
    }),
    readHits(reply) {
      const read = Reply.safeParse(reply);
      if (!read.success) return null;
      return readItems(read.data.results, Item).map(({ title, url, content, published_date }) => ({
        ...{ title, url, snippet: content },
        ...(published_date && { published: published_date }),
      }));
    },
    // 432: the plan's limit is reached; 433: the limit of pay-as-you-go.
    readFault: (status) => (status === 432 || status === 433 ? "search_quota_spent" : null),
  };
}
