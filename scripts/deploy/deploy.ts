// Deploys the three Workers: checks the account, creates missing resources, uploads review, curator and api in that order, and
// prints the request that creates the first key. Stores ids and the operator's token in deploy.json. Called by scripts/deploy.ts.
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { writePrivate } from "../stack/private-file.ts";
import { type RunWrangler, type WorkerConfig, readWorkerConfigs, runWrangler } from "../stack/wrangler.ts";
import { buildAll } from "./build.ts";
import { type Inventory, checkAccount } from "./checks.ts";
import { DeployError, openAccount } from "./cloudflare.ts";
import {
  type Deployment,
  OPERATOR_TOKEN,
  REHEARSAL_NOTE,
  SECRETS,
  pickGivenVars,
  hasRealModel,
  writeConfig,
} from "./config.ts";
import { readSavedDeployment, writeSavedDeployment } from "./saved-deployment.ts";
import { createMissing, selectSecrets, withoutColours } from "./plan.ts";
import { listResources } from "./resources.ts";

/** Throws a DeployError. Creates nothing until all checks have passed. Safe to repeat: existing resources are reused. */
export async function deploy(
  deployment: Deployment,
  say: (line: string) => void,
  configs: WorkerConfig[] = readWorkerConfigs(),
  wrangler: RunWrangler = runWrangler,
): Promise<void> {
  const { env, home } = deployment;
  const keptFile = join(home, "deploy.json");
  const resources = listResources(configs);
  const saved = readSavedDeployment(keptFile);
  const api = await openAccount(env, (args) => wrangler(args, { env }));
  say("Building the three Workers");
  const problems = (await buildAll(configs, deployment, wrangler)).flatMap((built) => built.problems);
  if (problems.length > 0)
    throw new DeployError(`${problems.join("\n")}\nNothing was created. Fix this and run the command again.`);
  say(`Checking account ${api.accountId}`);
  const inventory = await checkAccount(api, configs, resources);
  const operatorToken = chooseOperatorToken(env[OPERATOR_TOKEN]?.trim() || saved?.operatorToken, inventory);
  // Written before anything is created: losing a token that was already set would lock the operator out.
  const next = { v: 1 as const, namespaces: saved?.namespaces ?? {}, ...(operatorToken && { operatorToken }) };
  writeSavedDeployment(keptFile, next);
  const namespaces = await createMissing(resources, inventory, api, say);
  writeSavedDeployment(keptFile, { ...next, namespaces });
  const secrets = pickGivenVars(SECRETS, deployment);
  if (operatorToken) secrets[OPERATOR_TOKEN] = operatorToken;
  let url = "https://talaria-api.<your subdomain>.workers.dev";
  for (const config of configs) {
    say(`${config.raw.name}: deploying`);
    const path = writeConfig(config, namespaces, deployment);
    const output = await deployOne(wrangler, config, path, selectSecrets(config.worker, secrets), {
      ...env,
      CLOUDFLARE_ACCOUNT_ID: api.accountId,
    });
    url = (config.worker === "api" && /https:\/\/\S+\.workers\.dev/.exec(output)?.[0]) || url;
  }
  if (!hasRealModel(deployment, inventory.apiSecrets ?? [])) say(REHEARSAL_NOTE);
  say(`\nDeployed. ${operatorToken ? describeFirstKey(url) : TOKEN_KEPT}`);
}

/** The operator's token to set; undefined to keep one that the account has and this machine does not know. */
function chooseOperatorToken(given: string | undefined, { apiSecrets }: Inventory): string | undefined {
  if (given || apiSecrets?.includes(OPERATOR_TOKEN)) return given;
  return randomBytes(32).toString("hex");
}

const TOKEN_KEPT = `The operator's token of an earlier deployment is kept. This machine does not have it.
To replace it, set ${OPERATOR_TOKEN} and deploy again.`;

function describeFirstKey(url: string): string {
  return `The first profile and its key:

  curl -X POST ${url}/v1/profiles \\
    -H "authorization: Bearer $(node -p 'require("./.talaria/deploy.json").operatorToken')"`;
}

async function deployOne(
  wrangler: RunWrangler,
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
    const result = await wrangler(args, { env });
    if (result.code === 0) return result.output;
    const reason = withoutColours(result.output).trim().slice(-4_000);
    throw new DeployError(
      `${config.raw.name} could not be deployed. Fix the cause and run this again; resources that were created are reused.\n${reason}`,
    );
  } finally {
    rmSync(secretsFile, { force: true });
  }
}
