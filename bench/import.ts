// `npm run bench:import [-- --data FILE]`: how many of the SKILL.md files that people wrote can be imported, and whether an export
// equals the original byte for byte. FILE has JSON lines {repo, path, licence, name, label, text}, plain or gzip; the default is a
// small fixture. Prints a report; the last line is one JSON object. Method: bench/README.md.
import { readFlags } from "../scripts/command-line.ts";
import { importRow } from "./import/measure.ts";
import { printImport, toImportLine } from "./import/report.ts";
import { readRows } from "./import/rows.ts";

const HELP = "bench:import takes --data FILE: JSON lines with `path` and `text`, plain or gzip.";
const USAGE = `Usage: npm run bench:import [-- --data FILE]

${HELP}
Without it a small fixture is used. The method is in bench/README.md.`;

const { data } = readFlags(USAGE, { data: { type: "string" } });
const rows = readRows(data);
if (!rows.ok) {
  console.error(`${rows.failure.message} ${HELP}`);
  process.exit(2);
}
const outcomes = [];
for (const [n, row] of rows.value.entries()) {
  outcomes.push(await importRow(row));
  if ((n + 1) % 250 === 0) console.error(`${n + 1} of ${rows.value.length}`);
}
printImport(outcomes);
console.log(toImportLine(outcomes));
