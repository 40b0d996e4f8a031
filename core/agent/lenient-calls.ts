// Repairs tool calls of small models: a call written as the whole text of an answer, and arguments with a wrong shape that has only
// one possible reading. Used for reviews and curation, whose calls are all checked, and for sessions on the operator's own servers.
// Sessions leave quotations, and JSON that the person asked to see, as text. Reads only the model's own answer, never a result. Pure.
import type * as z from "zod";
import { type Answer, JsonObject, type ToolCall } from "../schemas/entry.ts";
import type { Message, Tool } from "./contract.ts";

/**
 * Call before the answer is recorded, so that the record has the calls that are made. `asked`: the conversation, in which the person
 * may have asked to see a call instead of running it.
 */
export function readLeniently(answer: Answer, tools: readonly Tool[], asked: readonly Message[] = []): Answer {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const mayCall = answer.calls.length === 0 && answer.stop === "end";
  const found = mayCall ? readWrittenCalls(answer.text, byName) : [];
  const written = found.length > 0 && isMeantAsText(answer.text, asked) ? [] : found;
  if (written.length === 0)
    return { ...answer, calls: answer.calls.map((call) => repair(call, byName.get(call.name))) };
  // The native form has no call, and would be sent instead of this one.
  const { native: _native, ...rest } = answer;
  const calls = written.map((call) => repair(call, byName.get(call.name)));
  return { ...rest, text: "", stop: "tools", calls };
}

/** The text was read or said before, or the person asked to see a call as JSON. A message about a JSON file is not such a request. */
function isMeantAsText(text: string, asked: readonly Message[]): boolean {
  const last = asked.findLast(({ role }) => role === "user")?.text ?? "";
  if (/(?<![\w.])json\b/i.test(last) && /\bcalls?\b|\bnot (?:run|execute)\b/i.test(last)) return true;
  const quotations = toBlocks(text).map(toBare);
  return asked.some((message) => {
    if (message.role === "assistant") return false;
    const said = toBare(message.text);
    return quotations.some((quotation) => said.includes(quotation));
  });
}

/** Ignores layout and escaping. */
function toBare(text: string): string {
  return text.replace(/[\s\\"'`]+/g, "");
}

const MAX_WRITTEN_CHARS = 200_000;
const MAX_WRITTEN_CALLS = 8;

/** The calls of a text that is nothing but calls: bare, in code fences or tags; one, a list, or several tags. Else none. */
function readWrittenCalls(text: string, tools: ReadonlyMap<string, Tool>): ToolCall[] {
  if (text.length > MAX_WRITTEN_CHARS) return [];
  const all = toBlocks(text).flatMap((block) => {
    const value = parseJson(block);
    return Array.isArray(value) ? value : [value];
  });
  if (all.length > MAX_WRITTEN_CALLS) return [];
  const calls = all.map((one, n) => toCall(one, n, tools));
  return calls.every((call) => call !== null) ? calls : [];
}

/** The contents of each pair of tags if there are several, else the whole text. */
function toBlocks(text: string): string[] {
  const pieces = text.trim().split("</tool_call>");
  const isTagged = pieces.length > 2 && pieces.pop()!.trim() === "";
  return isTagged ? pieces.map((piece) => unwrap(`${piece}</tool_call>`)) : [unwrap(text)];
}

function unwrap(text: string): string {
  let inner = text.trim();
  for (const [begin, end] of WRAPPINGS) {
    if (!inner.startsWith(begin) || !inner.endsWith(end) || inner.length < begin.length + end.length) continue;
    inner = inner.slice(begin.length, -end.length).trim();
    if (begin === "```") inner = inner.replace(/^(?:json|tool_call|tool_code)\s/i, "").trim();
  }
  return inner;
}

const WRAPPINGS = [
  ["```", "```"],
  ["<tool_call>", "</tool_call>"],
] as const;

/** Accepts `{"name": …, "arguments": {…}}` and the other names that models use for these two fields. */
function toCall(value: unknown, n: number, tools: ReadonlyMap<string, Tool>): ToolCall | null {
  const outer = JsonObject.safeParse(value).data;
  if (!outer) return null;
  const said = JsonObject.safeParse(outer.function).data ?? outer;
  const name = [said.name, outer.tool, outer.tool_name, outer.function].find((one) => typeof one === "string") ?? "";
  const given = said.arguments ?? said.parameters ?? said.args ?? said.input;
  const args = JsonObject.safeParse(typeof given === "string" ? parseJson(given) : given).data;
  return args && tools.has(String(name)) ? { id: `written_${n + 1}`, name: String(name), args } : null;
}

/** Unchanged if the tool accepts the call as it is, or does not accept the repaired one either. */
function repair(call: ToolCall, tool: Tool | undefined): ToolCall {
  if (!tool || call.malformed !== undefined) return call;
  const read = tool.parameters.safeParse(call.args);
  if (read.success) return call;
  const args = structuredClone(call.args);
  for (const issue of read.error.issues) repairAt(args, issue);
  return tool.parameters.safeParse(args).success ? { ...call, args } : call;
}

function repairAt(args: JsonObject, issue: z.core.$ZodIssue): void {
  const at = issue.path
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], args);
  const key = issue.path.at(-1);
  if (issue.code === "unrecognized_keys") {
    const holder = key === undefined ? args : (at as Record<PropertyKey, unknown>)[key];
    for (const unknown of issue.keys)
      if (isBlank((holder as JsonObject)[unknown])) delete (holder as JsonObject)[unknown];
    return;
  }
  if (key === undefined || at === null || typeof at !== "object") return;
  const holder = at as Record<PropertyKey, unknown>;
  const value = holder[key];
  if (isBlank(value)) delete holder[key];
  else if (issue.code === "invalid_type") holder[key] = toType(value, issue.expected);
}

/** Values that models write for a field they mean to omit. */
function isBlank(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function toType(value: unknown, expected: string): unknown {
  const text = typeof value === "string" ? value.trim() : null;
  switch (expected) {
    case "array": {
      const parsed = text === null ? value : parseJson(text);
      if (Array.isArray(parsed)) return parsed;
      return [typeof parsed === "object" && parsed !== null ? parsed : value];
    }
    case "object":
      return text === null ? value : (parseJson(text) ?? value);
    case "boolean":
      if (text === "true") return true;
      return text === "false" ? false : value;
    case "number":
    case "int":
      return text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : value;
    case "string":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    default:
      return value;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // prose
  }
}
