// The deterministic look at one finished turn: what it cost, what failed and recovered, which skills it read, how it
// ended. The session engine calls it at the end of each turn; triggers.ts decides on it. Pure; asks no model.
import * as z from "zod";
import { type Entry, JsonObject, type ToolEntry, textOf } from "../schemas/entry.ts";
import { type SessionId, Sha256, SkillName, toTurnId } from "../schemas/ids.ts";
import type { Observation } from "../schemas/learning.ts";
import { isGeneralisable } from "./requests.ts";

const MAX_REQUEST_CHARS = 2_000;

/** The agent's work on itself: says nothing about how the task ended. */
const SELF_TOOLS = new Set(["skills_list", "skill_view", "skill_manage", "memory"]);

export interface TurnToObserve {
  session: SessionId;
  /** The turn's number in its session, from 1. */
  turn: number;
  /** The turn's entries; those of other turns are passed over. */
  entries: Entry[];
  /** Requests of the session's earlier turns. */
  earlierRequests: string[];
}

export function observeTurn(options: TurnToObserve): Observation {
  const entries = options.entries.filter((entry) => entry.turn === options.turn);
  const tools = entries.filter((entry) => entry.kind === "tool" && entry.state === "done") as ToolEntry[];
  const request = requestOf(entries);
  const recoveries = recoveriesIn(tools);
  const outcome = judgeByExit(entries, tools);
  const generalisable = isGeneralisable(request, options.earlierRequests);
  return {
    turn: toTurnId(options.session, options.turn),
    request: request.slice(0, MAX_REQUEST_CHARS),
    steps: entries.filter((entry) => entry.kind === "assistant").length,
    toolCalls: tools.length,
    failedCalls: tools.filter((tool) => tool.failed).length,
    recoveries,
    loaded: loadedSkills(entries),
    outcome,
    judge: "exit",
    generalisable,
    value: learningValue({
      success: outcome === "success",
      threeCalls: tools.length >= 3,
      recovered: recoveries.length > 0,
      generalisable,
    }),
  };
}

/** What the person asked for in a turn. */
export function requestOf(entries: Entry[]): string {
  return entries
    .filter((entry) => entry.kind === "user")
    .map(textOf)
    .join("\n");
}

/** The turn ended with words for the person: neither cut off, nor refused by the provider, nor silent. */
export function isAnswered(entries: Entry[]): boolean {
  const last = entries.at(-1);
  return (
    last?.kind === "assistant" &&
    last.answer.calls.length === 0 &&
    last.answer.stop !== "refusal" &&
    textOf(last).trim() !== ""
  );
}

/** A failed call, and the first later success of the same tool. */
function recoveriesIn(tools: ToolEntry[]): Observation["recoveries"] {
  return tools.flatMap((failed, index) => {
    if (!failed.failed) return [];
    const success = tools.slice(index + 1).find((later) => !later.failed && later.call.name === failed.call.name);
    return success ? [{ failed: failed.n, succeeded: success.n }] : [];
  });
}

/**
 * The weakest judge: the last tool that worked on the task. A turn without one, or without an answer, stays `unknown`,
 * which is a use and never a success.
 */
function judgeByExit(entries: Entry[], tools: ToolEntry[]): Observation["outcome"] {
  const last = tools.filter((tool) => !SELF_TOOLS.has(tool.call.name)).at(-1);
  if (!last || !isAnswered(entries)) return "unknown";
  return last.failed ? "failure" : "success";
}

/** By the model, or by the person with a slash command. A base brings its companion along, which is a text of its own. */
function loadedSkills(entries: Entry[]): Observation["loaded"] {
  const loaded = entries.flatMap((entry) => {
    if (entry.kind === "note") return entry.skills ?? [];
    return entry.kind === "tool" && entry.state === "done" && !entry.failed ? viewedSkills(entry) : [];
  });
  return [...new Map(loaded.map((read) => [`${read.skill} ${read.text}`, read])).values()];
}

function viewedSkills(tool: ToolEntry): Observation["loaded"] {
  if (tool.call.name !== "skill_view") return [];
  const outcome = readOutcome(tool);
  return [outcome, outcome.companion].flatMap((facts) => {
    const read = LoadedText.safeParse(facts);
    return read.success ? [{ skill: read.data.name, text: read.data.text }] : [];
  });
}

const LoadedText = z.object({ name: SkillName, text: Sha256 });

/** The facts the harness wrote with a result; an empty object when there are none. */
function readOutcome(tool: Pick<ToolEntry, "parts">): JsonObject {
  const part = tool.parts.find((candidate) => candidate.source === "outcome");
  if (!part) return {};
  try {
    return JsonObject.catch({}).parse(JSON.parse(part.text));
  } catch {
    return {}; // not JSON: a part written before its tool kept to the form
  }
}

function learningValue(found: Record<"success" | "threeCalls" | "recovered" | "generalisable", boolean>): number {
  const tenths =
    (found.success ? 4 : 0) + (found.threeCalls ? 2 : 0) + (found.recovered ? 2 : 0) + (found.generalisable ? 2 : 0);
  return tenths / 10;
}
