// Builds Workers with wrangler, exactly as a deployment does, and turns them into Miniflare's options (modules and bindings).
// Called by stack.ts, the chaos commands and the benches. Runs none of the built code.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { V4MiniflareOptions } from "miniflare";
import type { Unstable_RawConfig as RawConfig } from "wrangler";
import { buildPage } from "../dashboard/build.ts";
import { buildAlone, keepBuild, readInputs, restoreBuild } from "./build-cache.ts";
import { loadWrangler, readWorkerConfigs, runWrangler } from "./wrangler.ts";

/** Plain data, so it can be passed to another process as a JSON file. */
export type WorkerOptions = Extract<V4MiniflareOptions, { workers: unknown }>["workers"][number];

const MODULE_TYPES: Record<string, "ESModule" | "Text" | "CompiledWasm"> = {
  ".js": "ESModule",
  ".md": "Text",
  ".wasm": "CompiledWasm",
};
/** Wrangler writes this file beside each bundle. */
const README = "README.md";

export class BundleError extends Error {
  override name = "BundleError";
}

/** The product's three Workers, the one that serves HTTP first. */
export async function bundleProduct(
  folder: string,
  options: { say?: (line: string) => void; signal?: AbortSignal } = {},
): Promise<WorkerOptions[]> {
  const configs = readWorkerConfigs().toReversed();
  return Promise.all(
    configs.map(async ({ worker, raw }) => {
      const built = await bundleWorker(raw, join(folder, worker), options.signal);
      options.say?.(`Built ${raw.name}.`);
      return built;
    }),
  );
}

/** The Worker of a config file, whose main is given relative to the file. */
export function bundleConfig(path: string, folder: string): Promise<WorkerOptions> {
  const { rawConfig } = loadWrangler().experimental_readRawConfig({ config: path });
  return bundleWorker({ ...rawConfig, main: resolve(dirname(path), rawConfig.main ?? "") }, folder);
}

/**
 * The bundle of `raw.main`, and every binding that the config names. Its assets are the page, in a folder of their own, so that a build
 * for another stack does not change what a running one serves.
 */
export async function bundleWorker(raw: RawConfig, folder: string, signal?: AbortSignal): Promise<WorkerOptions> {
  const outdir = join(folder, "out");
  const config = join(folder, "wrangler.json");
  const { assets, build: _, ...ofWorker } = raw;
  const written = JSON.stringify(ofWorker);
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  writeFileSync(config, written);
  if (!restoreBuild(written, outdir))
    await buildAlone(written, async () => {
      if (!restoreBuild(written, outdir)) await build(written, { name: raw.name, config, outdir, signal });
    });
  if (assets) {
    const directory = join(folder, "page");
    await buildPage(directory, signal);
    writeFileSync(config, JSON.stringify({ ...ofWorker, assets: { ...assets, directory } }));
  }
  const main = basename(raw.main!).replace(/\.ts$/, ".js");
  const others = readdirSync(outdir).filter((name) => MODULE_TYPES[extname(name)] && name !== main && name !== README);
  const modules = [main, ...others].map((name) => ({
    type: MODULE_TYPES[extname(name)]!,
    path: join(outdir, name),
  }));
  const { workerOptions } = loadWrangler().unstable_getMiniflareWorkerOptions(config);
  const { modulesRules: _rules, ...bindings } = workerOptions;
  return { ...bindings, name: raw.name, modules, modulesRoot: outdir };
}

interface BuildInput {
  name: string | undefined;
  /** Path of the config file. */
  config: string;
  outdir: string;
  signal: AbortSignal | undefined;
}

async function build(written: string, { name, config, outdir, signal }: BuildInput): Promise<void> {
  const began = Date.now();
  const metafile = join(dirname(config), "metafile.json");
  const args = ["deploy", "--dry-run", "--config", config, "--outdir", outdir, "--metafile", metafile];
  const { code, output } = await runWrangler(args, signal && { signal });
  if (code !== 0) throw new BundleError(`${name} could not be built:\n${output.trim().slice(-4_000)}`);
  for (const map of readdirSync(outdir).filter((file) => file.endsWith(".map"))) rmSync(join(outdir, map));
  keepBuild({ config: written, outdir, inputs: readInputs(metafile), began });
}
