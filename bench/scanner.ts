// `npm run bench:scanner [-- --positives FILE --benign FILE]`: how many hostile and how many harmless texts the scanner blocks.
// Prints a report; the last line is one JSON object. Method and limits: bench/README.md.
import { readFlags } from "../scripts/command-line.ts";
import { scanRows, toFigures } from "./scanner/measure.ts";
import { printReport } from "./scanner/report.ts";
import { type Row, readRows } from "./scanner/rows.ts";
import { sampleBenign, samplePositives } from "./scanner/samples.ts";

const { positives, benign } = readArguments();
const [caught, left] = [positives, benign].map((rows) => scanRows(rows, () => performance.now()));
printReport(caught!, left!);
console.log(JSON.stringify(toFigures(caught!, left!)));

function readArguments(): { positives: Row[]; benign: Row[] } {
  const usage = `Usage: npm run bench:scanner [-- --positives FILE --benign FILE]

Give both files, or none to use the small built-in samples. The method is in bench/README.md.`;
  const values = readFlags(usage, { positives: { type: "string" }, benign: { type: "string" } });
  try {
    if ((values.positives === undefined) !== (values.benign === undefined)) {
      throw new Error("--positives and --benign belong together: give both files, or none to use the built-in samples");
    }
    if (values.positives === undefined || values.benign === undefined) {
      console.error("No files given: using the small built-in samples.");
      return { positives: samplePositives(), benign: sampleBenign() };
    }
    return { positives: readRows(values.positives), benign: readRows(values.benign) };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}.`);
    process.exit(2);
  }
}
