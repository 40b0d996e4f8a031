// `npm run bench:urls [-- --data FILE]`: whether the URL policy allows and refuses the right URLs. FILE has JSON lines
// `{"url","expect":"allow"|"refuse"}`, plain or gzip; the default is a small fixture. Prints every wrong answer; the last line is one
// JSON object. Method: bench/README.md.
import { readFlags } from "../scripts/command-line.ts";
import { countWrong, judgeRows } from "./urls/measure.ts";
import { OWN_ROWS, readRows } from "./urls/rows.ts";

const USAGE = `Usage: npm run bench:urls [-- --data FILE]

  --data FILE  JSON lines {"url","expect":"allow"|"refuse"}, plain or gzip (default: a small fixture)
  -h, --help   this text; the method is in bench/README.md`;

const { data } = readFlags(USAGE, { data: { type: "string" } });
if (data === undefined) console.error("No file given: using the small fixture.");
const rows = readRows(data ?? OWN_ROWS);
if (!rows.ok) {
  console.error(rows.failure.message);
  process.exit(2);
}
const judged = await judgeRows(rows.value);
for (const { row, verdict, why } of judged) {
  if (verdict !== row.expect) console.log(`${verdict} instead of ${row.expect}: ${row.url}${why && ` (${why})`}`);
}
console.log(JSON.stringify(countWrong(judged)));
