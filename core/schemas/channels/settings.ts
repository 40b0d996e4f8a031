// The operator's settings of messaging platforms and inbound webhooks: two groups of core/schemas/settings.ts. Forms only.
import * as z from "zod";
import { PLATFORM_NAMES, type PlatformName } from "./inbound.ts";

export const channels = z
  .strictObject(
    Object.fromEntries(
      PLATFORM_NAMES.map((name) => [
        name,
        z
          .strictObject({ apiBase: z.url({ protocol: /^https?$/ }).optional() })
          .describe(
            "`apiBase`: another server that speaks this platform's API, such as one of your own. It may be an address that is not public.",
          ),
      ]),
    ) as unknown as Record<PlatformName, z.ZodType<{ apiBase?: string | undefined }>>,
  )
  .describe("Messaging platforms; see CHANNELS.md.");

export const webhooks = z
  .strictObject({
    perMinute: z.int().min(1).describe("Requests of one webhook route in a minute. More are refused with 429."),
    maxBytes: z.int().min(1).max(10_000_000).describe("Bytes of one request to a webhook route."),
  })
  .describe("Inbound webhooks (`POST /v1/webhooks`).");

export const voice = z
  .strictObject({
    model: z
      .string()
      .describe(
        "The model that turns voice messages of channels into text, as `<provider>:<model>`: `openai` or a provider of `TALARIA_MODEL` that has OpenAI's transcription API. Empty, or without a key: people are told why their voice message is not read.",
      ),
  })
  .describe("Voice messages.");
