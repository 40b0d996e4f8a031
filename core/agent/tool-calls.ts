// One tool call in three stages: prepare (find the tool, check the arguments), run (through the journal, with a timeout), finalise
// (limit the size, add a warning). Every error becomes a result that the model can read. Used by step-calls.ts.
import { isObject } from "../unknown-object.ts";
import { messageOf } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { ToolCall } from "../schemas/entry.ts";
import { SHORTENED } from "./compaction/compaction-prune.ts";
import type {
  Attempt,
  Serve,
  CallGate,
  CallWait,
  Effect,
  InnerCalls,
  Journal,
  Recorded,
  Tool,
  ToolContext,
  ToolResult,
} from "./contract.ts";
import type { GuardDecision } from "./guardrails.ts";
import { type ResultBudget, toRepeat } from "./result-budget.ts";
import { addToOutcome, fail, toPrint } from "./tool-result.ts";

/** Thrown when the turn is stopped while a tool runs; the call stays open. Only the loop may catch it. */
export class TurnStopped extends Error {
  override name = "TurnStopped";
}

/** Thrown when the turn is parked: a person is asked whether a call may run, or a call waits. Only the loop may catch it. */
export class TurnParked extends Error {
  override name = "TurnParked";
}

/** A call that can run, or the refusal it gets. `ours`: the harness refuses it, and the call itself may be valid. */
export type PreparedCall =
  | { tool: Tool; args: unknown; refusal: null }
  | { tool: Tool | null; args: null; refusal: ToolResult; ours: boolean; neverRan?: true };

/** A call whose tool may call others. */
export type OuterCall = Pick<Attempt, "op" | "note">;

export interface CallRules {
  /** Absent: every call runs. */
  serve?: Serve;
  clock: Clock;
  signal: AbortSignal;
  toolTimeoutMs: number;
  budget: ResultBudget;
  /** Whether the conversation already shows the same result of the same call. */
  isShown(result: ToolResult & { print: string }): boolean;
  /** Absent: the call's tool may not call others. */
  createInner?(outer: OuterCall, signal: AbortSignal): InnerCalls;
  /** The guardrails' decision about a result. A warning is added to the result. */
  judge(result: ToolResult): GuardDecision;
}

/**
 * Parses the arguments with the tool's schema. Calls of an answer that was cut by its length are refused, because they may be cut
 * themselves. `cutAfter`: tokens of that answer; `null` for a whole one.
 */
export function prepareCall(call: ToolCall, tools: ReadonlyMap<string, Tool>, cutAfter: number | null): PreparedCall {
  const tool = tools.get(call.name) ?? null;
  if (cutAfter !== null) return refuseCall(tool, "cut_by_length", toCutText(tool, cutAfter));
  if (!tool) {
    const names = [...tools.keys()].join(", ");
    return isWrong(tool, "unknown_tool", `There is no tool '${call.name}' here. Use one of: ${names}.`);
  }
  if (call.malformed !== undefined) {
    const text = "The arguments were not one JSON object. Call the tool again with valid JSON.";
    const isLong = call.malformed.length > LONG_ARGUMENTS_CHARS;
    return isWrong(tool, "bad_arguments", isLong ? `${text} They may be too long: ${inPieces(tool)}` : text);
  }
  // Otherwise the tool would write the mark into a file, instead of the text that the mark replaced (Hermes Agent).
  if (tool.effect !== "read" && SHORTENED.test(JSON.stringify(call.args))) {
    const text =
      "The arguments hold a text that was shortened in this conversation, not the text itself. Write all of it.";
    return isWrong(tool, "shortened_arguments", text);
  }
  const args = tool.parameters.safeParse(call.args);
  if (!args.success) {
    const problems = args.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
    return isWrong(tool, "bad_arguments", `The arguments do not fit ${call.name}: ${problems.join("; ")}.`);
  }
  return { tool, args: args.data, refusal: null };
}

const LONG_ARGUMENTS_CHARS = 4_000;
const MIN_PIECE_CHARS = 500;

/** A token has about four characters, so a piece with one character per token of the cut answer leaves room for the rest. */
function toCutText(tool: Tool | null, tokens: number): string {
  const chars = Math.max(MIN_PIECE_CHARS, tokens);
  return (
    "The answer reached its length limit, so this call was not run, and the same call would be cut off again. " +
    `${inPieces(tool)} Keep all calls of one answer under ${chars} characters together.`
  );
}

