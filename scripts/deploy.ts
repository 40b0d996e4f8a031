// `npm run deploy [-- --dry-run] [-- --unset NAME]`: the command line of scripts/deploy/.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DeployError } from "./deploy/cloudflare.ts";
import { UNSETTABLE } from "./deploy/config.ts";
import { deploy } from "./deploy/deploy.ts";
import { dryRun } from "./deploy/dry-run.ts";
import { root } from "./wrangler.ts";

try {
  const { values } = parseArgs({
    options: { "dry-run": { type: "boolean", default: false }, unset: { type: "string", multiple: true, default: [] } },
  });
  const unset = values.unset.flatMap((names) => names.split(",")).map((name) => name.trim());
  const unknown = unset.find((name) => !UNSETTABLE.includes(name));
  if (unknown !== undefined) throw new DeployError(`--unset: ${unknown} is not a variable of the Workers.`);
  const deployment = { home: join(root, ".talaria"), env: process.env, unset };
  if (values["dry-run"]) process.exitCode = await dryRun(deployment);
  else await deploy(deployment, (line) => console.log(line));
} catch (error) {
  const expected = error instanceof DeployError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  if (!expected) throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}
