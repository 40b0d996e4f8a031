// `npm run bench:hostile [-- --only NAME --seed N --keep N]`: for each function that reads untrusted text, finds the slowest input and
// measures how its time grows with the size. Prints a report; the last line is one JSON object. Method and limits: bench/README.md.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { chosenBy, readFlags, parseWholeNumber } from "../scripts/command-line.ts";
import { SUBJECTS } from "./hostile/subjects.ts";
import type { WorstCase } from "./hostile/search.ts";
import type { Report, Task } from "./hostile/thread.ts";
import { roundToHundredths } from "./support/figures.ts";

/** Timeout of one run. A function that reaches it counts as unbounded. */
const RUN_LIMIT_MS = 20_000;
/** Shorter times are noise of the machine: they count as constant. */
const LEAST_MS = 5;

const USAGE = `Usage: npm run bench:hostile [-- --only NAME --seed N --keep N]

  --only NAME  only functions whose name contains NAME
  --seed N     selects the random combinations of pieces (default 1)
  --keep N     how many of the slowest shapes at 1 KiB are tried at 10 KiB (default 48)
  -h, --help   this text; the method is in bench/README.md`;

const values = readFlags(USAGE, {
  only: { type: "string" },
  seed: { type: "string", default: "1" },
  keep: { type: "string", default: "48" },
});
const keep = parseWholeNumber(USAGE, "--keep", values.keep, 2);
const seed = parseWholeNumber(USAGE, "--seed", values.seed, 0);
const chosen = chosenBy(USAGE, values.only, SUBJECTS);
const functions: { name: string; ms10KiB: number; ms100KiB: number; exponent: number }[] = [];
for (const { name } of chosen) {
  const worst = await search({ name, seed, keep: [keep, Math.ceil(keep / 4)] });
  const exponent = worst.ms100KiB < LEAST_MS ? 0 : Math.log10(worst.ms100KiB / worst.ms10KiB);
  functions.push({
    name,
    ms10KiB: roundToHundredths(worst.ms10KiB),
    ms100KiB: roundToHundredths(worst.ms100KiB),
    exponent: roundToHundredths(exponent),
  });
  const times = [worst.ms1KiB, worst.ms10KiB, worst.ms100KiB].map((ms) => ms.toFixed(2).padStart(9)).join(" ");
  console.log(`${name.padEnd(22)} ${times} ms  ${exponent.toFixed(2)}  ${worst.shape}`);
}
console.log(JSON.stringify({ functions, worstExponent: Math.max(...functions.map(({ exponent }) => exponent)) }));

function search(task: Task): Promise<WorstCase> {
  return new Promise((done, fail) => {
    const thread = new Worker(join(import.meta.dirname, "hostile", "thread.ts"), { workerData: task });
    let last = { shape: "", chars: 0 };
    let timer: NodeJS.Timeout | undefined;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void giveUp(), RUN_LIMIT_MS);
    };
    const giveUp = async () => {
      await thread.terminate();
      const ms = (chars: number) => (chars >= last.chars ? RUN_LIMIT_MS : RUN_LIMIT_MS / 100);
      const shape = `${last.shape}: not done with ${last.chars} characters in ${RUN_LIMIT_MS / 1_000} s`;
      done({ name: task.name, shape, ms1KiB: ms(1 << 10), ms10KiB: ms(10 << 10), ms100KiB: RUN_LIMIT_MS * 100 });
    };
    thread.on("message", (report: Report) => {
      if (!("worst" in report)) {
        last = report;
        return watch();
      }
      clearTimeout(timer);
      void thread.terminate().then(() => done(report.worst));
    });
    thread.once("error", (error) => {
      clearTimeout(timer);
      fail(new Error(`${task.name}, ${last.shape}, ${last.chars} characters`, { cause: error }));
    });
  });
}
