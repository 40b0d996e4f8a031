// Builds the three Workers once for a chaos run, so that each of its many starts is quick: the api Worker with the entry that
// has failpoints, the other two as they are. Called by chaos-turns.ts.
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WORKERS, root, runWrangler } from "./wrangler.ts";

const ENTRY = join(root, "test", "chaos", "api.ts");

/** Paths of configs that name the built Workers, for startStack; the api Worker's comes first. */
export async function buildWorkers(folder: string): Promise<Record<string, string>> {
  const built = await Promise.all(
    WORKERS.toReversed().map(({ worker, path }) => buildOne(folder, worker, join(root, path))),
  );
  return Object.fromEntries(built);
}

async function buildOne(folder: string, worker: string, config: string): Promise<[string, string]> {
  const out = join(folder, worker);
  const entry = worker === "api" ? [ENTRY] : [];
  const ran = await runWrangler(["deploy", ...entry, "--dry-run", "--config", config, "--outdir", out]);
  if (ran.code !== 0) throw new Error(`${worker} could not be built:\n${ran.output.slice(-4_000)}`);
  const files = readdirSync(out);
  for (const map of files.filter((file) => file.endsWith(".map"))) rmSync(join(out, map));
  const script = files.find((file) => file.endsWith(".js"));
  if (!script) throw new Error(`the build of ${worker} has no script`);
  const main = `main = ${JSON.stringify(join(out, script))}\nno_bundle = true`;
  const path = join(folder, `${worker}.toml`);
  writeFileSync(
    path,
    readFileSync(config, "utf8").replace(/^main = .*$/m, () => main),
  );
  return [worker, path];
}
