// Reads the rows of bench:import from JSON lines, plain or gzip (detected by the first bytes). The default is a small fixture.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import { type Result, err, messageOf, ok } from "../../core/errors.ts";

/** Other fields are ignored. */
const Row = z.object({
  repo: z.string().nullish(),
  path: z.string().nullish(),
  name: z.string().nullish(),
  text: z.string(),
});
export type Row = z.infer<typeof Row>;

const OWN = join(import.meta.dirname, "../../test/fixtures/import/skills.jsonl");

/** Failure: `bad_data`. */
export function readRows(file: string = OWN): Result<Row[]> {
  let text: string;
  try {
    const bytes = readFileSync(file);
    text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
  } catch (thrown) {
    return err("bad_data", `${file} cannot be read: ${messageOf(thrown)}.`);
  }
  const rows: Row[] = [];
  for (const [n, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = Row.safeParse(parseJson(line));
    if (!row.success) return err("bad_data", `Line ${n + 1} of ${file} is not a JSON object with a \`text\`.`);
    rows.push(row.data);
  }
  return ok(rows);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null; // the schema then refuses the line
  }
}
