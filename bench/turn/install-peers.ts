// Installs the packages of bench/peers/package-lock.json into bench/peers/node_modules, if they are missing. The product does not
// depend on them. Called by bench/turn.ts.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(import.meta.dirname, "../peers");

export async function installPeers(say: (line: string) => void): Promise<void> {
  if (isInstalled()) return;
  say("installing bench/peers: npm ci");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const code = await new Promise<number | null>((done, fail) => {
    const child = spawn("npm", args, { cwd: folder, stdio: ["ignore", 2, 2], env: cleanNpmEnv() });
    child.once("error", fail);
    child.once("close", done);
  });
  if (code !== 0) throw new Error(`npm ci in bench/peers ended with ${code}`);
}

/** The environment without the variables by which `npm run` describes its own project. Registry and cache settings stay. */
function cleanNpmEnv(): NodeJS.ProcessEnv {
  const exported =
    /^(INIT_CWD|npm_(lifecycle|package|command|config_(local_prefix|global_prefix|prefix|omit|include)).*)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !exported.test(name)));
}

/** Compares the lockfile with the copy that npm writes at the end of an installation. */
function isInstalled(): boolean {
  const required = readPackages(join(folder, "package-lock.json"));
  const present = readPackages(join(folder, "node_modules/.package-lock.json"));
  return (
    present !== null &&
    Object.entries(required ?? {}).every(
      ([path, { version, optional }]) => path === "" || optional || present[path]?.version === version,
    )
  );
}

function readPackages(path: string): Record<string, { version?: string; optional?: boolean }> | null {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { packages: never }).packages;
  } catch {
    return null; // not installed, or the installation was interrupted
  }
}
