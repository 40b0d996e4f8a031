// A cache of builds (the Workers, the page), valid until one of their source files changes. Called by bundle.ts and
// dashboard/build.ts. It lives under node_modules, so it disappears together with the packages that were bundled. Where node_modules
// is not writable, each start builds again.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { type ProcessIdentity, identifyProcess, isAlive } from "./processes.ts";
import { root } from "./wrangler.ts";

const CACHE = join(root, "node_modules", ".cache", "talaria-built");
const KEPT = "kept.json";
const TEXT = ".md";
const WAIT_MS = 50;
const OWNERLESS_MS = 2_000;
/** These files decide how imports resolve and which packages are bundled. */
const SETTINGS = ["package.json", "package-lock.json", "tsconfig.json"];

/** esbuild's metafile. Paths are relative to the config's folder; text files appear under their output names only. */
const Metafile = z.object({
  inputs: z.record(z.string(), z.object({ imports: z.array(z.object({ path: z.string() })) })),
});
/** SHA-256 of each source file and of each built file. */
const Kept = z.object({ inputs: z.record(z.string(), z.string()), built: z.record(z.string(), z.string()) });

/** Copies the cached build of the same config into `outdir`; false on a cache miss or when a file has changed since. */
export function restoreBuild(config: string, outdir: string, cache = CACHE): boolean {
  const cachedFolder = join(cache, digest(config));
  try {
    const { inputs, built } = Kept.parse(JSON.parse(readFileSync(join(cachedFolder, KEPT), "utf8")));
    if (!areSame(inputs, root) || !areSame(built, join(cachedFolder, "out"))) return false;
    cpSync(join(cachedFolder, "out"), outdir, { recursive: true });
    return true;
  } catch {
    return false; // nothing is cached, or a source file is gone
  }
}

/**
 * Runs `build` while no other process builds the same config, so that several starts at once build it once: `build` looks into the cache
 * first. A lock whose process is dead does not count. Where the cache is not writable, nothing is waited for.
 */
export async function buildAlone<T>(config: string, build: () => Promise<T>, cache = CACHE): Promise<T> {
  const lock = join(cache, `${digest(config)}.lock`);
  while (!takeLock(lock)) await pause(WAIT_MS);
  return build().finally(() => rmSync(lock, { force: true }));
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, JSON.stringify(identifyProcess(process.pid)), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return true;
  }
  try {
    if (!isHeld(lock)) rmSync(lock);
  } catch {
    // just released
  }
  return false;
}

function isHeld(lock: string): boolean {
  const text = readFileSync(lock, "utf8");
  // Without an owner, its process is writing it or was killed while it did.
  if (text === "") return Date.now() - statSync(lock).mtimeMs < OWNERLESS_MS;
  return isAlive(JSON.parse(text) as ProcessIdentity);
}

export interface Build {
  config: string;
  outdir: string;
  /** Source files, relative to the checkout. Those in SETTINGS are added. */
  inputs: string[];
  /** Unix time in ms. */
  began: number;
}

export function keepBuild({ config, outdir, inputs, began }: Build, cache = CACHE): void {
  try {
    const paths = [...SETTINGS.filter((path) => existsSync(join(root, path))), ...inputs];
    // A file written during the build may differ from what was built.
    if (paths.some((path) => statSync(join(root, path)).mtimeMs >= began)) return;
    const kept = join(cache, digest(config));
    rmSync(kept, { recursive: true, force: true });
    cpSync(outdir, join(kept, "out"), { recursive: true });
    // Written last: its presence means that the copy is complete.
    const content = { inputs: digestFiles(paths, root), built: digestFiles(listFiles(outdir), outdir) };
    writeFileSync(join(kept, KEPT), JSON.stringify(content));
  } catch {
    // A cache that cannot be written only costs the next build.
  }
}

/** The source files of a Worker, for `Build.inputs`. `metafile`: path of esbuild's metafile, beside the config. */
export function readInputs(metafile: string): string[] {
  const { inputs } = Metafile.parse(JSON.parse(readFileSync(metafile, "utf8")));
  return Object.entries(inputs).flatMap(([input, { imports }]) => {
    const path = relative(root, resolve(dirname(metafile), input));
    return [path, ...listTextModules(path, imports)];
  });
}

/** All files below a folder, relative to it and sorted. */
export function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
}

/** All text files near a module that imports any: the metafile does not say which ones it imports. */
function listTextModules(path: string, imports: { path: string }[]): string[] {
  if (!imports.some((one) => one.path.endsWith(TEXT))) return [];
  const files = readdirSync(join(root, dirname(path)), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(TEXT)).map((file) => join(dirname(path), file));
}

function digestFiles(paths: string[], folder: string): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, digest(readFileSync(join(folder, path)))]));
}

function areSame(digests: Record<string, string>, folder: string): boolean {
  return Object.entries(digests).every(([path, content]) => digest(readFileSync(join(folder, path))) === content);
}

function digest(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
