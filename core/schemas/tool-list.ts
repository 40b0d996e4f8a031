// The tools that GET /v1/tools lists, and the policies of a profile. Forms only.
import * as z from "zod";
import { PolicyId, ToolPolicy } from "./profile/policies.ts";
import { ToolSettings } from "./profile/tools.ts";

export const ListedTool = z.object({
  name: z.string(),
  toolset: z.string(),
  available: z.boolean(),
  /** Why the tool is absent, or that its service does not answer now. */
  reason: z.string().optional(),
});
export type ListedTool = z.infer<typeof ListedTool>;

/** `settings`: what the profile has chosen. */
export const ToolList = z.object({ tools: z.array(ListedTool), settings: ToolSettings, next: z.string().optional() });
export const ListedPolicy = z.object({ id: PolicyId, policy: ToolPolicy });
export const PolicyList = z.object({ policies: z.array(ListedPolicy), next: z.string().optional() });
