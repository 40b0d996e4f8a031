// A personality: how the agent speaks and works in a session, as its person chose it. Forms only.
import * as z from "zod";

/** Also the word after `/personality`. */
export const PersonalityName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, "1 to 64 lower-case letters, digits and dashes between them");
export type PersonalityName = z.infer<typeof PersonalityName>;

/** `text`: instructions to the agent, a part of its prompt. */
export const Personality = z.strictObject({
  description: z.string().max(200).default(""),
  text: z.string().trim().min(1).max(8_000),
});
export type Personality = z.infer<typeof Personality>;
