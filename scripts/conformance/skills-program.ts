// Runs npm's `skills` program in a project of its own, and reads what it installed. Prints nothing.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";

export interface SkillsProgram {
  /** A folder that is there: the project, and the home folder of the program. */
  project: string;
  /** The newest one of the registry, by npx, instead of the one under node_modules. */
  latest: boolean;
}

const TIMEOUT_MS = 180_000;
const PROGRAM = resolve(import.meta.dirname, "../../node_modules/skills/bin/cli.mjs");

/** What it said. Throws if it fails. */
export async function runSkills({ project, latest }: SkillsProgram, args: string[]): Promise<string> {
  mkdirSync(project, { recursive: true });
  const [file, first] = latest ? ["npx", ["--yes", "skills@latest"]] : [process.execPath, [PROGRAM]];
  const env = {
    // npx starts the program with the first `node` that it finds: the project's own, since the program needs Node 22.
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}`,
    HOME: project,
    ...(latest && { npm_config_cache: join(project, ".npm") }),
    ...{ DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1", NO_COLOR: "1", CI: "1" },
  };
  const child = spawn(file, [...first, ...args], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (said += piece.toString()));
  const code = await new Promise<number | null>((done, fail) => child.once("error", fail).once("close", done));
  if (code !== 0) throw new Error(`skills ${args.join(" ")} ended with ${code}:\n${said.slice(-2_000)}`);
  return said;
}

/** By path below the folder. Empty for a folder that is not there. */
export function readFiles(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "base64")]));
}
