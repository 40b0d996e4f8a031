// Makes images by OpenAI's images API, which other providers have too (xAI, Together). Created by wiring/images.ts. Sends one request a
// call and never repeats it: each is charged. A failure must never contain a key.
import * as z from "zod";
import { type Result, err, ok } from "../errors.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { fromBase64 } from "../schemas/base64.ts";
import { type Cost, NO_USAGE, type ToolSpend, type Usage } from "../schemas/entry.ts";
import type { Price, Settings } from "../schemas/settings.ts";
import { parseBody, readErrorBody } from "./failures/error-reply.ts";
import { readReplyFailure } from "./failures/failures.ts";
import { computeCost } from "./prices.ts";

export interface ImageApi {
  /** `<provider>:<model id>`. */
  name: string;
  model: string;
  baseUrl: string;
  key: string;
}

export interface ImageMakerDeps {
  outbound: Pick<Outbound, "request">;
  settings: Pick<Settings, "turn" | "models">;
}

type Aspect = "square" | "landscape" | "portrait";

/** OpenAI's sizes for its GPT image models ("Image generation", 2026). */
const SIZES: Record<Aspect, string> = { square: "1024x1024", landscape: "1536x1024", portrait: "1024x1536" };

/** Dollars per million tokens, from OpenAI's price page as of November 2026: text in, image out. */
const PRICES: Record<string, Price> = {
  "openai:gpt-image-1": { input: 5, output: 40 },
  "openai:gpt-image-1-mini": { input: 2, output: 8 },
};

const Reply = z.object({
  data: z.array(z.object({ b64_json: z.string().optional(), url: z.string().optional() })).min(1),
  usage: z.object({ input_tokens: z.number().optional(), output_tokens: z.number().optional() }).optional(),
});

/** An image of 4 megapixels as PNG in Base64, with room. */
const MAX_REPLY_BYTES = 28_000_000;

export function createImageMaker(api: ImageApi, { outbound, settings }: ImageMakerDeps) {
  const { name, model, baseUrl, key } = api;
  const provider = name.split(":")[0]!;

  async function make(
    { prompt, aspect }: { prompt: string; aspect: Aspect },
    signal: AbortSignal,
  ): Promise<Result<{ bytes: Uint8Array; model: string; spent: ToolSpend }>> {
    const timeoutMs = settings.turn.toolTimeoutMs;
    const reply = await outbound.request(`${baseUrl}/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(toBody(provider, model, prompt, aspect)),
      signal,
      timeoutMs,
      maxBytes: MAX_REPLY_BYTES,
      configured: true,
    });
    if (!reply.ok) return err("image_failed", `No image came from ${provider}. ${reply.failure.message}`);
    const { status, headers, bytes } = reply.value;
    const body = parseBody(new TextDecoder().decode(bytes));
    if (status >= 300) {
      const failure = readReplyFailure({ ...readErrorBody(body), status, headers, provider }, [key]);
      return err("image_failed", failure.message);
    }
    const parsed = Reply.safeParse(body);
    const first = parsed.data?.data[0];
    if (!parsed.success || !first)
      return err("image_failed", `${provider} answered without an image. Try again later.`);
    const image = await readImage(first, signal);
    if (!image.ok) return image;
    const usage: Usage = {
      ...NO_USAGE,
      input: toCount(parsed.data.usage?.input_tokens),
      output: toCount(parsed.data.usage?.output_tokens),
    };
    return ok({ bytes: image.value, model: name, spent: { kind: "image", model: name, usage, cost: toCost(usage) } });
  }

  /** Some providers send the address of the image instead: it comes from a reply, so it is no configuration. */
  async function readImage(
    { b64_json, url }: { b64_json?: string | undefined; url?: string | undefined },
    signal: AbortSignal,
  ): Promise<Result<Uint8Array>> {
    if (b64_json !== undefined) {
      try {
        return ok(fromBase64(b64_json));
      } catch {
        return err("image_failed", `${provider} sent an image that is not Base64.`); // atob refused it
      }
    }
    if (url === undefined) return err("image_failed", `${provider} answered without an image. Try again later.`);
    const limits = { timeoutMs: settings.turn.toolTimeoutMs, maxBytes: settings.turn.maxFileBytes };
    const fetched = await outbound.request(url, { signal, ...limits, contentTypes: ["image/*"] });
    if (!fetched.ok)
      return err("image_failed", `${provider} made an image that could not be fetched. ${fetched.failure.message}`);
    return fetched.value.status === 200
      ? ok(fetched.value.bytes)
      : err("image_failed", "The image could not be fetched.");
  }

  /** Without a count of tokens the price is unknown. */
  function toCost(usage: Usage): Cost {
    const own = settings.models.prices[name];
    const price = own ?? PRICES[name];
    if (!price || usage.output === 0) return { usdMicros: 0, source: "none" };
    return computeCost(usage, { ...price, source: own ? "operator" : "catalog" });
  }

  return { name, make };
}

/** The GPT image models always answer in Base64 and refuse `response_format`. xAI has no `size`. */
function toBody(provider: string, model: string, prompt: string, aspect: Aspect): object {
  const base = { model, prompt, n: 1 };
  if (/^gpt-image/.test(model)) return { ...base, size: SIZES[aspect] };
  return { ...base, ...(provider === "xai" ? {} : { size: SIZES[aspect] }), response_format: "b64_json" };
}

function toCount(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0;
}
