// The product's Workers in one workerd, for tests of flows. Their builds are those of a deployment and cached (build-cache.ts), so a
// start costs no build. Whether the Workers stay reachable from this machine alone is tested on startStack.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type RunningWorkers, startWorkers } from "../../bench/support/workers.ts";
import { type WorkerOptions, bundleWorker } from "../../scripts/stack/bundle.ts";
import { type WorkerName, loadWrangler, readWorkerConfigs, root } from "../../scripts/stack/wrangler.ts";

export interface ProductOptions {
  vars: Record<string, string>;
  names?: WorkerName[];
  /** Changes wrangler.toml in what does not change the build, such as a binding. */
  configure?(toml: string): string;
  /** Other Workers beside them, such as doubles that a binding names. */
  beside?: WorkerOptions[];
}

export type Product = Awaited<ReturnType<typeof startProduct>>;

export async function startProduct({ vars, names = ["api"], configure, beside = [] }: ProductOptions) {
  const folder = mkdtempSync(join(tmpdir(), "talaria-product-"));
  let running: RunningWorkers | undefined;
  const close = async () => {
    await running?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const configs = readWorkerConfigs().filter(({ worker }) => names.includes(worker));
    const built = await Promise.all(
      configs.map(async ({ worker, raw }) => {
        const options = await bundleWorker(raw, join(folder, worker));
        return worker === "api" && configure ? reconfigure(options, join(folder, "api.toml"), configure) : options;
      }),
    );
    running = await startWorkers([...built, ...beside], { stateDir: join(folder, "state"), vars });
    const url = await running.url("talaria-api");
    const fetchProduct = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
    return { url, fetch: fetchProduct, request, close };

    /** Expects success. */
    async function request<T>(method: string, path: string, bearer: string, body?: unknown): Promise<T> {
      const response = await fetchProduct(path, {
        method,
        headers: { authorization: `Bearer ${bearer}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
      return JSON.parse(text) as T;
    }
  } catch (error) {
    await close();
    throw error;
  }
}

function reconfigure(built: WorkerOptions, path: string, configure: (toml: string) => string): WorkerOptions {
  const toml = readFileSync(join(root, "wrangler.toml"), "utf8");
  const main = (_: string, file: string) => `main = ${JSON.stringify(join(root, file))}`;
  writeFileSync(path, configure(toml).replace(/^main = "(.*)"$/m, main));
  const { modulesRules: _, ...bindings } = loadWrangler().unstable_getMiniflareWorkerOptions(path).workerOptions;
  return { ...built, ...bindings, assets: built.assets, name: built.name } as WorkerOptions;
}
