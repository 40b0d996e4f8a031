// Keeps a run of the shell within an isolate's 128 MB. just-bash holds all that a command reads, makes and passes on at once,
// and nobody tells an isolate how much is left: so each command is asked beforehand what its input will cost, and refused
// when that is more than there is. Used by shell.ts and core/checks/shell.ts, for one run each.
import { type CustomCommand, type ExecResult, defineCommand, getCommandNames } from "just-bash/browser";
import { adaptAwkArguments } from "./awk-arguments.ts";
import type { HeavyRun } from "./heavy-run.ts";

/** Bytes of memory for a byte of input, for a line of it, and for a byte of the longest line, where that costs more. */
interface Cost {
  byte: number;
  line: number;
  longByte?: number;
  /** Holds one file at a time: what counts is the largest. */
  oneByOne?: true;
}

/** What an isolate has left beside the Worker's code, the session and what comes and goes unseen. */
const BUDGET_BYTES = 76_000_000;
/** Eight runs side by side may need so much each. */
const LIGHT_BYTES = 8_000_000;
/** As Linux has it. A pattern or a program of megabytes ends the isolate that compiles it. */
const MAX_ARGUMENT_CHARS = 128 << 10;
/** No command makes so much of it that it would have to be looked at. */
const SMALL_BYTES = 256 << 10;

/**
 * Measured by `npm run bench:limits` over one line, ordinary lines and lines of one character. What is not named here makes
 * an array of lines or of characters, or joins its output from small pieces.
 */
const COSTS: Partial<Record<string, Cost>> = {
  ...forAll(["wc", "head", "tail"], { byte: 3, line: 0, oneByOne: true }),
  ...forAll(["md5sum", "sha1sum", "sha256sum", "gzip", "gunzip", "zcat", "file", "tee"], { byte: 3, line: 0 }),
  base64: { byte: 6, line: 0 },
  // Into a variable, text beyond ASCII is decoded, which takes three times as much.
  cat: { byte: 6.5, line: 1 },
  tr: { byte: 4, line: 0 },
  ...forAll(["grep", "egrep", "fgrep", "rg"], { byte: 4, line: 20, oneByOne: true }),
  ...forAll(["sort", "uniq", "tac"], { byte: 4, line: 100 }),
  sed: { byte: 4, line: 100, longByte: 24 },
  awk: { byte: 4, line: 80, longByte: 10 },
  split: { byte: 4, line: 20 },
  cut: { byte: 4, line: 0, longByte: 36 },
  diff: { byte: 4, line: 150 },
  jq: { byte: 16, line: 0 },
  od: { byte: 60, line: 0 },
  strings: { byte: 16, line: 60 },
};
const OTHER: Cost = { byte: 32, line: 60 };

/** Their operands are no input, or they run other commands, which are asked themselves. */
const UNASKED = new Set(
  "echo printf ls mkdir rmdir touch rm cp mv ln chmod pwd readlink stat find basename dirname tree du env printenv alias unalias history true false clear bash sh date sleep timeout time seq expr help which hostname whoami".split(
    " ",
  ),
);

export interface ShellCommands {
  /** Every command that reads much, behind the question what it would cost. */
  commands: CustomCommand[];
  /** Why a command was not run. */
  refusal(): string | null;
}

/** `heavy`: where the memory is shared with other runs. */
export function createShellCommands(heavy?: HeavyRun): ShellCommands {
  let refusal: string | null = null;
  const names = getCommandNames().filter((name) => !UNASKED.has(name));
  const commands = names.map((name) =>
    defineCommand(name, async (args, context) => {
      if (!context.origCommand) throw new Error(`just-bash gave no original ${name} to wrap`);
      refusal = await whyRefused(name, args, context, heavy);
      if (refusal !== null) {
        // The whole script ends: what follows would work on the output of a command that had none.
        context.executionScope?.consumeLimited("memory", 1, 0, name);
        return { stdout: "", stderr: `${refusal}\n`, exitCode: 126 };
      }
      if (name !== "awk") return unshared(await context.origCommand(args));
      const adapted = await adaptAwkArguments(args, (path) => readText(path, context));
      if (!adapted.ok) return { stdout: "", stderr: `${adapted.message}\n`, exitCode: 2 };
      return unshared(await context.origCommand(adapted.args));
    }),
  );
  return { commands, refusal: () => refusal };
}

/** V8 makes a piece of a string by pointing into it: one line of a file would keep the whole file. */
function unshared(result: ExecResult): ExecResult {
  return result.stdout.length > SMALL_BYTES ? result : { ...result, stdout: ` ${result.stdout}`.slice(1) };
}

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

