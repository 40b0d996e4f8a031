// When the definitions of MCP tools take more than their share of the window, three bridges stand in for them: the model searches, reads a
// definition, and calls by name. Called when a turn's tools are made, after all selection. Pure but for the calls.
import * as z from "zod";
import type { Tool, ToolResult } from "../agent/contract.ts";
import { fail, succeed } from "../agent/tool-result.ts";
import { clip, toOneLine } from "../clip.ts";
import type { JsonObject } from "../schemas/entry.ts";

/** From Hermes Agent: the share of the window that foreign definitions may take. */
const WINDOW_SHARE = 0.05;
const MAX_TOKENS = 4_000;
const CHARS_PER_TOKEN = 4;
const DEFAULT_FOUND = 5;
const MAX_FOUND = 25;
const LISTED_CHARS = 80;

/** The tools as they are, or with three bridges in place of those that `isDeferrable` names. In the order given. */
export function deferTools(tools: Tool[], isDeferrable: (tool: Tool) => boolean, readWindow: () => number): Tool[] {
  const deferred = tools.filter(isDeferrable);
  if (deferred.length === 0) return tools;
  const maxChars = Math.min(MAX_TOKENS, readWindow() * WINDOW_SHARE) * CHARS_PER_TOKEN;
  const chars = deferred.reduce((sum, tool) => sum + charsOf(tool), 0);
  if (chars <= maxChars) return tools;
  const byName = new Map(deferred.map((tool) => [tool.name, tool]));
  return [...tools.filter((tool) => !byName.has(tool.name)), ...createBridges(byName, maxChars)];
}

const schemaChars = new WeakMap<JsonObject, number>();

function charsOf({ name, description, schema = {} }: Tool): number {
  const known = schemaChars.get(schema) ?? JSON.stringify(schema).length;
  schemaChars.set(schema, known);
  return name.length + description.length + known;
}

function createBridges(tools: ReadonlyMap<string, Tool>, maxChars: number): Tool[] {
  return [createToolSearch(tools, maxChars), createToolDescribe(tools), createToolCall(tools)];
}

const SearchArguments = z.strictObject({
  query: z.string().min(1).max(400).describe("Words of what the tool should do."),
  limit: z.int().min(1).max(MAX_FOUND).optional().describe(`How many to show. Default: ${DEFAULT_FOUND}.`),
});

function createToolSearch(tools: ReadonlyMap<string, Tool>, maxChars: number): Tool<z.infer<typeof SearchArguments>> {
  return {
    name: "tool_search",
    description: `Finds further tools, which are not shown here because there are many. Read the definition of one with tool_describe, and call it with tool_call. ${listTools(tools, maxChars)}`,
    parameters: SearchArguments,
    effect: "read",
    async run({ query, limit = DEFAULT_FOUND }) {
      const found = searchTools([...tools.values()], query).slice(0, limit);
      if (found.length === 0) return succeed({ found: 0, hint: "No tool has these words. Try other ones." });
      const shown = found.map(({ name, description }) => ({ name, description: clip(toOneLine(description), 300) }));
      return succeed({ found: found.length }, { content: { tools: shown } });
    },
  };
}

/** With a line about each, else names only, else how many there are. */
function listTools(tools: ReadonlyMap<string, Tool>, maxChars: number): string {
  const lines = [...tools.values()].map(
    ({ name, description }) => `${name}: ${clip(toOneLine(description), LISTED_CHARS)}`,
  );
  const whole = `They are:\n${lines.join("\n")}`;
  if (whole.length <= maxChars) return whole;
  const names = `They are: ${[...tools.keys()].join(", ")}.`;
  return names.length <= maxChars ? names : `There are ${tools.size}.`;
}

/** Best first: words in the name count more than in the description. Equal ones in the order given. */
function searchTools(tools: Tool[], query: string): Tool[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, 20);
  const score = ({ name, description }: Tool) => {
    const [inName, inText] = [name.toLowerCase(), description.toLowerCase()];
    return words.reduce((sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0), 0);
  };
  return tools
    .map((tool) => ({ tool, score: score(tool) }))
    .filter((scored) => scored.score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

const DescribeArguments = z.strictObject({ name: z.string().max(200).describe("The tool, as tool_search names it.") });

function createToolDescribe(tools: ReadonlyMap<string, Tool>): Tool<z.infer<typeof DescribeArguments>> {
  return {
    name: "tool_describe",
    description: "Shows the definition of a tool that tool_search found: what it does, and its arguments.",
    parameters: DescribeArguments,
    effect: "read",
    async run({ name }) {
      const tool = tools.get(name);
      if (!tool) return unknownTool(name);
      const parameters = tool.schema ?? z.toJSONSchema(tool.parameters, { io: "input" });
      return succeed({ name, effect: tool.effect }, { content: { description: tool.description, parameters } });
    },
  };
}

const CallArguments = z.strictObject({
  name: z.string().max(200).describe("The tool, as tool_search names it."),
  arguments: z.looseObject({}).describe("Its arguments, as tool_describe shows them."),
});

/** `unkeyed` for all, because one effect holds for every call of a tool. A call that only reads is then not repeated after a crash. */
function createToolCall(tools: ReadonlyMap<string, Tool>): Tool<z.infer<typeof CallArguments>> {
  return {
    name: "tool_call",
    description: "Calls a tool that tool_search found.",
    parameters: CallArguments,
    effect: "unkeyed",
    timeoutMs: ({ name, arguments: args }) => tools.get(name)?.timeoutMs?.(args) ?? MAX_CALL_MS,
    gate: ({ name, arguments: args }) => tools.get(name)?.gate?.(args) ?? { verdict: "run" },
    async run({ name, arguments: args }, context) {
      const tool = tools.get(name);
      if (!tool) return unknownTool(name);
      const read = tool.parameters.safeParse(args);
      if (read.success) return tool.run(read.data, context);
      const problems = read.error.issues.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
      return fail("bad_arguments", `The arguments do not fit ${name}: ${problems.join("; ")}.`);
    },
    async end() {
      for (const tool of tools.values()) await tool.end?.();
    },
  };
}

const MAX_CALL_MS = 600_000;

function unknownTool(name: string): ToolResult {
  return fail("unknown_tool", `There is no tool '${clip(name, 80)}'. Find its name with tool_search.`);
}
