// Runs a shell command or script of a check in just-bash, over an in-memory file system that is discarded afterwards. Called by
// run-checks.ts. Must never reach the network or the host; every resource is limited.
import { Bash, InMemoryFs } from "just-bash/browser";
import { createShellCommands } from "../tools/shell/shell-commands.ts";
import { MAX_OUTPUT_CHARS, type Program, type ProgramRun } from "../sandbox/program.ts";

const FOLDER = "/skill";
const MAX_MS = 5_000;
const MAX_BYTES = 16_000_000;

/** Tighter than a session's, because a check is small and its files are discarded. */
const LIMITS = {
  maxSourceBytes: 100_000,
  maxCommandCount: 20_000,
  maxLoopIterations: 20_000,
  maxAwkIterations: 200_000,
  maxSedIterations: 20_000,
  maxJqIterations: 20_000,
  maxOutputSize: 1_000_000,
  maxStringLength: 4_000_000,
  maxLiveBytes: MAX_BYTES,
  maxInputBytes: MAX_BYTES,
  maxExecutionTimeMs: MAX_MS,
};

/** `keep`: which part of an output that is too long is kept; the beginning by default. Throws only on a fault of just-bash itself. */
export async function runShellCheck(
  { files }: Program,
  command: string,
  { keep = "start" }: { keep?: "start" | "end" } = {},
): Promise<ProgramRun> {
  const entries = Object.entries(files).map(([path, text]) => [`${FOLDER}/${path}`, text]);
  const fs = new InMemoryFs(Object.fromEntries(entries), { maxTotalBytes: MAX_BYTES });
  for (const folder of ["/tmp", "/dev", FOLDER]) fs.mkdirSync(folder, { recursive: true });
  const bash = new Bash({
    fs,
    cwd: FOLDER,
    env: { HOME: FOLDER },
    customCommands: createShellCommands().commands,
    // Off: it patches globals, and other requests share the isolate's streams and timers.
    defenseInDepth: false,
    executionLimits: LIMITS,
    // Nothing runs concurrently, so there is nothing to wait for.
    sleep: async () => {},
  });
  const { exitCode, stdout, stderr } = await bash.exec(command, { rawScript: true });
  return {
    exitCode,
    stdout: cap(stdout, keep),
    stderr: cap(stderr.replace(LIBRARY_ADVICE, ""), keep),
    stopped: toStopReason(exitCode, stderr),
  };
}

/** Removed from messages: it addresses the shell's embedder, and a check has no such setting. */
const LIBRARY_ADVICE = /, increase executionLimits\.\w+/g;

function cap(text: string, keep: "start" | "end"): string {
  const kept = keep === "start" ? text.slice(0, MAX_OUTPUT_CHARS) : text.slice(-MAX_OUTPUT_CHARS);
  return kept.toWellFormed();
}

/** The exit code decides. The message only distinguishes the shell's own 124 and 126 from a command's. */
function toStopReason(exitCode: number, stderr: string): ProgramRun["stopped"] {
  if (exitCode === 124 && /deadline|timed out|aborted/.test(stderr)) return "time";
  if (exitCode !== 126 || !/limit|exceeded|too many/.test(stderr)) return null;
  if (/output/.test(stderr)) return "output";
  return /bytes|memory|length/.test(stderr) ? "memory" : "time";
}
