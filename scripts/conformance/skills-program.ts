// Runs npm's `skills` program in a project of its own, and reads what it installed. Prints nothing.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

export interface SkillsProgram {
  /** A folder: the project, and the home folder of the program. Made if it is not there. */
  project: string;
  /** The program's file. Default: the one under node_modules. */
  program?: string;
}

const TIMEOUT_MS = 180_000;
const PROGRAM = "node_modules/skills/bin/cli.mjs";
const TESTED = resolve(import.meta.dirname, "../..", PROGRAM);

/** Installs the newest one of the registry into a folder, with the caller's settings of npm. Its file. */
export async function installLatest(folder: string): Promise<string> {
  await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", "--no-save", "skills@latest"], {});
  return join(folder, PROGRAM);
}

/** What it said. Throws if it fails. */
export function runSkills({ project, program = TESTED }: SkillsProgram, args: string[]): Promise<string> {
  mkdirSync(project, { recursive: true });
  const quiet = { DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1", NO_COLOR: "1", CI: "1" };
  const env = { PATH: process.env.PATH, HOME: project, ...quiet };
  return run(process.execPath, [program, ...args], { cwd: project, env });
}

async function run(file: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv }): Promise<string> {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT_MS });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (said += piece.toString()));
  const code = await new Promise<number | null>((done, fail) => child.once("error", fail).once("close", done));
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}:\n${said.slice(-2_000)}`);
  return said;
}

/** In Base64, by path below the folder. */
export function readFiles(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "base64")]));
}
