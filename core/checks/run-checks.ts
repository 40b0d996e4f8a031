// Runs the checks of a skill and returns the result of each. Created by the Session, the review Worker and the curator Worker, each
// with the QuickJS module of its own bundle. A check sees the skill's files and its own. No state remains after a check.
import { clip } from "../clip.ts";
import { messageOf } from "../errors.ts";
import type { FileBodies } from "../schemas/file-body.ts";
import { type Check, type CheckResult, MAX_CHECKS, type RunChecks, checkPaths, readCheck } from "../skills/checks.ts";
import type { ProgramRun } from "../sandbox/program.ts";
import { type Sandbox, createSandbox } from "../sandbox/check-sandbox.ts";
import { runShellCheck } from "./shell.ts";
import { findSyntaxError } from "./syntax.ts";

export function createCheckRunner(quickjs: WebAssembly.Module): RunChecks {
  const sandbox = createSandbox(quickjs);
  const run = async (files: FileBodies, paths = checkPaths(files)): Promise<CheckResult[]> => {
    const results: CheckResult[] = [];
    // Sequentially: each check may use all the memory that is reserved for one.
    for (const path of paths.slice(0, MAX_CHECKS)) results.push(await runOne(sandbox, path, files));
    const beyond = paths.slice(MAX_CHECKS).map((path) => notRunnable(path, `only ${MAX_CHECKS} checks of a skill run`));
    return [...results, ...beyond];
  };
  return Object.assign(run, {
    parse: (path: string, text: string) => findSyntaxError(path, text, sandbox),
    shell: runShellCheck,
  });
}

async function runOne(sandbox: Sandbox, path: string, files: FileBodies): Promise<CheckResult> {
  const read = readCheck(path, files);
  if (!read.ok) return notRunnable(path, read.failure.message);
  try {
    return await judge(sandbox, path, read.value, await runCheck(sandbox, read.value, files));
  } catch (thrown) {
    // A fault of the tools that run the check, not of the check itself.
    return notRunnable(path, `it could not be run: ${messageOf(thrown)}`);
  }
}

function runCheck(sandbox: Sandbox, { files, run }: Check, own: FileBodies): Promise<ProgramRun> {
  const texts = Object.entries(own).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const program = { files: { ...Object.fromEntries(texts), ...files } };
  if ("command" in run) return runShellCheck(program, run.command);
  if (run.script.endsWith(".js")) return sandbox.run({ ...program, entry: run.script });
  return runShellCheck(program, `bash ${quote(run.script)}`);
}

/** Quotes a word for the shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

const STOPPED: Record<NonNullable<ProgramRun["stopped"]>, string> = {
  time: "it did not end in time",
  memory: "it exceeded the memory or stack limit of a check",
  output: "it exceeded the output limit of a check",
};

async function judge(
  sandbox: Sandbox,
  path: string,
  { expect }: Check,
  { exitCode, stdout, stderr, stopped }: ProgramRun,
): Promise<CheckResult> {
  const output = clip([stdout, stderr].filter(Boolean).join(stdout.endsWith("\n") ? "" : "\n"), MAX_SHOWN_CHARS);
  const failed = (why: string) => ({ check: path, ok: false, runnable: true, why, output });
  if (stopped) return failed(STOPPED[stopped]);
  const matched = await sandbox.matches(expect.pattern, stdout);
  if (matched && exitCode === expect.exitCode) return { check: path, ok: true, runnable: true, why: "", output };
  const missing = missingIn(stderr);
  if (missing) return { ...notRunnable(path, `it needs ${missing}, which is not available`), output };
  if (exitCode !== expect.exitCode) return failed(`it ended with exit code ${exitCode} instead of ${expect.exitCode}`);
  const pattern = `/${expect.pattern}/`;
  if (matched === null) return failed(`${pattern} is not a valid regular expression, or takes too long to match`);
  return failed(`nothing in its output matches ${pattern}`);
}

/** The command, global or module that only another runtime has. The shell cannot tell a misspelt command from a missing one. */
function missingIn(stderr: string): string | null {
  const command = /^(?:bash: )?(?:line \d+: )?(\S{1,40}): command not (?:found|available)/m.exec(stderr);
  if (command) return `the command ${command[1]}`;
  const name = /^ReferenceError: '?(require|module|process|Buffer|fetch|Deno|Bun|window|document|setTimeout)'? is not/m;
  const global = name.exec(stderr);
  if (global) return `\`${global[1]}\` of another runtime (a script has console.log and readFile(path))`;
  const module = /there is no file '([^'./][^']{0,60})' to import/.exec(stderr);
  return module && `the module ${module[1]}`;
}

const MAX_SHOWN_CHARS = 1_000;

function notRunnable(check: string, why: string): CheckResult {
  return { check, ok: false, runnable: false, why: clip(why, MAX_SHOWN_CHARS), output: "" };
}
