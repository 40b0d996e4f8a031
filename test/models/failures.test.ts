// Replies as providers send them, and what each means. The samples are real ones, shortened.
import { describe, expect, it } from "vitest";
import {
  failureOfReply,
  modelFailure,
  parseBody,
  readErrorBody,
  readRetryAfter,
  redact,
} from "../../core/models/failures.ts";

const toReply = (status: number | undefined, body: unknown) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { ...readErrorBody(parseBody(text)), ...(status === undefined ? {} : { status }), provider: "Some" };
};

const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const openai = (message: string, type: string | null, code: string | null = null) => ({
  error: { message, type, param: null, code },
});

const SAMPLES: [string, number | undefined, unknown, string][] = [
  [
    "OpenAI",
    429,
    openai(
      "You exceeded your current quota, please check your plan and billing details.",
      "insufficient_quota",
      "insufficient_quota",
    ),
    "billing",
  ],
  [
    "Anthropic",
    400,
    anthropic(
      "invalid_request_error",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
    ),
    "billing",
  ],
  ["Anthropic", 402, anthropic("billing_error", "Your account is past due"), "billing"],
  [
    "OpenRouter",
    402,
    { error: { message: "Insufficient credits. Add more using https://openrouter.ai/settings/credits", code: 402 } },
    "billing",
  ],
  ["DeepSeek", 402, openai("Insufficient Balance", "unknown_error", "invalid_request_error"), "billing"],
  [
    "Z.ai",
    429,
    { error: { code: "1113", message: "Insufficient balance or no resource package. Please recharge." } },
    "billing",
  ],
  [
    "Moonshot",
    429,
    openai(
      "Your account org-x is suspended, please check your plan and billing details",
      "exceeded_current_quota_error",
    ),
    "billing",
  ],
  [
    "xAI",
    429,
    {
      code: "Some resource has been exhausted",
      error: "Your team abc has either used all available credits or reached its monthly spending limit.",
    },
    "billing",
  ],
  [
    "Workers AI",
    429,
    {
      success: false,
      errors: [{ code: 3036, message: "AiError: You have used up your daily free allocation of 10,000 neurons" }],
    },
    "billing",
  ],

  [
    "OpenAI",
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
      "invalid_request_error",
      "context_length_exceeded",
    ),
    "context_overflow",
  ],
  [
    "OpenAI Responses",
    400,
    openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "invalid_request_error",
    ),
    "context_overflow",
  ],
  [
    "Anthropic",
    400,
    anthropic("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
    "context_overflow",
  ],
  [
    "Anthropic",
    400,
    anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"),
    "context_overflow",
  ],
  [
    "Google",
    400,
    [
      {
        error: {
          code: 400,
          message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    "context_overflow",
  ],
  [
    "xAI",
    400,
    { code: "invalid", error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    "context_overflow",
  ],
  [
    "Groq",
    400,
    openai(
      "Please reduce the length of the messages or completion.",
      "invalid_request_error",
      "context_length_exceeded",
    ),
    "context_overflow",
  ],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
      },
    },
    "context_overflow",
  ],
  [
    "Moonshot",
    400,
    openai(
      "Invalid request: Your request exceeded model token limit: 262144 (requested: 300114)",
      "invalid_request_error",
    ),
    "context_overflow",
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_error",
      code: "3051",
    },
    "context_overflow",
  ],
  [
    "vLLM",
    400,
    {
      object: "error",
      message: "The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
      type: "BadRequestError",
      code: 400,
    },
    "context_overflow",
  ],
  [
    "Together",
    422,
    openai(
      "`inputs` tokens + `max_new_tokens` must be <= 131073. Given: 150000 `inputs` tokens",
      "invalid_request_error",
    ),
    "context_overflow",
  ],
  ["Ollama", 400, { error: "prompt too long; exceeded max context length by 13 tokens" }, "context_overflow"],
  [
    "LM Studio",
    400,
    { error: "The number of tokens to keep from the initial prompt is greater than the context length." },
    "context_overflow",
  ],
  ["Bedrock", 400, { message: "Input is too long for requested model." }, "context_overflow"],
  [
    "Workers AI",
    413,
    {
      errors: [
        {
          code: 5021,
          message:
            "AiError: The estimated number of input and maximum output tokens (34234) exceeded this model context window limit (24000).",
        },
      ],
    },
    "context_overflow",
  ],

  ["Anthropic", 413, anthropic("request_too_large", "Request exceeds the maximum size"), "payload_too_large"],
  [
    "OpenAI",
    429,
    openai(
      "Request too large for gpt-6.1-terra in organization org-x on tokens per min (TPM): Limit 10000, Requested 12000.",
      "tokens",
      "rate_limit_exceeded",
    ),
    "payload_too_large",
  ],
  ["nginx", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>", "payload_too_large"],

  [
    "OpenAI",
    400,
    openai(
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
      "invalid_request_error",
      "invalid_prompt",
    ),
    "content_refused",
  ],
  [
    "Azure",
    400,
    openai(
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      null,
      "content_filter",
    ),
    "content_refused",
  ],
  [
    "Anthropic",
    400,
    anthropic("invalid_request_error", "Output blocked by content filtering policy"),
    "content_refused",
  ],
  ["DeepSeek", 400, openai("Content Exists Risk", "invalid_request_error", "invalid_request_error"), "content_refused"],
  [
    "OpenRouter",
    403,
    { error: { code: 403, message: "Input was flagged", metadata: { reasons: ["violence"] } } },
    "content_refused",
  ],

  ["Anthropic", 529, anthropic("overloaded_error", "Overloaded"), "overloaded"],
  ["Anthropic in a stream", undefined, anthropic("overloaded_error", "Overloaded"), "overloaded"],
  ["OpenAI", 503, openai("Slow Down", "service_unavailable_error", "slow_down"), "overloaded"],
  [
    "Google",
    503,
    [{ error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" } }],
    "overloaded",
  ],
  [
    "Moonshot",
    429,
    openai("The engine is currently overloaded, please try again later", "engine_overloaded_error"),
    "overloaded",
  ],
  [
    "Mistral",
    429,
    {
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      code: "3505",
    },
    "overloaded",
  ],
  ["llama.cpp", 503, { error: { message: "Loading model", type: "unavailable_error", code: 503 } }, "overloaded"],
  [
    "Workers AI",
    429,
    { errors: [{ code: 3040, message: "AiError: Capacity temporarily exceeded, please try again." }] },
    "overloaded",
  ],

  [
    "Anthropic",
    429,
    anthropic("rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per minute"),
    "rate_limit",
  ],
  [
    "OpenAI",
    429,
    openai(
      "Rate limit reached for gpt-6.1-terra on tokens per min (TPM): Limit 30000. Please try again in 1.2s.",
      "tokens",
      "rate_limit_exceeded",
    ),
    "rate_limit",
  ],
  ["OpenAI in a stream", undefined, { code: "rate_limit_exceeded", message: "Rate limit reached" }, "rate_limit"],
  [
    "Google",
    429,
    [
      {
        error: {
          code: 429,
          message: "You exceeded your current quota, please check your plan and billing details.",
          status: "RESOURCE_EXHAUSTED",
        },
      },
    ],
    "rate_limit",
  ],
  ["OpenRouter in a stream", undefined, { code: 429, message: "Provider returned error" }, "rate_limit"],

  ["Anthropic", 401, anthropic("authentication_error", "invalid x-api-key"), "auth"],
  [
    "Anthropic",
    403,
    anthropic("permission_error", "Your API key does not have permission to use the specified resource"),
    "auth",
  ],
  [
    "OpenAI",
    401,
    openai("Incorrect API key provided: sk-proj-********abcd.", "invalid_request_error", "invalid_api_key"),
    "auth",
  ],
  [
    "Google",
    400,
    [{ error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } }],
    "auth",
  ],
  ["xAI", 400, { code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***ey." }, "auth"],

  [
    "OpenAI",
    404,
    openai(
      "The model `gpt-9` does not exist or you do not have access to it.",
      "invalid_request_error",
      "model_not_found",
    ),
    "model_missing",
  ],
  ["Anthropic", 404, anthropic("not_found_error", "model: claude-nope"), "model_missing"],
  ["Ollama", 404, { error: 'model "llama9" not found, try pulling it first' }, "model_missing"],
  [
    "Google",
    404,
    [{ error: { code: 404, message: "models/x is not found for API version v1main", status: "NOT_FOUND" } }],
    "model_missing",
  ],
  ["OpenRouter", 400, { error: { code: 400, message: "x/y is not a valid model ID" } }, "model_missing"],
  ["OpenRouter", 404, { error: { code: 404, message: "No endpoints found for x/y." } }, "model_missing"],
  [
    "Mistral",
    400,
    { object: "error", message: "Invalid model: x", type: "invalid_model", code: "1500" },
    "model_missing",
  ],
  ["DeepSeek", 400, openai("Model Not Exist", "invalid_request_error", "invalid_request_error"), "model_missing"],

  ["Anthropic", 504, anthropic("timeout_error", "Request timed out"), "timeout"],
  ["Cloudflare", 524, "<!DOCTYPE html><title>524: A timeout occurred</title>", "timeout"],
  ["a proxy", 408, "", "timeout"],

  ["Anthropic", 500, anthropic("api_error", "Internal server error"), "server_error"],
  ["Anthropic in a stream", undefined, anthropic("api_error", "Internal server error"), "server_error"],
  ["Cloudflare", 502, "<html><body>502 Bad Gateway</body></html>", "server_error"],
  ["an unknown error in a stream", undefined, { message: "boom" }, "server_error"],

  ["Anthropic", 400, anthropic("invalid_request_error", "messages.1: `tool_use` ids must be unique"), "bad_request"],
  ["Anthropic", 404, anthropic("not_found_error", "Not Found"), "bad_request"],
  ["FastAPI", 422, { detail: "field required" }, "bad_request"],
  ["a server without this path", 404, "404 page not found", "bad_request"],
];

const RETRYABLE = ["rate_limit", "overloaded", "server_error", "timeout", "stream_cut", "network"];

describe("a provider's reply", () => {
  it.each(SAMPLES)(
    "of %s with %s is classified, and worth another try exactly when that can help",
    (_, status, body, code) => {
      expect(failureOfReply(toReply(status, body), [])).toMatchObject({ code, retryable: RETRYABLE.includes(code) });
    },
  );
});

describe("a reply that is made to be slow", () => {
  it.each(["<", "<script", "<style>", "input token count ", "the "])("is read in no time: 64 KB of %j", (piece) => {
    const began = performance.now();
    expect(failureOfReply(toReply(400, piece.repeat(64_000 / piece.length)), [])).toMatchObject({
      code: "bad_request",
    });
    expect(performance.now() - began).toBeLessThan(500);
  });
});

describe("a failure", () => {
  it("is one sentence that says what to do, with the provider's words", () => {
    expect(modelFailure("auth", "Mistral", "Unauthorized\n  (see docs)")).toEqual({
      code: "auth",
      message: "Mistral does not accept the key; check the key and what it may use (it said: Unauthorized (see docs)).",
      retryable: false,
    });
    expect(modelFailure("stream_cut", "OpenAI").message).toBe("OpenAI stopped in the middle of its answer; try again.");
  });

  it.each([
    "Incorrect API key provided: sk-proj-Ab12cd34Ef56_gh78.",
    "Incorrect API key provided: sk-pr**************cdef.",
    "key sk-ant-api03-AAAAbbbbCCCCdddd-EEEE is disabled",
    "API key AIzaSyA1234567890abcdefghijklmnopqrstu expired",
    "gsk_abcdefghijklmnop1234 has no access",
    "bad header: Bearer abcdefgh.ijklmnop",
    "unknown key my-very-own-secret",
  ])("never repeats a key: %s", (said) => {
    const { message } = modelFailure("auth", "Some", said, ["my-very-own-secret"]);
    expect(message).toContain("[key]");
    expect(message).not.toMatch(/Ab12|cdef|AAAA|AIza|abcdefgh|my-very-own/);
  });

  it("leaves words alone that only look a little like a key", () => {
    const said = "The task-list of model sk-1 is at risk-free-rates; Bearer token missing";
    expect(redact(said, ["none"])).toBe("The task-list of model sk-1 is at risk-free-rates; Bearer token missing");
  });

  it("quotes no more than a few lines of a long page", () => {
    expect(modelFailure("server_error", "Some", "x".repeat(5_000)).message.length).toBeLessThan(400);
  });
});

describe("the time to wait", () => {
  const at = (headers: Record<string, string>) => readRetryAfter(new Headers(headers));

  it.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "-3" }, 0],
    [{ "retry-after-ms": "120.2", "retry-after": "7" }, 121],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 30_000],
    [{ "retry-after": "Wed, 21 Oct 2026 07:27:00 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }, 0],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][])("is read from %o", (headers, expected) => {
    expect(at(headers)).toBe(expected);
  });

  it("is read from Google's body, and said only with a failure that is worth another try", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" }];
    const busy = { error: { code: 429, message: "Quota", status: "RESOURCE_EXHAUSTED", details } };
    expect(failureOfReply({ ...readErrorBody([busy]), status: 429, provider: "Google" }, [])).toMatchObject({
      code: "rate_limit",
      retryAfterMs: 34_070,
    });
    const headers = new Headers({ "retry-after": "9" });
    const billing = failureOfReply({ status: 402, codes: [], message: "", provider: "Some", headers }, []);
    expect(billing).not.toHaveProperty("retryAfterMs");
  });
});
