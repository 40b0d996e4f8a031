// Leads the process group of one local stack: `node keeper.ts <program> [args]`. Started by stack.ts, which holds
// the other end of its standard input. When that end closes, the parent is gone, however it died, and the group goes too.
import { spawn } from "node:child_process";

const GRACE_MS = 3_000;
// What the Workers store is for nobody else, whatever the folder around it is.
process.umask(0o077);
const [program, ...args] = process.argv.slice(2);
if (!program) throw new Error("keeper.ts needs a program to run");

const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
child.once("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
// What the program leaves behind when it ends, ends too.
child.once("exit", () => process.kill(0, "SIGKILL"));

// A signal to the group reaches the program by itself; the keeper stays to see it end.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});

process.stdin.on("error", endGroup);
process.stdin.once("close", endGroup);
process.stdin.resume();

function endGroup(): void {
  process.kill(0, "SIGTERM");
  setTimeout(() => process.kill(0, "SIGKILL"), GRACE_MS);
}
