// Starts several command files in one process, one after the other, each with the same arguments. Modules are loaded once, which a
// process per command would do each time. For command lines that are refused: a command that starts work is not ended.
// Arguments: the arguments as JSON, then the files. Prints one JSON object: file → `Refusal`.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

export interface Refusal {
  /** Exit code; `null` if the command neither exited nor failed. */
  status: number | null;
  out: string;
  err: string;
}

class Exited extends Error {}

const [given = "[]", ...files] = process.argv.slice(2);
const print = process.stdout.write.bind(process.stdout);
const refusals: Record<string, Refusal> = {};
for (const file of files) refusals[file] = await start(file, JSON.parse(given) as string[]);
print(JSON.stringify(refusals));
process.exitCode = 0;

async function start(file: string, args: string[]): Promise<Refusal> {
  const refusal: Refusal = { status: null, out: "", err: "" };
  const path = resolve(file);
  process.argv = [process.execPath, path, ...args];
  process.exitCode = undefined;
  process.stdout.write = (text) => ((refusal.out += String(text)), true);
  process.stderr.write = (text) => ((refusal.err += String(text)), true);
  process.exit = (code) => {
    refusal.status ??= Number(code ?? process.exitCode ?? 0);
    throw new Exited();
  };
  try {
    await import(pathToFileURL(path).href);
    if (process.exitCode !== undefined) refusal.status ??= Number(process.exitCode);
  } catch (error) {
    if (!(error instanceof Exited)) refusal.err += String(error);
  }
  return refusal;
}
