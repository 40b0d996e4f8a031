// Runs Vite on dashboard/: `node run-vite.ts <folder>`, called by build.ts. Also writes `.modules.json` into the folder: the paths of the
// source files that were bundled, packages left out.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Rolldown, build } from "vite";

const root = join(import.meta.dirname, "..", "..");
const outDir = process.argv[2]!;

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
  },
})) as Rolldown.RolldownOutput;

const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
const sources = modules.filter((path) => path.startsWith(root) && !path.includes("/node_modules/"));
writeFileSync(join(outDir, ".modules.json"), JSON.stringify(sources.map((path) => path.split("?")[0])));
