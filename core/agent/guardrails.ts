// Detects loops in a turn: repeated failures, repeated results, repeated cycles of calls. step-calls.ts asks before each call and
// reports after it. The thresholds are those of Hermes Agent's tool loop guardrails. Pure: the state follows from the recorded
// results alone, so a resumed turn makes the same decisions.
import { isObject } from "../unknown-object.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { ClosingCode, JsonObject, Part, ToolCall } from "../schemas/entry.ts";
import type { Settings } from "../schemas/settings.ts";
import type { Effect, Tool, ToolResult } from "./contract.ts";

export type GuardSettings = Settings["guardrails"];

/** The facts about a call that guardrails use. `effect` is null if there is no tool of that name. */
export interface GuardedCall {
  tool: string;
  /** Tool and arguments. Equal for equal calls. */
  signature: string;
  effect: Effect | null;
  failsOften: boolean;
  /** The replaced file or skill. Equal for calls that replace the same one. */
  target: string | null;
}

export interface GuardedResult {
  failed: boolean;
  /** Equal for equal results. */
  fingerprint: string;
  /** The harness refused the call, so it counts neither as a failure of the tool nor as a use of it. */
  refused: boolean;
}

export type GuardDecision =
  | { action: "allow" }
  /**
   * `warn`: the message is added to the result. `synthesise`: the call is not run, and a refusal replaces its result. `halt`: the
   * turn gets one closing answer without tools.
   */
  | { action: "warn" | "synthesise"; code: GuardCode; message: string }
  | ({ action: "halt" } & HaltReason);

export type GuardCode =
  | "repeated_failure"
  | "tool_keeps_failing"
  | "no_progress"
  | "identical_calls"
  | "repeating_cycle"
  | "call_limit";

/** Why a turn gets one closing answer without tools. */
export interface HaltReason {
  code: ClosingCode;
  message: string;
}

/** Progress of one turn over its answers with calls. `observeStep` mutates it. */
export interface HeadwayState {
  /** Consecutive answers without any call that could be run as written. */
  unusable: number;
  /** Consecutive answers without a new success. */
  fruitless: number;
  /** Successful calls with their results. */
  seen: Set<string>;
  /** Consecutive answers whose results, digits aside, had all come before. */
  unvaried: number;
  /** Results so far, digits aside. */
  texts: Set<string>;
}

export const startHeadway = (): HeadwayState => ({
  unusable: 0,
  fruitless: 0,
  seen: new Set(),
  unvaried: 0,
  texts: new Set(),
});

/** One call of an answer with its result. */
export interface StepResult {
  guarded: GuardedCall;
  result: GuardedResult;
  /** From `toComparableText`. */
  text: string;
  /** False: the call was cut off, was not JSON, named an unknown tool, or did not fit the schema. */
  usable: boolean;
}

/** The calls of one turn so far. Immutable: each `observeCall` returns a new state. */
export interface GuardState {
  /** Failures by signature, since the call last succeeded or any tool last changed something. */
  readonly failures: ReadonlyMap<string, number>;
  /** The same, by tool. */
  readonly toolFailures: ReadonlyMap<string, number>;
  /** By signature of a reading call: its last result, how often in a row it came, and the number of changes before it. */
  readonly reads: ReadonlyMap<string, { fingerprint: string; times: number; changes: number }>;
  /** Successful calls of tools that change something. */
  readonly changes: number;
  /** Calls that ran, by tool. */
  readonly ran: ReadonlyMap<string, number>;
  /** The last calls with their results, oldest first. */
  readonly history: readonly { key: string; tool: string }[];
}

export const NO_CALLS: GuardState = {
  failures: new Map(),
  toolFailures: new Map(),
  reads: new Map(),
  changes: 0,
  ran: new Map(),
  history: [],
};

const MAX_HISTORY = 64;
const CYCLE_LENGTHS = [2, 3, 4];
const ALLOW: GuardDecision = { action: "allow" };

