// Maps error replies to failure codes: one table, and the first rule that matches decides. Called by failures.ts. Each rule names
// the providers that send the reply, and their wire formats. A test replays a fixture from test/fixtures/providers for each pair.
import type { ErrorReply } from "./error-reply.ts";
import type { ModelFailureCode } from "./failure-codes.ts";

/** The three wire formats. */
export type Wire = "anthropic" | "openai-chat" | "openai-responses";

const CHAT: Wire[] = ["openai-chat"];
const RESPONSES: Wire[] = ["openai-responses"];
const MESSAGES: Wire[] = ["anthropic"];
const OPENAI: Wire[] = [...CHAT, ...RESPONSES];
const MESSAGES_AND_CHAT: Wire[] = [...MESSAGES, ...CHAT];
const ALL: Wire[] = [...MESSAGES, ...OPENAI];

export interface FailureRule {
  /** Providers whose replies the rule is based on. The rule applies to every provider, since gateways forward
   * replies under their own name. */
  seen: string;
  /** Wire formats for which the rule has a fixture. */
  wires: Wire[];
  /** `none`: an error inside a stream, which has no status. */
  status?: (number | "5xx" | "none")[];
  codes?: string[];
  message?: RegExp;
  means: ModelFailureCode;
}

/** Longer replies are cut: the words that matter come first. */
const MAX_READ_CHARS = 8_000;

/**
 * The first rule whose conditions all hold. Specific rules come before general ones: an exhausted quota also has status 429 and an
 * overflow has 400, but both need a different reaction than the status suggests.
 *
 * A broken connection never counts as an overflow, even in a long conversation. Providers say so when a prompt overflows, and a
 * compaction after a network fault would lose detail without need.
 */
export function findRule(reply: Omit<ErrorReply, "provider">): FailureRule {
  const said = reply.message.slice(0, MAX_READ_CHARS);
  return FAILURE_RULES.find(
    (rule) =>
      (!rule.status || rule.status.some((status) => isStatus(status, reply.status))) &&
      (!rule.codes || rule.codes.some((code) => reply.codes.includes(code))) &&
      (!rule.message || rule.message.test(said)),
  )!; // the last rule has no condition
}

function isStatus(wanted: number | "5xx" | "none", status: number | undefined): boolean {
  if (wanted === "none") return status === undefined;
  return wanted === "5xx" ? status !== undefined && status >= 500 : status === wanted;
}

