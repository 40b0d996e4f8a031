// The actions of verbs that list: with `--limit` no more than that, and where to go on.
import type * as z from "zod";
import type { Contract } from "../connection/contract.ts";
import { UsageError } from "../connection/connection.ts";
import type { ListRoute } from "../connection/routes.ts";
import type { Column } from "../output/table.ts";
import { type FlagValues, type VerbCall, textFlag } from "./verb.ts";

/** What `--after` and `--limit` say. */
export function readPageFlags(flags: FlagValues): { after: string | undefined; limit: number | undefined } {
  return { after: textFlag(flags, "after"), limit: readLimit(textFlag(flags, "limit")) };
}

interface Listing<R extends ListRoute, T extends Contract[R]["answer"], Item> {
  schema: z.ZodType<T>;
  route: R;
  /** The field of the answer that has the items; so it is called with `--json` too. */
  field: string;
  itemsOf(answer: T): Item[];
  query?: Record<string, string | undefined>;
  params?: Record<string, string>;
  columns: readonly Column<Item>[];
  /** Said when there is nothing. */
  empty: string;
}

/** Reads a list and writes it as JSON or as a table. */
export async function showList<R extends ListRoute, T extends Contract[R]["answer"], Item>(
  { flags, json, output, client }: VerbCall,
  { schema, route, field, itemsOf, query = {}, params, columns, empty }: Listing<R, T, Item>,
): Promise<void> {
  const { items, next } = await client().list(schema, route, itemsOf, {
    query,
    ...(params && { params }),
    ...readPageFlags(flags),
  });
  if (json) return output.json({ [field]: items, next });
  output.table(items, columns, empty);
  if (next !== undefined) output.note(describeMore(next));
}

export function describeMore(next: string): string {
  return `More: --after ${next}`;
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`--limit takes a whole number from 1, not ${JSON.stringify(text)}.`);
}
