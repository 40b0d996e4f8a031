// Builds the three Workers as a deployment would, before anything is made on Cloudflare. Called by deploy.ts and dry-run.ts.
// Asks nobody.
import { join } from "node:path";
import { type WorkerConfig, runWrangler } from "../stack/wrangler.ts";
import { type Deployment, writeConfig } from "./config.ts";
import { warningsIn, withoutColours } from "./plan.ts";

export interface Built {
  /** As wrangler says it. */
  size: string;
  /** Whatever of it is no deployment: what does not build, and every warning of wrangler. */
  problems: string[];
}

export function buildAll(configs: WorkerConfig[], deployment: Deployment): Promise<Built[]> {
  return Promise.all(configs.map((config) => buildOne(config, deployment)));
}

async function buildOne(config: WorkerConfig, deployment: Deployment): Promise<Built> {
  const path = writeConfig(config, {}, deployment);
  const outdir = join(deployment.home, "deploy", config.worker, "out");
  const { code, output } = await runWrangler(["deploy", "--dry-run", "--config", path, "--outdir", outdir]);
  const size = /Total Upload: (.+)/.exec(output)?.[1]?.trim() ?? "size unknown";
  const failed =
    code === 0 ? [] : [`${config.raw.name} does not build:\n${withoutColours(output).trim().slice(-4_000)}`];
  return { size, problems: [...failed, ...warningsIn(output).map((text) => `${config.path}: ${text}`)] };
}
