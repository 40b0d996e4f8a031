// Creates the SDK client of both OpenAI wires. It builds requests, and sdk-request.ts sends them. It must read nothing from the
// environment.
import OpenAI from "openai";
import type { Clock, Fetch } from "../../ports.ts";

export const OPENAI_URL = "https://api.openai.com/v1";

export interface OpenAiClientOptions {
  /** Local servers accept any key. */
  apiKey: string;
  /** Without `/responses` or `/chat/completions`. Default: OpenAI itself. */
  baseUrl?: string;
  fetch: Fetch;
  clock: Clock;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** The header that carries the key, if not `Authorization`. */
  keyHeader?: string | null;
}

export function createOpenAiClient(options: OpenAiClientOptions): OpenAI {
  const { keyHeader } = options;
  const keyHeaders = keyHeader ? { authorization: null, [keyHeader]: `Bearer ${options.apiKey}` } : {};
  return new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseUrl ?? OPENAI_URL,
    logLevel: "off",
    defaultHeaders: { ...options.headers, ...keyHeaders },
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
  });
}
