// Bundles Workers with wrangler, as a deployment does, and reads their bindings from their own configs. For workers.ts.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type { WorkerOptions } from "./workers.ts";
import { type Unstable_RawConfig as RawConfig, unstable_getMiniflareWorkerOptions } from "wrangler";
import { runWrangler } from "../../scripts/wrangler.ts";

const MODULE_TYPES: Record<string, "ESModule" | "Text" | "CompiledWasm"> = {
  ".js": "ESModule",
  ".md": "Text",
  ".wasm": "CompiledWasm",
};
/** Wrangler leaves a note of its own beside what it bundled. */
const README = "README.md";

/** The Worker as Miniflare takes it: the bundle of `raw.main`, and every binding that the config names. */
export async function bundleWorker(raw: RawConfig, folder: string): Promise<WorkerOptions> {
  const outdir = join(folder, "out");
  const config = join(folder, "wrangler.json");
  mkdirSync(outdir, { recursive: true });
  writeFileSync(config, JSON.stringify(raw));
  const { code, output } = await runWrangler(["deploy", "--dry-run", "--config", config, "--outdir", outdir]);
  if (code !== 0) throw new Error(`${raw.name} could not be bundled:\n${output}`);
  const main = basename(raw.main!).replace(/\.ts$/, ".js");
  const others = readdirSync(outdir).filter((name) => MODULE_TYPES[extname(name)] && name !== main && name !== README);
  const modules = [main, ...others].map((name) => ({
    type: MODULE_TYPES[extname(name)]!,
    path: join(outdir, name),
  }));
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
  const { modulesRules: _rules, ...bindings } = workerOptions;
  return { ...bindings, name: raw.name, modules, modulesRoot: outdir };
}
