// Pages of lists, for every route that lists. A page is bounded in items and in bytes, and requested with `limit` and `after`,
// where `after` is the `next` of the previous page. Pure.
import * as z from "zod";
import { FIXED } from "../../core/limits.ts";
import { byteLength } from "../../core/schemas/learning/digest.ts";
import { numeric } from "./router.ts";

/** The longest cursors contain a file path. */
const MAX_CURSOR_CHARS = 4_096;
const Cursor: z.ZodType<string, string> = z.string().min(1).max(MAX_CURSOR_CHARS);

/** Query fields of a list. `max` limits a page; without a `limit` it holds `usual`, which defaults to `max`. */
export function pageQuery(max: number, options?: { usual?: number }): PageQuery<string>;
export function pageQuery<After>(
  max: number,
  options: { usual?: number; after: z.ZodType<After, string> },
): PageQuery<After>;
export function pageQuery(max: number, options: { usual?: number; after?: z.ZodType<unknown, string> } = {}) {
  const { usual = max, after = Cursor } = options;
  return {
    after: after.optional().meta({ description: "`next` of the page before" }),
    limit: numeric(1, max)
      .default(usual)
      .meta({ description: `Items on a page: 1 to ${max}, ${usual} without it. A page of large items holds fewer.` }),
  };
}

interface PageQuery<After> {
  after: z.ZodOptional<z.ZodType<After, string>>;
  limit: z.ZodDefault<z.ZodType<number, string>>;
}

interface PageRequest<Item> {
  limit: number;
  after?: string | undefined;
  /** The list is sorted by these texts. */
  sortKey(item: Item): string;
}

/** The items after `after`, at least one and as many as a page holds. `next` is absent on the last page. */
export function toPage<Item>(
  items: Item[],
  { limit, after, sortKey }: PageRequest<Item>,
): { page: Item[]; next?: string } {
  const rest = after === undefined ? items : items.filter((item) => sortKey(item) > after);
  const page: Item[] = [];
  let bytes = 0;
  for (const item of rest) {
    bytes += byteLength(JSON.stringify(item));
    if (page.length === limit || (page.length > 0 && bytes > FIXED.pageBytes)) break;
    page.push(item);
  }
  return { page, ...(page.length < rest.length && { next: sortKey(page.at(-1)!) }) };
}

/** The same for items in any order: the page is sorted by `sortKey`. */
export function toSortedPage<Item>(items: Item[], request: PageRequest<Item>): { page: Item[]; next?: string } {
  const { sortKey } = request;
  return toPage(
    items.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    request,
  );
}

const KEY_DIGITS = 15;

/** A time or another number as part of a sort key, in ascending order. */
export function ascending(value: number): string {
  return String(value).padStart(KEY_DIGITS, "0");
}

/** The same, in descending order. */
export function descending(value: number): string {
  return ascending(10 ** KEY_DIGITS - 1 - value);
}
