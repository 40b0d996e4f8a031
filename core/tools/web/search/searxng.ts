// SearXNG, a search service that people run themselves: GET /search?format=json. Form: docs.searxng.org/dev/search_api, read in
// November 2026. It has no key and no parameter for the number of results, so the tool cuts the list. Pure.
import * as z from "zod";
import { type SearchProvider, optionalText, readItems } from "./provider.ts";

const Reply = z.object({ results: z.array(z.unknown()) });
const Item = z.object({ title: optionalText, url: z.string(), content: optionalText, publishedDate: optionalText });

export function createSearxng({ base }: { base: string }): SearchProvider {
  return {
    name: "searxng",
    toRequest: (query) => ({
      url: `${base}/search?${new URLSearchParams({ q: query, format: "json" })}`,
      method: "GET",
      headers: { accept: "application/json" },
    }),
    readHits(reply) {
      const read = Reply.safeParse(reply);
      if (!read.success) return null;
      return readItems(read.data.results, Item).map(({ title, url, content, publishedDate }) => ({
        ...{ title, url, snippet: content },
        ...(publishedDate && { published: publishedDate }),
      }));
    },
    // An instance answers 403 to a format that its settings do not list.
    readFault: (status) => (status === 403 ? "search_format_refused" : null),
  };
}
