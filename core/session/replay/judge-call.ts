// Whether one recorded call stands in the way of running its turn again. Called by replayable.ts, for each call of a turn. Pure.
import type { Tool } from "../../agent/contract.ts";
import { failureCode, readOutcome, wasDenied } from "../../learning/tool-facts.ts";
import { PROVIDER_TOOLS } from "../../memory/providers/tools.ts";
import type { ToolEntry } from "../../schemas/entry.ts";
import type { NotReplayable } from "../../schemas/learning/experiment.ts";
import { isObject } from "../../unknown-object.ts";

export interface Obstacle {
  reason: NotReplayable;
  why: string;
}

export interface CallWorld {
  /** The session's tools as they are now. */
  tools: ReadonlyMap<string, Tool>;
  /** Whether the whole of a result that was moved into a file is still in the workspace. */
  isKept(entry: ToolEntry): boolean;
}

/** How a replay carries out a call of a tool. `effect`: not at all. */
type Kind = "inside" | "read" | "effect";

/** Tools of ours that only read. Used for a tool that the session does not have any more. */
const READS = new Set([
  ...["web_search", "web_extract", "vision_analyze", "session_search", "tool_search", "tool_describe"],
  ...["browser_navigate", "browser_snapshot", "browser_scroll", "browser_back"],
  ...PROVIDER_TOOLS,
]);

/** A person's answer is in the log, as the result of a read is. */
const ASKING_TOOL = "clarify";
const CODE_TOOL = "execute_code";
/** Calls another tool by the name in its arguments. */
const BRIDGE_TOOL = "tool_call";

/** Codes of calls that the harness did not run. See also `wasDenied`. */
const NOT_RUN = new Set(
  (
    "unknown_tool bad_arguments shortened_arguments cut_by_length cannot_wait redirected denied_by_policy not_in_replay read_first " +
    "not_your_card repeated_failure tool_keeps_failing no_progress identical_calls repeating_cycle call_limit"
  ).split(" "),
);

/** Tools that check a write as a whole before they write: if one refuses, it has changed nothing. */
const CHECKED_WRITES = new Set(["skill_manage", "memory"]);
/** Codes of failures after which such a tool may have written nevertheless. */
const UNSURE = new Set(["timed_out", "tool_crashed", "bad_tool_result", "withheld_by_policy", "outcome_unknown"]);

/** `null`: the call does not stand in the way. */
export function judgeCall(entry: ToolEntry, world: CallWorld): Obstacle | null {
  const { call, n } = entry;
  if (entry.state === "open" || (entry.failed && failureCode(entry) === "outcome_unknown")) {
    const why = `It was cut off during a call of ${call.name} (entry ${n}), and nobody knows whether that took effect.`;
    return { reason: "outcome_unknown", why };
  }
  if (call.name === CODE_TOOL) return judgeCode(entry, world);
  const name = targetOf(entry);
  const kind = kindOf(name, world);
  if (kind === "effect") return hasDoneNothing(entry) ? null : acted(name, n);
  if (kind === "read" && readOutcome(entry).moved !== undefined && !world.isKept(entry)) {
    return {
      reason: "result_not_kept",
      why: `The whole result of ${name} (entry ${n}) was in a file that is gone or was changed.`,
    };
  }
  return null;
}

function acted(tool: string, entry: number, how = "It called"): Obstacle {
  const why = `${how} ${tool} (entry ${entry}), which may have changed something outside its workspace.`;
  return { reason: "effect_outside", why };
}

/** What code called: the log has the names of all its calls, and how those ended that may have changed something; no results. */
function judgeCode(entry: ToolEntry, world: CallWorld): Obstacle | null {
  const { n, call, prepared } = entry;
  const changed = namesIn(prepared.inner).find((name) => kindOf(name, world) === "effect");
  if (changed !== undefined) return acted(changed, n, "Its code called");
  const { calls, moved, cut } = readOutcome(entry);
  // A long list of calls is not kept with a long result. Then the code itself says which tools it may have called.
  const isUnknown = calls === undefined && (moved !== undefined || cut !== undefined);
  const { code } = call.args;
  const outside = [...world.tools.keys()].filter((name) => kindOf(name, world) === "read");
  const named = isUnknown ? outside.filter((name) => typeof code === "string" && code.includes(name)) : namesIn(calls);
  const read = named.find((name) => kindOf(name, world) === "read");
  if (read === undefined) return null;
  const why = `Its code called ${read} (entry ${n}), and what code reads from outside its workspace is not kept.`;
  return { reason: "result_not_kept", why };
}

function namesIn(calls: unknown): string[] {
  const all: unknown[] = Array.isArray(calls) ? calls : [];
  return all.flatMap((one) => (isObject(one) && typeof one.tool === "string" ? [one.tool] : []));
}

function targetOf({ call }: ToolEntry): string {
  const { name } = call.args;
  return call.name === BRIDGE_TOOL && typeof name === "string" ? name : call.name;
}

function kindOf(name: string, { tools }: CallWorld): Kind {
  const tool = tools.get(name);
  if (tool?.staysInside) return "inside";
  if (name === ASKING_TOOL) return "read";
  return (tool ? tool.effect === "read" : READS.has(name)) ? "read" : "effect";
}

/** The call failed before it did anything. */
function hasDoneNothing(entry: ToolEntry): boolean {
  if (!entry.failed) return false;
  const code = failureCode(entry);
  return wasDenied(entry) || NOT_RUN.has(code) || (CHECKED_WRITES.has(entry.call.name) && !UNSURE.has(code));
}
