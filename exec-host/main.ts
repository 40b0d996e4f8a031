// The exec host: runs commands and reads and writes files below one folder, for the holder of its token. `node main.ts` reads its
// settings from the environment; `node main.ts --stdin` reads them as one line from standard input, and ends when that closes.
// docs/EXEC-HOST.md has the protocol. Needs Linux and bash. Imports nothing outside this folder and `node:`.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Commands } from "./commands/commands.ts";
import { ConfigError, type ExecConfig, checkFolder, readEnvironment } from "./config.ts";
import { openRoot } from "./files/walk.ts";
import { Ops } from "./ops.ts";
import { createExecServer } from "./server.ts";

try {
  await main();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exit(2);
}

async function main(): Promise<void> {
  if (!existsSync("/proc/self/fd"))
    throw new ConfigError("The exec host needs Linux. On other systems run it in a container.");
  if (spawnSync("bash", ["-c", "exit 0"]).status !== 0) throw new ConfigError("The exec host needs bash. Install it.");
  const config = process.argv.includes("--stdin") ? await readStdin() : readEnvironment(process.env);
  const root = openRoot(checkFolder(config.folder));
  if (config.umask !== undefined) process.umask(config.umask);
  const commands = new Commands();
  startReaper(commands);
  endWith(commands);
  const server = createExecServer({ root, commands, ops: new Ops() }, { ...config, report: console.error });
  const { address, port, socket } = config;
  if (socket !== undefined) rmSync(socket, { force: true }); // of a host that was killed
  await new Promise<void>((done, fail) => {
    server.once("error", fail).listen(socket === undefined ? { port, host: address } : { path: socket }, done);
  }).catch((error: Error) => {
    throw new ConfigError(`${socket ?? `${address}:${port}`} cannot be opened: ${error.message}`);
  });
  // The starter reads the port, or the path of the socket, from this line.
  const bound = server.address();
  console.log(JSON.stringify({ listening: typeof bound === "string" ? bound : bound?.port }));
}

/** One line of JSON. The end of the input, whenever it comes, is the end of the starter and of the host. */
async function readStdin(): Promise<ExecConfig> {
  process.stdin.on("error", () => process.exit(0));
  process.stdin.once("close", () => process.exit(0));
  const lines = createInterface({ input: process.stdin });
  const line = await new Promise<string>((done) => lines.once("line", done));
  return JSON.parse(line) as ExecConfig;
}

/** A second process that outlives this one by a moment: nothing else can kill the commands after a SIGKILL. */
function startReaper(commands: Commands): void {
  const reaper = spawn(
    process.execPath,
    ["--no-warnings", join(import.meta.dirname, "commands/reaper.ts"), commands.boot],
    {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: {},
    },
  );
  reaper.stdin.on("error", () => {}); // it was killed: commands are then ended at a regular end only
  reaper.once("error", (error) => console.error(error));
  reaper.unref();
}

function endWith(commands: Commands): void {
  process.once("exit", () => commands.killAllNow());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => process.exit(0));
}
