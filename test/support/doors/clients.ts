// The official clients over the Worker's own fetch handler.
import Anthropic from "@anthropic-ai/sdk";
import { exports } from "cloudflare:workers";
import OpenAI from "openai";

/** `seen`: the responses, in their order. */
export function createClients(key: string) {
  const seen: Response[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    const response = await exports.default.fetch(new Request(url, init));
    seen.push(response.clone());
    return response;
  };
  const openai = new OpenAI({ apiKey: key, baseURL: "https://talaria.test/v1", fetch, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: key, baseURL: "https://talaria.test", fetch, maxRetries: 0 });
  return { openai, anthropic, seen };
}
