// Turns speech into text by OpenAI's transcription API, which other providers have too (Groq, and local servers). Created by wiring/voice.ts.
// Sends one request a call. A failure must never contain a key. https://platform.openai.com/docs/api-reference/audio
import * as z from "zod";
import { type Result, err, ok } from "../errors.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { type Cost, NO_USAGE } from "../schemas/entry.ts";
import type { Price, Settings } from "../schemas/settings.ts";
import type { SpentCall } from "../schemas/usage.ts";
import { parseBody, readErrorBody } from "./failures/error-reply.ts";
import { readReplyFailure } from "./failures/failures.ts";
import type { ImageApi } from "./image-maker.ts";
import { computeCost } from "./prices.ts";

export interface Recording {
  bytes: Uint8Array;
  /** Its ending tells the provider the format. */
  name: string;
  mediaType: string;
}

export interface Transcription {
  /** "": no words were recognised. It costs the same. */
  text: string;
  spent: SpentCall;
}

export interface Transcriber {
  /** Failure: `voice_failed`, with a sentence for the person. */
  transcribe(recording: Recording): Promise<Result<Transcription>>;
}

/** Dollars per million tokens, audio in and text out, and per minute. https://developers.openai.com/api/docs/models as of November 2026. */
const PRICES: Record<string, Price> = {
  "openai:gpt-4o-transcribe": { input: 2.5, output: 10 },
  "openai:gpt-4o-mini-transcribe": { input: 1.25, output: 5 },
};
const MINUTE_PRICES: Record<string, number> = { "openai:whisper-1": 0.006 };

/** Providers count tokens or seconds, or nothing. */
const Counted = z.union([
  z.object({ type: z.literal("duration"), seconds: z.number().min(0) }),
  z.object({ input_tokens: z.int().min(0), output_tokens: z.int().min(0) }),
]);
const Reply = z.object({ text: z.string(), usage: Counted.optional().catch(undefined) });
const MAX_REPLY_BYTES = 1_000_000;
/** OpenAI's limit of a recording. */
const MAX_RECORDING_BYTES = 25 * 1024 * 1024;

export function createTranscriber(
  { name, model, baseUrl, key }: ImageApi,
  deps: {
    outbound: Pick<Outbound, "request">;
    settings: Pick<Settings, "turn" | "models">;
    /** A boundary that is in no recording. */
    boundary(): string;
  },
): Transcriber {
  const provider = name.split(":")[0]!;
  const fail = (why: string) => err("voice_failed", why);
  return {
    async transcribe({ bytes, name: file, mediaType }) {
      if (bytes.length > MAX_RECORDING_BYTES) return fail("it is longer than 25 MB. Send a shorter one.");
      const boundary = deps.boundary();
      const reply = await deps.outbound.request(`${baseUrl}/audio/transcriptions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": `multipart/form-data; boundary=${boundary}` },
        body: toForm(boundary, model, { bytes, name: file, mediaType }),
        signal: new AbortController().signal,
        timeoutMs: deps.settings.turn.toolTimeoutMs,
        maxBytes: MAX_REPLY_BYTES,
        configured: true,
      });
      if (!reply.ok) return fail(`${provider} did not answer. ${reply.failure.message}`);
      const { status, headers } = reply.value;
      const body = parseBody(new TextDecoder().decode(reply.value.bytes));
      if (status >= 300) {
        return fail(readReplyFailure({ ...readErrorBody(body), status, headers, provider }, [key]).message);
      }
      const parsed = Reply.safeParse(body);
      if (!parsed.success) return fail(`${provider} answered without a text. Try again later.`);
      return ok({
        text: parsed.data.text.trim(),
        spent: toSpent(name, parsed.data.usage, deps.settings.models.prices),
      });
    },
  };
}

/** Seconds have no place in the ledger: they are booked as what they cost. */
function toSpent(
  model: string,
  counted: z.infer<typeof Counted> | undefined,
  prices: Record<string, Price>,
): SpentCall {
  if (!counted) return { model, usage: NO_USAGE };
  if ("seconds" in counted) {
    const perMinute = MINUTE_PRICES[model];
    const cost = perMinute === undefined ? {} : { cost: toMinuteCost(counted.seconds, perMinute) };
    return { model, usage: NO_USAGE, ...cost };
  }
  const usage = { ...NO_USAGE, input: counted.input_tokens, output: counted.output_tokens };
  const price = prices[model] ?? PRICES[model];
  const source = prices[model] ? ("operator" as const) : ("catalog" as const);
  return { model, usage, ...(price && { cost: computeCost(usage, { ...price, source }) }) };
}

function toMinuteCost(seconds: number, usdPerMinute: number): Cost {
  return { usdMicros: Math.ceil((seconds / 60) * usdPerMinute * 1_000_000), source: "catalog" };
}

function toForm(boundary: string, model: string, { bytes, name, mediaType }: Recording): Uint8Array {
  const plain = (text: string) => text.replace(/[^\x20-\x7e]|["\\]/g, "_");
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\n${model}\r\n` +
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${plain(name)}"\r\n` +
    `content-type: ${plain(mediaType)}\r\n\r\n`;
  const parts = [new TextEncoder().encode(head), bytes, new TextEncoder().encode(`\r\n--${boundary}--\r\n`)];
  const form = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    form.set(part, at);
    at += part.length;
  }
  return form;
}
