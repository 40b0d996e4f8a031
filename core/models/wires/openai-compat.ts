// Servers that speak Chat Completions: the name of each in TALARIA_MODEL, its address, the variable of its key, and how it
// differs. One table, read by routing.ts (by name) and openai-chat.ts (by address). A server that is not listed gets only the
// fields that all of them understand. Pure data.
import type { Effort } from "../../schemas/settings.ts";
import type { IdRule } from "./wire-calls.ts";

export interface Compat {
  /** The name for error sentences: "Mistral". */
  provider: string;
  /** Its section of the catalog; `null` if it names models differently. */
  catalog: string | null;
  /** OpenAI's reasoning models refuse `max_tokens`; most other servers know only that. */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** Whether to send `stream_options`. Some servers refuse it and report usage anyway. */
  asksUsage: boolean;
  /** Whether to send `prompt_cache_key`. Strict servers refuse fields they do not know. */
  takesCacheKey: boolean;
  /** The server wants its reasoning back between tool calls. */
  echoesReasoning: boolean;
  /** Models whose system prompt has the role `developer`. */
  developerRole: RegExp | null;
  /** Models that cache only up to a part with `cache_control`. */
  marksCache: RegExp | null;
  /** The form and the levels in which the server takes an effort. `null`: none is sent. */
  effort: { form: EffortForm; levels: readonly Effort[] } | null;
  /**
   * Models whose chat template requires alternating user and assistant messages. Many open models (Mistral, Gemma) refuse two
   * messages of one role in a row, and ignore tool results and the messages that call tools. For these models neighbours are
   * joined, and a user message after tool results is separated from them.
   */
  alternates: RegExp | null;
  /** Runs on the operator's own machines: slow to read a prompt, and in no catalog. */
  own: boolean;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
  /** The header that carries the key, if not `Authorization`. */
  keyHeader: string | null;
  ids: IdRule;
}

/**
 * `reasoning_effort`: OpenAI's field. `reasoning.effort`: OpenRouter's. `reasoning.enabled`: on or off. `thinking.type`: on
 * or off. `thinking+effort`: on or off, and how much.
 */
export type EffortForm =
  | "reasoning_effort"
  | "reasoning.effort"
  | "reasoning.enabled"
  | "thinking.type"
  | "thinking+effort";

interface Server extends Partial<Compat> {
  provider: string;
  /** Matches host and path. The first match in the table wins. */
  at?: RegExp;
  /** The word before the colon in TALARIA_MODEL. */
  name?: string;
  /** May hold variables in braces. Requires `name`. */
  baseUrl?: string;
  /** The variable that holds its keys. */
  key?: string;
  /** The key is optional. */
  keyless?: boolean;
  /** The variable that overrides `baseUrl`, for the operator's own servers. */
  urlVariable?: string;
  /** Headers to send if their variable is set. */
  variableHeaders?: Readonly<Record<string, string>>;
}

/** OpenAI takes 40 characters. Of the servers in the table only Mistral takes fewer. */
const IDS: IdRule = { strip: /[^A-Za-z0-9_-]/g, filler: "_", maxChars: 40 };
const LONG_IDS: IdRule = { ...IDS, maxChars: 64 };
const MISTRAL_IDS: IdRule = { strip: /[^A-Za-z0-9]/g, filler: "", maxChars: 9, minChars: 9 };

const ALL: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const TO_HIGH: readonly Effort[] = ["low", "medium", "high"];

/** OpenAI's reasoning families and the Codex models. */
export const DEVELOPER_MODELS = /^(gpt-[5-9]|o\d|codex|.*-codex\b)/;

const OPENAI = {
  provider: "OpenAI",
  catalog: "openai",
  maxTokensField: "max_completion_tokens",
  developerRole: DEVELOPER_MODELS,
  effort: { form: "reasoning_effort", levels: ALL },
  alternates: null,
} as const;

