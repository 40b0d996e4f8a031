// Keeps a run of the shell within an isolate's 128 MB. just-bash holds the whole input and output of a command in memory, and
// an isolate cannot measure its free memory. So the memory of each command is estimated from its input first, and a command
// above the budget is refused. Used by shell.ts and core/checks/shell.ts, one instance per run.
import { type CustomCommand, type ExecResult, defineCommand, getCommandNames } from "just-bash/browser";
import { adaptAwkArguments } from "./awk-arguments.ts";
import type { Clock } from "../../ports.ts";
import type { HeavyRun } from "./heavy-run.ts";
import { type Alternatives, NO_ALTERNATIVES, createMissingHandle, explainMissing } from "./missing-commands.ts";
import { createClockCommands } from "./shell-clock.ts";

/** Bytes of memory per byte of input, per line, and per byte of the longest line where that needs more. */
interface Cost {
  byte: number;
  line: number;
  longByte?: number;
  /** The command holds one file at a time, so only the largest counts. */
  oneByOne?: true;
}

/** Memory of an isolate minus the Worker's code, the session and a reserve for untracked allocations. */
const BUDGET_BYTES = 76_000_000;
/** A run up to this size is light: eight of them fit in parallel. */
const LIGHT_BYTES = 8_000_000;
/** The limit of Linux. Compiling a pattern or a program of megabytes would kill the isolate. */
const MAX_ARGUMENT_CHARS = 128 << 10;
/** Smaller inputs need no estimate for any command. */
const SMALL_BYTES = 256 << 10;

/**
 * Measured by `npm run bench:limits` over one line, ordinary lines and lines of one character. Commands that are not named
 * here use an array of lines or characters, or join their output from small pieces.
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

/** Commands whose operands are not input, or that run other commands, which are checked themselves. */
const UNCHECKED = new Set(
  "echo printf ls mkdir rmdir touch rm cp mv ln chmod pwd readlink stat find basename dirname tree du env printenv alias unalias history true false clear bash sh date sleep timeout time seq expr help which hostname whoami".split(
    " ",
  ),
);

export interface ShellCommands {
  /** Every command with large inputs, wrapped in the check. */
  commands: CustomCommand[];
  /** Why a command was refused; `null`: none was. */
  refusal(): string | null;
}

/** `heavy`: present when other runs share the memory. `clock`: absent: the system's. */
export function createShellCommands(
  heavy?: HeavyRun,
  here: Alternatives = NO_ALTERNATIVES,
  clock?: Pick<Clock, "now">,
): ShellCommands {
  let refusal: string | null = null;
  const names = getCommandNames().filter((name) => !UNCHECKED.has(name));
  const commands = names.map((name) =>
    defineCommand(name, async (args, context) => {
      if (!context.origCommand) throw new Error(`just-bash gave no original ${name} to wrap`);
      refusal = await whyRefused(name, args, context, heavy);
      if (refusal !== null) {
        // End the whole script: later commands would work on the output of a command that did not run.
        context.executionScope?.consumeLimited("memory", 1, 0, name);
        return { stdout: "", stderr: `${refusal}\n`, exitCode: 126 };
      }
      if (name !== "awk") return unshared(await context.origCommand(args));
      const adapted = await adaptAwkArguments(args, (path) => readText(path, context));
      if (!adapted.ok) return { stdout: "", stderr: `${adapted.message}\n`, exitCode: 2 };
      return unshared(await context.origCommand(adapted.args));
    }),
  );
  const more = [...(clock ? createClockCommands(clock) : []), createWhich(here), createMissingHandle(here)];
  return { commands: [...commands, ...more], refusal: () => refusal };
}

/** `which` that says what to use instead of a missing command. */
function createWhich(here: Alternatives): CustomCommand {
  return defineCommand("which", async (args, context) => {
    if (!context.origCommand) throw new Error("just-bash gave no original which to wrap");
    const result = await context.origCommand(args);
    const missing = args.flatMap((name) => {
      const sentence = explainMissing(name, here);
      return sentence === null ? [] : [`which: ${name}: ${sentence}\n`];
    });
    return { ...result, stderr: result.stderr + missing.join("") };
  });
}

/** Copies a short output. V8 slices strings by reference, so one line of a file would keep the whole file in memory. */
function unshared(result: ExecResult): ExecResult {
  return result.stdout.length > SMALL_BYTES ? result : { ...result, stdout: ` ${result.stdout}`.slice(1) };
}

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

