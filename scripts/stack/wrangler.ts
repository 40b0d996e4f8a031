// Runs this checkout's wrangler as a child process and reads the three Workers' configs. Called by deploy, check and bundle.ts.
// Never prints its input, which may hold secrets.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type * as Wrangler from "wrangler";
import { PlainError } from "../command-line.ts";

export type WorkerName = "api" | "review" | "curator";

/** In deployment order: a queue's consumer is deployed before its producer. */
export const WORKERS: { worker: WorkerName; path: string }[] = [
  { worker: "review", path: "workers/review/wrangler.toml" },
  { worker: "curator", path: "workers/curator/wrangler.toml" },
  { worker: "api", path: "wrangler.toml" },
];

export const root = resolve(import.meta.dirname, "../..");

/** Loads wrangler on demand: it takes seconds, too long for a command that only prints its usage or an error. */
export function loadWrangler(): typeof Wrangler {
  return createRequire(import.meta.url)("wrangler") as typeof Wrangler;
}

export interface WranglerResult {
  code: number;
  output: string;
}
/** Aborting `signal` kills the process; the code is then not 0. `env` is added to the caller's environment. */
export type RunWrangler = (
  args: string[],
  options?: { signal?: AbortSignal; env?: Record<string, string | undefined> },
) => Promise<WranglerResult>;

export const runWrangler: RunWrangler = (args, { signal, env } = {}) => {
  const cli = join(root, "node_modules", "wrangler", "wrangler-dist", "cli.js");
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ["--no-warnings", cli, ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        WRANGLER_HIDE_BANNER: "true",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_SEND_ERROR_REPORTS: "false",
        WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
        CI: "true",
        FORCE_COLOR: "0",
        ...env,
      },
    });
    let output = "";
    child.stdout.on("data", (data) => (output += String(data)));
    child.stderr.on("data", (data) => (output += String(data)));
    const kill = () => child.kill("SIGKILL");
    if (signal?.aborted) kill();
    signal?.addEventListener("abort", kill);
    child.once("error", fail);
    child.once("close", (code) => {
      signal?.removeEventListener("abort", kill);
      done({ code: code ?? 1, output });
    });
  });
};

export interface WorkerConfig {
  worker: WorkerName;
  path: string;
  /** As written, with the entry point and the folder of assets made absolute, so that a copy works from any folder. */
  raw: Wrangler.Unstable_RawConfig;
}

/** Names file and line of a syntax error: wrangler's own error prints the whole file. */
function readToml<Config>(path: string, read: () => Config): Config {
  try {
    return read();
  } catch (error) {
    const { text, location } = error as { text?: string; location?: { line?: number } };
    const line = location?.line === undefined ? "" : `, line ${location.line}`;
    throw new PlainError(`${path}${line} cannot be read: ${text ?? String(error).split("\n")[0]}`);
  }
}

export function readWorkerConfigs(): WorkerConfig[] {
  const { experimental_readRawConfig } = loadWrangler();
  return WORKERS.map(({ worker, path }) => {
    const { rawConfig: raw } = readToml(path, () => experimental_readRawConfig({ config: join(root, path) }));
    if (!raw.main) throw new PlainError(`${path} has no \`main\`.`);
    const main = resolve(root, dirname(path), raw.main);
    const assets = raw.assets?.directory && {
      assets: { ...raw.assets, directory: resolve(root, dirname(path), raw.assets.directory) },
    };
    return { worker, path, raw: { ...raw, main, ...assets } };
  });
}
