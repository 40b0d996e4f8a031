// Reads the calls of a ShareGPT line back: how often each tool was called and with what result, and names that are not among its tools. Pure.
import type { JsonObject } from "../../core/schemas/entry.ts";
import type { ShareGptLine } from "../../core/schemas/trajectories.ts";

/** What a line says of its calls. `unknown`: names of calls that are not among the tools of the system turn. */
export interface ShareGptCalls {
  stats: Record<string, { count: number; success: number; failure: number }>;
  unknown: string[];
  /** Some gpt turn has a think block with text. */
  hasReasoning: boolean;
}

/** Reads a line back. */
export function readShareGptCalls({ conversations }: ShareGptLine): ShareGptCalls {
  const tools = new Set(readTools(conversations[0]?.value ?? ""));
  const stats: ShareGptCalls["stats"] = {};
  const unknown = new Set<string>();
  for (const { from, value } of conversations) {
    for (const { name, content } of from === "tool" ? readTagged(value, "tool_response") : []) {
      const known = (stats[String(name)] ??= { count: 0, success: 0, failure: 0 });
      known.count += 1;
      known[isFailure(content) ? "failure" : "success"] += 1;
    }
    for (const { name } of from === "gpt" ? readTagged(value, "tool_call") : []) {
      if (!tools.has(String(name))) unknown.add(String(name));
    }
  }
  const hasReasoning = conversations.some(
    ({ from, value }) => from === "gpt" && !value.startsWith("<think>\n</think>"),
  );
  return { stats, unknown: [...unknown], hasReasoning };
}

export function readTools(system: string): string[] {
  const listed = system.split("<tools>\n")[1]?.split("\n</tools>")[0];
  return listed === undefined ? [] : (JSON.parse(listed) as { name: string }[]).map(({ name }) => name);
}

/** The JSON objects between tags of this name. */
function readTagged(value: string, tag: string): JsonObject[] {
  return value
    .split(`<${tag}>\n`)
    .slice(1)
    .map((piece) => JSON.parse(piece.split(`\n</${tag}>`)[0]!) as JsonObject);
}

/** A result with an error, or of a command that ended with another status than 0. A result with text from outside is JSON on its first line. */
function isFailure(content: unknown): boolean {
  const found = typeof content === "string" ? parseJson(content.split("\n")[0]!) : content;
  if (typeof found !== "object" || found === null) return false;
  const { error, exit_code: status } = found as JsonObject;
  return (error !== undefined && error !== null) || (typeof status === "number" && status !== 0);
}

/** `null` for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
