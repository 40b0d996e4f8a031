// Starts the three real Workers on this machine, in one process group, and stops them. Called by start, demo, chaos and tests.
// State is in `stateDir`. Secrets reach the Workers through a private file, removed after reading, never through a command line.
// Access control of the port is in door.ts.
import { spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { BundleError, type WorkerOptions, bundleProduct } from "./bundle.ts";
import { withPathInError, readIfThere } from "./private-file.ts";
import {
  type ProcessIdentity,
  readCommandLine,
  freePort,
  groupEnds,
  groupMembers,
  isAlive,
  isPortFree,
  identifyProcess,
  signalGroup,
} from "./processes.ts";
import { PORT_TAKEN, READY } from "./network/door.ts";
import { readListedOrigins, readProxyPolicy } from "./network/proxy-policy.ts";
import { withoutSecrets } from "../../exec-host/commands/clean-env.ts";
import { EXEC_HOST_URL, type ExecHostOptions } from "./exec-host.ts";
import type { HostOptions } from "./host.ts";
import { describeFullDisk } from "./state-check.ts";

export interface StackOptions {
  /** Default: any free port. */
  port?: number;
  stateDir: string;
  /** Environment of all three Workers: secrets, model keys, settings. */
  vars: Record<string, string>;
  /** Public address of the operator's own proxy. Requests to loopback addresses are always allowed. */
  publicUrl?: string;
  /** Starts an exec host on this folder. */
  shell?: string;
  /** File for the Workers' output. Default: `<stateDir>/stack.log`. */
  log?: string;
  /** Aborts a start and kills the whole group. No effect once the stack runs. */
  signal?: AbortSignal;
  /** Receives progress lines during the start. */
  say?: (line: string) => void;
  /** Refuses every request of the Workers to anywhere. Default: the URL policy decides. */
  isOffline?: boolean;
  /** Workers already built, the one that serves HTTP first. Default: builds the product's three. */
  workers?: WorkerOptions[];
}

export interface Stack {
  url: string;
  /** Leader of the process group. */
  pid: number;
  log: string;
  /** Fires a Worker's cron trigger. Locally no trigger fires by itself. */
  cron(worker: string): Promise<void>;
  /** Graceful stop. State is kept. */
  stop(): Promise<void>;
  /** SIGKILL to the whole group, like a power cut. State is kept. */
  kill(): Promise<void>;
  /** Resolves when the group has ended for any reason. */
  ended: Promise<void>;
}

/** Why the stack could not start. The message is for a person. */
export class StackError extends Error {
  override name = "StackError";
  readonly code: "already_running" | "port_in_use" | "did_not_start" | "does_not_build" | "aborted";
  constructor(code: StackError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

const root = resolve(import.meta.dirname, "../..");
const READY_MS = 90_000;
const STOP_MS = 5_000;
const PORT_MS = 3_000;
const NEVER = new AbortController().signal;

export async function startStack(options: StackOptions): Promise<Stack> {
  const { say = () => {}, signal = NEVER, vars, publicUrl } = options;
  const stateDir = resolve(options.stateDir);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  // A folder restored from a backup may be readable by other users.
  if ((statSync(stateDir).mode & 0o077) !== 0) chmodSync(stateDir, 0o700);
  await clearPort(options.port, stateDir);
  const port = options.port ?? (await freePort());
  const log = resolve(options.log ?? join(stateDir, "stack.log"));
  let record: StackRecord = { v: 1, owner: identifyProcess(process.pid), group: null, port };
  await claimState(stateDir, record);
  try {
    const workers = options.workers ?? (await build(stateDir, say, signal));
    say("Starting the Workers.");
    const socketsDir = mkdtempSync(join(tmpdir(), "talaria-")); // of mode 0700
    record = { ...record, socketsDir };
    const dataDir = join(stateDir, "data", "v3");
    const exec = options.shell === undefined ? undefined : toExecHost(options.shell);
    const apiVars = toApiVars(vars, exec);
    const { group, ended } = launch(stateDir, log, {
      ...{ port, publicUrl, socketsDir, dataDir, workers, vars, apiVars, exec },
      policy: readProxyPolicy(apiVars),
      isOffline: options.isOffline === true,
      origins: readListedOrigins(apiVars),
    });
    record = { ...record, group };
    hold(stateDir, group);
    writeRecord(stateDir, record);
    const url = `http://127.0.0.1:${port}`;
    await waitUntilReady({ url, socketsDir, port, group, log, signal });
    return {
      url,
      pid: group.pid,
      log,
      ended,
      cron: (worker) => fireCron(socketsDir, workers, worker),
      stop: () => endStack(stateDir, record, "SIGTERM"),
      kill: () => endStack(stateDir, record, "SIGKILL"),
    };
  } catch (error) {
    await endStack(stateDir, record, "SIGKILL");
    throw error;
  }
}

/**
 * Ends processes that a killed run left behind in `stateDir`, and waits until the port is free. Throws a StackError when a live
 * stack uses the state (`already_running`) or another program holds the port (`port_in_use`); neither is touched.
 */
export async function clearPort(port: number | undefined, stateDir: string): Promise<void> {
  const held = await clearDead(stateDir);
  if (port === undefined) return;
  // Threads of a killed program may hold its port a moment after the process has disappeared.
  for (const until = Date.now() + (held ? PORT_MS : 500); Date.now() < until; await pause(50)) {
    if (await isPortFree(port)) return;
  }
  throw portInUse(port);
}

function portInUse(port: number): StackError {
  return new StackError(
    "port_in_use",
    `Port ${port} is in use by another program, or this user may not open it. Choose another port with --port.`,
  );
}

// ---- one at a time ----

const Mark = z.object({ pid: z.int().positive(), startedAt: z.number() });
const StackRecord = z.object({
  v: z.literal(1),
  /** The process that started the stack. */
  owner: Mark,
  /** The keeper, leader of the process group; `null` while the Workers are being built. */
  group: Mark.nullable(),
  port: z.number(),
  socketsDir: z.string().optional(),
  /** What uses the state instead of a stack. */
  purpose: z.string().optional(),
});
type StackRecord = z.infer<typeof StackRecord>;

/**
 * Does `work` while no stack can start on the state, and keeps the lock until it ends. Throws a StackError (`already_running`) when one runs.
 * `purpose` names the work to a person whose start is refused.
 */
export async function holdState<T>(stateDir: string, work: () => Promise<T>, purpose = "An update"): Promise<T> {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const record: StackRecord = { v: 1, owner: identifyProcess(process.pid), group: null, port: 0, purpose };
  await claimState(stateDir, record);
  try {
    return await work();
  } finally {
    await endStack(stateDir, record, "SIGTERM");
  }
}

/** Takes the lock of the state folder. Of two concurrent starts one succeeds: `link` is atomic and never overwrites. */
async function claimState(stateDir: string, record: StackRecord): Promise<void> {
  const mine = `${recordFile(stateDir)}.${process.pid}`;
  writeFile(mine, JSON.stringify(record));
  try {
    for (;;) {
      await clearDead(stateDir);
      try {
        linkSync(mine, recordFile(stateDir));
        return hold(stateDir, record.owner);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Throws while a stack runs on this state. Otherwise ends the leftovers of a dead stack; false when there were none. */
async function clearDead(stateDir: string): Promise<boolean> {
  const text = readIfThere(recordFile(stateDir));
  const record = text === null ? null : parseRecord(text, recordFile(stateDir));
  if (record && isRunning(record)) throw alreadyRunning(record);
  const holder = record ? undefined : findHolder(stateDir);
  if (holder) {
    throw new StackError(
      "already_running",
      `Process ${holder.pid} is running Talaria with this state, but ${recordFile(stateDir)} ` +
        `${text === null ? "is missing" : "cannot be read"}. Stop it with \`kill ${holder.pid}\`, then start again.`,
    );
  }
  if (text !== null) await takeOver(stateDir, text, record);
  return text !== null;
}

/** Removes the record of a dead start and ends its leftovers, unless another start has just done so. */
async function takeOver(stateDir: string, text: string, dead: StackRecord | null): Promise<void> {
  const aside = `${recordFile(stateDir)}.${process.pid}.dead`;
  try {
    renameSync(recordFile(stateDir), aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return; // another start took it
  }
  if (readIfThere(aside) !== text) linkSync(aside, recordFile(stateDir));
  else if (dead) await endMembers(dead);
  rmSync(aside, { force: true });
  for (const holder of listHolders(stateDir)) if (!isAlive(holder)) release(stateDir, holder);
}

// Each process that uses the state also has a marker file (`held-<pid>-<start>`), so a damaged record does not release the lock.

function hold(stateDir: string, mark: ProcessIdentity): void {
  writeFile(holderFile(stateDir, mark), "");
}

function release(stateDir: string, mark: ProcessIdentity): void {
  rmSync(holderFile(stateDir, mark), { force: true });
}

function listHolders(stateDir: string): ProcessIdentity[] {
  return readdirSync(stateDir).flatMap((name) => {
    const match = /^held-(\d+)-(\d+)$/.exec(name);
    return match ? [{ pid: Number(match[1]), startedAt: Number(match[2]) }] : [];
  });
}

/** The first started of the live processes: the starter, which stops the others. A keeper ignores SIGTERM. */
function findHolder(stateDir: string): ProcessIdentity | undefined {
  return listHolders(stateDir)
    .filter(isAlive)
    .sort((a, b) => a.startedAt - b.startedAt)[0];
}

function holderFile(stateDir: string, { pid, startedAt }: ProcessIdentity): string {
  return join(stateDir, `held-${pid}-${startedAt}`);
}

function isRunning({ owner, group }: StackRecord): boolean {
  return isAlive(owner) && (group === null ? owner.pid !== process.pid : listOwnMembers(group).length > 0);
}

function alreadyRunning({ owner, group, port, purpose }: StackRecord): StackError {
  if (purpose !== undefined)
    return new StackError(
      "already_running",
      `${purpose} is using this state (process ${owner.pid}). Wait until it has ended, or stop it: \`kill ${owner.pid}\`.`,
    );
  return new StackError(
    "already_running",
    `Talaria is already ${group ? "running" : "starting"} on port ${port} with this state (process ${owner.pid}). ` +
      `Stop it first: press Ctrl-C in its terminal, or run \`kill ${owner.pid}\`.`,
  );
}

async function endMembers({ group, socketsDir }: StackRecord): Promise<void> {
  if (group && listOwnMembers(group).length > 0) {
    signalGroup(group, "SIGKILL");
    await groupEnds(group, STOP_MS);
  }
  if (socketsDir) rmSync(socketsDir, { recursive: true, force: true });
}

/** Members of the group whose command line names this checkout: a second proof, beside the start time, that they are ours. */
function listOwnMembers(group: ProcessIdentity): number[] {
  return groupMembers(group).filter((pid) => {
    const command = readCommandLine(pid);
    return command === "" ? process.platform !== "linux" : command.includes(root);
  });
}

function recordFile(stateDir: string): string {
  return join(stateDir, "stack.json");
}

function hostFile(stateDir: string): string {
  return join(stateDir, "host.json");
}

function writeRecord(stateDir: string, record: StackRecord): void {
  const next = `${recordFile(stateDir)}.${process.pid}`;
  writeFile(next, JSON.stringify(record));
  renameSync(next, recordFile(stateDir));
}

function writeFile(file: string, text: string): void {
  withPathInError(file, () => writeFileSync(file, text, { mode: 0o600 }));
}

/** `null` for a damaged record; throws for a record of a newer version. */
function parseRecord(text: string, file: string): StackRecord | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null; // damaged: the marker files show whether the state is in use
  }
  const parsed = StackRecord.safeParse(json);
  const version = z.object({ v: z.int().min(2) }).safeParse(json);
  if (!version.success) return parsed.success ? parsed.data : null;
  throw new StackError(
    "already_running",
    `${file} was written by a newer version of Talaria, which may still be running with this state. Stop it with that ` +
      "version; if it is not running, remove that file.",
  );
}

// ---- starting ----

async function build(stateDir: string, say: (line: string) => void, signal: AbortSignal): Promise<WorkerOptions[]> {
  say("Building the three Workers.");
  try {
    return await bundleProduct(join(stateDir, "built"), { say, signal });
  } catch (error) {
    if (signal.aborted) throw aborted();
    if (!(error instanceof BundleError)) throw error;
    throw new StackError("does_not_build", error.message);
  }
}

/** The environment that commands inherit: what npm sets for its scripts would mislead an npm that a command runs. */
function toExecHost(folder: string): ExecHostOptions {
  const env = Object.entries(withoutSecrets(process.env)).filter(([name]) => !/^npm_/i.test(name));
  const token = randomBytes(32).toString("hex");
  return { folder, token, umask: process.umask(), env: Object.fromEntries(env) };
}

/** The person who starts the stack makes every profile of it, so all may use the exec host. */
function toApiVars(vars: Record<string, string>, exec: ExecHostOptions | undefined): Record<string, string> {
  if (!exec) return vars;
  return {
    TALARIA_EXEC_PROFILES: "*",
    ...vars,
    TALARIA_EXEC_URL: EXEC_HOST_URL,
    TALARIA_EXEC_TOKEN: exec.token,
  };
}

function launch(stateDir: string, log: string, options: HostOptions) {
  // Folders of earlier versions, which hold secrets.
  for (const name of ["config", "registry", "tmp"]) rmSync(join(stateDir, name), { recursive: true, force: true });
  const file = hostFile(stateDir);
  rmSync(file, { force: true });
  writeFile(file, JSON.stringify(options));
  const temporary = join(stateDir, "tmp");
  mkdirSync(temporary, { mode: 0o700 });
  const output = openSync(log, "w", 0o600);
  const script = (name: string) => ["--no-warnings", join(import.meta.dirname, name)];
  const args = [...script("keeper.ts"), process.execPath, ...script("host.ts"), file];
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    stdio: ["pipe", output, output],
    env: { ...process.env, TMPDIR: temporary, NODE_OPTIONS: "", FORCE_COLOR: "0" },
  });
  closeSync(output);
  child.stdin?.on("error", () => {}); // the group has ended, which `ended` reports
  const ended = new Promise<void>((done) => {
    child.once("exit", () => done());
    child.once("error", () => done());
  });
  if (!child.pid) throw new StackError("did_not_start", "The process of the local stack could not be started.");
  return { group: identifyProcess(child.pid), ended };
}

interface BootingStack {
  url: string;
  socketsDir: string;
  port: number;
  group: ProcessIdentity;
  log: string;
  signal: AbortSignal;
}

/** Sends no request before our host owns the port: until then any user could bind it. */
async function waitUntilReady({ url, socketsDir, port, group, log, signal }: BootingStack): Promise<void> {
  const until = Date.now() + READY_MS;
  let last = "nothing answered";
  while (Date.now() < until) {
    if (signal.aborted) throw aborted();
    if (existsSync(join(socketsDir, PORT_TAKEN))) throw portInUse(port);
    // The leader lives as long as the group, and reading every process is slow.
    if (!isAlive(group) && groupMembers(group).length === 0) {
      const full = describeFullDisk(dirname(log));
      const why = full === null ? "" : ` ${full}`;
      throw new StackError(
        "did_not_start",
        `The Workers ended while starting.${why} The end of ${log}:\n${readLogEnd(log)}`,
      );
    }
    if (!existsSync(join(socketsDir, READY))) {
      await pause(50);
      continue;
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
    `The Workers did not become ready within ${READY_MS / 1000} s (${last}). The end of ${log}:\n${readLogEnd(log)}`,
  );
}

function aborted(): StackError {
  return new StackError("aborted", "The start was aborted.");
}

/** Goes through Miniflare's private entry socket, which routes by a header. */
async function fireCron(socketsDir: string, workers: WorkerOptions[], name: string): Promise<void> {
  const worker = workers.find((candidate) => candidate.name === name) as { cronTriggers?: string[] } | undefined;
  const cron = worker?.cronTriggers?.[0];
  if (!cron) throw new Error(`no Worker named ${name} with a cron trigger`);
  const path = `/cdn-cgi/local/scheduled?${new URLSearchParams({ cron })}`;
  const headers = { host: "localhost", "mf-route-override": name };
  const [status, text] = await new Promise<[number, string]>((done, fail) => {
    const outgoing = request({ socketPath: join(socketsDir, "entry"), path, headers }, (reply) => {
      let body = "";
      reply.setEncoding("utf8");
      reply.on("data", (piece: string) => (body += piece));
      reply.once("end", () => done([reply.statusCode ?? 0, body]));
      reply.once("error", fail);
    });
    outgoing.once("error", fail);
    outgoing.end();
  });
  if (status !== 200) throw new Error(`the cron trigger of ${name} failed: ${status} ${text.slice(0, 500)}`);
}

// ---- ending ----

async function endStack(stateDir: string, mine: StackRecord, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const { owner, group, socketsDir } = mine;
  if (group) {
    signalGroup(group, signal);
    if (!(await groupEnds(group, STOP_MS))) {
      signalGroup(group, "SIGKILL");
      await groupEnds(group, STOP_MS);
    }
    release(stateDir, group);
  }
  release(stateDir, owner);
  if (socketsDir) rmSync(socketsDir, { recursive: true, force: true });
  if (!isOurs(stateDir, mine)) return; // another start has taken over since the Workers ended
  rmSync(hostFile(stateDir), { force: true });
  rmSync(recordFile(stateDir), { force: true });
}

/** Compares owner and port, which are set before the record is first written. Other fields may come later. */
function isOurs(stateDir: string, { owner, port }: StackRecord): boolean {
  const text = readIfThere(recordFile(stateDir));
  const present = text === null ? null : parseRecord(text, recordFile(stateDir));
  return present?.owner.pid === owner.pid && present.owner.startedAt === owner.startedAt && present.port === port;
}

function readLogEnd(path: string): string {
  const size = statSync(path).size;
  return readFileSync(path, "utf8").slice(-Math.min(size, 4_000)).trimEnd();
}
