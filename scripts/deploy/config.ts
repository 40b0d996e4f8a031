// What the environment gives the Workers, and the config file that wrangler deploys. Called by deploy.ts and dry-run.ts.
// Names secrets, and never writes one into a config.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MEMORY_SECRETS, MEMORY_VARS, MODEL_SECRETS, PLAIN_VARS, workerVars } from "../worker-vars.ts";
import type { WorkerConfig } from "../wrangler.ts";
import { effectiveConfig } from "./plan.ts";

export interface Deployment {
  /** Where deploy.json and generated configs are. */
  home: string;
  env: Record<string, string | undefined>;
  /** Variables of an earlier deployment to make empty. The Workers take an empty one as absent. */
  unset: string[];
}

export const OPERATOR_TOKEN = "TALARIA_OPERATOR_TOKEN";
export const SECRETS: readonly string[] = [...MODEL_SECRETS, ...MEMORY_SECRETS];
export const UNSETTABLE: readonly string[] = [...SECRETS, ...PLAIN_VARS, ...MEMORY_VARS];

export function givenVars(names: readonly string[], { env, unset }: Deployment): Record<string, string> {
  const { [OPERATOR_TOKEN]: _, ...vars } = workerVars(env, "", names);
  for (const name of unset) if (names.includes(name)) vars[name] = "";
  return vars;
}

/** Writes the config of one Worker and returns its path. */
export function writeConfig(config: WorkerConfig, namespaces: Record<string, string>, deployment: Deployment): string {
  const path = join(deployment.home, "deploy", config.worker, "wrangler.json");
  const vars = givenVars(config.worker === "api" ? [...PLAIN_VARS, ...MEMORY_VARS] : PLAIN_VARS, deployment);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(effectiveConfig(config, namespaces, vars), null, 2));
  return path;
}
