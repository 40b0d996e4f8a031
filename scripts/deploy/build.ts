// Builds the three Workers before anything is created on Cloudflare. Called by deploy.ts and dry-run.ts. Makes no API call.
import { join } from "node:path";
import { type RunWrangler, type WorkerConfig, runWrangler } from "../stack/wrangler.ts";
import { type Deployment, writeConfig } from "./config.ts";
import { findWarnings, withoutColours } from "./plan.ts";

export interface BuiltWorker {
  /** Size, in wrangler's words. */
  size: string;
  /** Build errors and wrangler's warnings. Any of them stops a deployment. */
  problems: string[];
}

export function buildAll(
  configs: WorkerConfig[],
  deployment: Deployment,
  wrangler: RunWrangler = runWrangler,
): Promise<BuiltWorker[]> {
  return Promise.all(configs.map((config) => buildOne(config, deployment, wrangler)));
}

async function buildOne(config: WorkerConfig, deployment: Deployment, wrangler: RunWrangler): Promise<BuiltWorker> {
  const path = writeConfig(config, {}, deployment);
  const outdir = join(deployment.home, "deploy", config.worker, "out");
  const { code, output } = await wrangler(["deploy", "--dry-run", "--config", path, "--outdir", outdir]);
  const size = /Total Upload: (.+)/.exec(output)?.[1]?.trim() ?? "size unknown";
  const failed =
    code === 0 ? [] : [`${config.raw.name} does not build:\n${withoutColours(output).trim().slice(-4_000)}`];
  return { size, problems: [...failed, ...findWarnings(output).map((text) => `${config.path}: ${text}`)] };
}
