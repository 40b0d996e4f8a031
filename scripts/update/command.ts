// Runs the commands of an update: git, npm and the new version. A command ends when the update ends, also by `kill -9` (leash.mjs), and when
// its signal is aborted. Never asks a person.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { PlainError } from "../command-line.ts";
import { GIT_OPTIONS, toPlaces } from "./recover.mjs";

export interface CommandOptions {
  root: string;
  cwd: string;
  signal: AbortSignal;
  /** Default: none. The command is then ended. */
  timeoutMs?: number;
  env?: Record<string, string>;
  /** Receives the lines of standard error as they come. */
  onLine?(line: string): void;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

const GIT_ENV = { GIT_TERMINAL_PROMPT: "0", GCM_INTERACTIVE: "never", LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" };
/** Variables by which git would work on another repository than that of its folder. */
const OTHER_REPOSITORY = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/** Throws the signal's reason when it is aborted. */
export async function runCommand(command: string[], options: CommandOptions): Promise<Ran> {
  const { root, cwd, signal, timeoutMs, onLine } = options;
  signal.throwIfAborted();
  const leash = [join(import.meta.dirname, "leash.mjs"), toPlaces(root).child];
  const child = spawn(process.execPath, [...leash, ...command], {
    cwd,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...cleanEnv(), ...options.env },
  });
  child.stdin.on("error", () => {}); // the command has ended
  const end = () => child.stdin.end();
  signal.addEventListener("abort", end);
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  let [stdout, stderr, line] = ["", "", ""];
  child.stdout.on("data", (data) => (stdout += String(data)));
  child.stderr.on("data", (data) => {
    stderr += String(data);
    const lines = (line + String(data)).split("\n");
    line = lines.pop()!;
    lines.filter(Boolean).forEach((one) => onLine?.(one));
  });
  try {
    const code = await new Promise<number>((done, fail) => {
      child.once("error", fail);
      child.once("close", (exit) => done(exit ?? 1));
    });
    signal.throwIfAborted();
    return { code, stdout, stderr };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** A short question to git about this machine's files. Throws a PlainError unless it ends with one of `codes`. */
export function askGit(root: string, args: string[], { codes = [0], env = {} }: AskOptions = {}): string {
  const ran = spawnSync("git", [...GIT_OPTIONS, ...args], {
    cwd: root,
    env: { ...cleanEnv(), ...GIT_ENV, ...env },
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  if (ran.error) throw new PlainError(`git cannot be run (${ran.error.message}). Install git, then try again.`);
  if (codes.includes(ran.status ?? -1)) return ran.stdout.replace(/\n$/, "");
  throw new PlainError(`git ${args[0]} failed: ${lastLines(ran.stderr)}`);
}

interface AskOptions {
  codes?: number[];
  env?: Record<string, string>;
}

/** `git fetch`, which may wait for a network. */
export function fetchGit(args: string[], options: Omit<CommandOptions, "env">): Promise<Ran> {
  const slow = ["-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30"];
  return runCommand(["git", ...GIT_OPTIONS, ...slow, "fetch", "--quiet", ...args], { ...options, env: GIT_ENV });
}

/** The end of a command's output, as one line. npm says what happened at the beginning of its errors. */
export function lastLines(output: string, lines = 3): string {
  const all = output.split("\n").filter((line) => line.trim() !== "");
  const ofNpm = all
    .filter((line) => line.startsWith("npm error "))
    .map((line) => line.slice("npm error ".length).trim());
  const chosen = ofNpm.length > 0 ? ofNpm.filter((line) => line !== "").slice(0, 4) : all.slice(-lines);
  return chosen.join(" ").trim().slice(0, 600) || "no output";
}

function cleanEnv(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of OTHER_REPOSITORY) delete env[name];
  return env;
}
