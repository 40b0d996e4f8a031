// What the harness wrote with a tool's result, read back from the log. Used by what looks at finished turns. Pure.
import { JsonObject, type ToolEntry } from "../schemas/entry.ts";

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