function inPieces(tool: Tool | null): string {
  return tool?.inPieces ?? "Do it in smaller pieces: one short call an answer, and less in each.";
}

/** A call that the harness does not run. This counts neither as a failure of the model nor of the tool. */
export function refuseCall(tool: Tool | null, code: string, error: string): PreparedCall {
  return toRefused(tool, fail(code, error));
}

export function toRefused(tool: Tool | null, refusal: ToolResult): PreparedCall {
  return { tool, args: null, refusal, ours: true };
}

/** A call whose refusal was decided and stored before its intent: no attempt can have run it. */
export function toDenied(tool: Tool, refusal: ToolResult): PreparedCall {
  return { tool, args: null, refusal, ours: true, neverRan: true };
}

/** `run` for a call that is refused already. */
export function gateOf({ tool, args, refusal }: PreparedCall): CallGate {
  return refusal === null ? (tool.gate?.(args) ?? { verdict: "run" }) : { verdict: "run" };
}

function isWrong(tool: Tool | null, code: string, error: string): PreparedCall {
  return { tool, args: null, refusal: fail(code, error), ours: false };
}

/** `ran`: false if the journal or a recording had the result already, or the journal reports the outcome as unknown. */
export type RanCall = Recorded<ToolResult> & { ran: boolean };

/**
 * The `index`-th call of a step, through the journal. A tool's fault never throws. Throws `Stopped`, and what the journal throws.
 * If the call needs no `prepare`, the intent is written synchronously.
 */
export async function runToolCall(
  journal: Journal,
  { step, index }: { step: number; index: number },
  work: { call: ToolCall; prepared: PreparedCall },
  rules: CallRules,
): Promise<RanCall> {
  const { call } = work;
  let { prepared } = work;
  const { tool } = prepared;
  const served = prepared.refusal === null ? (rules.serve?.(call, prepared.tool) ?? null) : null;
  let ran = false;
  const recorded = await journal.call(step, index, {
    call,
    effect: served ? "read" : effectOnReplay(prepared, journal),
    ...(served && Object.keys(served.prepared).length > 0 && { prepare: async () => served.prepared }),
    ...(prepared.refusal === null &&
      !served &&
      mayPrepare(prepared.tool, prepared.args) && {
        async prepare() {
          try {
            return (await tool?.prepare?.(prepared.args)) ?? {};
          } catch (error) {
            prepared = { tool, args: null, refusal: crashed(messageOf(error)), ours: false };
            return {};
          }
        },
      }),
    run: async (attempt) => {
      if (served) return served.take();
      ran = true;
      if (prepared.refusal !== null && prepared.ours) return prepared.refusal;
      const result = prepared.refusal ?? (await execute(prepared, attempt, rules));
      if (isWait(result)) return park(journal, result);
      return finaliseResult(result, { call, tool, entry: attempt.entry }, rules);
    },
  });
  if (!ran) rules.budget.count(recorded.value);
  return { ...recorded, ran };
}

/** The intent stays open, and the next attempt asks the tool again. */
function park(journal: Journal, wait: CallWait): ToolResult {
  if (!journal.park) return CANNOT_WAIT;
  journal.park(wait);
  throw new TurnParked();
}

const CANNOT_WAIT = fail(
  "cannot_wait",
  "This waits for something outside, and nothing can wait here. Do it another way.",
);

function isWait(result: ToolResult | CallWait): result is CallWait {
  return "asked" in result;
}

/** Whether the call's intent is recorded with facts from `prepare`. */
export function mayPrepare(tool: Tool, args: unknown): boolean {
  return tool.prepare !== undefined && (tool.prepares?.(args) ?? true);
}

/**
 * An earlier attempt may have run a call that this one refuses, also one whose tool is gone (an exec host that is not configured any
 * more). So an open intent may be answered with "was not run" only if the tool changes nothing.
 */
function effectOnReplay(prepared: PreparedCall, { toolsNeverChange }: Journal): Effect {
  const { tool, refusal } = prepared;
  if (refusal === null) return tool.reattaches ? "keyed" : tool.effect;
  if (tool === null && toolsNeverChange) return "read";
  return prepared.neverRan || tool?.effect === "read" ? "read" : "unkeyed";
}

/** An explicit abort reason: without one each abort creates an error with a stack trace. */
export const CALL_DONE = "done";

