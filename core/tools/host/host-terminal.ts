// The tool terminal of a session on a real machine: runs one command on the exec host, or starts it in the background. A call that was
// cut off is asked after by its op and never runs again.
import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../agent/contract.ts";
import { succeed } from "../../agent/tool-result.ts";
import type { Result } from "../../errors.ts";
import type { ExecCommandState } from "../../schemas/exec.ts";
import { gateCommand } from "../approval/command-gate.ts";
import { describeState, endCommand, toCommandResult, toExecOp, toHostFailure, waitForCommand } from "./host-command.ts";
import type { HostToolOptions } from "./host-tool-options.ts";

const DEFAULT_TIMEOUT_MS = 180_000;
const MAX_TIMEOUT_MS = 600_000;
/** Between the command's time limit and the call's: for the end of its processes, and for a host that restarts. */
const SLACK_MS = 45_000;
/** A background command that fails at once is reported at once. */
const EARLY_END_MS = 1_000;
const FIRST_WAIT_MS = 25_000;

const Args = z.strictObject({
  command: z.string().min(1).max(100_000).describe("The bash command, or several lines of script."),
  workdir: z.string().max(4_000).optional().describe("The folder to start in, relative to the folder of the work."),
  stdin: z.string().max(1_000_000).optional().describe("The whole standard input. Default: none."),
  background: z
    .boolean()
    .optional()
    .describe("Start it and return at once, for servers and long work. Go on with `process` and the id in the result."),
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe(
      `Milliseconds after which the command is stopped. Default: ${DEFAULT_TIMEOUT_MS}; none in the background.`,
    ),
});
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Runs a bash command on a real machine, in the folder of the work, with what is installed there: python, git, compilers, " +
  "the network. A person may have to approve it first. Each call has a fresh shell; files stay. Every process that the " +
  "command leaves running is killed when it ends: start servers and long work with background instead of & or nohup. A " +
  "non-zero exit_code marks the call as failed. Long output is cut in the middle: filter it in the command. Interactive " +
  "programs get no terminal.";

export function createHostTerminal(options: HostToolOptions): Tool<Args> {
  return {
    name: "terminal",
    description: DESCRIPTION,
    parameters: Args,
    effect: "unkeyed",
    reattaches: true,
    failsOften: true,
    inPieces: "Write a long text with write_file, in parts, and let the command read it.",
    gate: ({ command, stdin }) => gateCommand(command, stdin),
    timeoutMs: ({ timeout_ms }) => (timeout_ms ?? DEFAULT_TIMEOUT_MS) + SLACK_MS,
    run: (args, context) => (args.background ? runInBackground(options, args, context) : run(options, args, context)),
  };
}

async function run(options: HostToolOptions, args: Args, context: ToolContext): Promise<ToolResult> {
  const { signal } = context;
  const op = toExecOp(context.op);
  const end = () => void endCommand(options, op);
  if (signal.aborted) return toHostFailure({ code: "aborted", message: "The call was called off before it began." });
  signal.addEventListener("abort", end, { once: true });
  try {
    const timeoutMs = args.timeout_ms ?? DEFAULT_TIMEOUT_MS;
    const started = await begin(options, args, context, Math.min(timeoutMs, FIRST_WAIT_MS));
    const state =
      started.ok && started.value.state === "running"
        ? await waitForCommand(options, op, timeoutMs + SLACK_MS / 2, signal)
        : started;
    return state.ok ? toCommandResult(state.value, options) : toHostFailure(state.failure);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

async function runInBackground(options: HostToolOptions, args: Args, context: ToolContext): Promise<ToolResult> {
  const started = await begin(options, args, context, EARLY_END_MS);
  if (!started.ok) return toHostFailure(started.failure);
  if (started.value.state === "ended") return toCommandResult(started.value, options);
  return succeed({ ...describeState(started.value, options.session), next: NEXT });
}

const NEXT = "It runs. Use process with this id to wait for it, to read what it writes, or to end it.";

/** Of a start that may have been lost on the way, the host is asked what became of it: it is never sent a second time. */
async function begin(
  { exec, clock }: HostToolOptions,
  { command, workdir, stdin, background = false, timeout_ms: timeoutMs }: Args,
  { op: callOp, resumed, signal }: ToolContext,
  waitMs: number,
): Promise<Result<ExecCommandState>> {
  const op = toExecOp(callOp);
  const request = { op, attach: resumed === true, command, folder: workdir, stdin, background, timeoutMs, waitMs };
  const started = await exec.start(request, signal);
  if (started.ok || !LOST.has(started.failure.code) || signal.aborted) return started;
  return waitForCommand({ exec, clock }, op, 0, signal);
}

const LOST = new Set(["host_unreachable", "host_failed", "host_garbled"]);
