// Starts the exec host beside the Workers, in their process group, and starts it again when it ends. Called by host.ts. The host gets
// its settings, token included, through its standard input, and ends when that closes. It listens on a socket in a private folder: a
// port would be free while the host restarts, and another program that took it would receive the token.
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

/** What the Workers call it. The name has no address: outbound-proxy.ts leads it to the socket. */
const NAME = "exec-host.invalid";
export const EXEC_HOST_URL = `http://${NAME}`;
const RESTART_MS = 500;
const main = resolve(import.meta.dirname, "../../exec-host/main.ts");

/** `socket`: the path to listen on. Rejects when the first start fails; the reason is in the log. */
export async function startExecHost(options: ExecHostOptions, socket: string): Promise<void> {
  const { ended } = await launch(options, socket);
  void keepRunning(options, socket, ended);
}

async function keepRunning(options: ExecHostOptions, socket: string, first: Promise<string>): Promise<never> {
  for (let ended = first; ;) {
    console.error(`The exec host ended (${await ended}) and is started again.`);
    await pause(RESTART_MS);
    try {
      ({ ended } = await launch(options, socket));
    } catch (error) {
      ended = Promise.resolve((error as Error).message);
    }
  }
}

/** `ended` resolves to the exit code or the signal. */
async function launch({ env, ...config }: ExecHostOptions, socket: string): Promise<{ ended: Promise<string> }> {
  const child = spawn(process.execPath, ["--no-warnings", main, "--stdin"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.on("error", () => {}); // it has ended, which `ended` reports
  const ended = new Promise<string>((done) => {
    child.once("error", (error) => done(error.message));
    child.once("exit", (code, signal) => done(signal ?? String(code)));
  });
  child.stdin.write(`${JSON.stringify({ ...config, socket, hosts: [NAME] })}\n`);
  const listening = new Promise<void>((done) => child.stdout.once("data", () => done()));
  await Promise.race([listening, ended.then((why) => Promise.reject(new Error(`exit ${why}`)))]);
  return { ended };
}
