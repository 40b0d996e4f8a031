// `npm run conformance:mcp`: the official conformance suite of the Model Context Protocol against /mcp of a stack of its own. Prints each
// scenario with the reason why it is not claimed or failed. Last line: {"passed","failed","skipped"}, in scenarios. Ends with 1 if a
// claimed one failed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../cli/connection/client.ts";
import { parseFlags, runCommand } from "./command-line.ts";
import { startKeyProxy } from "./conformance/key-proxy.ts";
import { SUITES, type ScenarioResult, runSuite } from "./conformance/run-suite.ts";
import { putSampleSkill } from "./conformance/sample-skill.ts";
import { readOperatorToken } from "./stack/local-state.ts";
import { onStopSignal } from "./stack/processes.ts";
import { startStack } from "./stack/stack.ts";
import { selectWorkerVars } from "./stack/worker-vars.ts";

const USAGE = `npm run conformance:mcp

Runs the official MCP conformance suite against a stack of its own. Takes no options.`;

await runCommand(USAGE, () => {
  parseFlags({});
  return runConformance();
});

async function runConformance(): Promise<number> {
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-conformance-"));
  const abort = new AbortController();
  onStopSignal(() => abort.abort());
  try {
    const token = readOperatorToken(stateDir);
    // Without a model key: no scenario asks a model.
    const stack = await startStack({ stateDir, vars: selectWorkerVars({}, token), signal: abort.signal });
    try {
      const { key } = await createClient({ url: stack.url, key: token }).createProfile();
      await putSampleSkill(stack.url, key);
      await using proxy = await startKeyProxy(stack.url, key);
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
    } finally {
      await stack.stop();
    }
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

function describe({ scenario, outcome, checks, reasons }: ScenarioResult): string {
  if (outcome === "skipped") return `  not claimed  ${scenario}: ${reasons[0]}`;
  const line = `  ${outcome.padEnd(12)} ${scenario} (${checks} checks)`;
  return [line, ...reasons.map((reason) => `               ${reason}`)].join("\n");
}
