// What the tools terminal and process share: names of a session's commands, waiting for one, and its state as a result. Pure but for
// the host and the clock that it is given.
import type { ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { type Failure, type Result, err } from "../../errors.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import type { ExecCommandState, ExecStream } from "../../schemas/exec.ts";
import { fitStreams } from "../shell/fit-streams.ts";
import type { HostToolOptions } from "./host-tool-options.ts";

/** One request waits this long: much longer ones look dead to proxies. */
const WAIT_MS = 25_000;
/** A host or a proxy that answers at once, though the command runs, is not asked more often. */
const MIN_WAIT_MS = 1_000;
/** Waits between attempts at a host that does not answer: it may be restarting. */
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000];
/** The kill of a called-off command may arrive before the command does. */
const KILL_RETRY_MS = 500;
const KILL_TRIES = 4;

/** An op has letters that the host accepts, and begins with the session. */
export function toExecOp(op: string): string {
  return op.replace(/[^\w.:-]/g, "_");
}

/** The id by which the model knows a command: its op without the session. */
export function toCommandId(op: string, session: string): string {
  return op.slice(session.length + 1);
}

export function fromCommandId(id: string, session: string): string {
  return `${session}-${id}`;
}

export function toPrefix(session: string): string {
  return `${session}-`;
}

/** Waits for the end of a command, at most `ms`: the state then. Tries again while the host does not answer. */
export async function waitForCommand(
  { exec, clock }: Pick<HostToolOptions, "exec" | "clock">,
  op: string,
  ms: number,
  signal: AbortSignal,
): Promise<Result<ExecCommandState>> {
  const until = clock.now() + ms;
  let tries = 0;
  for (;;) {
    if (signal.aborted) return err("aborted", "The call was called off.");
    const asked = clock.now();
    const left = Math.max(0, until - asked);
    const state = await exec.command(op, Math.min(WAIT_MS, left), signal);
    if (state.ok) {
      tries = 0;
      if (state.value.state === "ended" || clock.now() >= until) return state;
      if (clock.now() - asked < MIN_WAIT_MS) await clock.sleep(MIN_WAIT_MS, signal);
      continue;
    }
    const retryMs = RETRY_MS[tries++];
    if (!isAway(state.failure) || retryMs === undefined) return state;
    await clock.sleep(retryMs, signal);
  }
}

/** Ends a command whose call was called off. Not awaited by anybody: the host's own time limit ends it otherwise. */
export async function endCommand({ exec, clock }: Pick<HostToolOptions, "exec" | "clock">, op: string): Promise<void> {
  const own = new AbortController();
  for (let tries = 0; tries < KILL_TRIES; tries++) {
    if ((await exec.kill(op, own.signal)).ok) return;
    await clock.sleep(KILL_RETRY_MS);
  }
}

function isAway({ code }: Failure): boolean {
  return code === "host_unreachable" || code === "host_failed" || code === "host_garbled";
}

/** A host that was started again knows nothing of a command, and has killed it. */
export function toHostFailure({ code, message }: Failure): ToolResult {
  if (code === "op_unknown" || code === "command_unknown") return fail("outcome_unknown", OUTCOME_UNKNOWN);
  return fail(code, message);
}

const OUTCOME_UNKNOWN =
  "The exec host does not know this call: it never arrived, or the host was started again and ended what ran. Whether it took " +
  "effect is unknown. Look before you do it again.";

/** The state of a command as a result: what was measured is `outcome`, what it wrote is `content`. */
export function toCommandResult(state: ExecCommandState, { session, settings }: HostToolOptions): ToolResult {
  const outcome = describeState(state, session);
  const [stdout, stderr] = [joinStream(state.stdout), joinStream(state.stderr)];
  const fitted = fitStreams(stdout, stderr, settings.turn.maxResultChars - ENVELOPE_CHARS);
  if (fitted.cut || state.stdout.tail !== "" || state.stderr.tail !== "") outcome.truncated = true;
  if (outcome.truncated) outcome.output_bytes = state.stdout.bytes + state.stderr.bytes;
  const result = succeed(outcome, {
    content: { stdout: fitted.stdout, ...(state.background ? {} : { stderr: fitted.stderr }) },
  });
  return { ...result, failed: state.state === "ended" && (state.exitCode !== 0 || state.reason !== "exited") };
}

/** Room for the outcome's sentence and the keys. */
const ENVELOPE_CHARS = 600;

export function describeState(
  state: Omit<ExecCommandState, "stdout" | "stderr" | "dropped">,
  session: string,
): JsonObject {
  const { op, exitCode, durationMs, reason, leftovers, signal } = state;
  const common = { ...(state.background && { id: toCommandId(op, session) }), duration_ms: durationMs };
  if (state.state === "running") return { state: "running", ...common };
  return {
    ...(state.background && { state: "ended" }),
    exit_code: exitCode,
    ...common,
    ...(signal !== null && { signal }),
    ...(leftovers > 0 && reason === "exited" && { processes_killed_at_end: leftovers }),
    ...explainEnd(state),
  };
}

function explainEnd({
  reason,
  signal,
  durationMs,
}: Pick<ExecCommandState, "reason" | "signal" | "durationMs">): JsonObject {
  switch (reason) {
    case "timed_out":
      return {
        code: "timed_out",
        error: `The command was stopped after ${durationMs} ms, with all that it had started. Let it do less, give it more time with timeout_ms, or start it with background.`,
      };
    case "killed":
      return { code: "killed", error: "The command was ended, with all that it had started." };
    case "signalled":
      return { code: "signalled", error: `The command was ended by ${signal}.` };
    default:
      return {};
  }
}

function joinStream({ bytes, head, tail }: ExecStream): string {
  if (tail === "") return head;
  const shown = new TextEncoder().encode(head + tail).length;
  return `${head}\n[... about ${Math.max(0, bytes - shown)} bytes left out ...]\n${tail}`;
}
