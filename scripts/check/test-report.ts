// `test-report.ts <file>`: prints the last line of .ci/run, "N passed, M failed", from vitest's JSON report. A test file that could
// not be loaded counts as one failure. Exit code 1 when a test failed or none ran.
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
  const { passed, failed } = read(process.argv[2]);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

function read(path: string | undefined): { passed: number; failed: number } {
  try {
    return summarise(JSON.parse(readFileSync(path ?? "", "utf8")) as Report);
  } catch (error) {
    console.error(`The test report could not be read: ${(error as Error).message}`);
    return { passed: 0, failed: 1 };
  }
}
