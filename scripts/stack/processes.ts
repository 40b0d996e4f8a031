// Processes and process groups: which are alive, and which belong to a group. Called by stack.ts and start.ts. Never signals a
// process that it cannot prove to be its own: pids are reused, so each is stored with its start time.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:net";

/** A process identified by pid and start time, because pids are reused. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot on Linux; 0 if there is no /proc. */
  startedAt: number;
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startedAt: readProcStat(pid)?.startedAt ?? 0 };
}

/** A zombie counts as dead: it holds no port and no file. */
export function isAlive(mark: ProcessIdentity): boolean {
  if (!hasProc()) return answersSignal(mark.pid);
  const stat = readProcStat(mark.pid);
  return stat !== null && !stat.zombie && stat.startedAt === mark.startedAt;
}

/** Live members of the process group of `leader`. Empty when another process has that pid now. */
export function groupMembers(leader: ProcessIdentity): number[] {
  if (!hasProc()) return answersSignal(-leader.pid) ? [leader.pid] : [];
  const present = readProcStat(leader.pid);
  if (present && present.startedAt !== leader.startedAt) return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0)
    .filter((pid) => {
      const stat = readProcStat(pid);
      return stat !== null && stat.group === leader.pid && !stat.zombie && stat.startedAt >= leader.startedAt;
    });
}

/** The command line, joined by spaces; empty when it cannot be read. */
export function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return ""; // the process has just ended, or there is no /proc
  }
}

/** Waits until the group has no live member: true; or until `timeoutMs` has passed: false. */
export async function groupEnds(leader: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const until = Date.now() + timeoutMs;
  while (groupMembers(leader).length > 0) {
    if (Date.now() > until) return false;
    await new Promise((done) => setTimeout(done, 20));
  }
  return true;
}

export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(leader) && groupMembers(leader).length === 0) return;
  try {
    process.kill(-leader.pid, signal);
  } catch {
    // the group ended between the check and the signal
  }
}

/**
 * Calls `stop` on each SIGINT, SIGTERM and SIGHUP. Uses `on`, not `once`: Wrangler's own handlers (signal-exit) end the process at
 * once when they find no other handler, and a `once` handler is removed before it runs.
 */
export function onStopSignal(stop: () => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
}

/**
 * A free port below the ephemeral range. Otherwise an outgoing connection, such as a client's retry while the stack is down, could
 * occupy the port before the stack is back.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isPortFree(port)) return port;
  }
  throw new Error("no free port between 20000 and 32000");
}

function readProcStat(pid: number): { group: number; startedAt: number; zombie: boolean } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold any character, so fields are counted from its end: state 3, group 5, start time 22.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { group: Number(fields[2]), startedAt: Number(fields[19]), zombie: /[ZX]/.test(fields[0] ?? "X") };
  } catch {
    return null; // no such process
  }
}

function hasProc(): boolean {
  return existsSync("/proc/self/stat");
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
