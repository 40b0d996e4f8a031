// What web_search needs of a search service: how a request is made, and how its replies are read. One file each implements it:
// brave.ts, tavily.ts, exa.ts, searxng.ts. Types and the shared reading of replies. Pure.
import * as z from "zod";

export const SEARCH_PROVIDERS = ["brave", "tavily", "exa", "searxng"] as const;
export type SearchProviderName = (typeof SEARCH_PROVIDERS)[number];

/** Texts as the service sent them: neither cut nor cleaned. */
export interface SearchHit {
  title: string;
  url: string;
  snippet: string;
  /** As the service writes it, usually a date. */
  published?: string;
}

export interface SearchRequest {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
}

/** Why a service did not answer; each has a sentence in ask-provider.ts. */
export type SearchFault =
  | "search_key_refused"
  | "search_quota_spent"
  | "search_rate_limited"
  | "search_query_refused"
  | "search_format_refused"
  | "search_failed";

export interface SearchProvider {
  name: SearchProviderName;
  /** `limit`: 1 to 20 results. */
  toRequest(query: string, limit: number): SearchRequest;
  /** The parsed JSON of a reply with status 200; `null` if it does not have the service's form. */
  readHits(reply: unknown): SearchHit[] | null;
  /** A fault by the service's own codes; `null`: its HTTP status decides. `reply`: parsed JSON, or `null`. */
  readFault?(status: number, reply: unknown): SearchFault | null;
}

/** A field that a service may leave out or send as null. */
export const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** Items that lack an address are left out, so that one broken result does not lose the others. */
export function readItems<Item>(items: unknown[], schema: z.ZodType<Item>): Item[] {
  return items.flatMap((item) => {
    const read = schema.safeParse(item);
    return read.success ? [read.data] : [];
  });
}
