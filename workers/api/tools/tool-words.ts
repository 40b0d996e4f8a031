// Refuses settings that name a tool or toolset that there is not.
import type { ToolSettings } from "../../../core/schemas/profile/tools.ts";
import { describeUnknownTool } from "../../../core/tools/tool-words.ts";
import { AppError } from "../problems.ts";

/** Throws `tool_unknown`. */
export function assertToolWords(settings: ToolSettings): void {
  const problem = describeUnknownTool(settings);
  if (problem !== null) throw new AppError("tool_unknown", problem);
}
