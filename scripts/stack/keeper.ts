// Leader of a local stack's process group: `node keeper.ts <program> [args]`. Started by stack.ts, which holds the other end of
// its standard input. When standard input closes, the parent has died, and the keeper ends the group.
import { spawn } from "node:child_process";

const GRACE_MS = 3_000;
// Files the Workers write are readable by this user only.
process.umask(0o077);
const [program, ...args] = process.argv.slice(2);
if (!program) throw new Error("keeper.ts needs a program to run");

const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
child.once("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
// Kills processes that the program left running.
child.once("exit", () => process.kill(0, "SIGKILL"));

// A signal to the group reaches the program directly. The keeper ignores it and waits for the program to exit.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});

process.stdin.on("error", endGroup);
process.stdin.once("close", endGroup);
process.stdin.resume();

function endGroup(): void {
  process.kill(0, "SIGTERM");
  setTimeout(() => process.kill(0, "SIGKILL"), GRACE_MS);
}
