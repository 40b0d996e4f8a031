// One run of just-bash over a session's workspace: the workspace at /work, everything else in memory and gone afterwards.
// Called by the tools terminal and search_files. No network, no host files, a limit on everything.
import { Bash, InMemoryFs, MountableFs } from "just-bash/browser";
import type { Clock } from "../../ports.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { WriteBudget } from "../../workspace/write-budget.ts";
import { createHeavyRun } from "./heavy-run.ts";
import { createShellCommands } from "./shell-commands.ts";

export interface ShellRun {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** The command did not end by itself: out of time, over a limit, or called off by the signal. */
  stopped: "time" | "limit" | "signal" | "writes" | "memory" | null;
}

export interface ShellOptions {
  workspace: Workspace;
  /** What the turn may write. A run has a limit of its own besides. */
  turnBudget?: WriteBudget;
  signal: AbortSignal;
  /** Absent: nobody else runs here. */
  clock?: Clock;
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
  const { workspace, turnBudget } = options;
  const mount = workspace.mount({ turnBudget, onRefused: (error) => refused.add(error.message) });
  const heavy = options.clock && createHeavyRun(options.clock, options.signal, options.timeoutMs);
  const { commands, refusal } = createShellCommands(heavy);
  const bash = new Bash({
    fs: new MountableFs({
      base: scratch,
      mounts: [{ mountPoint: root, filesystem: mount.files }],
    }),
    cwd: root,
    env: { HOME: root },
    customCommands: commands,
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
    .catch(toFailedRun)
    .finally(() => heavy?.end());
  try {
    mount.flush();
  } catch (error) {
    refused.add(toFailedRun(error).stderr.trim());
  }
  const { exitCode } = result;
  // Commands may cut a character in half. No provider takes such text, and a result stays in every later request.
  const stdout = `${result.stdout}${await leftAt(scratch, "/dev/stdout")}`.toWellFormed();
  const errors = refusal() === null ? result.stderr : `${refusal()}\n`;
  const written = `${errors}${await leftAt(scratch, "/dev/stderr")}`.toWellFormed();
  // Some commands say something else of a file they may not write, or nothing at all.
  const unsaid = [...refused].filter((error) => !written.includes(error));
  const stderr = `${written}${unsaid.map((error) => `bash: ${error}\n`).join("")}`;
  const stopped = refusal() !== null ? "memory" : mount.isSpent() ? "writes" : whyStopped(exitCode, stderr);
  return {
    exitCode: stopped === "writes" && exitCode === 0 ? 1 : exitCode,
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
  // Added up over the run, by commands that read files: the largest one forty times.
  maxInputBytes: 400_000_000,
};

/** A redirection into a file that cannot be written ends the whole script with the file system's error. */
function toFailedRun(error: unknown): { exitCode: number; stdout: string; stderr: string } {
  if (!(error instanceof Error) || !/^E[A-Z]+: /.test(error.message)) throw error;
  return { exitCode: 1, stdout: "", stderr: `bash: ${error.message}\n` };
}

/** awk's `print > "/dev/stderr"` makes a file of that name here; what it holds was meant for the stream. */
async function leftAt(scratch: InMemoryFs, path: string): Promise<string> {
  return (await scratch.exists(path)) ? scratch.readFile(path) : "";
}

/** What the shell and awk say of arrays, variables and words that hold too much. */
const OUT_OF_MEMORY =
  /\b((array|assignment|splitting|expansion|parameter|argument) element limit exceeded|size limit exceeded \(\d+( characters)?\)|string (length )?limit exceeded)/;

/** By exit status first: the words only tell the shell's own 124 and 126 from a command's. */
function whyStopped(exitCode: number, stderr: string): ShellRun["stopped"] {
  if (exitCode === 124 && /deadline|timed out|aborted/.test(stderr)) return "time";
  if (exitCode === 126 && OUT_OF_MEMORY.test(stderr)) return "memory";
  if (exitCode === 126 && /limit|exceeded|too many/.test(stderr)) return "limit";
  return null;
}
