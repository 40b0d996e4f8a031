// Keeps what was built until one of the files it was built of changes, so that a start does not build again what it has. Called by
// bundle.ts. Kept under node_modules, which goes with the packages that were built in; who cannot write there builds each time.
import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import * as z from "zod";
import { root } from "./wrangler.ts";

const CACHE = join(root, "node_modules", ".cache", "talaria-built");
const KEPT = "kept.json";
const TEXT = ".md";
/** They decide how imports are resolved and what is built in. */
const SETTINGS = ["package.json", "package-lock.json", "tsconfig.json"];

/** As esbuild writes it: files relative to the folder of the config; texts only by the names they got. */
const Metafile = z.object({
  inputs: z.record(z.string(), z.object({ imports: z.array(z.object({ path: z.string() })) })),
});
/** Of each file, what its content was: of the checkout, and as it was built. */
const Kept = z.object({ inputs: z.record(z.string(), z.string()), built: z.record(z.string(), z.string()) });

/** Puts what was kept of a build of the same config into `outdir`; false where nothing was, or a file is another one by now. */
export function restoreBuild(config: string, outdir: string, cache = CACHE): boolean {
  const kept = join(cache, digest(config));
  try {
    const { inputs, built } = Kept.parse(JSON.parse(readFileSync(join(kept, KEPT), "utf8")));
    if (!areSame(inputs, root) || !areSame(built, join(kept, "out"))) return false;
    cpSync(join(kept, "out"), outdir, { recursive: true });
    return true;
  } catch {
    return false; // nothing is kept, or a file it was built of is gone
  }
}

export interface Build {
  config: string;
  outdir: string;
  /** A file of esbuild's, beside the config. */
  metafile: string;
  /** A time in ms. */
  began: number;
}

export function keepBuild({ config, outdir, metafile, began }: Build, cache = CACHE): void {
  try {
    const { inputs } = Metafile.parse(JSON.parse(readFileSync(metafile, "utf8")));
    const built = Object.entries(inputs).flatMap(([input, { imports }]) => {
      const path = relative(root, resolve(dirname(metafile), input));
      return [path, ...textsOf(path, imports)];
    });
    const paths = [...SETTINGS.filter((path) => existsSync(join(root, path))), ...built];
    // What was written meanwhile may not be what was built.
    if (paths.some((path) => statSync(join(root, path)).mtimeMs >= began)) return;
    const kept = join(cache, digest(config));
    rmSync(kept, { recursive: true, force: true });
    cpSync(outdir, join(kept, "out"), { recursive: true });
    // Last, so that it stands for a whole copy.
    const content = { inputs: digestsOf(paths, root), built: digestsOf(readdirSync(outdir), outdir) };
    writeFileSync(join(kept, KEPT), JSON.stringify(content));
  } catch {
    // It is built again the next time.
  }
}

/** Files of text beside the module that imports such files: which of them it was, their new names do not tell. */
function textsOf(path: string, imports: { path: string }[]): string[] {
  if (!imports.some((one) => one.path.endsWith(TEXT))) return [];
  const files = readdirSync(join(root, dirname(path)), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(TEXT)).map((file) => join(dirname(path), file));
}

function digestsOf(paths: string[], folder: string): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, digest(readFileSync(join(folder, path)))]));
}

function areSame(digests: Record<string, string>, folder: string): boolean {
  return Object.entries(digests).every(([path, content]) => digest(readFileSync(join(folder, path))) === content);
}

function digest(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
