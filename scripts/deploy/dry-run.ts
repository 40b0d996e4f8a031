// `npm run deploy -- --dry-run`: prints the plan and builds the three Workers exactly as a deployment would. Asks nobody.
import { join } from "node:path";
import { type WorkerConfig, readWorkerConfigs, runWrangler } from "../wrangler.ts";
import { type Deployment, OPERATOR_TOKEN, SECRETS, givenVars, writeConfig } from "./config.ts";
import { readKept } from "./kept.ts";
import { secretsFor, warningsIn } from "./plan.ts";
import { resourcesOf } from "./resources.ts";

/** Prints the plan and builds all three exactly as a deployment would. Fails on any warning of wrangler. */
export async function dryRun(deployment: Deployment): Promise<number> {
  readKept(join(deployment.home, "deploy.json")); // damaged or newer: refused as by the real one
  const configs = readWorkerConfigs();
  const { buckets, namespaces, queues } = resourcesOf(configs);
  const secrets = { ...givenVars(SECRETS, deployment), [OPERATOR_TOKEN]: "generated or kept" };
  console.log("Would make sure that these exist:");
  for (const bucket of buckets) console.log(`  R2 bucket     ${bucket}`);
  for (const namespace of namespaces) console.log(`  KV namespace  ${namespace}`);
  for (const queue of queues) console.log(`  queue         ${queue}`);
  console.log("Would deploy, in this order:");
  const built = await Promise.all(configs.map((config) => buildOne(config, deployment)));
  for (const [index, config] of configs.entries()) {
    const names = Object.keys(secretsFor(config.worker, secrets)).join(", ") || "none";
    console.log(`  ${config.raw.name}  ${built[index]?.size}  secrets: ${names}`);
  }
  const problems = built.flatMap(({ problems }) => problems);
  for (const problem of problems) console.error(problem);
  return problems.length > 0 ? 1 : 0;
}

async function buildOne(config: WorkerConfig, deployment: Deployment): Promise<{ size: string; problems: string[] }> {
  const path = writeConfig(config, {}, deployment);
  const outdir = join(deployment.home, "deploy", config.worker, "out");
  const { code, output } = await runWrangler(["deploy", "--dry-run", "--config", path, "--outdir", outdir]);
  const size = /Total Upload: (.+)/.exec(output)?.[1]?.trim() ?? "size unknown";
  const failed = code === 0 ? [] : [`${config.raw.name} does not build:\n${output.trim().slice(-4_000)}`];
  return { size, problems: [...failed, ...warningsIn(output).map((text) => `${config.path}: ${text}`)] };
}
