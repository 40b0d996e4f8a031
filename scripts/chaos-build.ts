// Builds the three Workers once for a chaos run, so that each of its many starts is quick: with the entries that have
// failpoints, or as they are. Called by chaos-turns.ts and chaos-reviews.ts.
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WORKERS, type WorkerName, root, runWrangler } from "./wrangler.ts";

/**
 * Paths of configs that name the built Workers, for startStack; the api Worker's comes first. `entries`: files of test/chaos
 * that stand in for the product's entry.
 */
export async function buildWorkers(
  folder: string,
  entries: Partial<Record<WorkerName, string>>,
): Promise<Record<string, string>> {
  const built = await Promise.all(
    WORKERS.toReversed().map(({ worker, path }) => buildOne({ folder, worker, path, entry: entries[worker] })),
  );
  return Object.fromEntries(built);
}

interface Build {
  folder: string;
  worker: WorkerName;
  path: string;
  entry: string | undefined;
}

async function buildOne({ folder, worker, path: source, entry }: Build): Promise<[string, string]> {
  const config = join(root, source);
  const out = join(folder, worker);
  const main = entry ? [join(root, "test", "chaos", entry)] : [];
  const ran = await runWrangler(["deploy", ...main, "--dry-run", "--config", config, "--outdir", out]);
  if (ran.code !== 0) throw new Error(`${worker} could not be built:\n${ran.output.slice(-4_000)}`);
  const files = readdirSync(out);
  for (const map of files.filter((file) => file.endsWith(".map"))) rmSync(join(out, map));
  const script = files.find((file) => file.endsWith(".js"));
  if (!script) throw new Error(`the build of ${worker} has no script`);
  const line = `main = ${JSON.stringify(join(out, script))}\nno_bundle = true`;
  const path = join(folder, `${worker}.toml`);
  writeFileSync(
    path,
    readFileSync(config, "utf8").replace(/^main = .*$/m, () => line),
  );
  return [worker, path];
}
