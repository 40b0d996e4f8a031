// Reads the rows of bench:scanner: JSON lines, plain or gzip (detected by the first bytes). Called by bench/scanner.ts. An
// unreadable row is an error that names its line; rows are never skipped silently.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as z from "zod";

const Row = z.object({
  id: z.coerce.string().default(""),
  unit: z.string().default("skill"),
  category: z.string().nullish().transform(emptyIfMissing),
  tier: z.string().nullish().transform(emptyIfMissing),
  family: z.string().nullish().transform(emptyIfMissing),
  text: z.string(),
});
export type Row = z.infer<typeof Row>;

/** Throws an Error for the command line if the file or a line cannot be read. */
export function readRows(path: string): Row[] {
  const bytes = readFileSync(path);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
  return parseRows(text, path);
}

export function parseRows(text: string, path: string): Row[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [parseRow(line, `${path}, line ${at + 1}`)]));
}

function parseRow(line: string, place: string): Row {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`${place}: this is not JSON`); // SyntaxError
  }
  const row = Row.safeParse(value);
  if (!row.success) throw new Error(`${place}: ${z.prettifyError(row.error).replaceAll("\n", " ")}`);
  return row.data;
}

function emptyIfMissing(value: string | null | undefined): string {
  return value ?? "";
}