/** Why a command is not to have what it will need. */
async function whyRefused(name: string, args: string[], context: Context, heavy?: HeavyRun): Promise<string | null> {
  const longest = args.reduce((most, arg) => Math.max(most, arg.length), 0);
  if (longest > MAX_ARGUMENT_CHARS) {
    return `${name}: an argument of ${longest} characters is too long: ${MAX_ARGUMENT_CHARS} at most; put it into a file`;
  }
  const cost = costOf(name, args);
  const input = context.stdin as unknown as string;
  const sizes: number[] = [];
  let isFolderNamed = false;
  // One after another: there may be 100,000 words.
  for (const arg of args) {
    const { size, isFolder } = name === "tee" ? NO_FILE : await lookAt(arg, context);
    sizes.push(size);
    isFolderNamed ||= isFolder;
  }
  const bytes = add(cost, [input.length, ...sizes]);
  // What a folder holds is read one file at a time, and no file is larger than a command of that kind takes.
  const isRecursive = cost.oneByOne && (name === "rg" || isFolderNamed);
  if (bytes <= SMALL_BYTES && !isRecursive) return null;
  if ((isRecursive || bytes * cost.byte > LIGHT_BYTES) && heavy && !(await heavy.begin())) {
    return `${name}: another run with as large an input is not done yet: try again, or with less input`;
  }
  const shapes = [shapeOf(input)];
  for (const [i, size] of sizes.entries()) {
    if (size === 0) continue;
    // Line by line only where it decides: reading costs, too.
    const isRead = cost.line > 0 || cost.longByte !== undefined;
    shapes.push(isRead ? shapeOf(await readLatin1(args[i]!, context)) : { bytes: size, lines: 0, longest: 0 });
  }
  const perLongByte = Math.max(0, (cost.longByte ?? 0) - cost.byte);
  const needs = shapes.map((shape) => shape.bytes * cost.byte + shape.lines * cost.line);
  const needed = add(cost, needs) + shapes.reduce((most, { longest }) => Math.max(most, longest), 0) * perLongByte;
  const room = BUDGET_BYTES - heldBy(context.env);
  if (needed <= room) return null;
  const lines = shapes.reduce((sum, shape) => sum + shape.lines, 0);
  const most = Math.floor((room / needed) * bytes);
  return (
    `${name}: ${bytes} bytes${lines > 0 ? ` in ${lines} lines` : ""} are too much for ${name} in this shell, whose memory ` +
    `holds about ${most} bytes of them: give it a part (head -c, tail -c, sed -n, split -l), one file at a time, or look ` +
    `with grep, wc or search_files`
  );
}

/** What several inputs come to: of those that are held one at a time only the largest counts. */
function add(cost: Cost, amounts: number[]): number {
  return amounts.reduce((all, amount) => (cost.oneByOne ? Math.max(all, amount) : all + amount), 0);
}

/** What the shell's variables hold: characters beyond ASCII take two bytes. */
function heldBy(env: ReadonlyMap<string, string>): number {
  let chars = 0;
  for (const value of env.values()) chars += value.length;
  return 2 * chars;
}

/** `wc -m` makes text of the bytes, piece by piece. */
function costOf(name: string, args: string[]): Cost {
  if (name === "wc" && args.some((arg) => arg === "--chars" || /^-[a-zA-Z]*m/.test(arg))) return OTHER;
  return COSTS[name] ?? OTHER;
}

const NO_FILE = { size: 0, isFolder: false };

/** What an operand names; nothing for an option, a pattern or a program. */
async function lookAt(arg: string, { fs, cwd }: Context): Promise<typeof NO_FILE> {
  if (arg === "" || arg.length > 1_024) return NO_FILE;
  try {
    const stat = await fs.stat(fs.resolvePath(cwd, arg));
    return { size: stat.isFile ? stat.size : 0, isFolder: stat.isDirectory };
  } catch {
    return NO_FILE; // there is no file of this name
  }
}

async function readText(arg: string, { fs, cwd }: Context): Promise<string | null> {
  const path = fs.resolvePath(cwd, arg);
  return (await fs.exists(path)) ? fs.readFile(path) : null;
}

async function readLatin1(arg: string, { fs, cwd }: Context): Promise<string> {
  const path = fs.resolvePath(cwd, arg);
  return fs.readFileBytes ? ((await fs.readFileBytes(path)) as unknown as string) : fs.readFile(path, "latin1");
}

/** Text beyond ASCII is held in two bytes a character. */
function shapeOf(latin1: string): { bytes: number; lines: number; longest: number } {
  let [lines, longest, from] = [0, 0, 0];
  for (let at = latin1.indexOf("\n"); at !== -1; at = latin1.indexOf("\n", from)) {
    lines++;
    longest = Math.max(longest, at - from);
    from = at + 1;
  }
  const bytes = /[\x80-\xff]/.test(latin1) ? latin1.length * 1.5 : latin1.length;
  return { bytes, lines, longest: Math.max(longest, latin1.length - from) };
}

function forAll(names: string[], cost: Cost): Record<string, Cost> {
  return Object.fromEntries(names.map((name) => [name, cost]));
}
