// The SDK's client as both OpenAI wires use it: no retries (they are the loop's), no words of its own in the log, nothing
// read from the environment, and no fetch but the one given.
import OpenAI from "openai";

export const OPENAI_URL = "https://api.openai.com/v1";

export function createOpenAiClient(options: { apiKey: string; baseUrl?: string; fetch: typeof fetch }): OpenAI {
  return new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseUrl ?? OPENAI_URL,
    fetch: options.fetch,
    maxRetries: 0,
    logLevel: "off",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
  });
}
