// Which tools the operator, a profile's owner or the creator of a session leaves to a session. Forms only.
import * as z from "zod";

const Names = z.array(z.string().min(1).max(128)).max(100);

/** Names of tools or of toolsets (core/tools/toolsets.ts). Every level must leave a tool: what one takes away, no other gives back. */
export const ToolSettings = z.strictObject({
  only: Names.nullable().optional().describe("Only these tools or toolsets are offered. Absent or `null`: all."),
  disabled: Names.optional().describe("These tools or toolsets are absent, whatever `only` says."),
});
export type ToolSettings = z.infer<typeof ToolSettings>;
