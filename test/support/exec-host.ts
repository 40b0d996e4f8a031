// A real process of the exec host for tests, on a free port, with its settings on standard input as `npm start` gives them.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const EXEC_TOKEN = "t".repeat(40);

export interface RunningHost {
  url: string;
  /** The folder it serves. */
  folder: string;
  /** A folder beside it, which it must never reach. */
  beside: string;
  process: ChildProcess;
  /** Status and parsed body. */
  call(route: string, body?: object, headers?: Record<string, string>): Promise<{ status: number; body: any }>;
  end(): Promise<void>;
}

/** `env`: of the host itself. `maxFiles`: descriptors that it may have open. */
export async function startExecHost(
  options: { env?: Record<string, string>; folder?: string; port?: number; maxFiles?: number } = {},
): Promise<RunningHost> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "talaria-exec-")));
  const [folder, beside] = [options.folder ?? join(base, "folder"), join(base, "beside")];
  for (const made of [folder, beside]) mkdirSync(made, { recursive: true });
  const main = resolve(import.meta.dirname, "../../exec-host/main.ts");
  const limit = options.maxFiles === undefined ? "" : `ulimit -n ${options.maxFiles}; `;
  const child = spawn("bash", ["-c", `${limit}exec "$@"`, "bash", process.execPath, "--no-warnings", main, "--stdin"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...options.env },
  });
  child.stdin.write(
    `${JSON.stringify({ folder, token: EXEC_TOKEN, address: "127.0.0.1", port: options.port ?? 0, hosts: [] })}\n`,
  );
  const port = await new Promise<number>((done, fail) => {
    child.stdout.once("data", (line: Buffer) => done((JSON.parse(String(line)) as { listening: number }).listening));
    child.once("exit", (code) => fail(new Error(`the exec host ended with ${code}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    folder,
    beside,
    process: child,
    async call(route, body, headers = {}) {
      const [method = "", path = ""] = route.split(" ");
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${EXEC_TOKEN}`, "content-type": "application/json", ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: reply.status, body: await reply.json() };
    },
    async end() {
      const ended = new Promise((done) => child.once("exit", done));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await ended;
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** A zombie does not run. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false; // no such process
  }
}

/** Waits until it is so. Throws after ten seconds. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    if (tries > 500) throw new Error("it did not become so within ten seconds");
    await new Promise((done) => setTimeout(done, 20));
  }
}
