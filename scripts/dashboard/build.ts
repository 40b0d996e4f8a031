// Builds the page of dashboard/ into the folder that the api Worker serves: `npm run build`, and every start, deployment and test run
// that needs it. A build whose sources are unchanged comes from the cache, in milliseconds.
import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { PlainError } from "../command-line.ts";
import { buildAlone, keepBuild, listFiles, restoreBuild } from "../stack/build-cache.ts";
import { root } from "../stack/wrangler.ts";
import { PAGE_HEADERS } from "./page-headers.ts";

/** What a deployment uploads: `[assets]` of wrangler.toml. */
export const PAGE_FOLDER = join(root, "dist", "dashboard");

const SOURCES = join(root, "dashboard");
const SCRIPT = join(import.meta.dirname, "run-vite.ts");

/** Two files of swagger-ui-dist, for the page at /docs. */
const DOCS_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];

/**
 * Writes the page into `folder`. Replaces the folder as a whole and only when its content differs, so that a reader never meets half a
 * page. Throws a PlainError when the page does not build.
 */
export async function buildPage(folder = PAGE_FOLDER, signal?: AbortSignal): Promise<void> {
  // The list of files is part of the key: a new file may be one that an import by pattern takes in.
  const key = JSON.stringify(["dashboard", listFiles(SOURCES)]);
  await buildAlone(key, async () => {
    mkdirSync(dirname(folder), { recursive: true });
    const next = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
    try {
      chmodSync(next, 0o755);
      if (!restoreBuild(key, next)) await runVite(key, next, signal);
      mkdirSync(join(next, "docs"));
      for (const name of DOCS_FILES)
        cpSync(join(root, "node_modules", "swagger-ui-dist", name), join(next, "docs", name));
      writeFileSync(join(next, "_headers"), PAGE_HEADERS);
      if (!areSame(next, folder)) replaceFolder(folder, next);
    } finally {
      rmSync(next, { recursive: true, force: true });
    }
  });
}

async function runVite(key: string, outdir: string, signal: AbortSignal | undefined): Promise<void> {
  const began = Date.now();
  const { code, output } = await runNode([SCRIPT, outdir], signal);
  if (code !== 0) throw new PlainError(`The page (dashboard/) does not build:\n${output.trim().slice(-4_000)}`);
  const modules = readFileSync(join(outdir, ".modules.json"), "utf8");
  rmSync(join(outdir, ".modules.json"));
  const outside = (JSON.parse(modules) as string[]).map((path) => relative(root, path));
  const inside = [...listFiles(SOURCES).map((path) => join(SOURCES, path)), SCRIPT, import.meta.filename];
  const inputs = [...new Set([...outside, ...inside.map((path) => relative(root, path))])];
  keepBuild({ config: key, outdir, inputs, began });
}

/** A child process: Vite takes long to load, and NODE_ENV decides which build of a package it takes. */
function runNode(args: string[], signal: AbortSignal | undefined): Promise<{ code: number; output: string }> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ["--no-warnings", ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_ENV: "production", NODE_OPTIONS: "", FORCE_COLOR: "0" },
      ...(signal && { signal }),
    });
    let output = "";
    child.stdout.on("data", (data) => (output += String(data)));
    child.stderr.on("data", (data) => (output += String(data)));
    child.once("error", fail);
    child.once("close", (code) => done({ code: code ?? 1, output }));
  });
}

function areSame(one: string, other: string): boolean {
  try {
    const [names, others] = [listFiles(one), listFiles(other)];
    if (names.join("\n") !== others.join("\n")) return false;
    return names.every((name) => readFileSync(join(one, name)).equals(readFileSync(join(other, name))));
  } catch {
    return false; // the other one is not there yet
  }
}

/** A folder cannot be renamed over a full one. Only a reader without the lock can meet the instant between the two renames. */
function replaceFolder(folder: string, next: string): void {
  const old = `${next}-old`;
  try {
    renameSync(folder, old);
  } catch {
    // not there yet
  }
  renameSync(next, folder);
  rmSync(old, { recursive: true, force: true });
}