/** The result, or what the call waits for. A tool that ignores its signal is abandoned at the timeout. Throws `TurnStopped`. */
export async function execute(
  { tool, args }: Extract<PreparedCall, { refusal: null }>,
  attempt: Omit<Attempt, "entry">,
  { clock, signal, createInner, ...rules }: Pick<CallRules, "clock" | "signal" | "toolTimeoutMs" | "createInner">,
): Promise<ToolResult | CallWait> {
  const toolTimeoutMs = tool.timeoutMs?.(args) ?? rules.toolTimeoutMs;
  const own = new AbortController();
  const timer = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const onStop = () => {
    stopped.reject(new TurnStopped());
    own.abort();
  };
  const { op, prepared, resumed, fromContent } = attempt;
  const context: ToolContext = {
    op,
    prepared,
    ...(resumed && { resumed }),
    ...(fromContent && { fromContent }),
    signal: own.signal,
    ...(tool.callsTools && createInner && { inner: createInner(attempt, own.signal) }),
  };
  const time = async () => {
    await clock.sleep(toolTimeoutMs, timer.signal);
    if (!timer.signal.aborted) own.abort();
    return timedOut(tool, toolTimeoutMs);
  };
  if (signal.aborted) throw new TurnStopped();
  signal.addEventListener("abort", onStop, { once: true });
  try {
    const running = runGuarded(tool, args, context);
    const quick = await Promise.race([running, stopped.promise, soon()]);
    return quick ?? (await Promise.race([running, time(), stopped.promise]));
  } finally {
    signal.removeEventListener("abort", onStop);
    timer.abort(CALL_DONE);
  }
}

/** Most tools only use the session's own files. They end within these microtasks, and need no timer. */
const QUICK_TICKS = 12;

async function soon(): Promise<null> {
  for (let tick = 0; tick < QUICK_TICKS; tick++) await Promise.resolve();
  return null;
}

async function runGuarded(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult | CallWait> {
  try {
    const wait = await tool.wait?.(args, context);
    if (wait) return wait;
    const result: unknown = await tool.run(args, context);
    if (!isToolResult(result)) return BAD_RESULT;
    const { failed, parts, spent, delegated } = result;
    return { failed, parts, ...(spent && { spent }), ...(delegated && { delegated }) };
  } catch (error) {
    return crashed(messageOf(error));
  }
}

const BAD_RESULT = fail(
  "bad_tool_result",
  "The tool answered in a form that is not a result, so it is unknown what it did. Look before you call it again.",
);

/** Every part is a JSON object as text, with a source. */
function isToolResult(result: unknown): result is ToolResult {
  if (!isObject(result) || typeof result.failed !== "boolean" || !Array.isArray(result.parts)) return false;
  const parts: unknown[] = result.parts;
  return parts.every(
    (part) =>
      isObject(part) && typeof part.source === "string" && typeof part.text === "string" && isObjectJson(part.text),
  );
}

function crashed(why: string): ToolResult {
  return fail("tool_crashed", `The tool failed: ${why.slice(0, MAX_CRASH_CHARS)}. Try another way.`);
}

// From Hermes Agent: the characters of an exception's message that a model reads.
const MAX_CRASH_CHARS = 2_048;

function timedOut(tool: Tool, timeoutMs: number): ToolResult {
  const error = `${tool.name} did not end within ${Math.round(timeoutMs / 1_000)} seconds and was abandoned.`;
  const advice =
    tool.effect === "read"
      ? "Ask for less, or try another way."
      : "It may still have taken effect: look before you do it again.";
  return fail("timed_out", `${error} ${advice}`);
}

/** The name of a result that is moved into a file, unique to its call. */
export function toResultPlace(entry: number, tool: string): string {
  return `${entry}-${tool.replace(/[^\w-]+/g, "-").slice(0, 60)}`;
}

async function finaliseResult(
  result: ToolResult,
  { call, tool, entry }: { call: ToolCall; tool: Tool | null; entry: number },
  { budget, isShown, judge }: CallRules,
): Promise<ToolResult> {
  const raw = { ...result, print: toPrint(result) };
  const place = toResultPlace(entry, call.name);
  const repeat = isShown(raw) ? toRepeat(raw, call) : null;
  const shown = repeat ?? (await budget.fit(raw, place, tool?.keepsResults ?? false));
  const decision = judge(raw);
  return decision.action === "warn" ? addToOutcome(shown, { warning: decision.message }) : shown;
}

function isObjectJson(json: string): boolean {
  try {
    return isObject(JSON.parse(json));
  } catch {
    return false; // not JSON
  }
}
