// The tool web_search: asks one search service, and returns titles, addresses and snippets as content. Absent without a service.
import * as z from "zod";
import type { Tool } from "../../agent/contract.ts";
import { succeed } from "../../agent/tool-result.ts";
import { clip, toOneLine } from "../../clip.ts";
import type { Outbound } from "../../outbound/outbound.ts";
import type { Clock } from "../../ports.ts";
import { toRefusal } from "../refusal.ts";
import { askProvider } from "./search/ask-provider.ts";
import type { SearchHit, SearchProvider } from "./search/provider.ts";

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;
/** The longest query that every service accepts (Brave). */
const MAX_QUERY_CHARS = 400;
const MAX_TITLE_CHARS = 200;
const MAX_SNIPPET_CHARS = 500;
const MAX_URL_CHARS = 2_000;

const Args = z.strictObject({
  query: z.string().trim().min(1).max(MAX_QUERY_CHARS).describe("What to look for, in a few words."),
  limit: z
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .optional()
    .describe(`How many results, ${MAX_LIMIT} at most. Default: ${DEFAULT_LIMIT}.`),
});
type Args = z.infer<typeof Args>;

export interface WebSearchOptions {
  provider: SearchProvider;
  outbound: Outbound;
  clock: Clock;
}

export function createWebSearch({ provider, outbound, clock }: WebSearchOptions): Tool<Args> {
  return {
    name: "web_search",
    description:
      "Searches the web: titles, addresses and short snippets, best first. Each search may cost money: ask once with good words " +
      "instead of often. Read the pages that matter with web_extract; a snippet is no proof.",
    parameters: Args,
    effect: "read",
    failsOften: true,
    async run({ query, limit = DEFAULT_LIMIT }, { signal }) {
      const answered = await askProvider(provider, { text: query, limit }, { outbound, clock, signal });
      if (!answered.ok) return toRefusal(answered.failure);
      const { hits, requests } = answered.value;
      const results = toResults(hits).slice(0, limit);
      const found = { provider: provider.name, requests, found: results.length };
      return results.length === 0
        ? succeed({ ...found, hint: "Nothing was found. Use fewer or other words." })
        : succeed(found, { content: { results } });
    },
  };
}

/** Web addresses only, each once. */
function toResults(hits: SearchHit[]) {
  const seen = new Set<string>();
  return hits.flatMap(({ title, url, snippet, published }) => {
    const address = URL.parse(url.trim());
    if (!address || !/^https?:$/.test(address.protocol) || address.href.length > MAX_URL_CHARS) return [];
    const page = `${address.host}${address.pathname.replace(/\/$/, "")}${address.search}`;
    if (seen.has(page)) return [];
    seen.add(page);
    return [
      {
        title: clip(toOneLine(title), MAX_TITLE_CHARS),
        url: address.href,
        snippet: clip(toOneLine(snippet), MAX_SNIPPET_CHARS),
        ...(published && { published: clip(toOneLine(published), 40) }),
      },
    ];
  });
}
