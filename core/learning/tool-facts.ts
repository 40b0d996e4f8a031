// What is known of a tool's call beside its result: what the harness wrote with it, read back from the log, and whether it was work
// on the task. Used by what looks at finished turns. Pure.
import * as z from "zod";
import { JsonObject, type ToolEntry } from "../schemas/entry.ts";

/** The agent's work on itself: says nothing of the task, neither how it ended nor which values are right for it. */
const SELF_TOOLS = new Set(["todo", "skills_list", "skill_view", "skill_manage", "memory"]);

export function isSelfTool({ call }: Pick<ToolEntry, "call">): boolean {
  return SELF_TOOLS.has(call.name);
}

/** Strings, numbers and truth values in the arguments of a call, as text, in their order. However deep: a model nests them. */
export function leavesOf(value: unknown): string[] {
  const leaves: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") leaves.push(next);
    else if (typeof next === "number" || typeof next === "boolean") leaves.push(String(next));
    else if (next !== null && typeof next === "object") {
      for (const inner of Object.values(next).reverse()) open.push(inner);
    }
  }
  return leaves;
}

const Streams = z.object({ stdout: z.string(), stderr: z.string() });

/** What a shell printed; `null`: the result is another tool's, or was cut. */
export function readStreams({ parts }: Pick<ToolEntry, "parts">): z.infer<typeof Streams> | null {
  const part = parts.find(({ source }) => source === "content");
  try {
    return Streams.safeParse(JSON.parse(part?.text ?? "")).data ?? null;
  } catch {
    return null; // no JSON
  }
}

/** A line of commands that ended well, and of which one may have failed: `sort --oops x | head`, `make; echo done`. */
export function hidesFailure(tool: Pick<ToolEntry, "parts" | "call" | "failed">): boolean {
  const { command } = tool.call.args;
  if (tool.failed || typeof command !== "string" || !/[|;]/.test(command)) return false;
  return /2>&1\s*\|/.test(command) || (readStreams(tool)?.stderr ?? "").trim() !== "";
}

/** The facts of a result; an empty object when there are none. */
export function readOutcome(tool: Pick<ToolEntry, "parts">): JsonObject {
  const part = tool.parts.find((candidate) => candidate.source === "outcome");
  if (!part) return {};
  try {
    return JsonObject.catch({}).parse(JSON.parse(part.text));
  } catch {
    return {}; // not JSON: a part written before its tool kept to the form
  }
}

/** The code of a failed call: the tool's own, or the exit status of what it ran. */
export function failureCode(tool: Pick<ToolEntry, "parts">): string {
  const { code, exit_code: exitCode } = readOutcome(tool);
  if (typeof code === "string" && code !== "") return code;
  return typeof exitCode === "number" ? `exit_${exitCode}` : "failed";
}
