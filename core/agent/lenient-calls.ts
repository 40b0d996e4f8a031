// Reads an answer's calls as a small model means them: a call that is the whole answer as JSON text, and arguments whose shape is
// off in a way that has one reading. For reviews and curation, whose calls are all checked, and for sessions on a server of the
// operator's own, where a quotation and what was asked for as JSON stay text; elsewhere each text does. Only the model's own answer
// is read, never a result. Pure.
import type * as z from "zod";
import { type Answer, JsonObject, type ToolCall } from "../schemas/entry.ts";
import type { Message, Tool } from "./contract.ts";

/**
 * Before it is recorded, so that whoever reads the record finds the calls that were made. `asked`: the conversation, where the person
 * may have wanted to see a call rather than have it made.
 */
export function readLeniently(answer: Answer, tools: readonly Tool[], asked: readonly Message[] = []): Answer {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const mayCall = answer.calls.length === 0 && answer.stop === "end";
  const found = mayCall ? readWrittenCalls(answer.text, byName) : [];
  const written = found.length > 0 && isMeantAsText(answer.text, asked) ? [] : found;
  if (written.length === 0)
    return { ...answer, calls: answer.calls.map((call) => repair(call, byName.get(call.name))) };
  // Its native form has no call, and would be sent in place of this one.
  const { native: _native, ...rest } = answer;
  const calls = written.map((call) => repair(call, byName.get(call.name)));
  return { ...rest, text: "", stop: "tools", calls };
}

/** It stands in what was read or said, or the person asked to see a call as JSON. A message about a JSON file does not ask for that. */
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

/** However it is set and escaped. */
function toBare(text: string): string {
  return text.replace(/[\s\\"'`]+/g, "");
}

const MAX_WRITTEN_CHARS = 200_000;
const MAX_WRITTEN_CALLS = 8;

/** Of a text that is nothing but calls: bare, between code marks or tags, one, a list, or one tag after another. Else none. */
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

/** What stands in each pair of tags where there are several, else the whole. */
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

/** `{"name": …, "arguments": {…}}`, and the other words that are used for the two. */
function toCall(value: unknown, n: number, tools: ReadonlyMap<string, Tool>): ToolCall | null {
  const outer = JsonObject.safeParse(value).data;
  if (!outer) return null;
  const said = JsonObject.safeParse(outer.function).data ?? outer;
  const name = [said.name, outer.tool, outer.tool_name, outer.function].find((one) => typeof one === "string") ?? "";
  const given = said.arguments ?? said.parameters ?? said.args ?? said.input;
  const args = JsonObject.safeParse(typeof given === "string" ? parseJson(given) : given).data;
  return args && tools.has(String(name)) ? { id: `written_${n + 1}`, name: String(name), args } : null;
}

/** As it is where its tool takes it so, or would not take it repaired either. */
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

/** What a model writes for a field that it leaves out. */
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
      return text === "true" ? true : text === "false" ? false : value;
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
