// `npm run conformance:mcp`: the official conformance suite of the Model Context Protocol against /mcp of a stack of its own. Prints each
// scenario with the reason why it is not claimed or failed. Last line: {"passed","failed","skipped"}, in scenarios. Ends with 1 if a
// claimed one failed.
import { parseFlags, runCommand } from "./command-line.ts";
import { startKeyProxy } from "./conformance/key-proxy.ts";
import { SUITES, type ScenarioResult, runSuite } from "./conformance/run-suite.ts";
import { putSampleSkill } from "./conformance/sample-skill.ts";
import { withOwnStack } from "./stack/own-stack.ts";

const USAGE = `npm run conformance:mcp

Runs the official MCP conformance suite against a stack of its own. Takes no options.`;

await runCommand(USAGE, () => {
  parseFlags({});
  return runConformance();
});

function runConformance(): Promise<number> {
  return withOwnStack("conformance", async ({ url, key }) => {
    await putSampleSkill(url, key);
    await using proxy = await startKeyProxy(() => url, key);
    const results: ScenarioResult[] = [];
    for (const suite of SUITES) {
      console.log(`\n${suite.package} ${suite.flags.join(" ")}`);
      for (const result of await runSuite(suite, `${proxy.url}/mcp`)) {
        console.log(describe(result));
        results.push(result);
      }
    }
    const count = (outcome: ScenarioResult["outcome"]) => results.filter((one) => one.outcome === outcome).length;
    const totals = { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
    console.log(JSON.stringify(totals));
    return totals.failed === 0 ? 0 : 1;
  });
}

function describe({ scenario, outcome, checks, reasons }: ScenarioResult): string {
  if (outcome === "skipped") return `  not claimed  ${scenario}: ${reasons[0]}`;
  const line = `  ${outcome.padEnd(12)} ${scenario} (${checks} checks)`;
  return [line, ...reasons.map((reason) => `               ${reason}`)].join("\n");
}