export const SERVERS = [
  { ...OPENAI, at: /^api\.openai\.com\//, takesCacheKey: true },
  { ...OPENAI, at: /\.openai\.azure\.com\//, provider: "Azure OpenAI", developerRole: null },
  // Cloudflare's gateway: its path to OpenAI passes requests on unchanged; its other paths have their own dialect.
  { ...OPENAI, at: /^gateway\.ai\.cloudflare\.com\/.*\/openai(\/|$)/ },
  {
    name: "gateway",
    provider: "AI Gateway",
    at: /^gateway\.ai\.cloudflare\.com\//,
    baseUrl: "https://gateway.ai.cloudflare.com/v1/{CLOUDFLARE_ACCOUNT_ID}/{CLOUDFLARE_GATEWAY_ID}/compat",
    key: "CLOUDFLARE_AI_TOKEN",
    // `Authorization` would be the key of the upstream provider, which the gateway stores.
    keyHeader: "cf-aig-authorization",
  },
  {
    name: "cloudflare",
    provider: "Workers AI",
    at: /^api\.cloudflare\.com\//,
    baseUrl: "https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1",
    key: "CLOUDFLARE_AI_TOKEN",
    variableHeaders: { "cf-aig-gateway-id": "CLOUDFLARE_GATEWAY_ID" },
    catalog: "cloudflare",
    effort: { form: "reasoning_effort", levels: ALL },
  },
  {
    name: "openrouter",
    provider: "OpenRouter",
    at: /^openrouter\.ai\//,
    baseUrl: "https://openrouter.ai/api/v1",
    key: "OPENROUTER_API_KEY",
    headers: { "x-title": "Talaria" },
    variableHeaders: { "http-referer": "OPENROUTER_REFERER" },
    echoesReasoning: true,
    developerRole: /^(openai|anthropic)\//,
    marksCache: /^anthropic\//,
    effort: { form: "reasoning.effort", levels: ALL },
    alternates: /^(?!(openai|anthropic|x-ai|deepseek|google\/gemini)\b)/,
  },
  {
    name: "gemini",
    provider: "Google",
    at: /^generativelanguage\.googleapis\.com\//,
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    key: "GEMINI_API_KEY",
    catalog: "gemini",
    // Nothing above `high`. Only some models take `none`; the catalog says which.
    effort: { form: "reasoning_effort", levels: ["none", "minimal", "low", "medium", "high"] },
    alternates: /gemma/,
  },
  {
    name: "mistral",
    provider: "Mistral",
    at: /^api\.mistral\.ai\//,
    baseUrl: "https://api.mistral.ai/v1",
    key: "MISTRAL_API_KEY",
    catalog: "mistral",
    asksUsage: false,
    takesCacheKey: true,
    // Most of its models take only `none` and `high`; the catalog says which.
    effort: { form: "reasoning_effort", levels: ["none", ...TO_HIGH] },
    ids: MISTRAL_IDS,
  },
  {
    name: "bedrock",
    provider: "Bedrock",
    at: /^bedrock-(mantle|runtime)\.[a-z0-9-]+\.(api\.aws|amazonaws\.com)\//,
    baseUrl: "https://bedrock-mantle.{AWS_REGION}.api.aws/openai/v1",
    key: "AWS_BEARER_TOKEN_BEDROCK",
    maxTokensField: "max_completion_tokens",
    effort: { form: "reasoning_effort", levels: TO_HIGH },
    ids: LONG_IDS,
  },
  {
    name: "deepseek",
    provider: "DeepSeek",
    at: /^api\.deepseek\.com\//,
    baseUrl: "https://api.deepseek.com",
    key: "DEEPSEEK_API_KEY",
    catalog: "deepseek",
    echoesReasoning: true,
    effort: { form: "thinking+effort", levels: ["none", "low", "high", "max"] },
    alternates: null,
  },
  {
    name: "moonshot",
    provider: "Moonshot",
    at: /^api\.moonshot\.(ai|cn)\//,
    baseUrl: "https://api.moonshot.ai/v1",
    key: "MOONSHOT_API_KEY",
    catalog: "moonshot",
    echoesReasoning: true,
  },
  {
    name: "zai",
    provider: "Z.ai",
    at: /^(api\.z\.ai|open\.bigmodel\.cn)\//,
    baseUrl: "https://api.z.ai/api/coding/paas/v4",
    key: "ZAI_API_KEY",
    catalog: "zai",
    echoesReasoning: true,
    effort: { form: "thinking.type", levels: ALL },
  },
  {
    name: "together",
    provider: "Together",
    at: /^api\.together\.(ai|xyz)\//,
    baseUrl: "https://api.together.ai/v1",
    key: "TOGETHER_API_KEY",
    effort: { form: "reasoning.enabled", levels: ALL },
  },
  {
    name: "nvidia",
    provider: "NVIDIA",
    at: /^integrate\.api\.nvidia\.com\//,
    baseUrl: "https://integrate.api.nvidia.com/v1",
    key: "NVIDIA_API_KEY",
  },
  {
    name: "xai",
    provider: "xAI",
    at: /^api\.x\.ai\//,
    baseUrl: "https://api.x.ai/v1",
    key: "XAI_API_KEY",
    catalog: "xai",
    maxTokensField: "max_completion_tokens",
    effort: { form: "reasoning_effort", levels: ["none", "low", "medium", "high"] },
    alternates: null,
  },
  {
    name: "groq",
    provider: "Groq",
    at: /^api\.groq\.com\//,
    baseUrl: "https://api.groq.com/openai/v1",
    key: "GROQ_API_KEY",
    catalog: "groq",
    maxTokensField: "max_completion_tokens",
    effort: { form: "reasoning_effort", levels: ["none", ...TO_HIGH] },
  },
  {
    name: "cerebras",
    provider: "Cerebras",
    at: /^api\.cerebras\.ai\//,
    baseUrl: "https://api.cerebras.ai/v1",
    key: "CEREBRAS_API_KEY",
    catalog: "cerebras",
    maxTokensField: "max_completion_tokens",
    effort: { form: "reasoning_effort", levels: ["none", ...TO_HIGH] },
  },
  {
    name: "fireworks",
    provider: "Fireworks",
    at: /^api\.fireworks\.ai\//,
    baseUrl: "https://api.fireworks.ai/inference/v1",
    key: "FIREWORKS_API_KEY",
    effort: { form: "reasoning_effort", levels: ["none", ...TO_HIGH] },
  },
  {
    name: "huggingface",
    provider: "Hugging Face",
    at: /^router\.huggingface\.co\//,
    baseUrl: "https://router.huggingface.co/v1",
    key: "HF_TOKEN",
  },
  {
    name: "ollama",
    provider: "Ollama",
    at: /^(ollama\.com|[^/]+:11434)\//,
    baseUrl: "http://localhost:11434/v1",
    urlVariable: "OLLAMA_BASE_URL",
    key: "OLLAMA_API_KEY",
    keyless: true,
    effort: { form: "reasoning_effort", levels: ["none", ...TO_HIGH] },
  },
  {
    name: "llamacpp",
    provider: "llama.cpp",
    at: /^(localhost|127\.0\.0\.1|\[::1\]):8080\//,
    baseUrl: "http://127.0.0.1:8080/v1",
    urlVariable: "LLAMACPP_BASE_URL",
    key: "LLAMACPP_API_KEY",
    keyless: true,
    own: true,
  },
  {
    name: "vllm",
    provider: "vLLM",
    at: /^(localhost|127\.0\.0\.1|\[::1\]):8000\//,
    baseUrl: "http://127.0.0.1:8000/v1",
    urlVariable: "VLLM_BASE_URL",
    key: "VLLM_API_KEY",
    keyless: true,
    own: true,
  },
  {
    name: "lmstudio",
    provider: "LM Studio",
    at: /^(localhost|127\.0\.0\.1|\[::1\]):1234\//,
    baseUrl: "http://127.0.0.1:1234/v1",
    urlVariable: "LMSTUDIO_BASE_URL",
    key: "LMSTUDIO_API_KEY",
    keyless: true,
    own: true,
  },
] as const satisfies readonly Server[];

const PLAIN: Omit<Compat, "provider"> = {
  catalog: null,
  maxTokensField: "max_tokens",
  asksUsage: true,
  takesCacheKey: false,
  echoesReasoning: false,
  developerRole: null,
  marksCache: null,
  effort: null,
  alternates: /./,
  own: false,
  headers: {},
  keyHeader: null,
  ids: IDS,
};

type NamedRow = Extract<(typeof SERVERS)[number], { name: string }>;
/** A server that TALARIA_MODEL can name. */
export type NamedServer = Server & {
  name: NamedRow["name"];
  baseUrl: string;
  key: NamedRow["key"];
  urlVariable?: Extract<NamedRow, { urlVariable: string }>["urlVariable"];
  variableHeaders?: Readonly<Record<string, VariableOfServer>>;
};
/** A variable in the braces of an address, or of a header. */
export type VariableOfServer = (typeof SERVER_VARIABLES)[number];
export const SERVER_VARIABLES = [
  "AWS_REGION",
  "CLOUDFLARE_ACCOUNT_ID",
  "CLOUDFLARE_GATEWAY_ID",
  "OPENROUTER_REFERER",
] as const;

export const NAMED_SERVERS: readonly NamedServer[] = SERVERS.filter((server) => "name" in server);

export function toCompat(server: Server): Compat {
  return { ...PLAIN, ...server };
}

export function findCompat(baseUrl: string): Compat {
  const url = new URL(baseUrl);
  const place = `${url.host}${url.pathname}`;
  const server: Server = SERVERS.find((server) => server.at.test(place)) ?? { provider: url.host };
  return toCompat(server);
}
