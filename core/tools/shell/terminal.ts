// The tool terminal: runs one shell command over the workspace. A command is not idempotent, so a call with an unknown end is
// never repeated.
import * as z from "zod";
import type { Tool, ToolResult } from "../../agent/contract.ts";
import { succeed } from "../../agent/tool-result.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import type { FileToolOptions } from "../files/file-tool-options.ts";
import { fitStreams } from "./fit-streams.ts";
import { type ShellRun, runShell } from "./shell.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 30_000;

const Args = z.strictObject({
  command: z.string().min(1).describe("The command, or several lines of script. It starts in /work."),
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe(`Milliseconds after which the command is stopped. Default: ${DEFAULT_TIMEOUT_MS}.`),
});
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Runs a command in a bash-like shell over the workspace, with pipes, loops, functions and here-documents. There are " +
  "awk, sed, grep, rg, jq, sort, uniq, cut, paste, join, tr, head, tail, wc, find, xargs, diff, od, date, seq, expr, " +
  "sha256sum and the usual file commands; no Python, compilers, network, installs or background jobs. Files under /work stay for the " +
  "whole session; /tmp, variables and the current folder last for one call. For arithmetic with fractions use awk, with " +
  'printf "%.2f" rather than print, which shortens large ones. This awk wants brackets after `length`, cannot count an ' +
  'array with it, and has no print | "command", system() or strftime(). A non-zero exit_code marks the call as failed. ' +
  "Long output is cut in the middle: filter it in the command.";

export function createTerminal({ workspace, settings, clock, budget, alternatives }: FileToolOptions): Tool<Args> {
  return {
    name: "terminal",
    description: DESCRIPTION,
    parameters: Args,
    effect: "unkeyed",
    staysInside: true,
    failsOften: true,
    inPieces: "Write a long text with write_file, in parts, and let the command read it.",
    async run(args, { signal }) {
      const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT_MS;
      const run = await runShell(args.command, {
        workspace,
        turnBudget: budget,
        signal,
        clock,
        timeoutMs,
        alternatives,
      });
      return toResult(run, timeoutMs, settings.turn.maxResultChars);
    },
  };
}

function toResult(run: ShellRun, timeoutMs: number, maxChars: number): ToolResult {
  const outcome: JsonObject = { exit_code: run.exitCode, ...explainStop(run.stopped, timeoutMs) };
  const { stdout, stderr, cut } = fitStreams(run.stdout, run.stderr, maxChars - ENVELOPE_CHARS);
  if (cut) outcome.truncated = true;
  const result = succeed(outcome, { content: { stdout, stderr } });
  return { ...result, failed: run.exitCode !== 0 };
}

function explainStop(stopped: ShellRun["stopped"], timeoutMs: number): JsonObject {
  switch (stopped) {
    case null:
      return {};
    case "signal":
      return { code: "aborted", error: "The command was called off before it ended. Files it had written are kept." };
    case "time":
      return {
        code: "timed_out",
        error: `The command was stopped after ${timeoutMs} ms; files it had written are kept. Let it do less, or give it more time with timeout_ms.`,
      };
    case "memory":
      return {
        code: "memory_limit",
        error:
          "A command was not run or not run to its end, because there is not enough memory for it; stderr says what fits. Keep large text in files and pipes, not in variables or arrays. Files written before are kept.",
      };
    case "writes":
      return {
        code: "write_limit",
        error:
          "The command has written all it may, as stderr says; files it had written before are kept. Write less often: gather lines and redirect a whole loop once (done > file). Do the rest in another call.",
      };
    case "limit":
      return {
        code: "command_limit",
        error:
          "The command ran over a limit of this shell, which stderr names; files it had written are kept. Let it do less, or in several calls.",
      };
  }
}

/** Room for the outcome's sentence and the keys. */
const ENVELOPE_CHARS = 300;
