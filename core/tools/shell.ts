// One run of just-bash over a session's workspace: the workspace at /work, everything else in memory and gone afterwards.
// Called by the tools terminal and search_files. No network, no host files, a limit on everything.
import { Bash, type CustomCommand, InMemoryFs, MountableFs, defineCommand } from "just-bash/browser";
import type { Workspace } from "../workspace/workspace.ts";
import { adaptAwkArguments } from "./awk-arguments.ts";

export interface ShellRun {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** The command did not end by itself: out of time, over a limit, or called off by the signal. */
  stopped: "time" | "limit" | "signal" | null;
}

export interface ShellOptions {
  workspace: Workspace;
  signal: AbortSignal;
  timeoutMs: number;
  /** Further words of the command, taken as they are. */
  args?: string[];
  stdin?: string;
}

export async function runShell(command: string, options: ShellOptions): Promise<ShellRun> {
  const scratch = new InMemoryFs(undefined, { maxTotalBytes: SCRATCH_BYTES });
  for (const folder of ["/tmp", "/dev"]) scratch.mkdirSync(folder, { recursive: true });
  const { root } = options.workspace;
  const refused = new Set<string>();
  const bash = new Bash({
    fs: new MountableFs({
      base: scratch,
      mounts: [{ mountPoint: root, filesystem: options.workspace.mount((error) => refused.add(error)) }],
    }),
    cwd: root,
    env: { HOME: root },
    customCommands: [AWK],
    // It patches globals, and an isolate is shared with the streams and timers of other sessions.
    defenseInDepth: false,
    executionLimits: { ...LIMITS, maxExecutionTimeMs: options.timeoutMs },
  });
  const result = await bash
    .exec(command, {
      rawScript: true, // the other way trims lines, and misses some here-documents that it should leave alone
      signal: options.signal,
      args: options.args,
      stdin: options.stdin,
    })
    .catch(toFailedRun);
  const { exitCode } = result;
  // Commands may cut a character in half. No provider takes such text, and a result stays in every later request.
  const stdout = `${result.stdout}${await leftAt(scratch, "/dev/stdout")}`.toWellFormed();
  const written = `${result.stderr}${await leftAt(scratch, "/dev/stderr")}`.toWellFormed();
  // Some commands say something else of a file they may not write, or nothing at all.
  const unsaid = [...refused].filter((error) => !written.includes(error));
  const stderr = `${written}${unsaid.map((error) => `bash: ${error}\n`).join("")}`;
  const stopped = whyStopped(exitCode, stderr);
  return {
    exitCode,
    stdout,
    stderr: stderr.replace(LIBRARY_ADVICE, ""),
    stopped: stopped === "time" && options.signal.aborted ? "signal" : stopped,
  };
}

/** Meant for whoever embeds the shell: its user has no such setting. */
const LIBRARY_ADVICE = /, increase executionLimits\.\w+/g;
/** All that a run keeps outside the workspace. */
const SCRATCH_BYTES = 16_000_000;

/**
 * Counters, not clocks, are what ends a runaway: a deadline fires only between steps, and the clock of an isolate stands
 * still while it computes. Measured: a million awk iterations take about a second.
 */
const LIMITS = {
  maxSourceBytes: 200_000,
  maxCommandCount: 100_000,
  maxLoopIterations: 100_000,
  maxAwkIterations: 1_000_000,
  maxSedIterations: 100_000,
  maxJqIterations: 100_000,
  // Counts what goes through pipes too, so the largest file has to fit.
  maxOutputSize: 16_000_000,
  maxStringLength: 16_000_000,
  maxLiveBytes: 32_000_000,
  maxInputBytes: 32_000_000,
};

/** `awk` of just-bash behind arguments it understands; also for the checks of skills (core/checks/shell.ts). */
export const AWK: CustomCommand = defineCommand("awk", async (args, context) => {
  const adapted = await adaptAwkArguments(args, async (path) => {
    const place = context.fs.resolvePath(context.cwd, path);
    return (await context.fs.exists(place)) ? context.fs.readFile(place) : null;
  });
  if (!adapted.ok) return { stdout: "", stderr: `${adapted.message}\n`, exitCode: 2 };
  if (!context.origCommand) throw new Error("just-bash gave no original awk to wrap");
  return context.origCommand(adapted.args);
});

/** A redirection into a file that cannot be written ends the whole script with the file system's error. */
function toFailedRun(error: unknown): { exitCode: number; stdout: string; stderr: string } {
  if (!(error instanceof Error) || !/^E[A-Z]+: /.test(error.message)) throw error;
  return { exitCode: 1, stdout: "", stderr: `bash: ${error.message}\n` };
}

/** awk's `print > "/dev/stderr"` makes a file of that name here; what it holds was meant for the stream. */
async function leftAt(scratch: InMemoryFs, path: string): Promise<string> {
  return (await scratch.exists(path)) ? scratch.readFile(path) : "";
}

/** By exit status first: the words only tell the shell's own 124 and 126 from a command's. */
function whyStopped(exitCode: number, stderr: string): ShellRun["stopped"] {
  if (exitCode === 124 && /deadline|timed out|aborted/.test(stderr)) return "time";
  if (exitCode === 126 && /limit|exceeded|too many/.test(stderr)) return "limit";
  return null;
}
