// Kills what a host started when the host itself was killed: `node reaper.ts <boot>`, in a session of its own. Its standard input is
// a pipe that the host holds; the kernel closes it when the host ends, for whatever reason. Started by main.ts.
import { MARK_NAME } from "./commands.ts";
import { killAll } from "./processes.ts";

const [boot] = process.argv.slice(2);
if (!boot) throw new Error("reaper.ts needs the mark of its host");
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
process.stdin.on("error", () => void reap());
process.stdin.once("close", () => void reap());
process.stdin.resume();

async function reap(): Promise<void> {
  await killAll({ name: MARK_NAME, value: `${boot}.` }, null);
  process.exit(0);
}
