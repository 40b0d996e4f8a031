// Reads the Workers' variables from the environment and writes the config files that wrangler deploys. Called by deploy.ts and
// dry-run.ts. Never writes a secret into a config.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { API_SECRETS, API_VARS, MODEL_SECRETS, PLAIN_VARS, selectWorkerVars } from "../stack/worker-vars.ts";
import type { WorkerConfig, WorkerName } from "../stack/wrangler.ts";
import { buildDeployedConfig } from "./plan.ts";

export interface Deployment {
  /** Folder of deploy.json and of generated configs. */
  home: string;
  env: Record<string, string | undefined>;
  /** Variables of an earlier deployment to set to the empty string, which the Workers treat as absent. */
  unset: string[];
}

export const OPERATOR_TOKEN = "TALARIA_OPERATOR_TOKEN";
export const SECRETS: readonly string[] = [...MODEL_SECRETS, ...API_SECRETS];
export const UNSETTABLE: readonly string[] = [...SECRETS, ...PLAIN_VARS, ...API_VARS];

export function pickGivenVars(names: readonly string[], { env, unset }: Deployment): Record<string, string> {
  const { [OPERATOR_TOKEN]: _, ...vars } = selectWorkerVars(env, "", names);
  for (const name of unset) if (names.includes(name)) vars[name] = "";
  return vars;
}

export function selectVars(worker: WorkerName, deployment: Deployment): Record<string, string> {
  return pickGivenVars(worker === "api" ? [...PLAIN_VARS, ...API_VARS] : PLAIN_VARS, deployment);
}

export const REHEARSAL_NOTE =
  "\nNo model key and no model server is set, so the Workers answer with the rehearsal model.";

/** Whether a real model can answer: a key or a server in this environment, or a kept key of an earlier deployment. */
export function hasRealModel(deployment: Deployment, kept: readonly string[] = []): boolean {
  const given = pickGivenVars(
    [...MODEL_SECRETS, ...PLAIN_VARS.filter((name) => name.endsWith("_BASE_URL"))],
    deployment,
  );
  const stays = kept.some((name) => MODEL_SECRETS.includes(name) && given[name] !== "");
  return stays || Object.values(given).some((value) => value !== "");
}

/** Writes the config of one Worker and returns its path. */
export function writeConfig(config: WorkerConfig, namespaces: Record<string, string>, deployment: Deployment): string {
  const path = join(deployment.home, "deploy", config.worker, "wrangler.json");
  const vars = selectVars(config.worker, deployment);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(buildDeployedConfig(config, namespaces, vars), null, 2));
  return path;
}
