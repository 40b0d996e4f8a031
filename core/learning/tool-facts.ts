// Facts about a finished tool call, read from the log: what the harness recorded with it, and whether it was work on the task. Called
// wherever finished turns are observed or reviewed. Pure.
import * as z from "zod";
import { JsonObject, type ToolEntry } from "../schemas/entry.ts";

/** Tools with which the agent works on itself. Their calls say nothing about the task: neither its outcome nor the right values. */
const SELF_TOOLS = new Set(["todo", "skills_list", "skill_view", "skill_manage", "memory", "session_search"]);

export function isSelfTool({ call }: Pick<ToolEntry, "call">): boolean {
  return SELF_TOOLS.has(call.name);
}

/** Codes of calls that a person, the approval model or the rules for commands did not allow. They never ran. */
const DENIALS = new Set(
  "approval_denied approval_timed_out approval_unattended approval_unavailable approval_needed command_refused".split(
    " ",
  ),
);

/** Says nothing about the task or a skill: the call was not run. */
export function wasDenied(tool: Pick<ToolEntry, "parts" | "failed">): boolean {
  return tool.failed && DENIALS.has(String(readOutcome(tool).code));
}

/** The strings, numbers and booleans in the arguments of a call, as text, in order. Not recursive, since models may nest deeply. */
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

/** The output of a shell; `null` if the result is of another tool, or was cut. */
export function readStreams({ parts }: Pick<ToolEntry, "parts">): z.infer<typeof Streams> | null {
  const part = parts.find(({ source }) => source === "content");
  try {
    return Streams.safeParse(JSON.parse(part?.text ?? "")).data ?? null;
  } catch {
    return null; // not JSON
  }
}

/** Whether a successful command line may hide a failed command: `sort --oops x | head`, `make; echo done`. */
export function hidesFailure(tool: Pick<ToolEntry, "parts" | "call" | "failed">): boolean {
  const { command } = tool.call.args;
  if (tool.failed || typeof command !== "string" || !/[|;]/.test(command)) return false;
  return /2>&1\s*\|/.test(command) || (readStreams(tool)?.stderr ?? "").trim() !== "";
}

/** The facts of a result; an empty object if there are none. */
export function readOutcome(tool: Pick<ToolEntry, "parts">): JsonObject {
  const part = tool.parts.find((candidate) => candidate.source === "outcome");
  if (!part) return {};
  try {
    return JsonObject.catch({}).parse(JSON.parse(part.text));
  } catch {
    return {}; // not JSON: a part from before its tool wrote this form
  }
}

/** The code of a failed call: the tool's own, or the exit status of what it ran. */
export function failureCode(tool: Pick<ToolEntry, "parts">): string {
  const { code, exit_code: exitCode } = readOutcome(tool);
  if (typeof code === "string" && code !== "") return code;
  return typeof exitCode === "number" ? `exit_${exitCode}` : "failed";
}
