// How servers that speak Chat Completions differ, by the address they are reached at. Read by openai-chat.ts. A server that
// is not here gets the fields every one of them understands. Pure data.
import type { IdRule } from "./wire-calls.ts";

export interface Compat {
  /** In sentences: "Mistral". */
  provider: string;
  /** OpenAI's reasoning models refuse `max_tokens`; most others know nothing else. */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** `stream_options` is refused by some, who send the usage without being asked. */
  asksUsage: boolean;
  /** Strict servers refuse fields they do not know. */
  takesCacheKey: boolean;
  /** The server wants to see its reasoning again between tool calls. */
  echoesReasoning: boolean;
  ids: IdRule;
}

/** OpenAI takes 40 characters; no one we know takes fewer, but for Mistral. */
const IDS: IdRule = { strip: /[^A-Za-z0-9_-]/g, filler: "_", maxChars: 40 };
const MISTRAL_IDS: IdRule = { strip: /[^A-Za-z0-9]/g, filler: "", maxChars: 9, minChars: 9 };

const PLAIN: Omit<Compat, "provider"> = {
  maxTokensField: "max_tokens",
  asksUsage: true,
  takesCacheKey: false,
  echoesReasoning: false,
  ids: IDS,
};

/** Tried in order on host and path. */
const SERVERS: ({ at: RegExp; provider: string } & Partial<Compat>)[] = [
  { at: /^api\.openai\.com\//, provider: "OpenAI", maxTokensField: "max_completion_tokens", takesCacheKey: true },
  { at: /\.openai\.azure\.com\//, provider: "Azure OpenAI", maxTokensField: "max_completion_tokens" },
  // Cloudflare's gateway: its path to OpenAI passes everything on; the others speak its own dialect.
  {
    at: /^gateway\.ai\.cloudflare\.com\/.*\/openai(\/|$)/,
    provider: "OpenAI",
    maxTokensField: "max_completion_tokens",
  },
  { at: /^gateway\.ai\.cloudflare\.com\//, provider: "AI Gateway" },
  { at: /^api\.cloudflare\.com\//, provider: "Workers AI" },
  { at: /^openrouter\.ai\//, provider: "OpenRouter", echoesReasoning: true },
  { at: /^generativelanguage\.googleapis\.com\//, provider: "Google" },
  { at: /^api\.mistral\.ai\//, provider: "Mistral", asksUsage: false, takesCacheKey: true, ids: MISTRAL_IDS },
  { at: /^api\.deepseek\.com\//, provider: "DeepSeek", echoesReasoning: true },
  { at: /^api\.moonshot\.(ai|cn)\//, provider: "Moonshot", echoesReasoning: true },
  { at: /^(api\.z\.ai|open\.bigmodel\.cn)\//, provider: "Z.ai", echoesReasoning: true },
  { at: /^api\.together\.(ai|xyz)\//, provider: "Together" },
  { at: /^integrate\.api\.nvidia\.com\//, provider: "NVIDIA" },
  { at: /^api\.x\.ai\//, provider: "xAI", maxTokensField: "max_completion_tokens" },
  { at: /^api\.groq\.com\//, provider: "Groq", maxTokensField: "max_completion_tokens" },
  { at: /^api\.cerebras\.ai\//, provider: "Cerebras", maxTokensField: "max_completion_tokens" },
  { at: /^api\.fireworks\.ai\//, provider: "Fireworks" },
  { at: /^router\.huggingface\.co\//, provider: "Hugging Face" },
  { at: /^(ollama\.com|[^/]+:11434)\//, provider: "Ollama" },
];

export function compatOf(baseUrl: string): Compat {
  const url = new URL(baseUrl);
  const place = `${url.host}${url.pathname}`;
  const { at: _, ...server } = SERVERS.find((server) => server.at.test(place)) ?? { at: /./, provider: url.host };
  return { ...PLAIN, ...server };
}
