// Turns what a server answered to a call into a result for the model: text of the source `content`, limited and without invisible
// characters. Used by server-tools.ts and resource-tools.ts. Pure.
import * as z from "zod";
import type { ToolResult } from "../agent/contract.ts";
import { fail } from "../agent/tool-result.ts";
import { headOf } from "../clip.ts";
import type { JsonObject } from "../schemas/entry.ts";
import { stripTagCharacters } from "./foreign-text.ts";

/** From Hermes Agent: the characters of one result of an MCP server. */
const MAX_RESULT_CHARS = 50_000;
const MAX_ERROR_CHARS = 2_000;

const Contents = z.object({
  uri: z.string().catch(""),
  mimeType: z.string().optional().catch(undefined),
  text: z.string().optional().catch(undefined),
  blob: z.string().optional().catch(undefined),
});
const Block = z.looseObject({ type: z.string() });
const Content = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal("resource"), resource: Contents }),
  z.object({ type: z.literal("resource_link"), uri: z.string(), name: z.string().optional() }),
]);
const CallAnswer = z.object({
  content: z.array(Block).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
const ReadAnswer = z.object({ contents: z.array(Contents) });
const PromptAnswer = z.object({
  description: z.string().optional(),
  messages: z.array(z.object({ role: z.string(), content: Block })),
});

export function readCallAnswer(answer: unknown, facts: JsonObject): ToolResult {
  const read = CallAnswer.safeParse(answer);
  if (!read.success) return garbled(facts);
  const { content, structuredContent, isError } = read.data;
  const text = content.map(toText).join("\n");
  const whole = text === "" && structuredContent !== undefined ? JSON.stringify(structuredContent, null, 1) : text;
  if (isError !== true) return toContent(whole, facts);
  const failure = fail(
    "mcp_tool_failed",
    "The tool reported a failure: read `text`, which are the server's words.",
    facts,
  );
  return withContent(failure, headOf(whole, MAX_ERROR_CHARS));
}

export function readResourceAnswer(answer: unknown, facts: JsonObject): ToolResult {
  const read = ReadAnswer.safeParse(answer);
  return read.success ? toContent(read.data.contents.map(toResourceText).join("\n\n"), facts) : garbled(facts);
}

export function readPromptAnswer(answer: unknown, facts: JsonObject): ToolResult {
  const read = PromptAnswer.safeParse(answer);
  if (!read.success) return garbled(facts);
  const { description, messages } = read.data;
  const said = messages.map(({ role, content }) => `${role}: ${toText(content)}`);
  return toContent([...(description ? [description] : []), ...said].join("\n\n"), facts);
}

/** A list of resources or prompts, one JSON object a line, as far as it fits. */
export function readListAnswer(items: unknown[] | null, facts: JsonObject): ToolResult {
  if (!items) return garbled(facts);
  return toContent(items.map((item) => JSON.stringify(item)).join("\n"), { ...facts, count: items.length });
}

/** A failure with the server's own words. */
export function failWithWords(code: string, error: string, said: string | undefined, facts: JsonObject): ToolResult {
  const failure = fail(code, error, facts);
  return said === undefined ? failure : withContent(failure, headOf(said, MAX_ERROR_CHARS));
}

function toContent(text: string, facts: JsonObject): ToolResult {
  const clean = stripTagCharacters(text);
  const shown = headOf(clean, MAX_RESULT_CHARS);
  const cut = shown.length < clean.length && { cut: `The first ${shown.length} of ${clean.length} characters.` };
  return withContent(
    { failed: false, parts: [{ source: "outcome", text: JSON.stringify({ ...facts, ...cut }) }] },
    shown,
  );
}

function withContent(result: ToolResult, text: string): ToolResult {
  const part = { source: "content" as const, text: JSON.stringify({ text: stripTagCharacters(text) }) };
  return { ...result, parts: [...result.parts, part] };
}

function garbled(facts: JsonObject): ToolResult {
  return fail(
    "mcp_garbled",
    "The server's answer is not of the form that the protocol asks for. Do it another way.",
    facts,
  );
}

function toText(block: z.infer<typeof Block>): string {
  const read = Content.safeParse(block);
  if (!read.success) return `[content of type ${headOf(block.type, 40)}, not shown]`;
  const content = read.data;
  if (content.type === "text") return content.text;
  if (content.type === "resource") return toResourceText(content.resource);
  if (content.type === "resource_link") return `[resource ${content.name ?? ""} ${content.uri}]`;
  return `[${content.type} ${headOf(content.mimeType, 60)}, ${toBytes(content.data)} bytes, not shown]`;
}

function toResourceText({ uri, mimeType, text, blob }: z.infer<typeof Contents>): string {
  if (text !== undefined) return `[resource ${uri}]\n${text}`;
  return `[resource ${uri} ${headOf(mimeType ?? "", 60)}, ${toBytes(blob ?? "")} bytes, not shown]`;
}

function toBytes(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