export function toGuardedCall(call: ToolCall, tool: Pick<Tool, "effect" | "failsOften"> | undefined): GuardedCall {
  const args = call.malformed === undefined ? canonicalJson(call.args) : call.malformed;
  return {
    tool: call.name,
    signature: `${call.name} ${sha256Hex(args)}`,
    effect: tool?.effect ?? null,
    failsOften: tool?.failsOften ?? false,
    target: tool?.effect === "keyed" ? findReplaced(call) : null,
  };
}

/** The file or skill that a call replaces; `null` if it appends to a file or adds to a list. */
function findReplaced({ name, args, malformed }: ToolCall): string | null {
  if (malformed !== undefined || args.append === true) return null;
  const target = [args.path, args.name, args.file_path].filter((part) => typeof part === "string");
  return target.length === 0 ? null : `${name} ${sha256Hex(JSON.stringify(target))}`;
}

/** A result without a fingerprint was made by the harness: no tool ran. */
export function toGuardedResult(result: ToolResult): GuardedResult {
  const { failed, print } = result;
  const fingerprint = print ?? `refused ${readOutcomeCode(result.parts)}`;
  return { failed, fingerprint, refused: print === undefined };
}

/** Results longer than this are compared exactly, including digits. */
const MAX_COMPARED_CHARS = 2_000;

/** A result's text with digits removed, so that a changing counter does not make it new. */
export function toComparableText(result: ToolResult): string {
  const chars = result.parts.reduce((sum, { text }) => sum + text.length, 0);
  if (chars > MAX_COMPARED_CHARS && result.print !== undefined) return result.print;
  const text = result.parts.map((part) => part.text).join("\n");
  return text.replace(/\d+/g, "0");
}

/**
 * Whether a call may run. `pending`: allowed calls of the same batch that have no result yet; they count, so that a batch cannot
 * exceed a limit. Without `hardStops` only the caps per turn apply.
 */
export function decideCall(
  settings: GuardSettings,
  state: GuardState,
  call: GuardedCall,
  { pending, hardStops }: { pending: readonly GuardedCall[]; hardStops: boolean },
): GuardDecision {
  const cap = settings.caps[call.tool] ?? 0;
  const used = (state.ran.get(call.tool) ?? 0) + pending.filter((other) => other.tool === call.tool).length;
  if (isReached(used, cap)) {
    const message = `${call.tool} was called ${used} times for this request, which is its limit. This call was not run. Continue with what you have.`;
    return { action: "synthesise", code: "call_limit", message };
  }
  if (!hardStops) return ALLOW;
  const failures = state.failures.get(call.signature) ?? 0;
  if (isReached(failures, settings.sameFailure.hard)) {
    const message = `This call failed ${failures} times with the same arguments, so it was not run again. Try another way, or say what prevents it.`;
    return { action: "synthesise", code: "repeated_failure", message };
  }
  const read = state.reads.get(call.signature);
  // A change since the last read may show in the result, so the call may run again.
  if (read && read.changes === state.changes && isReached(read.times, settings.noProgress.hard)) {
    const message = `This call gave the same result ${read.times} times, so it was not run again. Use that result.`;
    return { action: "synthesise", code: "no_progress", message };
  }
  return ALLOW;
}

/** The state after a call, and the decision for the turn. Without `hardStops` it warns but never halts. */
export function observeCall(
  settings: GuardSettings,
  state: GuardState,
  call: GuardedCall,
  result: GuardedResult,
  hardStops: boolean,
): { state: GuardState; decision: GuardDecision } {
  const remembered = remember(state, call, result);
  const next = result.refused ? remembered : count(remembered, call, result);
  const signs = findSigns(settings, next, call, result);
  const halting = hardStops ? signs.find((sign) => sign.halts && isReached(sign.times, sign.limits.hard)) : undefined;
  if (halting?.halts)
    return { state: next, decision: { action: "halt", code: halting.halts, message: halting.message } };
  const warning = settings.warnings ? signs.find((sign) => isReached(sign.times, sign.limits.warn)) : undefined;
  if (!warning) return { state: next, decision: ALLOW };
  const message = `${warning.message} ${ADVICE[warning.code] ?? ""}`.trim();
  return { state: next, decision: { action: "warn", code: warning.code, message } };
}

