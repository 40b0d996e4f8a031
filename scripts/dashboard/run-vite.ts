// Runs Vite on dashboard/: `node run-vite.ts <folder>`, called by build.ts. Also writes `.modules.json` into the folder: the paths of the
// source files that were bundled, packages left out.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Rolldown, build } from "vite";

const root = join(import.meta.dirname, "..", "..");
const outDir = process.argv[2]!;

/** All that the page may bundle. An import that brings zod along would double what a browser loads. */
const PACKAGES = [
  "@preact/signals",
  "@preact/signals-core",
  "diff",
  "dompurify",
  "highlight.js",
  "marked",
  "preact",
  "regexparam",
  "uplot",
  "wouter-preact",
];

const { output } = (await build({
  configFile: false,
  root: join(root, "dashboard"),
  base: "/",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir,
    emptyOutDir: false,
    target: "baseline-widely-available",
    sourcemap: false,
    // The policy of the page allows no inline script and no `data:` but for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Chat is part of the entry, and one of the pages that are loaded by name.
    rolldownOptions: { checks: { ineffectiveDynamicImport: false } },
  },
})) as Rolldown.RolldownOutput;

const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
const packages = new Set(modules.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
const strangers = [...packages].filter((name) => !PACKAGES.includes(name));
if (strangers.length > 0) {
  console.error(`The page bundles ${strangers.join(", ")}, which is not in the list of scripts/dashboard/run-vite.ts.`);
  process.exit(1);
}
const sources = modules.filter((path) => path.startsWith(root) && !path.includes("/node_modules/"));
writeFileSync(join(outDir, ".modules.json"), JSON.stringify(sources.map((path) => path.split("?")[0])));
