// The SDK's client as both OpenAI wires use it: it builds requests (sdk-request.ts sends them) and reads nothing from the
// environment.
import OpenAI from "openai";
import type { Clock } from "../../ports.ts";

export const OPENAI_URL = "https://api.openai.com/v1";

export interface OpenAiClientOptions {
  /** Servers on one's own machine take any. */
  apiKey: string;
  /** Up to and without `/responses` or `/chat/completions`. Default: OpenAI itself. */
  baseUrl?: string;
  fetch: typeof fetch;
  clock: Clock;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** Header of the key, where it does not go into `Authorization`. */
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
