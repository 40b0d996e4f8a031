// A Node loader that imports Markdown files as text, like the Workers' bundler. Loaded by scripts/run.mjs with --import.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".md")) return next(url, context);
    const source = `export default ${JSON.stringify(readFileSync(fileURLToPath(url), "utf8"))};`;
    return { format: "module", shortCircuit: true, source };
  },
});
