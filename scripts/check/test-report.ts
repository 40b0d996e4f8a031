// `test-report.ts FILE…`: prints the last line of .ci/run, "N passed, M failed", from vitest's JSON reports. A test file that could not be
// loaded counts as one failure, and so does a report that cannot be read. Exit code 1 when a test failed or a report has none.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
}

export function summarise(report: Report): { passed: number; failed: number } {
  const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const counts = process.argv.slice(2).map(read);
  const sum = (of: "passed" | "failed") => counts.reduce((total, count) => total + count[of], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  process.exitCode = sum("failed") > 0 || counts.length === 0 || counts.some(({ passed }) => passed === 0) ? 1 : 0;
}

function read(path: string): { passed: number; failed: number } {
  try {
    return summarise(JSON.parse(readFileSync(path, "utf8")) as Report);
  } catch (error) {
    console.error(`The test report could not be read: ${(error as Error).message}`);
    return { passed: 0, failed: 1 };
  }
}
