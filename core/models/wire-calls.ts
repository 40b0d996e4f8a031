// Tool calls between a wire and our form: arguments that may not be JSON, ids that may be missing, repeated or spelled in a
// way another provider refuses. Used by every adapter. Pure; never throws for what a model wrote.
import type { Message } from "../agent/contract.ts";
import type { JsonObject, ToolCall } from "../schemas/entry.ts";

/** A call as it came over a wire. */
export interface RawCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * Calls with usable ids and arguments. A missing id is made from the position in the conversation, so that it is the same
 * in a repeated call and no other's; a repeated one gets a suffix.
 */
export function toToolCalls(raw: RawCall[], messagesBefore: number): ToolCall[] {
  const taken = new Set<string>();
  return raw.map((call, index) => {
    const id = untaken(call.id || `call_${messagesBefore}_${index}`, taken, Infinity);
    return { id, name: call.name || "unnamed", ...parseArguments(call.arguments) };
  });
}

/** No tool takes arguments this deep. Writing them as JSON, which a parser's stack does not limit, would overflow ours. */
const MAX_DEPTH = 100;

/** Nothing at all is no arguments. What is not one JSON object, or a bottomless one, is kept as `malformed`. */
export function parseArguments(text: string): Pick<ToolCall, "args" | "malformed"> {
  if (text.trim() === "") return { args: {} };
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject && isShallow(value, MAX_DEPTH)) return { args: value as JsonObject };
  } catch {
    // Not JSON: a model's mistake, or an answer cut by its length.
  }
  return { args: {}, malformed: text };
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1));
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
