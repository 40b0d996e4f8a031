// The tool process of a session on a real machine: what became of commands in the background. A session reaches its own only.
import * as z from "zod";
import type { CallGate, Tool, ToolContext, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import type { Result } from "../../errors.ts";
import type { ExecCommandState } from "../../schemas/exec.ts";
import { gateCommand } from "../approval/command-gate.ts";
import { fitsIn, takeStart } from "../clip.ts";
import {
  describeState,
  fromCommandId,
  toCommandId,
  toCommandResult,
  toExecOp,
  toHostFailure,
  toPrefix,
  waitForCommand,
} from "./host-command.ts";
import type { HostToolOptions } from "./host-tool-options.ts";

const DEFAULT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 600_000;
const SLACK_MS = 45_000;
const LOG_BYTES = 64 << 10;
const MAX_LISTED_CHARS = 200;

const Args = z.strictObject({
  action: z
    .enum(["list", "poll", "log", "wait", "kill", "write"])
    .describe(
      "list: all commands of this session. poll: the state of one and its output. log: its output from offset on. wait: as " +
        "poll, once it has ended. kill: end it. write: to its standard input.",
    ),
  id: z.string().min(1).max(150).optional().describe("The id from terminal or list. Every action but list needs it."),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe("For log: the first byte to read. Default: 0; then `next` of the last result."),
  data: z.string().max(1_000_000).optional().describe("For write: the text, with its line breaks."),
  end: z.boolean().optional().describe("For write: close the standard input afterwards."),
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_WAIT_MS)
    .optional()
    .describe(`For wait: milliseconds at most. Default: ${DEFAULT_WAIT_MS}.`),
});
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Looks after the commands that terminal started in the background: lists them, reads what they write, waits for their end, " +
  "writes to their input, ends them. They end with the machine's exec host, and after a day.";

export function createProcess(options: HostToolOptions): Tool<Args> {
  return {
    name: "process",
    description: DESCRIPTION,
    parameters: Args,
    effect: "unkeyed",
    reattaches: true,
    failsOften: true,
    gate,
    timeoutMs: ({ timeout_ms }) => (timeout_ms ?? DEFAULT_WAIT_MS) + SLACK_MS,
    run: (args, context) => run(options, args, context),
  };
}

/** What is written to a shell or an interpreter runs there, so it is judged like a command. */
function gate({ action, id, data }: Args): CallGate {
  if (action !== "write" || !data) return { verdict: "run" };
  const judged = gateCommand(data);
  if (judged.verdict !== "ask") return judged;
  // Only once: what the same words do depends on what runs there.
  return { verdict: "ask", summary: `write to the running command ${id}: ${data}`, reasons: judged.reasons };
}

async function run(options: HostToolOptions, args: Args, context: ToolContext): Promise<ToolResult> {
  const { exec, session } = options;
  const { signal } = context;
  if (args.action === "list") return list(options, signal);
  if (args.id === undefined) return fail("bad_arguments", "This action needs an id: list shows them.");
  const op = fromCommandId(args.id, session);
  switch (args.action) {
    case "poll":
      return toResult(await exec.command(op, 0, signal), options);
    case "log":
      return log(options, op, args.offset ?? 0, signal);
    case "wait":
      return toResult(await waitForCommand(options, op, args.timeout_ms ?? DEFAULT_WAIT_MS, signal), options);
    case "kill":
      return killed(await exec.kill(op, signal), options);
    case "write":
      return write(options, op, args, context);
  }
}

function toResult(state: Result<ExecCommandState>, options: HostToolOptions): ToolResult {
  if (state.ok) return toCommandResult(state.value, options);
  if (state.failure.code === "command_unknown") return fail("process_unknown", PROCESS_UNKNOWN);
  return toHostFailure(state.failure);
}

const PROCESS_UNKNOWN =
  "This session has no such command. List shows those it has; commands of before a restart of the exec host have been ended.";

/** A command that was ended on purpose is not a failure of the call. */
function killed(state: Result<ExecCommandState>, options: HostToolOptions): ToolResult {
  if (!state.ok) return toResult(state, options);
  return { ...toCommandResult(state.value, options), failed: false };
}

async function list({ exec, session }: HostToolOptions, signal: AbortSignal): Promise<ToolResult> {
  const listed = await exec.commands(toPrefix(session), signal);
  if (!listed.ok) return toHostFailure(listed.failure);
  const shown = listed.value.commands.filter(({ background }) => background);
  const states = shown.map((state) => ({ id: toCommandId(state.op, session), ...describeState(state, session) }));
  const commands = Object.fromEntries(
    shown.map(({ op, command }) => [toCommandId(op, session), takeStart(command, MAX_LISTED_CHARS)]),
  );
  return succeed({ processes: states }, { own: { commands } });
}

async function log(options: HostToolOptions, op: string, from: number, signal: AbortSignal): Promise<ToolResult> {
  const limit = Math.min(LOG_BYTES, options.settings.turn.maxResultChars);
  const read = await options.exec.output(op, { from, limit, waitMs: 0 }, signal);
  if (!read.ok) {
    if (read.failure.code === "command_unknown") return fail("process_unknown", PROCESS_UNKNOWN);
    return toHostFailure(read.failure);
  }
  const { text, bytes, state, next, from: start } = read.value;
  const room = options.settings.turn.maxResultChars - ENVELOPE_CHARS;
  const shown = fitsIn(text, room) ? text : takeStart(text, room);
  const end = shown === text ? next : start + new TextEncoder().encode(shown).length;
  const gap = start > from ? { left_out: start - from } : {};
  return succeed({ state, offset: start, next: end, bytes, more: end < bytes, ...gap }, { content: { stdout: shown } });
}

const ENVELOPE_CHARS = 300;

async function write(options: HostToolOptions, op: string, args: Args, context: ToolContext): Promise<ToolResult> {
  const { resumed, signal } = context;
  const request = { op: toExecOp(context.op), attach: resumed === true, data: args.data ?? "", end: args.end ?? false };
  const written = await options.exec.write(op, request, signal);
  if (!written.ok) {
    if (written.failure.code === "command_unknown") return fail("process_unknown", PROCESS_UNKNOWN);
    return toHostFailure(written.failure);
  }
  return succeed({ ...describeState(written.value, options.session), written_chars: request.data.length });
}
