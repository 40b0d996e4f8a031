// Tool calls between a wire and our form: arguments that may not be JSON, ids that may be missing, repeated or spelled in a
// way another provider refuses. Used by every adapter. Pure; never throws for what a model wrote.
import { isObject } from "../../unknown-object.ts";
import type { Message } from "../../agent/contract.ts";
import type { JsonObject, ToolCall } from "../../schemas/entry.ts";
import { assertCallCount, toStorableJson } from "../stream/storable-answer.ts";

/** A call as it came over a wire. */
export interface RawCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * Calls that can be kept and sent again to any provider. A missing id is made from the position in the conversation, so that
 * it is the same in a repeated call and no other's; a repeated one gets a suffix.
 */
export function toToolCalls(raw: RawCall[], messagesBefore: number): ToolCall[] {
  assertCallCount(raw.length);
  const taken = new Set<string>();
  return raw.map((call, index) => {
    const given = call.id.slice(0, MAX_ID_CHARS).toWellFormed();
    const id = untaken(given || `call_${messagesBefore}_${index}`, taken, Infinity);
    return { id, name: spellName(call.name), ...parseArguments(call.arguments) };
  });
}

const MAX_ID_CHARS = 200;

/**
 * Every provider refuses a conversation with a name that is not `[a-zA-Z_][a-zA-Z0-9_-]*` of 64 characters, whoever wrote
 * it. No tool of ours has another, so a name that must be changed here is unknown either way.
 */
function spellName(name: string): string {
  const spelled = name.slice(0, 64).replace(/[^A-Za-z0-9_-]/g, "_");
  return spelled === "" ? "unnamed" : spelled.replace(/^(?![A-Za-z_])/, "_").slice(0, 64);
}

/** Nothing at all is no arguments. What is not one JSON object, or a bottomless one, is kept as `malformed`. */
export function parseArguments(text: string): Pick<ToolCall, "args" | "malformed"> {
  if (text.trim() === "") return { args: {} };
  try {
    const value: unknown = JSON.parse(text);
    const args = isObject(value) ? toStorableJson(value) : undefined;
    if (args !== undefined) return { args: args as JsonObject };
  } catch {
    // Not JSON: a model's mistake, or an answer cut by its length.
  }
  return { args: {}, malformed: text.toWellFormed() };
}

/** Arguments that came as JSON instead of as text. What is nested deeper than our stack is no arguments to any tool. */
export function toArgumentText(args: unknown): string {
  if (typeof args === "string") return args;
  try {
    return JSON.stringify(args ?? {});
  } catch {
    return "(arguments nested too deep to be read)";
  }
}

/** A field of a stream that should be text. */
export function asText(field: unknown): string {
  return typeof field === "string" ? field : "";
}

export interface IdRule {
  /** What is not allowed. */
  strip: RegExp;
  /** Stands for each character that was not allowed. */
  filler: string;
  maxChars: number;
  /** Shorter ones are filled up with zeros. */
  minChars?: number;
}

/** A message whose calls carry the ids of one wire. */
export type WireMessage = Message & { wireIds: string[] };

/**
 * Gives every call an id that the wire accepts and that no other call of the conversation has. Handed out in order, so a
 * longer conversation keeps the ids of a shorter one it begins with. For an assistant message `wireIds` are those of its
 * calls; for a tool message it holds the id of the call it answers.
 */
export function assignWireIds(messages: Message[], rule: IdRule): WireMessage[] {
  const taken = new Set<string>();
  let open = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "user") return { ...message, wireIds: [] };
    if (message.role === "tool") {
      return { ...message, wireIds: [open.get(message.call) ?? spellId(message.call, rule)] };
    }
    open = new Map(message.calls.map((call) => [call.id, untaken(spellId(call.id, rule), taken, rule.maxChars)]));
    return { ...message, wireIds: message.calls.map((call) => open.get(call.id)!) };
  });
}

function spellId(id: string, rule: IdRule): string {
  const spelled = id.replace(rule.strip, rule.filler).slice(-rule.maxChars);
  return spelled.padStart(rule.minChars ?? 1, "0");
}

/** The id, or the id with the lowest number that makes it new. */
function untaken(id: string, taken: Set<string>, maxChars: number): string {
  let candidate = id;
  for (let n = 2; taken.has(candidate); n++) {
    const suffix = maxChars < 16 ? String(n) : `_${n}`;
    candidate = id.slice(0, maxChars === Infinity ? undefined : maxChars - suffix.length) + suffix;
  }
  taken.add(candidate);
  return candidate;
}
