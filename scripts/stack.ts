// Boots the three real Workers on this machine, in one process group, and ends them again. Called by start, demo, chaos
// and tests. State lives in `stateDir`; secrets reach each Worker through a private file there, never a command line.
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ProcessMark,
  commandOf,
  freePort,
  groupEnds,
  groupMembers,
  isAlive,
  isPortFree,
  markOf,
  signalGroup,
} from "./processes.ts";

export interface StackOptions {
  /** A free one when absent. */
  port?: number;
  stateDir: string;
  /** What all three Workers find in their environment: secrets, model keys, settings. */
  vars: Record<string, string>;
  /** Where the Workers' output goes; `<stateDir>/stack.log` when absent. */
  log?: string;
  /** Aborting it while the stack starts kills the whole group; afterwards it does nothing. */
  signal?: AbortSignal;
  /** Other Workers than the product's three, for tests of this file: path of a config by name; the first gets HTTP. */
  configs?: Record<string, string>;
}

export interface Stack {
  url: string;
  /** Leader of the process group. */
  pid: number;
  log: string;
  /** Fires a Worker's cron trigger, as the platform would: locally none fires by itself. */
  cron(worker: string): Promise<void>;
  /** Ends the group in order; state stays. */
  stop(): Promise<void>;
  /** SIGKILL to the whole group, as a power cut would. State stays. */
  kill(): Promise<void>;
  /** Resolves when the group has ended, whoever ended it. */
  ended: Promise<void>;
}

/** The reason why no stack could be started, in a sentence for a person. */
export class StackError extends Error {
  override name = "StackError";
  readonly code: "already_running" | "port_in_use" | "did_not_start" | "aborted";
  constructor(code: StackError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const CONFIGS = {
  api: "wrangler.toml",
  review: "workers/review/wrangler.toml",
  curator: "workers/curator/wrangler.toml",
};
const READY_MS = 90_000;
const STOP_MS = 5_000;
const PORT_MS = 3_000;
const NEVER = new AbortController().signal;

export async function startStack(options: StackOptions): Promise<Stack> {
  const stateDir = resolve(options.stateDir);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  await clearPort(options.port, stateDir);
  const port = options.port ?? (await freePort());
  const log = resolve(options.log ?? join(stateDir, "stack.log"));
  const configs = writeConfigs(options.configs ?? CONFIGS, stateDir, options.vars);
  const { group, ended } = launch(stateDir, port, log, Object.values(configs));
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilReady(url, group, log, options.signal);
  } catch (error) {
    await endGroup(group, "SIGKILL", stateDir);
    throw error;
  }
  return {
    url,
    pid: group.pid,
    log,
    ended,
    cron: (worker) => fireCron(url, worker, configs),
    stop: () => endGroup(group, "SIGTERM", stateDir),
    kill: () => endGroup(group, "SIGKILL", stateDir),
  };
}

/**
 * Ends what a killed run of ours left behind in `stateDir`, and makes sure that the port is free. A stack whose starter
 * still lives is left alone (`already_running`), and so is a stranger's program on the port (`port_in_use`).
 */
export async function clearPort(port: number | undefined, stateDir: string): Promise<void> {
  const record = readRecord(stateDir);
  if (record) {
    const members = groupMembers(record.group).filter((pid) => isOurs(pid));
    if (members.length > 0 && isAlive(record.owner)) {
      throw new StackError(
        "already_running",
        `Talaria is already running on port ${record.port} with this state (process ${record.owner.pid}). ` +
          "Stop that one first, or use another state folder.",
      );
    }
    if (members.length > 0) await endGroup(record.group, "SIGKILL", stateDir);
    rmSync(recordFile(stateDir), { force: true });
  }
  if (port === undefined) return;
  // Threads of a killed program may hold its port a moment longer than the program itself can be seen.
  for (const until = Date.now() + PORT_MS; Date.now() < until; await pause(50)) {
    if (await isPortFree(port)) return;
  }
  throw new StackError("port_in_use", `Port ${port} is in use by another program. Choose another one with --port.`);
}

// ---- starting ----

/** Copies of the three configs with absolute entry points, each beside a `.dev.vars` that only this user may read. */
function writeConfigs(
  configs: Record<string, string>,
  stateDir: string,
  vars: Record<string, string>,
): Record<string, string> {
  const written: Record<string, string> = {};
  for (const [worker, path] of Object.entries(configs)) {
    const source = resolve(root, path);
    const folder = join(stateDir, "config", worker);
    const toml = readFileSync(source, "utf8");
    const main = /^main = "([^"]+)"$/m.exec(toml)?.[1];
    if (!main) throw new Error(`${path} has no line main = "…"`);
    mkdirSync(folder, { recursive: true });
    written[worker] = join(folder, "wrangler.toml");
    const entry = JSON.stringify(resolve(dirname(source), main));
    writeFileSync(
      written[worker],
      toml.replace(/^main = .*$/m, () => `main = ${entry}`),
    );
    rmSync(join(folder, ".dev.vars"), { force: true });
    writeFileSync(join(folder, ".dev.vars"), toDotenv(vars), { mode: 0o600 });
  }
  return written;
}

