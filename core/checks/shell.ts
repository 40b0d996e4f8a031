// Runs a command or a shell script of a check in just-bash, over files that are in memory and gone afterwards. No network,
// no host, a limit on everything. Called by run-checks.ts.
import { Bash, InMemoryFs } from "just-bash/browser";
import { createShellCommands } from "../tools/shell/shell-commands.ts";
import { MAX_OUTPUT_CHARS, type Program, type ProgramRun } from "./program.ts";

const FOLDER = "/skill";
const MAX_MS = 5_000;
const MAX_BYTES = 16_000_000;

/** Tighter than a session's: a check is small, and nobody waits for what it might have written. */
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

/** Throws only what just-bash throws for no reason of the script's. */
export async function runShellCheck({ files }: Program, command: string): Promise<ProgramRun> {
  const entries = Object.entries(files).map(([path, text]) => [`${FOLDER}/${path}`, text]);
  const fs = new InMemoryFs(Object.fromEntries(entries), { maxTotalBytes: MAX_BYTES });
  for (const folder of ["/tmp", "/dev", FOLDER]) fs.mkdirSync(folder, { recursive: true });
  const bash = new Bash({
    fs,
    cwd: FOLDER,
    env: { HOME: FOLDER },
    customCommands: createShellCommands().commands,
    // It patches globals, and an isolate is shared with the streams and timers of others.
    defenseInDepth: false,
    executionLimits: LIMITS,
    // Nothing happens meanwhile that could be waited for.
    sleep: async () => {},
  });
  const { exitCode, stdout, stderr } = await bash.exec(command, { rawScript: true });
  return {
    exitCode,
    stdout: cap(stdout),
    stderr: cap(stderr.replace(LIBRARY_ADVICE, "")),
    stopped: whyStopped(exitCode, stderr),
  };
}

/** Meant for whoever embeds the shell: a check has no such setting. */
const LIBRARY_ADVICE = /, increase executionLimits\.\w+/g;

function cap(text: string): string {
  return text.slice(0, MAX_OUTPUT_CHARS).toWellFormed();
}

/** By exit status first: the words only tell the shell's own 124 and 126 from a command's. */
function whyStopped(exitCode: number, stderr: string): ProgramRun["stopped"] {
  if (exitCode === 124 && /deadline|timed out|aborted/.test(stderr)) return "time";
  if (exitCode !== 126 || !/limit|exceeded|too many/.test(stderr)) return null;
  return /output/.test(stderr) ? "output" : /bytes|memory|length/.test(stderr) ? "memory" : "time";
}
