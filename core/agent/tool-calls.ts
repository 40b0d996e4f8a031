// One tool call in three stages: prepared (found, arguments checked), run (through the journal), finalised (cut to size).
// Whatever goes wrong becomes a result the model can read.
import { messageOf } from "../errors.ts";
import type { JsonObject, Part, ToolCall } from "../schemas/entry.ts";
import type { Journal, Message, Tool, ToolResult } from "./contract.ts";
import { fail, renderParts } from "./tool-result.ts";

export interface CallRules {
  tools: Map<string, Tool>;
  /** The answer was cut by its length, so its calls may be cut too: none is run. */
  cutByLength: boolean;
  maxResultChars: number;
  signal: AbortSignal;
}

type ToolMessage = Extract<Message, { role: "tool" }>;
type Prepared = { tool: Tool; args: unknown } | { refusal: ToolResult };

/** The `index`-th call of a step, through the journal. Never throws for a tool's fault. */
export async function runToolCall(
  journal: Journal,
  { step, index }: { step: number; index: number },
  call: ToolCall,
  rules: CallRules,
): Promise<ToolMessage> {
  let prepared = prepareCall(call, rules);
  const result = await journal.call(step, index, {
    call,
    effect: "tool" in prepared ? prepared.tool.effect : "read",
    async prepare() {
      if (!("tool" in prepared)) return {};
      try {
        return (await prepared.tool.prepare?.(prepared.args)) ?? {};
      } catch (error) {
        prepared = refuse("tool_crashed", `The tool failed: ${messageOf(error)}. Try another way.`);
        return {};
      }
    },
    run: async (attempt) => finaliseResult(await execute(prepared, attempt, rules), rules.maxResultChars),
  });
  return toToolMessage(call, result);
}

function toToolMessage(call: ToolCall, result: ToolResult): ToolMessage {
  return { role: "tool", call: call.id, name: call.name, text: renderParts(result.parts), failed: result.failed };
}

function prepareCall(call: ToolCall, rules: CallRules): Prepared {
  if (rules.cutByLength) {
    return refuse("cut_by_length", "The answer was cut by its length limit, so this call was not run. Call it again.");
  }
  const tool = rules.tools.get(call.name);
  if (!tool) {
    const names = [...rules.tools.keys()].join(", ");
    return refuse("unknown_tool", `There is no tool '${call.name}' here. Use one of: ${names}.`);
  }
  if (call.malformed !== undefined) {
    return refuse("bad_arguments", "The arguments were not one JSON object. Call the tool again with valid JSON.");
  }
  const args = tool.parameters.safeParse(call.args);
  if (!args.success) {
    const problems = args.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`);
    return refuse("bad_arguments", `The arguments do not fit ${call.name}: ${problems.join("; ")}.`);
  }
  return { tool, args: args.data };
}

function refuse(code: string, error: string): Prepared {
  return { refusal: fail(code, error) };
}

async function execute(
  prepared: Prepared,
  attempt: { op: string; prepared: JsonObject },
  rules: CallRules,
): Promise<ToolResult> {
  if ("refusal" in prepared) return prepared.refusal;
  try {
    return await prepared.tool.run(prepared.args, { ...attempt, signal: rules.signal });
  } catch (error) {
    return fail("tool_crashed", `The tool failed: ${messageOf(error)}. Try another way.`);
  }
}

/** Tools cut their own results with care; this is the wall behind them. */
function finaliseResult(result: ToolResult, maxChars: number): ToolResult {
  const size = result.parts.reduce((sum, part) => sum + part.text.length, 0);
  if (size <= maxChars * 1.5) return result;
  const each = Math.floor(maxChars / result.parts.length);
  return { failed: result.failed, parts: result.parts.map((part) => cutPart(part, each)) };
}

function cutPart(part: Part, maxChars: number): Part {
  if (part.text.length <= maxChars) return part;
  const value = JSON.parse(part.text) as JsonObject;
  const strings = Object.entries(value).filter(([, field]) => typeof field === "string").length;
  const each = Math.floor(maxChars / Math.max(1, strings));
  const cut = Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => {
      if (typeof field === "string") return [[key, field.slice(0, each)]];
      return JSON.stringify(field).length <= 1_000 ? [[key, field]] : [];
    }),
  );
  return { source: part.source, text: JSON.stringify({ ...cut, cut: true }) };
}
