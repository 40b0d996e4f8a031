// A response of POST /v1/responses as the profile's Account keeps it: its id, the turn that answered it, and the request's small fields.
// Texts are in the session's log only. A stored form: for a change, raise `v` and keep a reader for the old one.
import * as z from "zod";
import type { SessionId } from "./ids.ts";
import { ClientToolChoice } from "./sessions/client-part.ts";

/** `resp_` and 32 random hexadecimal characters. */
export const ResponseId = z
  .string()
  .regex(/^resp_[0-9a-f]{32}$/, "a response id is resp_ and 32 hexadecimal characters");
export type ResponseId = z.infer<typeof ResponseId>;

/** [OpenAI] at most 16 pairs; keys of 64 and values of 512 characters. */
export const ResponseMetadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, "metadata has at most 16 pairs");

/** What a response repeats of its request. */
export const ResponseEcho = z.object({
  v: z.literal(1),
  model: z.string(),
  isStored: z.boolean(),
  previous: ResponseId.optional(),
  conversation: z.string().optional(),
  maxOutputTokens: z.int().optional(),
  parallel: z.boolean().optional(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  effort: z.string().optional(),
  toolChoice: ClientToolChoice.optional(),
  metadata: ResponseMetadata.optional(),
});
export type ResponseEcho = z.infer<typeof ResponseEcho>;

/** `first`: id of the exchange's first event. Its input is `input` earlier messages of the client that the turn was told. */
export interface StoredResponse {
  id: ResponseId;
  session: SessionId;
  turn: number;
  first: string;
  at: number;
  echo: ResponseEcho;
}
