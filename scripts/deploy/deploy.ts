// Deploys the three Workers: checks the account, creates what is missing, uploads review, curator and api in that order, and
// tells the request for the first key. Keeps ids and the operator's token in deploy.json. Called by scripts/deploy.ts.
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { writePrivate } from "../stack/private-file.ts";
import { type WorkerConfig, readWorkerConfigs, runWrangler } from "../stack/wrangler.ts";
import { buildAll } from "./build.ts";
import { type Inventory, checkAccount } from "./checks.ts";
import { DeployError, openAccount } from "./cloudflare.ts";
import { type Deployment, OPERATOR_TOKEN, REHEARSES, SECRETS, givenVars, mayAnswer, writeConfig } from "./config.ts";
import { readKept, writeKept } from "./kept.ts";
import { createMissing, secretsFor, withoutColours } from "./plan.ts";
import { resourcesOf } from "./resources.ts";

/** Throws a DeployError. Before the checks have passed nothing is made; what was made before a failure is found again. */
export async function deploy(
  deployment: Deployment,
  say: (line: string) => void,
  configs: WorkerConfig[] = readWorkerConfigs(),
): Promise<void> {
  const { env, home } = deployment;
  const keptFile = join(home, "deploy.json");
  const resources = resourcesOf(configs);
  const kept = readKept(keptFile);
  const api = await openAccount(env, (args) => runWrangler(args, { env }));
  say("Building the three Workers");
  const problems = (await buildAll(configs, deployment)).flatMap((built) => built.problems);
  if (problems.length > 0)
    throw new DeployError(`${problems.join("\n")}\nNothing was made; mend this and run it again.`);
  say(`Checking account ${api.accountId}`);
  const inventory = await checkAccount(api, configs, resources);
  const operatorToken = chooseOperatorToken(env[OPERATOR_TOKEN]?.trim() || kept?.operatorToken, inventory);
  // Written before anything is created: a token that was set and lost would lock the operator out.
  const next = { v: 1 as const, namespaces: kept?.namespaces ?? {}, ...(operatorToken && { operatorToken }) };
  writeKept(keptFile, next);
  const namespaces = await createMissing(resources, inventory, api, say);
  writeKept(keptFile, { ...next, namespaces });
  const secrets = givenVars(SECRETS, deployment);
  if (operatorToken) secrets[OPERATOR_TOKEN] = operatorToken;
  let url = "https://talaria-api.<your subdomain>.workers.dev";
  for (const config of configs) {
    say(`${config.raw.name}: deploying`);
    const path = writeConfig(config, namespaces, deployment);
    const output = await deployOne(config, path, secretsFor(config.worker, secrets), {
      ...env,
      CLOUDFLARE_ACCOUNT_ID: api.accountId,
    });
    url = (config.worker === "api" && /https:\/\/\S+\.workers\.dev/.exec(output)?.[0]) || url;
  }
  if (!mayAnswer(deployment, inventory.apiSecrets ?? [])) say(REHEARSES);
  say(`\nDeployed. ${operatorToken ? firstKey(url) : TOKEN_KEPT}`);
}

/** Undefined: the account has one that this machine does not know, and it stays. */
function chooseOperatorToken(given: string | undefined, { apiSecrets }: Inventory): string | undefined {
  if (given || apiSecrets?.includes(OPERATOR_TOKEN)) return given;
  return randomBytes(32).toString("hex");
}

const TOKEN_KEPT = `The operator's token of an earlier deployment stays; this machine does not have it.
To replace it, set ${OPERATOR_TOKEN} and deploy again.`;

function firstKey(url: string): string {
  return `The first profile and its key:

  curl -X POST ${url}/v1/profiles \\
    -H "authorization: Bearer $(node -p 'require("./.talaria/deploy.json").operatorToken')"`;
}

async function deployOne(
  config: WorkerConfig,
  path: string,
  secrets: Record<string, string>,
  env: Record<string, string | undefined>,
): Promise<string> {
  const secretsFile = join(dirname(path), "secrets.json");
  const named = Object.keys(secrets).length > 0;
  if (named) writePrivate(secretsFile, JSON.stringify(secrets));
  try {
    const args = ["deploy", "--config", path, ...(named ? ["--secrets-file", secretsFile] : [])];
    const ran = await runWrangler(args, { env });
    if (ran.code === 0) return ran.output;
    const reason = withoutColours(ran.output).trim().slice(-4_000);
    throw new DeployError(
      `${config.raw.name} could not be deployed. Mend the cause and run this again: what was made is found.\n${reason}`,
    );
  } finally {
    rmSync(secretsFile, { force: true });
  }
}
