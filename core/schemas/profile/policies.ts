// What a profile's owner says about tool calls: data that the harness applies, never code. Forms only.
import * as z from "zod";

/** See core/glob.ts. */
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
export const ToolPolicy = z
  .strictObject({
    hook: z.enum(["pre_tool_call", "post_tool_call"]),
    tool: Pattern.describe("The tool's name."),
    arguments: z
      .record(z.string().min(1).max(100), Pattern)
      .optional()
      .describe(
        "By the argument's name, with dots for a field inside; `*`: any argument. One that is no text is compared as JSON.",
      ),
    result: Pattern.optional().describe("After a call: its result as JSON."),
    decision: z
      .enum(["allow", "ask", "deny"])
      .describe(
        "Before a call: `allow` runs it without a question, `ask` has a person decide in every mode, `deny` never runs it. After it: `deny` withholds the result from the model.",
      ),
    reason: z.string().max(300).optional().describe("What the model and the person read."),
  })
  .refine(({ hook, result }) => hook === "post_tool_call" || result === undefined, {
    path: ["result"],
    message: "a call that has not run has no result; use post_tool_call",
  })
  .refine(({ hook, decision }) => hook === "pre_tool_call" || decision !== "ask", {
    path: ["decision"],
    message: "a call that has run cannot be asked about; use allow or deny",
  });
export type ToolPolicy = z.infer<typeof ToolPolicy>;
