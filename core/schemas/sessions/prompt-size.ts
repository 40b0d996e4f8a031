// What the part of a request weighs that every model call of a session repeats: its system prompt by section, and its tools.
import * as z from "zod";

/** Characters are UTF-16 units. Tokens are estimated: see core/tokens.ts. */
const Size = { characters: z.int(), tokens: z.int() };

export const PromptSize = z.object({
  /** The number of the prompt, counted from 1. 0: the session has none before its first turn. */
  epoch: z.int(),
  sections: z.array(z.object({ name: z.string(), ...Size })),
  /** Names, descriptions and parameters of the tools as they are offered now. */
  tools: z.object({ count: z.int(), ...Size }),
  total: z.object(Size),
});
export type PromptSize = z.infer<typeof PromptSize>;
