// `npm run deploy -- --dry-run`: prints the plan and builds the three Workers exactly as a deployment would. Makes no API call.
import { join } from "node:path";
import { readWorkerConfigs } from "../stack/wrangler.ts";
import { buildAll } from "./build.ts";
import {
  type Deployment,
  OPERATOR_TOKEN,
  REHEARSAL_NOTE,
  SECRETS,
  pickGivenVars,
  hasRealModel,
  selectVars,
} from "./config.ts";
import { readSavedDeployment } from "./saved-deployment.ts";
import { selectSecrets } from "./plan.ts";
import { listResources } from "./resources.ts";

/** Fails on any warning of wrangler. */
export async function dryRun(deployment: Deployment): Promise<number> {
  readSavedDeployment(join(deployment.home, "deploy.json")); // a damaged or newer file is an error here, too
  const configs = readWorkerConfigs();
  const { buckets, namespaces, queues } = listResources(configs);
  const secrets = { ...pickGivenVars(SECRETS, deployment), [OPERATOR_TOKEN]: "generated or kept" };
  console.log("Would make sure that these exist:");
  for (const bucket of buckets) console.log(`  R2 bucket     ${bucket}`);
  for (const namespace of namespaces) console.log(`  KV namespace  ${namespace}`);
  for (const queue of queues) console.log(`  queue         ${queue}`);
  console.log("Would deploy, in this order:");
  const built = await buildAll(configs, deployment);
  for (const [index, config] of configs.entries()) {
    const names = Object.keys(selectSecrets(config.worker, secrets)).join(", ") || "none";
    console.log(`  ${config.raw.name}  ${built[index]?.size}  secrets: ${names}`);
    const vars = Object.keys(selectVars(config.worker, deployment)).join(", ");
    if (vars !== "") console.log(`    variables: ${vars}`);
  }
  if (!hasRealModel(deployment)) console.log(REHEARSAL_NOTE);
  const problems = built.flatMap(({ problems }) => problems);
  for (const problem of problems) console.error(problem);
  return problems.length > 0 ? 1 : 0;
}
