// `npm run deploy [-- --dry-run] [-- --unset NAME]`: the command line of scripts/deploy/.
import { join } from "node:path";
import { checkVars } from "./check/vars.ts";
import { UsageError, parseFlags, runCommand } from "./command-line.ts";
import { UNSETTABLE } from "./deploy/config.ts";
import { deploy } from "./deploy/deploy.ts";
import { dryRun } from "./deploy/dry-run.ts";
import { root } from "./stack/wrangler.ts";

const USAGE = `Usage: npm run deploy [-- --dry-run] [-- --unset NAME]

Checks the account, creates what is missing on Cloudflare and deploys the three Workers.

  --dry-run     print the plan and build, and change nothing
  --unset NAME  empty a variable that an earlier deployment set; several, parted by commas
  -h, --help    this text`;

await runCommand(USAGE, async () => {
  const flags = parseFlags({
    "dry-run": { type: "boolean", default: false },
    unset: { type: "string", multiple: true, default: [] },
  });
  const unset = flags.unset.flatMap((names) => names.split(",")).map((name) => name.trim());
  const unknown = unset.find((name) => !UNSETTABLE.includes(name));
  if (unknown !== undefined) throw new UsageError(`--unset: ${unknown} is not a variable of the Workers.`);
  checkVars(process.env);
  const deployment = { home: join(root, ".talaria"), env: process.env, unset };
  if (flags["dry-run"]) return dryRun(deployment);
  await deploy(deployment, (line) => console.log(line));
  return 0;
});
