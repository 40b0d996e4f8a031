// `npm run docs`: writes docs/CONFIGURATION.md and docs/API.md from the code. `-- --check` writes nothing and exits with 1
// when a committed file differs. test/docs runs the check.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseFlags, runCommand } from "./command-line.ts";
import { toApiPage } from "./docs/api-page.ts";
import { toConfigurationPage } from "./docs/configuration-page.ts";
import { loadContract } from "./docs/contract.ts";

const USAGE = `Usage: npm run docs [-- --check]

Writes docs/CONFIGURATION.md and docs/API.md from the schemas, the tables of variables and providers, and the API's contract.

  --check     only compare; exit code 1 when a file is out of date
  -h, --help  this text`;
const folder = resolve(import.meta.dirname, "../docs");

await runCommand(USAGE, async () => {
  const { check } = parseFlags({ check: { type: "boolean", default: false } }, process.argv.slice(2));
  const pages = { "CONFIGURATION.md": toConfigurationPage(), "API.md": toApiPage(await loadContract()) };
  let outdated = 0;
  for (const [name, text] of Object.entries(pages)) {
    const path = resolve(folder, name);
    if (readOrEmpty(path) === text) {
      if (!check) console.log(`docs/${name} is up to date.`);
      continue;
    }
    outdated++;
    if (!check) writeFileSync(path, text);
    console.log(check ? `docs/${name} is out of date: run \`npm run docs\`.` : `docs/${name} written.`);
  }
  return check && outdated > 0 ? 1 : 0;
});

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not written yet
  }
}
