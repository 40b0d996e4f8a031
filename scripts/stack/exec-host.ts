// Starts the exec host beside the Workers, in their process group, and starts it again when it ends. Called by host.ts. The host gets
// its settings, token included, through its standard input, and ends when that closes.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Part of the private file that host.ts reads. */
export interface ExecHostOptions {
  folder: string;
  token: string;
  /** Of the person: the Workers have others. */
  umask: number;
  env: Record<string, string>;
}

const RESTART_MS = 500;
const main = resolve(import.meta.dirname, "../../exec-host/main.ts");

/** Its address. Rejects when the first start fails; the reason is in the log. */
export async function startExecHost(options: ExecHostOptions): Promise<string> {
  const { port, ended } = await launch(options, 0);
  void keepRunning(options, port, ended);
  return `http://127.0.0.1:${port}`;
}

async function keepRunning(options: ExecHostOptions, port: number, first: Promise<string>): Promise<never> {
  for (let ended = first; ;) {
    console.error(`The exec host ended (${await ended}) and is started again.`);
    await pause(RESTART_MS);
    try {
      ({ ended } = await launch(options, port));
    } catch (error) {
      ended = Promise.resolve((error as Error).message);
    }
  }
}

/** `ended` resolves to the exit code or the signal. */
async function launch(
  { env, ...config }: ExecHostOptions,
  port: number,
): Promise<{ port: number; ended: Promise<string> }> {
  const child = spawn(process.execPath, ["--no-warnings", main, "--stdin"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.on("error", () => {}); // it has ended, which `ended` reports
  const ended = new Promise<string>((done) => {
    child.once("error", (error) => done(error.message));
    child.once("exit", (code, signal) => done(signal ?? String(code)));
  });
  child.stdin.write(`${JSON.stringify({ ...config, address: "127.0.0.1", port, hosts: [] })}\n`);
  const line = new Promise<string>((done) => child.stdout.once("data", (data: Buffer) => done(String(data))));
  const first = await Promise.race([line, ended.then((why) => Promise.reject(new Error(`exit ${why}`)))]);
  return { port: (JSON.parse(first) as { listening: number }).listening, ended };
}