export const FAILURE_RULES: FailureRule[] = [
  // ---- a rate limit with a billing status ----
  // 402 "Usage limit reached. Your limit resets in 3 hours."
  {
    seen: "gateways",
    wires: CHAT,
    status: [402],
    message: /\b(try again|retry|resets?)\b.{0,20}\b(in|at|after|shortly)\b/i,
    means: "rate_limit",
  },

  // ---- billing: waiting does not help ----
  // 429 {"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota"}}
  {
    seen: "OpenAI",
    wires: OPENAI,
    codes: ["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "usage_not_included"],
    means: "billing",
  },
  { seen: "Anthropic", wires: MESSAGES, codes: ["billing_error"], means: "billing" },
  // 400 "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade…"
  { seen: "Anthropic", wires: MESSAGES, message: /credit balance is too low/i, means: "billing" },
  // 429 "This request would exceed your account's monthly spend limit"; 400 "You have reached your specified API usage
  // limits. You will regain access on …"
  { seen: "Anthropic", wires: MESSAGES, message: /monthly spend limit|specified API usage limits/i, means: "billing" },
  // "Insufficient credits. Add more using https://openrouter.ai/settings/credits"; DeepSeek "Insufficient Balance"
  { seen: "OpenRouter, DeepSeek, Together, Hugging Face", wires: ALL, status: [402], means: "billing" },
  // 429 {"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}
  {
    seen: "Z.ai",
    wires: MESSAGES_AND_CHAT,
    message: /insufficient (balance|credits?|funds)/i,
    means: "billing",
  },
  { seen: "Moonshot", wires: CHAT, codes: ["exceeded_current_quota_error"], means: "billing" },
  // xAI 429 "Your team … has either used all available credits or reached its monthly spending limit."; Fireworks 412
  // "Account … is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices."
  { seen: "xAI, Fireworks", wires: OPENAI, message: /used all available credits|spending limit/i, means: "billing" },
  // "3036: You have used up your daily free allocation of 10,000 neurons"
  { seen: "Workers AI", wires: CHAT, message: /used up your daily free allocation/i, means: "billing" },
  // 400 "Access denied, please make sure your account is in good standing."
  { seen: "Alibaba", wires: CHAT, codes: ["Arrearage"], means: "billing" },
  // OpenRouter "Key limit exceeded (monthly limit). Manage it using …"; Ollama "your subscription payment is past due";
  // xAI "Your newly created team doesn't have any credits or licenses yet."
  {
    seen: "OpenRouter, Ollama, xAI",
    wires: CHAT,
    status: [403],
    message: /key limit exceeded|payment is past due|\b(any|no|enough|more) credits\b/i,
    means: "billing",
  },

  // ---- the request is longer than the account's plan allows ----
  // 429 "Extra usage is required for long context requests."; 400 "The long context beta is not yet available for this
  // subscription."
  {
    seen: "Anthropic",
    wires: MESSAGES,
    message: /extra usage is required for long context|long context beta is not yet available/i,
    means: "long_context_tier",
  },
  // 429 "Request too large for gpt-6.1-terra … on tokens per min (TPM): Limit 10000, Requested 12000."; Groq sends it with status 413
  { seen: "OpenAI, Groq", wires: OPENAI, message: /request too large for/i, means: "long_context_tier" },

  // ---- the conversation is too long ----
  { seen: "OpenAI, Groq, Cerebras", wires: OPENAI, codes: ["context_length_exceeded"], means: "context_overflow" },
  { seen: "llama.cpp", wires: CHAT, codes: ["exceed_context_size_error"], means: "context_overflow" },
  // "prompt is too long: 213462 tokens > 200000 maximum"
  { seen: "Anthropic, Fireworks", wires: MESSAGES_AND_CHAT, message: /prompt is too long/i, means: "context_overflow" },
  // "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
  {
    seen: "Anthropic",
    wires: MESSAGES,
    message: /input length and `?max_tokens`? exceed context limit/i,
    means: "context_overflow",
  },
  {
    seen: "Bedrock",
    wires: CHAT,
    message: /input is too long for requested model/i,
    means: "context_overflow",
  },
  // Responses: "Your input exceeds the context window of this model. Please adjust your input and try again."
  {
    seen: "OpenAI, MiniMax",
    wires: OPENAI,
    message: /exceeds? (the |this model's )?context window|context window exceeds/i,
    means: "context_overflow",
  },
  // "This model's maximum context length is 65536 tokens. However, you requested 71012 tokens …"; Mistral "… too large for
  // model with 32768 maximum context length"
  {
    seen: "DeepSeek, vLLM, OpenRouter, NVIDIA, Mistral",
    wires: CHAT,
    message: /maximum context length/i,
    means: "context_overflow",
  },
  { seen: "vLLM", wires: CHAT, message: /longer than the maximum model length/i, means: "context_overflow" },
  // "max_tokens=16000cannot be greater than max_model_len=max_total_tokens=8192. Please request fewer output tokens."; later
  // versions have the missing space, and some name only one of the two limits
  {
    seen: "vLLM",
    wires: CHAT,
    message: /cannot be greater than max_(model_len|total_tokens)/i,
    means: "context_overflow",
  },
  // "You passed 99073 input tokens and requested 32000 output tokens. However, the model's context length is only 131072
  // tokens, resulting in a maximum input length of 99072 tokens."
  { seen: "vLLM, NVIDIA", wires: CHAT, message: /context length is only \d+ tokens/i, means: "context_overflow" },
  // "max_tokens must be at least 1, got -37.": the prompt alone is longer than the window
  { seen: "vLLM", wires: CHAT, message: /max_tokens must be at least 1, got -/i, means: "context_overflow" },
  // "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
  { seen: "Google", wires: CHAT, message: /input token count.{0,200}exceeds the maximum/i, means: "context_overflow" },
  // "This model's maximum prompt length is 131072 but the request contains 537812 tokens."
  { seen: "xAI", wires: OPENAI, message: /maximum prompt length is \d+/i, means: "context_overflow" },
  // Older versions, without a code: "the request exceeds the available context size, try increasing it"
  { seen: "llama.cpp", wires: CHAT, message: /exceeds the available context size/i, means: "context_overflow" },
  { seen: "LM Studio", wires: CHAT, message: /greater than the context length/i, means: "context_overflow" },
  {
    seen: "GitHub Copilot",
    wires: CHAT,
    message: /prompt token count of \d+ exceeds the limit/i,
    means: "context_overflow",
  },
  // "Your request exceeded model token limit: 262144 (requested: 300114)"
  { seen: "Moonshot", wires: CHAT, message: /exceeded model token limit/i, means: "context_overflow" },
  { seen: "Ollama", wires: CHAT, message: /exceeded max context length/i, means: "context_overflow" },
  // "`inputs` tokens + `max_new_tokens` must be <= 131073. Given: 150000 `inputs` tokens …"
  { seen: "Together", wires: CHAT, message: /`inputs` tokens \+ `max_new_tokens` must be/i, means: "context_overflow" },
  // "5021: The estimated number of input and maximum output tokens (34234) exceeded this model context window limit (24000)."
  {
    seen: "Workers AI",
    wires: CHAT,
    message: /exceeded this model context window limit/i,
    means: "context_overflow",
  },
  // {"code":"1261","message":"Prompt exceeds max length"}
  { seen: "Z.ai", wires: MESSAGES_AND_CHAT, message: /prompt exceeds max length/i, means: "context_overflow" },
  { seen: "Alibaba", wires: CHAT, message: /range of input length should be/i, means: "context_overflow" },

  // ---- the requested answer is too long, with any prompt ----
  // "max_tokens: 16000 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307"
  {
    seen: "Anthropic",
    wires: MESSAGES,
    message: /maximum allowed number of output tokens/i,
    means: "answer_limit",
  },
  // "max_tokens is too large: 16000. This model supports at most 4096 completion tokens, whereas you provided 16000."
  {
    seen: "OpenAI",
    wires: OPENAI,
    message: /supports at most \d+ (completion|output) tokens/i,
    means: "answer_limit",
  },
  // DeepSeek "the valid range of max_tokens is [1, 8192]"; Alibaba "Range of max_tokens should be [1, 8192]"
  { seen: "DeepSeek, Alibaba", wires: CHAT, message: /range of max_tokens (is|should be) \[/i, means: "answer_limit" },
  {
    seen: "Groq",
    wires: CHAT,
    message: /max_(completion_)?tokens`? must be less than or equal to/i,
    means: "answer_limit",
  },
  {
    seen: "Bedrock",
    wires: CHAT,
    message: /maximum tokens you requested exceeds the model limit/i,
    means: "answer_limit",
  },

  // ---- this request is too large; waiting does not help ----
  { seen: "Anthropic", wires: MESSAGES, codes: ["request_too_large"], means: "payload_too_large" },
  { seen: "all", wires: ALL, status: [413], means: "payload_too_large" },

  // ---- the provider refuses an image: the model reads none, or this one is too large or broken ----
  // "messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels";
  // "…: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes"; "Could not process image"
  {
    seen: "Anthropic, and gateways in front of it",
    wires: MESSAGES_AND_CHAT,
    message: /image dimensions exceed|image exceeds .{1,20} maximum|could not process (the )?image/i,
    means: "images_refused",
  },
  // "You uploaded an unsupported image. Please make sure your image is valid."; code "invalid_image_format"
  {
    seen: "OpenAI",
    wires: OPENAI,
    codes: [
      "invalid_image_format",
      "invalid_image_url",
      "image_parse_error",
      "image_too_large",
      "unsupported_image_media_type",
    ],
    means: "images_refused",
  },
  // OpenAI "Invalid content type. image_url is only supported by certain models."; DeepSeek "unknown variant `image_url`, expected
  // `text`"; OpenRouter 404 "No endpoints found that support image input"; llama.cpp 500 "image input is not supported - hint: …";
  // vLLM "x is not a multimodal model"; Mistral "Image input is not enabled for this model"; Ollama "this model is missing data
  // required for image input"; Z.ai and gateways "Model do not support image input"
  {
    seen: "OpenAI, DeepSeek, OpenRouter, llama.cpp, vLLM, Mistral, Ollama, Z.ai",
    wires: OPENAI,
    message:
      /do(?:es)?(?: not|n't) support (?:image|vision|multimodal)|image input is not|support image input|required for image input|not a multimodal model|image_url is only supported|unknown variant .?image_url|at most \d{1,6} image/i,
    means: "images_refused",
  },

  // ---- native data is not accepted back ----
  // "The encrypted content gAAA…DQ== could not be verified."
  { seen: "OpenAI", wires: RESPONSES, codes: ["invalid_encrypted_content"], means: "native_refused" },
  // "Item 'rs_…' of type 'reasoning' was provided without its required following item."; "Item 'fc_…' of type
  // 'function_call' was provided without its required 'reasoning' item: 'rs_…'."; "Item with id 'rs_…' not found."
  {
    seen: "OpenAI",
    wires: RESPONSES,
    message: /without its required ('reasoning'|following) item|item with id '[^']{0,200}' not found/i,
    means: "native_refused",
  },
  // "messages.1.content.0: Invalid `signature` in `thinking` block"; "… `thinking` or `redacted_thinking` blocks in the
  // latest assistant message cannot be modified."
  {
    seen: "Anthropic, and gateways in front of it",
    wires: MESSAGES_AND_CHAT,
    message: /invalid `?signature`? in `?thinking`? block|thinking`? blocks .{0,60}cannot be modified/i,
    means: "native_refused",
  },
  // "Corrupted thought signature."; "Thought signature is not valid." A missing signature does not match: dropping native data would not help.
  {
    seen: "Google",
    wires: CHAT,
    message: /(corrupted|invalid) thought.?signature|thought.?signature is not valid/i,
    means: "native_refused",
  },

  // ---- the provider refuses this content ----
  {
    seen: "OpenAI, Azure, Moonshot",
    wires: OPENAI,
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
  { seen: "Anthropic", wires: MESSAGES, message: /blocked by content filtering policy/i, means: "content_refused" },
  { seen: "Google", wires: CHAT, message: /PROHIBITED_CONTENT|blocked due to safety/i, means: "content_refused" },
  { seen: "DeepSeek", wires: CHAT, message: /content exists risk/i, means: "content_refused" },
  { seen: "Alibaba", wires: CHAT, codes: ["data_inspection_failed"], means: "content_refused" },
  // {"code":"1301","message":"System detected potentially unsafe or sensitive content in input or generation."}
  { seen: "Z.ai", wires: CHAT, message: /potentially unsafe or sensitive content/i, means: "content_refused" },
  // {"success":false,"error":[{"code":2016,"message":"Prompt blocked due to security configurations"}]}
  {
    seen: "AI Gateway",
    wires: ALL,
    message: /(prompt|response) blocked due to security configurations/i,
    means: "content_refused",
  },
  // 403 {"message":"Input was flagged","metadata":{"reasons":["violence"],"flagged_input":"…"}}
  { seen: "OpenRouter", wires: CHAT, status: [403], message: /flagged|moderation/i, means: "content_refused" },

  // ---- the account's owner restricts where data may go ----
  // 404 "No endpoints available matching your guardrail restrictions and data policy. Configure: …"
  {
    seen: "OpenRouter",
    wires: CHAT,
    status: [404],
    message: /data policy|guardrail restrictions|no allowed providers/i,
    means: "provider_policy_blocked",
  },

  // ---- the provider has no capacity: any request would fail now. The status varies. ----
  { seen: "Anthropic", wires: MESSAGES, codes: ["overloaded_error"], means: "overloaded" },
  { seen: "Anthropic, Cloudflare", wires: MESSAGES, status: [529], means: "overloaded" },
  { seen: "Moonshot", wires: CHAT, codes: ["engine_overloaded_error"], means: "overloaded" },
  { seen: "OpenAI", wires: OPENAI, codes: ["slow_down", "server_is_overloaded"], means: "overloaded" },
  // Google 503 "The model is overloaded. Please try again later."; Z.ai 429 "The service may be temporarily overloaded"
  {
    seen: "Google, Z.ai, Fireworks",
    wires: MESSAGES_AND_CHAT,
    message: /overloaded|over capacity/i,
    means: "overloaded",
  },
  // Mistral 429 "Service tier capacity exceeded for this model."; Workers AI 3040 "No more data centers to forward the
  // request to"; Groq 498 "Flex tier capacity exceeded"
  {
    seen: "Mistral, Workers AI, Groq",
    wires: CHAT,
    message: /capacity (temporarily )?exceeded|no more data centers/i,
    means: "overloaded",
  },
  // 503 {"error":{"message":"Loading model","type":"unavailable_error","code":503}}
  { seen: "llama.cpp", wires: CHAT, codes: ["unavailable_error"], means: "overloaded" },
  { seen: "all", wires: ALL, status: [503], means: "overloaded" },

  // ---- rate limits ----
  // Google also says "You exceeded your current quota" for a per-minute limit, with the status RESOURCE_EXHAUSTED.
  {
    seen: "Google, OpenAI, Anthropic, Codex",
    wires: ALL,
    codes: ["RESOURCE_EXHAUSTED", "rate_limit_exceeded", "rate_limit_error", "usage_limit_reached"],
    means: "rate_limit",
  },
  // Inside a stream, where there is no status: "Too many tokens, please wait before trying again."
  { seen: "Bedrock", wires: CHAT, message: /too many (requests|tokens),? please wait/i, means: "rate_limit" },
  { seen: "all", wires: ALL, status: [429], means: "rate_limit" },

  // ---- the key ----
  {
    seen: "OpenAI, Anthropic",
    wires: ALL,
    codes: ["invalid_api_key", "authentication_error", "permission_error", "account_deactivated"],
    means: "auth",
  },
  // 400 {"error":{"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}
  { seen: "Google, xAI", wires: CHAT, message: /api key not valid|incorrect api key/i, means: "auth" },
  // 400 "This organization has been disabled."; 400 "Your organization must be verified to stream this model."
  {
    seen: "Anthropic, OpenAI",
    wires: ALL,
    message: /organization (has been disabled|must be verified)/i,
    means: "auth",
  },
  { seen: "all", wires: ALL, status: [401, 403], means: "auth" },

  // ---- options that the server was started with. Some servers reply with a status that is otherwise retried. ----
  // llama.cpp 500 "tools param requires --jinja flag", earlier 500 "Unsupported param: tools"; vLLM 400 `"auto" tool choice
  // requires --enable-auto-tool-choice and --tool-call-parser to be set`; Ollama 400 "registry.ollama.ai/library/x does not
  // support tools"; OpenRouter 404 "No endpoints found that support tool use."
  {
    seen: "llama.cpp, vLLM, Ollama, OpenRouter",
    wires: CHAT,
    message:
      /requires --jinja|unsupported param: tools|requires --enable-auto-tool-choice|does not support tools|that support tool use/i,
    means: "tools_unsupported",
  },
  // 500 "model requires more system memory (5.0 GiB) than is available (3.9 GiB)"
  {
    seen: "Ollama",
    wires: CHAT,
    message: /requires more system memory|unable to load model|not supported by your version of ollama/i,
    means: "model_unloadable",
  },

  // ---- the model's name ----
  {
    seen: "OpenAI, Azure, Together",
    wires: OPENAI,
    codes: ["model_not_found", "DeploymentNotFound", "model_not_available"],
    means: "model_missing",
  },
  // OpenRouter 400 "x/y is not a valid model ID"; Mistral 400 "Invalid model: x"; DeepSeek 400 "Model Not Exist"; Z.ai
  // "Unknown Model, please check the model code."; Workers AI 5007 "No such model @cf/x or task"
  {
    seen: "OpenRouter, Mistral, DeepSeek, Z.ai, Workers AI",
    wires: MESSAGES_AND_CHAT,
    message: /not a valid model id|invalid model:|model not exist|unknown model|no such model/i,
    means: "model_missing",
  },
  // vLLM {"detail":"Not Found"}, Ollama "404 page not found", if the base URL lacks /v1
  {
    seen: "self-hosted servers",
    wires: ALL,
    status: [404],
    message: /^(?:404:? )?(?:page )?not found\.?$/i,
    means: "wrong_address",
  },
  // Ollama `model "x" not found, try pulling it first`; Google "models/x is not found for API version v1main"
  { seen: "all", wires: ALL, status: [404], message: /model|endpoints found/i, means: "model_missing" },

  // ---- a bad request with a server-error status, which is otherwise retried ----
  {
    seen: "gateways in front of OpenAI",
    wires: OPENAI,
    status: ["5xx"],
    message: /(unknown|unsupported)[ _]parameter|unrecognized request argument|invalid_request_error/i,
    means: "bad_request",
  },
  // 500 "… Error: Jinja Exception: After the optional system message, conversation roles must alternate …"
  {
    seen: "llama.cpp",
    wires: CHAT,
    status: ["5xx"],
    message: /jinja exception|roles must alternate|raise_exception/i,
    means: "bad_request",
  },

  // ---- timeouts, then everything else by status ----
  { seen: "Anthropic", wires: MESSAGES, codes: ["timeout_error"], means: "timeout" },
  { seen: "all, Cloudflare", wires: ALL, status: [408, 504, 522, 524], means: "timeout" },
  // 400 "Failed to call a function. Please adjust your prompt.": the model wrote an unreadable call; a retry may succeed.
  { seen: "Groq", wires: CHAT, codes: ["tool_use_failed"], means: "server_error" },
  // 409 is a lock that another request holds; the SDKs retry it too. 424 is Bedrock's ModelErrorException.
  { seen: "all, Bedrock", wires: ALL, status: [409, 424], means: "server_error" },
  {
    seen: "Anthropic, OpenAI",
    wires: ALL,
    codes: ["invalid_request_error", "not_found_error"],
    means: "bad_request",
  },
  { seen: "all", wires: ALL, status: ["5xx", "none"], means: "server_error" },
  { seen: "all", wires: ALL, means: "bad_request" },
];