/** Values in quotes that dotenv takes as they are; the name of a value that no quote can hold is in the error. */
export function toDotenv(vars: Record<string, string>): string {
  const lines = Object.entries(vars).map(([name, value]) => {
    const quote = ["'", "`"].find((mark) => !value.includes(mark));
    if (!quote) throw new Error(`${name} holds both ' and \`, which a .dev.vars file cannot carry`);
    return `${name}=${quote}${value}${quote}\n`;
  });
  return lines.join("");
}

function launch(stateDir: string, port: number, log: string, configs: string[]) {
  const output = openSync(log, "w", 0o600);
  const wrangler = join(root, "node_modules", "wrangler", "wrangler-dist", "cli.js");
  const args = [
    "--no-warnings",
    wrangler,
    "dev",
    ...configs.flatMap((path) => ["--config", path]),
    ...["--persist-to", join(stateDir, "data"), "--port", String(port), "--inspector-port", "0"],
    "--show-interactive-dev-session=false",
  ];
  const child = spawn(
    process.execPath,
    ["--no-warnings", join(root, "scripts", "stack-keeper.ts"), process.execPath, ...args],
    { cwd: root, detached: true, stdio: ["pipe", output, output], env: childEnv(stateDir) },
  );
  closeSync(output);
  child.stdin?.on("error", () => {}); // the group has ended; `ended` says so
  const ended = new Promise<void>((done) => {
    child.once("exit", () => done());
    child.once("error", () => done());
  });
  if (!child.pid) throw new StackError("did_not_start", "The process of the local stack could not be started.");
  const group = markOf(child.pid);
  const record: StackRecord = { v: 1, owner: markOf(process.pid), group, port };
  writeFileSync(recordFile(stateDir), JSON.stringify(record), { mode: 0o600 });
  return { group, ended };
}

/** Nothing phones home, nothing is shared with another wrangler, and no variable of ours is taken twice. */
function childEnv(stateDir: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
    WRANGLER_REGISTRY_PATH: join(stateDir, "registry"),
    WRANGLER_LOG_PATH: join(stateDir, "logs"),
    // Recording every request for the local dashboard takes most of a request's time.
    X_LOCAL_OBSERVABILITY: "false",
    CI: "true", // no question is ever asked
    FORCE_COLOR: "0",
  };
}

async function untilReady(url: string, group: ProcessMark, log: string, signal = NEVER): Promise<void> {
  const until = Date.now() + READY_MS;
  let last = "nothing answered";
  while (Date.now() < until) {
    if (signal.aborted) throw new StackError("aborted", "The start was called off.");
    if (groupMembers(group).length === 0) {
      throw new StackError("did_not_start", `The Workers ended while starting. The end of ${log}:\n${tail(log)}`);
    }
    try {
      const answer = await fetch(`${url}/health`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
      });
      await answer.arrayBuffer();
      if (answer.ok) return;
      last = `GET /health answered ${answer.status}`;
    } catch {
      // not listening yet
    }
    await pause(50);
  }
  throw new StackError(
    "did_not_start",
    `The Workers did not become ready within ${READY_MS / 1000} s (${last}). The end of ${log}:\n${tail(log)}`,
  );
}

async function fireCron(url: string, worker: string, configs: Record<string, string>): Promise<void> {
  const texts = Object.values(configs).map((path) => readFileSync(path, "utf8"));
  const toml = texts.find((text) => text.split("\n").includes(`name = "${worker}"`));
  const cron = toml && /^crons = \["([^"]+)"/m.exec(toml)?.[1];
  if (!cron) throw new Error(`no Worker named ${worker} with a cron trigger`);
  const answer = await fetch(`${url}/cdn-cgi/local/explorer/api/local/scheduled?worker=${worker}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ cron }),
  });
  const text = await answer.text();
  if (!answer.ok || !text.includes('"outcome":"ok"')) {
    throw new Error(`the cron trigger of ${worker} failed: ${answer.status} ${text.slice(0, 500)}`);
  }
}

// ---- ending ----

async function endGroup(group: ProcessMark, signal: "SIGTERM" | "SIGKILL", stateDir: string): Promise<void> {
  signalGroup(group, signal);
  if (!(await groupEnds(group, STOP_MS))) {
    signalGroup(group, "SIGKILL");
    await groupEnds(group, STOP_MS);
  }
  if (readRecord(stateDir)?.group.pid === group.pid) rmSync(recordFile(stateDir), { force: true });
}

interface StackRecord {
  v: 1;
  /** Who started it. */
  owner: ProcessMark;
  /** The keeper, which leads the group. */
  group: ProcessMark;
  port: number;
}

function recordFile(stateDir: string): string {
  return join(stateDir, "stack.json");
}

function readRecord(stateDir: string): StackRecord | null {
  try {
    const record = JSON.parse(readFileSync(recordFile(stateDir), "utf8")) as StackRecord;
    return record.v === 1 ? record : null;
  } catch {
    return null; // never started here, or ended in order
  }
}

/** A second proof beside the start time: what we start is a program of this checkout, or our Node running one. */
function isOurs(pid: number): boolean {
  const command = commandOf(pid);
  return command === "" ? process.platform !== "linux" : command.includes(root);
}

function tail(path: string): string {
  const size = statSync(path).size;
  return readFileSync(path, "utf8").slice(-Math.min(size, 4_000)).trimEnd();
}
