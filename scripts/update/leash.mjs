// Runs a command of an update and ends it when the update ends, however that happens: `node leash.mjs <file> <program> [args]`. Leader of a
// process group of its own; <file> then says which, for recover.mjs. The update holds the other end of standard input, which the system
// closes when the update is killed. Ends with the command's exit code.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { identify } from "./recover.mjs";

/** git removes its lock files in this time; npm would clean up for ten seconds. */
const GRACE_MS = 1_000;
const [file, program, ...args] = process.argv.slice(2);
writeFileSync(file, JSON.stringify(identify(process.pid)), { mode: 0o600 });

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
process.stdin.on("error", end);
process.stdin.once("close", end);
process.stdin.resume();

const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
child.once("error", (error) => {
  console.error(error.message);
  process.exit(127);
});
child.once("exit", (code, signal) => process.exit(signal ? 1 : code));

function end() {
  process.kill(0, "SIGTERM");
  setTimeout(() => process.kill(0, "SIGKILL"), GRACE_MS);
}
