// Converts tool calls between a wire and the log. Arguments may not be JSON. Ids may be missing, repeated, or have characters that
// another provider refuses. Used by every adapter. Pure. Apart from size limits it never throws for what a model wrote.
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
 * Makes calls that can be stored and sent to any provider. A missing id is derived from the position in the conversation, so that
 * it is unique, and equal when the model call is repeated. A duplicate id gets a suffix.
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
 * Every provider refuses a conversation with a tool name that does not match `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`. All tools here
 * match, so a name that has to be changed is an unknown tool anyway.
 */
function spellName(name: string): string {
  const spelled = name.slice(0, 64).replace(/[^A-Za-z0-9_-]/g, "_");
  return spelled === "" ? "unnamed" : spelled.replace(/^(?![A-Za-z_])/, "_").slice(0, 64);
}

/** An empty text means no arguments. A text that is not a JSON object, or is nested too deep, is kept as `malformed`. */
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

/** Turns arguments that came as JSON instead of text into text. `JSON.stringify` throws when they are nested too deep. */
export function toArgumentText(args: unknown): string {
  if (typeof args === "string") return args;
  try {
    return JSON.stringify(args ?? {});
  } catch {
    return "(arguments nested too deep to be read)";
  }
}

/** The field if it is text, else "". */
export function asText(field: unknown): string {
  return typeof field === "string" ? field : "";
}

export interface IdRule {
  /** Characters that the wire refuses. */
  strip: RegExp;
  /** Replaces each refused character. */
  filler: string;
  maxChars: number;
  /** Shorter ids are padded with zeros. */
  minChars?: number;
}

/** A message with the ids that its calls have on one wire. */
export type WireMessage = Message & { wireIds: string[] };

/**
 * Gives every call an id that the wire accepts and that is unique in the conversation. Ids are assigned in order, so a conversation
 * keeps its ids as it grows. `wireIds` of an assistant message are the ids of its calls; of a tool message, the id of the call
 * it answers.
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

/** The id, with the lowest number appended that makes it unique if it is taken. */
function untaken(id: string, taken: Set<string>, maxChars: number): string {
  let candidate = id;
  for (let n = 2; taken.has(candidate); n++) {
    const suffix = maxChars < 16 ? String(n) : `_${n}`;
    candidate = id.slice(0, maxChars === Infinity ? undefined : maxChars - suffix.length) + suffix;
  }
  taken.add(candidate);
  return candidate;
}
