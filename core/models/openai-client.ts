// The SDK's client as both OpenAI wires use it: no retries (they are the loop's), no words of its own in the log, nothing
// read from the environment, and no fetch but the one given.
import OpenAI from "openai";
import { refuseErrors } from "./refused-reply.ts";

export const OPENAI_URL = "https://api.openai.com/v1";

export interface OpenAiClientOptions {
  /** Servers on one's own machine take any. */
  apiKey: string;
  /** Up to and without `/responses` or `/chat/completions`. Default: OpenAI itself. */
  baseUrl?: string;
  fetch: typeof fetch;
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
    fetch: refuseErrors(options.fetch),
    maxRetries: 0,
    logLevel: "off",
    defaultHeaders: { ...options.headers, ...keyHeaders },
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
  });
}
