// Reads the rows of bench:urls: JSON lines, plain or gzip (detected by the first bytes). An unreadable row is a failure that names its
// line; rows are never skipped silently.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import { type Result, err, messageOf, ok } from "../../core/errors.ts";

const Row = z.object({ url: z.string(), expect: z.enum(["allow", "refuse"]) });
export type Row = z.infer<typeof Row>;

export const OWN_ROWS = join(import.meta.dirname, "../../test/fixtures/urls/urls.jsonl");

/** Failure: `bad_data`. */
export function readRows(file: string): Result<Row[]> {
  let text: string;
  try {
    const bytes = readFileSync(file);
    text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
  } catch (error) {
    return err("bad_data", `${file} cannot be read: ${messageOf(error)}.`); // no such file, or damaged gzip
  }
  const rows: Row[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    const row = Row.safeParse(parseJson(line));
    if (!row.success) {
      return err("bad_data", `${file}, line ${at + 1}: this is not {"url": text, "expect": "allow" or "refuse"}.`);
    }
    rows.push(row.data);
  }
  return rows.length > 0 ? ok(rows) : err("bad_data", `${file} has no rows.`);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the schema then refuses the line
  }
}