const ADVICE: Partial<Record<GuardCode, string>> = {
  repeated_failure: "Change something before you try again.",
  tool_keeps_failing: "Read what the errors say, and try another way.",
  no_progress: "Use that result instead of asking again.",
  identical_calls: "Do something else, or answer.",
  repeating_cycle: "Stop repeating: do something else, or answer.",
};

interface LoopSign {
  code: GuardCode;
  times: number;
  limits: { warn: number; hard: number };
  /** The code of the halt at the hard limit; `null` if `decideCall` enforces that limit, or there is none. */
  halts: ClosingCode | null;
  message: string;
}

/** The most specific first. */
function findSigns(settings: GuardSettings, state: GuardState, call: GuardedCall, result: GuardedResult): LoopSign[] {
  const failed = result.failed && !result.refused;
  const failures = failed ? (state.failures.get(call.signature) ?? 0) : 0;
  const toolFailures = failed ? (state.toolFailures.get(call.tool) ?? 0) : 0;
  const equalReads = failed || result.refused ? 0 : (state.reads.get(call.signature)?.times ?? 0);
  const identical = countIdentical(state.history);
  const cycle = findCycle(state.history);
  return [
    {
      code: "identical_calls",
      times: identical,
      limits: settings.identical,
      halts: "identical_calls",
      message: `${call.tool} was called ${identical} times in a row with the same arguments and the same result.`,
    },
    {
      code: "repeated_failure",
      times: failures,
      limits: settings.sameFailure,
      halts: null,
      message: `This call failed ${failures} times with the same arguments.`,
    },
    {
      code: "no_progress",
      times: equalReads,
      limits: settings.noProgress,
      halts: null,
      message: `This call gave the same result ${equalReads} times.`,
    },
    {
      code: "tool_keeps_failing",
      times: toolFailures,
      limits: settings.sameToolFailure,
      halts: call.failsOften ? null : "tool_keeps_failing",
      message: `${call.tool} failed ${toolFailures} times in a row.`,
    },
    {
      code: "repeating_cycle",
      times: cycle.laps,
      limits: settings.cycle,
      halts: "repeating_cycle",
      message: `The same ${cycle.period} calls with the same results were made ${cycle.laps} times over.`,
    },
  ];
}

function remember(state: GuardState, call: GuardedCall, result: GuardedResult): GuardState {
  const last = { key: `${call.signature} ${result.fingerprint}`, tool: call.tool };
  return { ...state, history: [...state.history, last].slice(-MAX_HISTORY) };
}

function count(state: GuardState, call: GuardedCall, result: GuardedResult): GuardState {
  const { tool, signature, effect } = call;
  const failures = new Map(state.failures);
  const toolFailures = new Map(state.toolFailures);
  const reads = new Map(state.reads);
  const ran = new Map(state.ran).set(tool, (state.ran.get(tool) ?? 0) + 1);
  let { changes } = state;
  if (result.failed) {
    failures.set(signature, (failures.get(signature) ?? 0) + 1);
    toolFailures.set(tool, (toolFailures.get(tool) ?? 0) + 1);
    reads.delete(signature);
  } else if (effect === "read") {
    failures.delete(signature);
    toolFailures.delete(tool);
    const before = reads.get(signature);
    reads.set(signature, {
      fingerprint: result.fingerprint,
      times: before?.fingerprint === result.fingerprint ? before.times + 1 : 1,
      changes,
    });
  } else if (effect === null) {
    failures.delete(signature);
    toolFailures.delete(tool);
  } else {
    // Something was changed: what failed before may succeed now.
    failures.clear();
    toolFailures.clear();
    changes += 1;
  }
  return { ...state, failures, toolFailures, reads, changes, ran };
}

