// A model server that counts tokens as vLLM and llama.cpp do, with a context window and scripted answers. It refuses a request that
// does not fit with their error texts. Its tokenizer differs from the product's estimate as much as a real vocabulary does: pieces
// have at most four characters.
import { toSseBody } from "./sse-body.ts";
import { toChatFrames } from "./wire-openai-chat.ts";
import type { ScriptedAnswer } from "./wire-script.ts";

export type CountingStyle =
  | "vllm-old"
  | "vllm"
  | "vllm-at-least"
  | "vllm-above-window"
  | "vllm-passed"
  | "llamacpp"
  | "clamps";

export interface CountedRequest {
  prompt: number;
  maxTokens: number;
  refused: boolean;
  body: any;
}

const TEMPLATE_TOKENS = 12;
const MESSAGE_TOKENS = 5;

export function countTokens(text: string): number {
  // Like a byte-pair vocabulary of 32,000 for words and punctuation. Digits are single tokens, as in Llama and Qwen.
  return (text.match(/ ?[A-Za-z]{1,5}|\d|\s+|[^\sA-Za-z\d]{1,2}/gu) ?? []).length;
}

/** Counts everything that a chat template renders: messages, calls with their arguments, and tools as JSON. */
export function countRequest(body: any, count = countTokens): number {
  const messages = body.messages.reduce((sum: number, message: any) => {
    const calls = (message.tool_calls ?? []).map((call: any) => JSON.stringify(call.function)).join("");
    return sum + MESSAGE_TOKENS + count(String(message.content ?? "")) + count(calls);
  }, TEMPLATE_TOKENS);
  return messages + (body.tools ? count(JSON.stringify(body.tools)) : 0);
}

export function createCountingServer(options: {
  window: number;
  style: CountingStyle;
  /** Default: `countTokens`. */
  count?(text: string): number;
  /** The answer to a request. `null`: as many words as the request allows. */
  answer(body: any): ScriptedAnswer;
}) {
  const { window, style } = options;
  const requests: CountedRequest[] = [];
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    const body = JSON.parse(String(init!.body));
    const prompt = countRequest(body, options.count);
    const maxTokens: number = body.max_tokens ?? body.max_completion_tokens ?? window;
    const refusal = refuse(style, { window, prompt, maxTokens });
    requests.push({ prompt, maxTokens, refused: refusal !== null, body });
    if (refusal) return new Response(JSON.stringify(refusal), { status: 400 });
    const answer = options.answer(body);
    const written = countTokens(`${answer.text ?? ""}${JSON.stringify(answer.calls ?? "")}`);
    const output = Math.min(written, maxTokens, window - prompt);
    const usage = { input: prompt, output, cacheRead: 0, cacheWrite: 0 };
    const cut = written > output ? ({ stop: "length" } as const) : {};
    return new Response(toSseBody(toChatFrames({ ...answer, ...cut, usage }, body.model), "end"), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  return { fetch, requests, refused: () => requests.filter((request) => request.refused).length };
}

interface Sizes {
  window: number;
  prompt: number;
  maxTokens: number;
}

function refuse(style: CountingStyle, { window, prompt, maxTokens }: Sizes): object | null {
  const whole = prompt + maxTokens > window;
  switch (style) {
    case "vllm-old":
      return whole
        ? {
            object: "error",
            type: "BadRequestError",
            message: `This model's maximum context length is ${window} tokens. However, you requested ${prompt + maxTokens} tokens (${prompt} in the messages, ${maxTokens} in the completion). Please reduce the length of the messages or completion.`,
            param: null,
            code: 400,
          }
        : null;
    case "vllm":
      return whole
        ? vllmError(
            prompt >= window
              ? `This model's maximum context length is ${window} tokens. However, your request has ${prompt} input tokens. Please reduce the length of the input messages. None`
              : `'max_tokens' or 'max_completion_tokens' is too large: ${maxTokens}. This model's maximum context length is ${window} tokens and your request has ${prompt} input tokens (${maxTokens} > ${window} - ${prompt}). None`,
          )
        : null;
    case "vllm-at-least": {
      const least = Math.max(0, window - maxTokens) + 1;
      return whole
        ? vllmError(
            `This model's maximum context length is ${window} tokens. However, you requested ${maxTokens} output tokens and your prompt contains at least ${least} input tokens, for a total of at least ${least + maxTokens} tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=${least})`,
          )
        : null;
    }
    case "vllm-above-window":
      return maxTokens > window
        ? vllmError(
            `max_tokens=${maxTokens}cannot be greater than max_model_len=max_total_tokens=${window}. Please request fewer output tokens. (parameter=max_tokens, value=${maxTokens})`,
          )
        : refuse("vllm-at-least", { window, prompt, maxTokens });
    case "vllm-passed": {
      // This vLLM version stops counting one token after the last one that fits.
      const most = window - maxTokens;
      if (most < 0) return refuse("vllm-above-window", { window, prompt, maxTokens });
      return whole
        ? vllmError(
            `You passed ${most + 1} input tokens and requested ${maxTokens} output tokens. However, the model's context length is only ${window} tokens, resulting in a maximum input length of ${most} tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=${most + 1})`,
          )
        : null;
    }
    case "llamacpp":
      return prompt >= window
        ? {
            error: {
              code: 400,
              message: `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`,
              type: "exceed_context_size_error",
              n_prompt_tokens: prompt,
              n_ctx: window,
            },
          }
        : null;
    case "clamps":
      return null;
  }
}

function vllmError(message: string): object {
  return { error: { message, type: "BadRequestError", param: null, code: 400 } };
}
