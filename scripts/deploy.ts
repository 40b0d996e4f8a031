// `npm run deploy [-- --dry-run]`: creates what is missing, deploys the three Workers, prints the request for the first key.
// Keeps ids and the operator's token in .talaria/deploy.json (ignored by git, mode 0600).
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkVars } from "./check-vars.ts";
import { parseFlags, runCommand } from "./command-line.ts";
import {
  DeployError,
  type DeployState,
  effectiveConfig,
  ensureResources,
  resourcesOf,
  secretsFor,
  warningsIn,
} from "./deploy-plan.ts";
import { MEMORY_SECRETS, MEMORY_VARS, MODEL_SECRETS, PLAIN_VARS, workerVars } from "./worker-vars.ts";
import { type WorkerConfig, readWorkerConfigs, root, runWrangler } from "./wrangler.ts";

interface Kept extends DeployState {
  operatorToken: string;
}

const folder = join(root, ".talaria", "deploy");
const keptFile = join(root, ".talaria", "deploy.json");
const SECRETS = [...MODEL_SECRETS, ...MEMORY_SECRETS];

const USAGE = `Usage: npm run deploy [-- --dry-run]

Creates what is missing on Cloudflare and deploys the three Workers.

  --dry-run   print the plan and build, and change nothing
  -h, --help  this text`;

await runCommand(USAGE, () => {
  const { "dry-run": isDry } = parseFlags({ "dry-run": { type: "boolean", default: false } });
  checkVars(process.env);
  return isDry ? dryRun() : deploy();
});

async function deploy(): Promise<number> {
  const configs = readWorkerConfigs();
  const kept = readKept();
  writeKept(kept); // before anything is created: a token that was set and lost would lock the operator out
  const state = await ensureResources(resourcesOf(configs), kept, runWrangler, (line) => console.log(line));
  writeKept({ ...kept, namespaces: state.namespaces });
  const secrets = workerVars(process.env, kept.operatorToken, SECRETS);
  let url = "https://talaria-api.<your subdomain>.workers.dev";
  for (const config of configs) {
    console.log(`${config.raw.name}: deploying`);
    const output = await deployOne(config, state, secretsFor(config.worker, secrets));
    url = (config.worker === "api" && /https:\/\/\S+\.workers\.dev/.exec(output)?.[0]) || url;
  }
  if (!MODEL_SECRETS.some((name) => secrets[name])) {
    console.log("\nNo model key was in the environment, so the Workers answer with the rehearsal model.");
  }
  console.log(`\nDeployed. The first profile and its key:

  curl -X POST ${url}/v1/profiles \\
    -H "authorization: Bearer $(node -p 'require("./.talaria/deploy.json").operatorToken')"`);
  return 0;
}

async function deployOne(config: WorkerConfig, state: DeployState, secrets: Record<string, string>): Promise<string> {
  const path = writeConfig(config, state);
  const secretsFile = join(folder, `${config.worker}.secrets.json`);
  const named = Object.keys(secrets).length > 0;
  if (named) writePrivate(secretsFile, JSON.stringify(secrets));
  try {
    const ran = await runWrangler(["deploy", "--config", path, ...(named ? ["--secrets-file", secretsFile] : [])]);
    if (ran.code !== 0) throw new DeployError(`${config.raw.name} could not be deployed:\n${ran.output.slice(-4_000)}`);
    return ran.output;
  } finally {
    rmSync(secretsFile, { force: true });
  }
}

/** Prints the plan and builds all three exactly as a deployment would. Fails on any warning of wrangler. */
async function dryRun(): Promise<number> {
  const configs = readWorkerConfigs();
  const { buckets, namespaces, queues } = resourcesOf(configs);
  const secrets = workerVars(process.env, "generated or kept", SECRETS);
  console.log("Would make sure that these exist:");
  for (const bucket of buckets) console.log(`  R2 bucket     ${bucket}`);
  for (const namespace of namespaces) console.log(`  KV namespace  ${namespace}`);
  for (const queue of queues) console.log(`  queue         ${queue}`);
  console.log("Would deploy, in this order:");
  const built = await Promise.all(configs.map((config) => buildOne(config)));
  for (const [index, config] of configs.entries()) {
    const names = Object.keys(secretsFor(config.worker, secrets)).join(", ") || "none";
    console.log(`  ${config.raw.name}  ${built[index]?.size}  secrets: ${names}`);
  }
  const problems = built.flatMap(({ problems }) => problems);
  for (const problem of problems) console.error(problem);
  return problems.length > 0 ? 1 : 0;
}

async function buildOne(config: WorkerConfig): Promise<{ size: string; problems: string[] }> {
  const path = writeConfig(config, { v: 1, namespaces: {} });
  const outdir = join(folder, config.worker, "out");
  const { code, output } = await runWrangler(["deploy", "--dry-run", "--config", path, "--outdir", outdir]);
  const size = /Total Upload: (.+)/.exec(output)?.[1]?.trim() ?? "size unknown";
  const failed = code === 0 ? [] : [`${config.raw.name} does not build:\n${output.trim().slice(-4_000)}`];
  return { size, problems: [...failed, ...warningsIn(output).map((text) => `${config.path}: ${text}`)] };
}

function writeConfig(config: WorkerConfig, state: DeployState): string {
  const path = join(folder, config.worker, "wrangler.json");
  const names = config.worker === "api" ? [...PLAIN_VARS, ...MEMORY_VARS] : PLAIN_VARS;
  const { TALARIA_OPERATOR_TOKEN: _, ...vars } = workerVars(process.env, "", names);
  mkdirSync(join(folder, config.worker), { recursive: true });
  writeFileSync(path, JSON.stringify(effectiveConfig(config, state, vars), null, 2));
  return path;
}

function readKept(): Kept {
  const token = process.env.TALARIA_OPERATOR_TOKEN?.trim();
  let kept: Kept = { v: 1, namespaces: {}, operatorToken: token || randomBytes(32).toString("hex") };
  try {
    kept = JSON.parse(readFileSync(keptFile, "utf8")) as Kept;
  } catch {
    // the first deployment from here
  }
  return token ? { ...kept, operatorToken: token } : kept;
}

function writeKept(kept: Kept): void {
  mkdirSync(join(root, ".talaria"), { recursive: true, mode: 0o700 });
  writePrivate(keptFile, `${JSON.stringify(kept, null, 2)}\n`);
}

function writePrivate(path: string, text: string): void {
  rmSync(path, { force: true }); // a mode is given only to a file that is new
  writeFileSync(path, text, { mode: 0o600 });
}
