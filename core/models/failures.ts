// What providers reply when they do not answer, and what each reply means for the loop: one table, read from top to
// bottom. Called by stream-guard.ts and the adapters. Pure; nothing here may let a key into a message.
import type { ModelFailure } from "../agent/contract.ts";

export type ModelFailureCode =
  | "rate_limit"
  | "overloaded"
  | "auth"
  | "billing"
  | "context_overflow"
  | "payload_too_large"
  | "content_refused"
  | "model_missing"
  | "bad_request"
  | "server_error"
  | "timeout"
  | "stream_cut"
  | "aborted"
  | "network";

/** One reply, as far as it could be read. `status` is absent for an error that came inside a stream. */
export interface ProviderReply {
  provider: string;
  status?: number;
  /** `error.type`, `error.code`, `error.status` and the like, in any order. */
  codes: string[];
  message: string;
  headers?: Headers;
  /** Milliseconds, when the body itself says how long to wait (Google's `RetryInfo`). */
  bodyRetryMs?: number;
}

interface Rule {
  /** Whose replies the rule was made from. It is tried on every reply: gateways pass them on under their own name. */
  seen: string;
  status?: number[];
  codes?: string[];
  message?: RegExp;
  means: ModelFailureCode;
}

/**
 * The first rule whose every condition holds decides. Specific before general: a quota that is used up also says 429, an
 * overflow also says 400, and both ask for something else than what the status suggests.
 */
