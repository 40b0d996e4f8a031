// Command-line handling of every script: flags, `--help`, and messages for errors that the user can fix. Used by start, demo,
// deploy, chaos and the benches. Prints no stack trace for an expected error.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";

/** An error that the user can fix; the message says how. Shown without a stack trace. */
export class PlainError extends Error {
  override name = "PlainError";
}

/** An invalid command line; shown last, after the usage text. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** `--help` was given. */
class HelpRequested extends Error {}

type Options = NonNullable<ParseArgsConfig["options"]>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>["values"];

/** For commands run by runCommand. Throws a UsageError for an unknown flag or a missing value, and HelpRequested for `--help`. */
export function parseFlags<const O extends Options>(options: O, args = process.argv.slice(2)): Values<O> {
  return parse(options, args, false).values;
}

/** Like parseFlags, for commands that also take words without a dash: these are in `positionals`. */
export function parseWords<const O extends Options>(options: O, args: string[]): Values<O> & { positionals: string[] } {
  const { values, positionals } = parse(options, args, true);
  return { ...values, positionals };
}

function parse<const O extends Options>(options: O, args: string[], allowPositionals: boolean) {
  try {
    const help = { help: { type: "boolean", short: "h" } } as const;
    const parsed = parseArgs({ args, options: { ...options, ...help }, allowNegative: true, allowPositionals });
    if ((parsed.values as { help?: boolean }).help) throw new HelpRequested();
    return { values: parsed.values as Values<O>, positionals: parsed.positionals };
  } catch (error) {
    throw error instanceof HelpRequested ? error : new UsageError((error as Error).message);
  }
}

/** Like parseFlags, for scripts without runCommand: prints the usage and exits. */
export function readFlags<const O extends Options>(usage: string, options: O): Values<O> {
  try {
    return parseFlags(options);
  } catch (error) {
    return exitWithUsage(error as Error, usage);
  }
}

/** A flag's value as a whole number from `least` to `most`. Exits with the usage if it is not one. */
export function parseWholeNumber(
  usage: string,
  flag: string,
  text: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
) {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  return refuseFlags(`${flag} takes a whole number ${range}, not ${JSON.stringify(text)}.`, usage);
}

/** The items whose name contains the text of `--only`. Exits with the usage if there are none. */
export function chosenBy<T extends { name: string }>(usage: string, only: string | undefined, all: readonly T[]): T[] {
  const chosen = all.filter(({ name }) => only === undefined || name.includes(only));
  if (chosen.length > 0) return chosen;
  return refuseFlags(`--only ${JSON.stringify(only)} matches no name. Names: ${listNames(all)}.`, usage);
}

/** The first 20 names, on one line. */
function listNames(all: readonly { name: string }[]): string {
  const shown = all.slice(0, 20).map(({ name }) => name.replaceAll("\n", "\\n").slice(0, 40));
  return shown.join(", ") + (all.length > shown.length ? ", …" : "");
}

export function refuseFlags(message: string, usage: string): never {
  console.error(`${usage}\n\n${message}`);
  process.exit(2);
}

function exitWithUsage(error: Error, usage: string): never {
  if (!(error instanceof HelpRequested)) return refuseFlags(error.message, usage);
  console.log(usage);
  process.exit(0);
}

/** Runs a command and sets the exit code. An error without a message for the user is a bug: it is thrown with its stack trace. */
export async function runCommand(usage: string, command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    if (error instanceof UsageError || error instanceof HelpRequested) exitWithUsage(error, usage);
    const sentence = toSentence(error);
    if (sentence === null) throw error;
    console.error(sentence);
    process.exitCode = 1;
  }
}

const PLAIN = new Set(["PlainError", "StackError", "DeployError"]);

/** What to do, by code of the system error. */
const REMEDIES: Record<string, string> = {
  ENOTDIR: "There is a file where a folder is needed. Move it away.",
  EEXIST: "There is a file where a folder is needed. Move it away.",
  EISDIR: "There is a folder where a file is needed. Move it away.",
  ENOSPC: "The disk is full. Free some space, then start again.",
  EDQUOT: "This user's disk quota is used up. Free some space, then start again.",
  EROFS: "The disk is read-only. Mount it for writing, or run Talaria from another folder.",
  EMFILE: "Too many files are open. Raise the limit (ulimit -n), then start again.",
  ENOENT: "It is missing.",
  ELOOP: "Its symbolic links form a loop. Remove one.",
  EIO: "The disk reports an error. Check it, then start again.",
};

/** A message for the user; `null` for an unexpected error. */
export function toSentence(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (PLAIN.has(error.name)) return error.message;
  const { code = "", path, dest, syscall } = error as NodeJS.ErrnoException & { dest?: string };
  const file = dest ?? path ?? "A file";
  const remedy = code === "EACCES" || code === "EPERM" ? describeRightsFix(file) : REMEDIES[code];
  if (remedy === undefined || syscall === undefined) return null;
  return `${file} cannot be used (${code}, ${syscall}). ${remedy}`;
}

/** Finds what denies access to a file: its own owner or mode, its folder's, or those of the first unreadable folder above. */
function describeRightsFix(file: string): string {
  const places = [file, dirname(file)];
  while (!isSeen(places.at(-1)!) && dirname(places.at(-1)!) !== places.at(-1)!) places.push(dirname(places.at(-1)!));
  for (const place of places.filter(isSeen)) {
    const { uid, mode } = statSync(place);
    const wanted = statSync(place).isDirectory() ? 0o700 : 0o600;
    if (uid !== process.getuid?.())
      return `It belongs to another user. Make this user the owner: chown "$USER" ${quote(place)}.`;
    if ((mode & wanted) !== wanted) return `Its mode denies access. Run chmod u+rwX ${quote(place)}, then start again.`;
  }
  return "The system denies access. Check the permissions and flags of the file and its folder.";
}

function isSeen(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder above it is not accessible
  }
}

function quote(path: string): string {
  return /^[\w/.+@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
