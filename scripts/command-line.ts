// The command line of every script: flags, `--help`, and how an error that a person can mend is told. Used by start, demo,
// deploy, chaos and the benches. Prints no stack for what it knows.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";

/** What a person can mend, in a sentence that says how. Shown without a stack. */
export class PlainError extends Error {
  override name = "PlainError";
}

/** A wrong command line; shown with the usage. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** `--help`: the usage is what was asked for. */
class HelpAsked extends Error {}

type Options = NonNullable<ParseArgsConfig["options"]>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>["values"];

/** Throws for runCommand: a UsageError for a flag that is unknown or lacks its value, and what `--help` asks for. */
export function parseFlags<const O extends Options>(options: O, args = process.argv.slice(2)): Values<O> {
  try {
    const help = { help: { type: "boolean", short: "h" } } as const;
    const { values } = parseArgs({ args, options: { ...options, ...help }, allowNegative: true });
    if ((values as { help?: boolean }).help) throw new HelpAsked();
    return values as Values<O>;
  } catch (error) {
    throw error instanceof HelpAsked ? error : new UsageError((error as Error).message);
  }
}

/** The same for a script that is not run by runCommand: ends the process. */
export function readFlags<const O extends Options>(usage: string, options: O): Values<O> {
  try {
    return parseFlags(options);
  } catch (error) {
    return tellUsage(error as Error, usage);
  }
}

/** The whole number that a flag was given, from `least` to `most`; else ends the process with the usage. */
export function wholeNumber(usage: string, flag: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER) {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  return refuseFlags(`${flag} takes a whole number ${range}, not ${JSON.stringify(text)}.`, usage);
}

/** Those whose name contains the text of `--only`; else ends the process with the usage. */
export function chosenBy<T extends { name: string }>(usage: string, only: string | undefined, all: readonly T[]): T[] {
  const chosen = all.filter(({ name }) => only === undefined || name.includes(only));
  if (chosen.length > 0) return chosen;
  return refuseFlags(`--only ${JSON.stringify(only)} is part of no name. Names: ${namesOf(all)}.`, usage);
}

/** The first ones, on one line. */
function namesOf(all: readonly { name: string }[]): string {
  const shown = all.slice(0, 20).map(({ name }) => name.replaceAll("\n", "\\n").slice(0, 40));
  return shown.join(", ") + (all.length > shown.length ? ", …" : "");
}

export function refuseFlags(message: string, usage: string): never {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
}

function tellUsage(error: Error, usage: string): never {
  if (!(error instanceof HelpAsked)) return refuseFlags(error.message, usage);
  console.log(usage);
  process.exit(0);
}

/** Runs a command to its exit code. An error that is not told as a sentence is a bug, and keeps its stack. */
export async function runCommand(usage: string, command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (error instanceof UsageError || error instanceof HelpAsked) tellUsage(error, usage);
    const sentence = toSentence(error);
    if (sentence === null) throw error;
    console.error(sentence);
    process.exitCode = 1;
  }
}

const PLAIN = new Set(["PlainError", "StackError", "DeployError"]);

/** By the code of the system's error. */
const REMEDIES: Record<string, string> = {
  ENOTDIR: "A file stands where a folder is needed: move it away.",
  EEXIST: "A file stands where a folder is needed: move it away.",
  EISDIR: "A folder stands where a file is needed: move it away.",
  ENOSPC: "The disk is full: make room, then start again.",
  EDQUOT: "This user's share of the disk is full: make room, then start again.",
  EROFS: "The disk cannot be written to: mount it for writing, or run Talaria from another folder.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n), then start again.",
  ENOENT: "It is missing.",
  ELOOP: "Its links lead in a circle: remove one.",
  EIO: "The disk reports an error: check it, then start again.",
};

/** `null` for what nobody foresaw. */
export function toSentence(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (PLAIN.has(error.name)) return error.message;
  const { code = "", path, dest, syscall } = error as NodeJS.ErrnoException & { dest?: string };
  const file = dest ?? path ?? "A file";
  const remedy = code === "EACCES" || code === "EPERM" ? remedyForRights(file) : REMEDIES[code];
  if (remedy === undefined || syscall === undefined) return null;
  return `${file} cannot be used (${code}, ${syscall}). ${remedy}`;
}

/** What shuts a path is its own mode or owner, those of its folder, or those of the first folder that hides the rest. */
function remedyForRights(file: string): string {
  const places = [file, dirname(file)];
  while (!isSeen(places.at(-1)!) && dirname(places.at(-1)!) !== places.at(-1)!) places.push(dirname(places.at(-1)!));
  for (const place of places.filter(isSeen)) {
    const { uid, mode } = statSync(place);
    const wanted = statSync(place).isDirectory() ? 0o700 : 0o600;
    if (uid !== process.getuid?.())
      return `This user may not use it: give it to this user (chown "$USER" ${quote(place)}).`;
    if ((mode & wanted) !== wanted) return `Its mode shuts it: run chmod u+rwX ${quote(place)}, then start again.`;
  }
  return "The system forbids it: look at the rights and flags of the file and its folder.";
}

function isSeen(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder on the way is shut
  }
}

function quote(path: string): string {
  return /^[\w/.+@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