/**
 * Judges all calls of one answer together. Only a success that is new in this turn counts as headway. A model that fails in
 * different words each time, or alternates between the same things, makes none.
 */
export function observeStep(
  { unusable, fruitless, unvaried }: Pick<GuardSettings, "unusable" | "fruitless" | "unvaried">,
  state: HeadwayState,
  results: readonly StepResult[],
  cutByLength: boolean,
): HaltReason | null {
  state.unusable = results.some(({ usable }) => usable) ? 0 : state.unusable + 1;
  const fresh = results.filter((one) => !one.result.failed && isFresh(state.seen, one));
  state.fruitless = fresh.length > 0 ? 0 : state.fruitless + 1;
  const isVaried = results.map((one) => hasNewText(state.texts, one, fresh.includes(one))).includes(true);
  state.unvaried = isVaried ? 0 : state.unvaried + 1;
  if (isReached(state.unusable, unusable)) {
    return cutByLength
      ? {
          code: "cut_calls",
          message: `The last ${state.unusable} answers had no usable tool call, and the newest was cut off at its length limit. Ask for the work in smaller pieces, or raise turn.maxOutputTokens.`,
        }
      : {
          code: "unusable_calls",
          message: `The last ${state.unusable} answers had no tool call that could be run as it was written.`,
        };
  }
  if (isReached(state.unvaried, unvaried)) {
    const said = `In the last ${state.unvaried} answers the calls differed, and what came of them was what had come before.`;
    return { code: "no_headway", message: said };
  }
  if (!isReached(state.fruitless, fruitless)) return null;
  const message = `The last ${state.fruitless} answers brought nothing new: every call failed, or gave what it had given before.`;
  return { code: "no_headway", message };
}

function isFresh(seen: Set<string>, { guarded, result }: StepResult): boolean {
  const key = `${guarded.signature} ${result.fingerprint}`;
  const isNew = !seen.has(key) || isPoller(guarded.tool);
  seen.add(key);
  return isNew;
}

/** Also true if the call changed another file or skill: such results have the same words each time. */
function hasNewText(known: Set<string>, { guarded, text }: StepResult, isFresh: boolean): boolean {
  const { tool, target } = guarded;
  const hasChanged = isFresh && guarded.effect === "keyed" && (target === null || !known.has(target));
  const isNew = !known.has(`${tool} ${text}`) || isPoller(tool) || hasChanged;
  known.add(`${tool} ${text}`);
  if (target !== null) known.add(target);
  return isNew;
}

/** How often the last call was made in a row with the same result. */
function countIdentical(history: GuardState["history"]): number {
  const last = history.at(-1);
  if (!last || isPoller(last.tool)) return 0;
  const other = history.findLastIndex(({ key }) => key !== last.key);
  return history.length - 1 - other;
}

/** The shortest cycle at the end of the history, of calls that are not all equal. */
function findCycle(history: GuardState["history"]): { period: number; laps: number } {
  for (const period of CYCLE_LENGTHS) {
    const lap = history.slice(-period);
    if (lap.length < period || lap.every(({ key }) => key === lap[0]!.key) || lap.some(({ tool }) => isPoller(tool))) {
      continue;
    }
    let length = period;
    while (length < history.length && history.at(-1 - length)!.key === history.at(-1 - length + period)!.key) length++;
    const laps = Math.floor(length / period);
    if (laps > 1) return { period, laps };
  }
  return { period: 0, laps: 0 };
}

/** Tools that are meant to be called repeatedly. */
function isPoller(tool: string): boolean {
  return /_poll$|^process|_get_result$/.test(tool);
}

function isReached(times: number, limit: number): boolean {
  return limit > 0 && times >= limit;
}

/** JSON with sorted keys. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    isObject(field) ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1))) : field,
  );
}

function readOutcomeCode(parts: Part[]): unknown {
  const outcome = parts.find((part) => part.source === "outcome");
  return outcome && (JSON.parse(outcome.text) as JsonObject).code;
}
