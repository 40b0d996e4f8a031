// Runs one command in just-bash, with the workspace at /work and a temporary file system in memory elsewhere. Called by the
// tools terminal and search_files. No network, no host files, a limit on everything.
import { Bash, InMemoryFs, MountableFs } from "just-bash/browser";
import type { Clock } from "../../ports.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { WriteBudget } from "../../workspace/write-budget.ts";
import { createHeavyRun } from "./heavy-run.ts";
import type { Alternatives } from "./missing-commands.ts";
import { createShellCommands } from "./shell-commands.ts";

export interface ShellRun {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Why the command was stopped; `null`: it ended normally. */
  stopped: "time" | "limit" | "signal" | "writes" | "memory" | null;
}

export interface ShellOptions {
  workspace: Workspace;
  /** Limits what the turn may write. Each run also has its own limit. */
  turnBudget?: WriteBudget;
  signal: AbortSignal;
  /** Absent: no other session shares the isolate, and programs read the system's clock. */
  clock?: Clock;
  timeoutMs: number;
  /** What the sentences about missing commands name. Absent: nothing. */
  alternatives?: Alternatives | undefined;
  /** Further words of the command, taken literally. */
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
  const { commands, refusal } = createShellCommands(heavy, options.alternatives, options.clock);
  const bash = new Bash({
    fs: new MountableFs({
      base: scratch,
      mounts: [{ mountPoint: root, filesystem: mount.files }],
    }),
    cwd: root,
    env: { HOME: root },
    customCommands: commands,
    // This option patches globals, and an isolate is shared with the streams and timers of other sessions.
    defenseInDepth: false,
    executionLimits: { ...LIMITS, maxExecutionTimeMs: options.timeoutMs },
  });
  const result = await bash
    .exec(command, {
      rawScript: true, // otherwise just-bash trims lines, also in some here-documents
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
  // Some commands report a refused write differently, or not at all.
  const unreported = [...refused].filter((error) => !written.includes(error));
  const stderr = `${written}${unreported.map((error) => `bash: ${error}\n`).join("")}`;
  const whenWritable = mount.isSpent() ? "writes" : whyStopped(exitCode, stderr);
  const stopped = refusal() === null ? whenWritable : "memory";
  return {
    exitCode: stopped === "writes" && exitCode === 0 ? 1 : exitCode,
    stdout,
    stderr: stderr.replace(LIBRARY_ADVICE, ""),
    stopped: stopped === "time" && options.signal.aborted ? "signal" : stopped,
  };
}

/** Advice for programs that embed the shell. A model has no such setting. */
const LIBRARY_ADVICE = /, increase executionLimits\.\w+/g;
/** Limit of a run's files outside the workspace. */
const SCRATCH_BYTES = 16_000_000;

/**
 * Counters end a runaway command. A deadline fires only between steps, and the clock of an isolate does not advance while it
 * computes. Measured: a million awk iterations take about a second.
 */
const LIMITS = {
  maxSourceBytes: 200_000,
  maxCommandCount: 100_000,
  maxLoopIterations: 100_000,
  maxAwkIterations: 1_000_000,
  maxSedIterations: 100_000,
  maxJqIterations: 100_000,
  // Includes data in pipes, so the largest file must fit.
  maxOutputSize: 16_000_000,
  maxStringLength: 16_000_000,
  maxLiveBytes: 32_000_000,
  // The sum of all reads of files in a run: the largest file forty times.
  maxInputBytes: 400_000_000,
};

/** A redirection into a file that cannot be written ends the whole script with the file system's error. */
function toFailedRun(error: unknown): { exitCode: number; stdout: string; stderr: string } {
  if (!(error instanceof Error) || !/^E[A-Z]+: /.test(error.message)) throw error;
  return { exitCode: 1, stdout: "", stderr: `bash: ${error.message}\n` };
}

/** Reads what awk's `print > "/dev/stderr"` wrote: in this shell it creates a file instead of writing to the stream. */
async function leftAt(scratch: InMemoryFs, path: string): Promise<string> {
  return (await scratch.exists(path)) ? scratch.readFile(path) : "";
}

/** Messages of the shell and awk about arrays, variables and words that are too large. */
const OUT_OF_MEMORY =
  /\b((array|assignment|splitting|expansion|parameter|argument) element limit exceeded|size limit exceeded \(\d+( characters)?\)|string (length )?limit exceeded)/;

/** Decides by exit status. The text only separates the shell's own 124 and 126 from those of a command. */
function whyStopped(exitCode: number, stderr: string): ShellRun["stopped"] {
  if (exitCode === 124 && /deadline|timed out|aborted/.test(stderr)) return "time";
  if (exitCode === 126 && OUT_OF_MEMORY.test(stderr)) return "memory";
  if (exitCode === 126 && /limit|exceeded|too many/.test(stderr)) return "limit";
  return null;
}
