// Which tools a profile's owner has switched off. Forms only.
import * as z from "zod";

/** `disabled`: names of toolsets or of tools. They are absent from every session of the profile. */
export const ToolSettings = z.strictObject({
  disabled: z.array(z.string().min(1).max(64)).max(64).optional(),
});
export type ToolSettings = z.infer<typeof ToolSettings>;
