// `npm run docs`: writes docs/CONFIGURATION.md, docs/API.md, the platforms of docs/CHANNELS.md and the types of the client from the code, and adds new tables to the record of all tables. `-- --check` writes nothing and exits with 1
// when a committed file differs. test/docs runs the check.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseFlags, runCommand } from "./command-line.ts";
import { toApiPage } from "./docs/api-page.ts";
import { toChannelsPage } from "./docs/channels-page.ts";
import { toClientTypes } from "./docs/client-types.ts";
import { toConfigurationPage } from "./docs/configuration-page.ts";
import { loadContract } from "./docs/contract.ts";
import { toTablesRecord } from "./docs/stored-tables.ts";

const USAGE = `Usage: npm run docs [-- --check]

Writes docs/CONFIGURATION.md, docs/API.md, the platforms of docs/CHANNELS.md and cli/connection/contract.ts from the schemas, the tables of variables and providers, and the API's contract.
Adds new tables and columns to test/fixtures/update/tables.json.

  --check     only compare; exit code 1 when a file is out of date
  -h, --help  this text`;
const root = resolve(import.meta.dirname, "..");
const TABLES = "test/fixtures/update/tables.json";

await runCommand(USAGE, async () => {
  const { check } = parseFlags({ check: { type: "boolean", default: false } }, process.argv.slice(2));
  const contract = await loadContract();
  const files = {
    "docs/CONFIGURATION.md": toConfigurationPage(),
    "docs/API.md": toApiPage(contract),
    "docs/CHANNELS.md": await toChannelsPage(readOrEmpty(resolve(root, "docs/CHANNELS.md"))),
    "cli/connection/contract.ts": toClientTypes(contract),
    [TABLES]: toTablesRecord(readOrEmpty(resolve(root, TABLES))),
  };
  let outdated = 0;
  for (const [name, text] of Object.entries(files)) {
    const path = resolve(root, name);
    if (readOrEmpty(path) === text) {
      if (!check) console.log(`${name} is up to date.`);
      continue;
    }
    outdated++;
    if (!check) writeFileSync(path, text);
    console.log(check ? `${name} is out of date: run \`npm run docs\`.` : `${name} written.`);
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
