// `npm run bench:page [-- --runs 5]`: what the page weighs and when it is usable, opened for the first time on a slow line and a slow computer.
// Needs Chromium. Prints a report; the last line is one JSON object. Method and limits: bench/README.md.
import { chromium } from "playwright-core";
import { findChromium } from "../scripts/chromium.ts";
import { parseWholeNumber, readFlags, runCommand } from "../scripts/command-line.ts";
import { withOwnStack } from "../scripts/stack/own-stack.ts";
import { type PageLoad, SLOW, measureLoad } from "./page/measure.ts";
import { type PageLine, toLine, toReport } from "./page/report.ts";

const USAGE = `Usage: npm run bench:page [-- --runs N]

  --runs N    loads of the page, of which the median counts (default 5)
  -h, --help  this text; the method is in bench/README.md`;

const values = readFlags(USAGE, { runs: { type: "string", default: "5" } });
const runs = parseWholeNumber(USAGE, "--runs", values.runs, 1);

await runCommand(USAGE, async () => {
  const { path, missing: reason } = findChromium();
  if (path === undefined) {
    const line: PageLine = { firstLoadKiB: null, interactiveMs: null };
    console.log(`${reason}\n${JSON.stringify(line)}`);
    return 0;
  }
  const loads = await withOwnStack("page", async ({ url, key }) => {
    const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
    try {
      const measured: PageLoad[] = [];
      for (let run = 1; run <= runs; run++) {
        measured.push(await measureLoad(browser, { url, key, conditions: SLOW }));
        console.error(`load ${run} of ${runs}`);
      }
      return measured;
    } finally {
      await browser.close();
    }
  });
  console.log(`${toReport(loads)}\n`);
  console.log(JSON.stringify(toLine(loads)));
  return 0;
});
