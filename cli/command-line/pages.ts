// Reads lists of the API page by page, for the verbs that list. With `limit`: no more than that, and where to go on.
import type * as z from "zod";
import type { Http } from "../connection/http.ts";
import { UsageError } from "../connection/connection.ts";
import { type FlagValues, textFlag } from "./verb.ts";

/** Items of one request when there is a limit: every list of the API takes as many. */
const PAGE = 100;

export interface Listed<Item> {
  items: Item[];
  /** Pass it as `--after`; absent: this is the end. */
  next?: string;
}

interface Listing<Answer, Item> {
  schema: z.ZodType<Answer>;
  path: string;
  itemsOf(answer: Answer): Item[];
  flags: FlagValues;
  query?: Record<string, string | undefined>;
}

export async function listPages<Answer extends { next?: string | undefined }, Item>(
  http: Http,
  { schema, path, itemsOf, flags, query = {} }: Listing<Answer, Item>,
): Promise<Listed<Item>> {
  const limit = readLimit(textFlag(flags, "limit"));
  const items: Item[] = [];
  for (let after = textFlag(flags, "after"); ;) {
    const left = limit === undefined ? undefined : String(Math.min(PAGE, limit - items.length));
    const answer = await http.json(schema, "GET", withQuery(path, { ...query, after, limit: left }));
    items.push(...itemsOf(answer));
    const { next } = answer;
    if (next === undefined) return { items };
    if (limit !== undefined && items.length >= limit) return { items, next };
    after = next;
  }
}

/** A path with the values that are given as its query. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path;
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`--limit takes a whole number from 1, not ${JSON.stringify(text)}.`);
}
