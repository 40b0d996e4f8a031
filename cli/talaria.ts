// The command `talaria`, also `npm run chat`: the entry, with the process's own streams.
import { endWithReader } from "./output/output.ts";
import { runCommandLine } from "./command-line/run.ts";

const LEAVE_MS = 1_000;

endWithReader(process.stdout, process.stderr);
process.exitCode = await runCommandLine(process.argv.slice(2), process, process.env);
// Do not wait for the close handshake of a broken connection.
setTimeout(() => process.exit(), LEAVE_MS).unref();