const RULES: Rule[] = [
  // ---- no money: waiting does not help ----
  // {"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota"}}
  {
    seen: "OpenAI",
    codes: ["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"],
    means: "billing",
  },
  { seen: "Anthropic", codes: ["billing_error"], means: "billing" },
  // 400 "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade…"
  { seen: "Anthropic", message: /credit balance is too low/i, means: "billing" },
  // 402 "Insufficient credits. Add more using https://openrouter.ai/settings/credits"; DeepSeek 402 "Insufficient Balance"
  { seen: "OpenRouter, DeepSeek, Together", status: [402], means: "billing" },
  // 429 {"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}
  { seen: "Z.ai", message: /insufficient (balance|credits?|funds)/i, means: "billing" },
  { seen: "Moonshot", codes: ["exceeded_current_quota_error"], means: "billing" },
  // "Your team … has either used all available credits or reached its monthly spending limit."
  { seen: "xAI", message: /used all available credits|spending limit/i, means: "billing" },
  // "3036: You have used up your daily free allocation of 10,000 neurons"
  { seen: "Workers AI", message: /used up your daily free allocation/i, means: "billing" },

  // ---- the conversation is too long ----
  { seen: "OpenAI, Groq, DeepSeek", codes: ["context_length_exceeded"], means: "context_overflow" },
  { seen: "llama.cpp", codes: ["exceed_context_size_error"], means: "context_overflow" },
  // "prompt is too long: 213462 tokens > 200000 maximum"
  { seen: "Anthropic", message: /prompt is too long/i, means: "context_overflow" },
  // "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
  { seen: "Anthropic", message: /input length and `?max_tokens`? exceed context limit/i, means: "context_overflow" },
  { seen: "Bedrock", message: /input is too long for requested model/i, means: "context_overflow" },
  // Responses: "Your input exceeds the context window of this model. Please adjust your input and try again."
  {
    seen: "OpenAI, MiniMax, Z.ai",
    message: /exceeds? (the |this model's )?context window|context window exceeds/i,
    means: "context_overflow",
  },
  // "This model's maximum context length is 65536 tokens. However, you requested 71012 tokens …"
  { seen: "OpenAI, DeepSeek, vLLM, OpenRouter", message: /maximum context length/i, means: "context_overflow" },
  { seen: "vLLM", message: /longer than the maximum model length/i, means: "context_overflow" },
  // "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
  { seen: "Google", message: /input token count.*exceeds the maximum/i, means: "context_overflow" },
  // "This model's maximum prompt length is 131072 but the request contains 537812 tokens."
  { seen: "xAI", message: /maximum prompt length is \d+/i, means: "context_overflow" },
  { seen: "Groq", message: /reduce the length of the messages/i, means: "context_overflow" },
  // "the request exceeds the available context size, try increasing it"
  { seen: "llama.cpp", message: /exceeds the available context size/i, means: "context_overflow" },
  { seen: "LM Studio", message: /greater than the context length/i, means: "context_overflow" },
  { seen: "GitHub Copilot", message: /prompt token count of \d+ exceeds the limit/i, means: "context_overflow" },
  // "Your request exceeded model token limit: 262144 (requested: 300114)"
  { seen: "Moonshot", message: /exceeded model token limit/i, means: "context_overflow" },
  { seen: "Mistral", message: /too large for model with \d+ maximum context/i, means: "context_overflow" },
  { seen: "Ollama", message: /exceeded max context length/i, means: "context_overflow" },
  // "`inputs` tokens + `max_new_tokens` must be <= 131073. Given: 150000 `inputs` tokens …"
  { seen: "Together", message: /`inputs` tokens \+ `max_new_tokens` must be/i, means: "context_overflow" },
  // "5021: The estimated number of input and maximum output tokens (34234) exceeded this model context window limit (24000)."
  { seen: "Workers AI", message: /exceeded this model context window limit/i, means: "context_overflow" },

  // ---- one request is too large, however much time passes ----
  // 429 "Request too large for gpt-6.1-terra … on tokens per min (TPM): Limit 10000, Requested 12000."; Groq says it with 413
  { seen: "OpenAI, Groq", message: /request too large for/i, means: "payload_too_large" },
  { seen: "Anthropic", codes: ["request_too_large"], means: "payload_too_large" },
  { seen: "all", status: [413], means: "payload_too_large" },

  // ---- the provider does not want this text ----
  {
    seen: "OpenAI, Azure",
    codes: [
      "content_filter",
      "content_policy_violation",
      "invalid_prompt",
      "bio_policy",
      "cyber_policy",
      "misalignment_policy_violation",
    ],
    means: "content_refused",
  },
  { seen: "Anthropic", message: /blocked by content filtering policy/i, means: "content_refused" },
  { seen: "Google", message: /PROHIBITED_CONTENT|blocked due to safety/i, means: "content_refused" },
  { seen: "DeepSeek", message: /content exists risk/i, means: "content_refused" },
  { seen: "Alibaba", codes: ["data_inspection_failed"], means: "content_refused" },
  // 403 {"message":"Input was flagged","metadata":{"reasons":["violence"],"flagged_input":"…"}}
  { seen: "OpenRouter", status: [403], message: /flagged|moderation/i, means: "content_refused" },

  // ---- the provider is full: anyone's request would fail now ----
  { seen: "Anthropic", codes: ["overloaded_error"], means: "overloaded" },
  { seen: "Anthropic, Cloudflare", status: [529], means: "overloaded" },
  { seen: "Moonshot", codes: ["engine_overloaded_error"], means: "overloaded" },
  { seen: "OpenAI", codes: ["slow_down", "server_is_overloaded"], means: "overloaded" },
  // 503 {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}
  { seen: "Google, OpenAI, Fireworks", message: /overloaded|over capacity/i, means: "overloaded" },
  // 429 {"object":"error","message":"Service tier capacity exceeded for this model.","code":"3505"}
  { seen: "Mistral, Workers AI", message: /capacity (temporarily )?exceeded/i, means: "overloaded" },
  // 503 {"error":{"message":"Loading model","type":"unavailable_error","code":503}}
  { seen: "llama.cpp", codes: ["unavailable_error"], means: "overloaded" },
  { seen: "all", status: [503], means: "overloaded" },

  // ---- too fast ----
  // Google says "You exceeded your current quota" of a limit a minute too, and names it RESOURCE_EXHAUSTED.
  {
    seen: "Google, OpenAI, Anthropic",
    codes: ["RESOURCE_EXHAUSTED", "rate_limit_exceeded", "rate_limit_error"],
    means: "rate_limit",
  },
  { seen: "all", status: [429], means: "rate_limit" },

  // ---- the key ----
  { seen: "OpenAI, Anthropic", codes: ["invalid_api_key", "authentication_error", "permission_error"], means: "auth" },
  // 400 {"error":{"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}
  { seen: "Google, xAI", message: /api key not valid|incorrect api key/i, means: "auth" },
  { seen: "all", status: [401, 403], means: "auth" },

  // ---- the model's name ----
  { seen: "OpenAI, Anthropic", codes: ["model_not_found"], means: "model_missing" },
  // OpenRouter 400 "x/y is not a valid model ID"; Mistral 400 "Invalid model: x"; DeepSeek 400 "Model Not Exist"
  {
    seen: "OpenRouter, Mistral, DeepSeek",
    message: /not a valid model id|invalid model:|model not exist/i,
    means: "model_missing",
  },
  // Ollama 404 `model "x" not found, try pulling it first`; Google 404 "models/x is not found for API version v1main"
  { seen: "all", status: [404], message: /model|endpoints found/i, means: "model_missing" },

  // ---- time, and the rest by status ----
  { seen: "Anthropic", codes: ["timeout_error"], means: "timeout" },
  { seen: "all, Cloudflare", status: [408, 504, 522, 524], means: "timeout" },
  { seen: "Anthropic, OpenAI", codes: ["api_error", "server_error", "internal_server_error"], means: "server_error" },
  // The SDKs retry a conflict: it is a lock that another request holds.
  { seen: "all", status: [409], means: "server_error" },
  { seen: "Anthropic, OpenAI", codes: ["invalid_request_error", "not_found_error"], means: "bad_request" },
];

const RETRYABLE: ReadonlySet<ModelFailureCode> = new Set([
  "rate_limit",
  "overloaded",
  "server_error",
  "timeout",
  "stream_cut",
  "network",
]);

const SENTENCES: Record<ModelFailureCode, string> = {
  rate_limit: "asks for fewer requests; wait, then try again",
  overloaded: "has no capacity now; try again later or choose another model",
  auth: "does not accept the key; check the key and what it may use",
  billing: "wants to be paid: the account has no credit or quota left; top it up or use another key",
  context_overflow:
    "says the conversation is longer than the model can read; shorten it or choose a model with a larger window",
  payload_too_large: "says this one request is too large; send less at once",
  content_refused: "refuses this content; say it differently",
  model_missing: "does not know this model, or the key may not use it; check the model's name",
  bad_request: "calls the request wrong; the reply says what to change",
  server_error: "had an error of its own; try again",
  timeout: "did not answer in time; try again",
  stream_cut: "stopped in the middle of its answer; try again",
  aborted: "was not waited for: the call was stopped",
  network: "could not be reached; check the address and the network, then try again",
};

const MAX_QUOTE_CHARS = 300;
/** What a reply means stands at its beginning. */
const MAX_READ_CHARS = 8_000;

/** What a reply means. An unknown 5xx, or an error in a stream without a known code, is the provider's own. */
function classifyReply(reply: ProviderReply): ModelFailureCode {
  const said = reply.message.slice(0, MAX_READ_CHARS);
  const rule = RULES.find(
    (rule) =>
      (!rule.status || (reply.status !== undefined && rule.status.includes(reply.status))) &&
      (!rule.codes || rule.codes.some((code) => reply.codes.includes(code))) &&
      (!rule.message || rule.message.test(said)),
  );
  if (rule) return rule.means;
  return reply.status === undefined || reply.status >= 500 ? "server_error" : "bad_request";
}

/** `secrets` are removed from the message by value, and whatever looks like a key by its shape. */
export function failureOfReply(reply: ProviderReply, secrets: string[]): ModelFailure {
  const failure = modelFailure(classifyReply(reply), reply.provider, reply.message, secrets);
  const retryAfterMs = readRetryAfter(reply.headers) ?? reply.bodyRetryMs;
  return failure.retryable && retryAfterMs !== undefined ? { ...failure, retryAfterMs } : failure;
}

/** A failure in one sentence, with the provider's own words after it. */
export function modelFailure(
  code: ModelFailureCode,
  provider: string,
  said = "",
  secrets: string[] = [],
): ModelFailure {
  const quote = redact(said, secrets).replace(/\s+/g, " ").trim().slice(0, MAX_QUOTE_CHARS);
  const message = `${provider} ${SENTENCES[code]}${quote ? ` (it said: ${quote})` : ""}.`;
  return { code, message, retryable: RETRYABLE.has(code) };
}

/**
 * Reads an error body of any provider: `{error: {...}}` (OpenAI, Anthropic), the same in an array (Google),
 * `{error: "text"}` (Ollama), `{object: "error", message}` (Mistral, vLLM), `{errors: [{code, message}]}` (Cloudflare),
 * `{detail}` (FastAPI), or plain text and HTML from a proxy.
 */
export function readErrorBody(body: unknown): Pick<ProviderReply, "status" | "codes" | "message" | "bodyRetryMs"> {
  const whole = asRecord(Array.isArray(body) ? body[0] : body);
  if (!whole) return { codes: [], message: typeof body === "string" ? stripMarkup(body) : "" };
  const listed = Array.isArray(whole.errors) ? asRecord(whole.errors[0]) : undefined;
  const inner = asRecord(whole.error) ?? listed ?? whole;
  const codes = [inner.type, inner.code, inner.status, whole.type, whole.code]
    .filter((code) => typeof code === "string" || typeof code === "number")
    .map(String);
  const message = [inner.message, whole.error, whole.message, whole.detail].find((text) => typeof text === "string");
  // OpenRouter puts the status of the provider behind it into `error.code` of a stream's error chunk.
  const status = typeof inner.code === "number" && inner.code >= 400 && inner.code < 600 ? inner.code : undefined;
  return {
    ...(status === undefined ? {} : { status }),
    codes,
    message: (message as string | undefined) ?? JSON.stringify(inner),
    bodyRetryMs: readRetryInfo(inner.details),
  };
}

/** Parses text as JSON where it is JSON. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // a proxy's page, or a plain sentence
  }
}

/**
 * `retry-after-ms` (OpenAI, Anthropic), else `Retry-After` in seconds or as a date. A date is measured from the reply's own
 * `Date`, which needs no clock here and forgives one that is wrong. Undefined for anything else.
 */
export function readRetryAfter(headers: Headers | undefined): number | undefined {
  const exact = headers?.get("retry-after-ms");
  if (exact && Number.isFinite(Number(exact))) return Math.max(0, Math.ceil(Number(exact)));
  const value = headers?.get("retry-after")?.trim();
  if (!value) return undefined;
  if (Number.isFinite(Number(value))) return Math.max(0, Math.ceil(Number(value) * 1_000));
  const waitMs = Date.parse(value) - Date.parse(headers?.get("date") ?? "");
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Keys of the known shapes, and these very values, become `[key]`. */
export function redact(text: string, secrets: string[] = []): string {
  const known = secrets
    .filter((secret) => secret.length >= 8)
    .reduce((rest, key) => rest.replaceAll(key, "[key]"), text);
  return known.replace(KEY_SHAPES, "[key]");
}

// OpenAI, Anthropic, OpenRouter, DeepSeek `sk-…` (also masked with stars), Google `AIza…`, Groq, xAI, Hugging Face,
// NVIDIA, Fireworks, and whatever stands behind `Bearer`.
const KEY_SHAPES =
  /\b(?:sk|rk|pk)-[\w*-]{6,}|\bAIza[\w-]{20,}|\b(?:gsk|xai|hf|nvapi|fw|csk|tgp|tal)[_-][\w-]{16,}|(?<=\bBearer )[\w.~+/=-]{8,}/g;

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function stripMarkup(text: string): string {
  // What is never closed reaches to the end: no place is read twice, whatever a proxy sends.
  return text.replace(/<(script|style)[\s\S]*?(?:<\/\1>|$)/gi, " ").replace(/<[^<>]*>/g, " ");
}

/** Google: `details: [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}]`. */
function readRetryInfo(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const delay = details.map((detail) => asRecord(detail)?.retryDelay).find((value) => typeof value === "string");
  const seconds = Number((delay as string | undefined)?.match(/^(\d+(?:\.\d+)?)s$/)?.[1]);
  return Number.isFinite(seconds) ? Math.ceil(seconds * 1_000) : undefined;
}
