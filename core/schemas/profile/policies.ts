// What a profile's owner says about tool calls: data that the harness applies, never code. Forms only.
import * as z from "zod";

/** Plain text with `*` for any run of characters, also none. */
const Pattern = z.string().min(1).max(200);

export const PolicyId = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "a policy id is lower-case words of letters and digits, joined by hyphens")
  .max(64);
export type PolicyId = z.infer<typeof PolicyId>;

/**
 * `pre_tool_call` decides whether a call runs; `post_tool_call` whether the model reads the result of a call that has run. All
 * patterns of a policy must match. Of several policies that match, the strictest decides: deny, ask, allow.
 */
export const ToolPolicy = z.discriminatedUnion("hook", [
  z.strictObject({
    hook: z.literal("pre_tool_call"),
    tool: Pattern.describe("The tool's name."),
    arguments: z
      .record(z.string().min(1).max(100), Pattern)
      .optional()
      .describe(
        "By the argument's name, with dots for a field inside; `*`: any argument. One that is no text is compared as JSON.",
      ),
    decision: z
      .enum(["allow", "ask", "deny"])
      .describe("`allow`: runs without a question. `ask`: a person decides, in every mode. `deny`: never runs."),
    reason: z.string().max(300).optional().describe("What the model and the person read."),
  }),
  z.strictObject({
    hook: z.literal("post_tool_call"),
    tool: Pattern.describe("The tool's name."),
    arguments: z.record(z.string().min(1).max(100), Pattern).optional().describe("As before a call."),
    result: Pattern.optional().describe("The result as JSON."),
    decision: z.enum(["allow", "deny"]).describe("`deny`: the model does not read the result."),
    reason: z.string().max(300).optional().describe("What the model reads in its place."),
  }),
]);
export type ToolPolicy = z.infer<typeof ToolPolicy>;