/** Why a command needs too much memory; `null`: it may run. */
async function whyRefused(name: string, args: string[], context: Context, heavy?: HeavyRun): Promise<string | null> {
  const longest = args.reduce((most, arg) => Math.max(most, arg.length), 0);
  if (longest > MAX_ARGUMENT_CHARS) {
    return `${name}: an argument of ${longest} characters is too long: ${MAX_ARGUMENT_CHARS} at most; put it into a file`;
  }
  const cost = findCost(name, args);
  const input = context.stdin as unknown as string;
  const operands = name === "tee" ? [] : await statOperands(args, context);
  const sizes = operands.map(({ size }) => size);
  const isFolderNamed = operands.some(({ isFolder }) => isFolder);
  const bytes = add(cost, [input.length, ...sizes]);
  // A folder is read one file at a time, and such a command can hold any single file.
  const isRecursive = cost.oneByOne && (name === "rg" || isFolderNamed);
  if (bytes <= SMALL_BYTES && !isRecursive) return null;
  if ((isRecursive || bytes * cost.byte > LIGHT_BYTES) && heavy && !(await heavy.begin())) {
    return `${name}: another run with as large an input is not done yet: try again, or with less input`;
  }
  const shapes = [measureText(input), ...(await measureFiles(args, sizes, cost, context))];
  const needed = estimateMemory(shapes, cost);
  const room = BUDGET_BYTES - heldBy(context.env) - (heavy?.heldByOthers() ?? 0);
  if (needed <= room) return null;
  const lines = shapes.reduce((sum, shape) => sum + shape.lines, 0);
  const most = Math.floor((room / needed) * bytes);
  return (
    `${name}: ${bytes} bytes${lines > 0 ? ` in ${lines} lines` : ""} are too much for ${name} in this shell, whose memory ` +
    `holds about ${most} bytes of them: give it a part (head -c, tail -c, sed -n, split -l), one file at a time, or look ` +
    `with grep, wc or search_files`
  );
}

interface TextShape {
  bytes: number;
  lines: number;
  /** Characters of the longest line. */
  longest: number;
}

/** Reads a file only where its lines matter for the estimate. */
async function measureFiles(args: string[], sizes: number[], cost: Cost, context: Context): Promise<TextShape[]> {
  const dependsOnLines = cost.line > 0 || cost.longByte !== undefined;
  const shapes: TextShape[] = [];
  for (const [i, size] of sizes.entries()) {
    if (size === 0) continue;
    const measured = dependsOnLines ? measureText(await readLatin1(args[i]!, context)) : null;
    shapes.push(measured ?? { bytes: size, lines: 0, longest: 0 });
  }
  return shapes;
}

/** Bytes of memory for these inputs. */
function estimateMemory(shapes: TextShape[], cost: Cost): number {
  const needs = shapes.map(({ bytes, lines }) => bytes * cost.byte + lines * cost.line);
  const longest = shapes.reduce((most, shape) => Math.max(most, shape.longest), 0);
  return add(cost, needs) + longest * Math.max(0, (cost.longByte ?? 0) - cost.byte);
}

/** The sum of several inputs, or the largest for a command that holds one file at a time. */
function add(cost: Cost, amounts: number[]): number {
  return amounts.reduce((all, amount) => (cost.oneByOne ? Math.max(all, amount) : all + amount), 0);
}

/** Bytes held by the shell's variables, at two bytes per character. */
function heldBy(env: ReadonlyMap<string, string>): number {
  let chars = 0;
  for (const value of env.values()) chars += value.length;
  return 2 * chars;
}

/** `wc -m` decodes the bytes to text in small pieces, which costs more than other modes. */
function findCost(name: string, args: string[]): Cost {
  if (name === "wc" && args.some((arg) => arg === "--chars" || /^-[a-zA-Z]*m/.test(arg))) return OTHER;
  return COSTS[name] ?? OTHER;
}

const NO_FILE = { size: 0, isFolder: false };

/** One at a time: there may be 100,000 words. */
async function statOperands(args: string[], context: Context): Promise<(typeof NO_FILE)[]> {
  const stats: (typeof NO_FILE)[] = [];
  for (const arg of args) stats.push(await statOperand(arg, context));
  return stats;
}

/** The size of the file that an operand names; 0 for an option, a pattern or a program. */
async function statOperand(arg: string, { fs, cwd }: Context): Promise<typeof NO_FILE> {
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

/** Text beyond ASCII takes two bytes per character in memory. */
function measureText(latin1: string): TextShape {
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
