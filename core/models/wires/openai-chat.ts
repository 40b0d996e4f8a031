// Chat Completions, the wire of OpenAI and every compatible server. Translates a request; openai-chat-stream.ts reads the reply,
// and stream-guard.ts enforces the contract. Differences between servers are data in openai-compat.ts. Created by routing.ts.
import type OpenAI from "openai";
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions/completions";
import type { Model, ModelRequest } from "../../agent/contract.ts";
import type { Effort } from "../../schemas/settings.ts";
import { type ModelFacts, lookUpFacts } from "../catalog.ts";
import { chooseEffort, supportedEfforts } from "../effort.ts";
import { type ChatNative, WIRE, createChatReader } from "./openai-chat-stream.ts";
import { OPENAI_URL, type OpenAiClientOptions, createOpenAiClient } from "./openai-client.ts";
import { type Compat, findCompat } from "./openai-compat.ts";
import { openAiImageTokens, unknownImageTokens } from "../../images/image-tokens.ts";
import { isOwnServer } from "../own-server.ts";
import { type ImageSlots, createImageSlots } from "./image-slots.ts";
import { sendWithoutRefused } from "./refused-fields.ts";
import { sendBuilt } from "./sdk-request.ts";
import { FORMAT_NAME, forcedChoice, sendWithWishes, wishFor } from "./wishes.ts";
import { guardWire } from "../stream/stream-guard.ts";
import { type WireMessage, assignWireIds } from "./wire-calls.ts";

export interface OpenAiChatOptions extends OpenAiClientOptions {
  model: string;
  /** Default: `openai-chat:<model>`. */
  name?: string;
  /** Default: the row of openai-compat.ts for the address. */
  compat?: Compat;
  /** Default: what the catalog knows. */
  facts?: ModelFacts;
}

export function createOpenAiChatModel(options: OpenAiChatOptions): Model {
  const { name = `openai-chat:${options.model}`, compat = findCompat(options.baseUrl ?? OPENAI_URL) } = options;
  const facts = options.facts ?? lookUpFacts({ provider: compat.catalog, id: options.model, name });
  let client: OpenAI | undefined;
  return guardWire({
    name,
    facts,
    provider: compat.provider,
    apiKey: options.apiKey,
    ...((compat.takesCacheKey || compat.marksCache?.test(options.model)) && { cachedAt: options.baseUrl ?? "openai" }),
    imageTokens: (size) =>
      compat.catalog === "openai" ? openAiImageTokens(options.model, size) : unknownImageTokens(size),
    clock: options.clock,
    isOwn: compat.own || (options.baseUrl !== undefined && isOwnServer(options.baseUrl)),
    ...(options.baseUrl !== undefined && { server: options.baseUrl }),
    open(request, { signal, charge }) {
      client ??= createOpenAiClient({
        ...options,
        headers: { ...compat.headers, ...options.headers },
        keyHeader: compat.keyHeader,
      });
      const slots = createImageSlots(request);
      const body = toChatBody(request, options.model, compat, { efforts: facts.efforts, slots });
      const to = client;
      const server = `${options.baseUrl} ${options.model}`;
      const send = (accepted: typeof body) =>
        sendBuilt(to, { path: "/chat/completions", body: accepted, slots, signal, fetch: options.fetch });
      const wishes = listWishes(request, body);
      const response = sendWithoutRefused(server, body, (accepted) => sendWithWishes(server, accepted, wishes, send));
      const { provider } = compat;
      const messagesBefore = request.messages.length;
      return { response, ...createChatReader({ model: name, provider, messagesBefore, body, charge }) };
    },
  });
}

/** `efforts`: the levels that the model takes; absent: unknown. */
export function toChatBody(
  request: ModelRequest,
  model: string,
  compat: Compat,
  { efforts, slots = createImageSlots(request) }: { efforts?: readonly Effort[] | undefined; slots?: ImageSlots } = {},
): ChatCompletionCreateParamsStreaming {
  const messages = assignWireIds(request.messages, compat.ids).flatMap((message) => toMessage(message, compat, slots));
  const role = compat.developerRole?.test(model) ? "developer" : "system";
  const system: ChatCompletionMessageParam[] = request.system ? [{ role, content: request.system }] : [];
  const tools = request.tools.map(({ name, description, parameters }) => ({
    type: "function" as const,
    function: { name, description, parameters },
  }));
  const whole = [...system, ...(compat.alternates?.test(model) ? toAlternating(messages) : messages)];
  const marks = compat.marksCache?.test(model) ?? false;
  return {
    model,
    stream: true,
    ...(compat.asksUsage ? { stream_options: { include_usage: true } } : {}),
    [compat.maxTokensField]: request.maxOutputTokens,
    ...(compat.takesCacheKey ? { prompt_cache_key: request.cacheKey } : {}),
    ...toReasoning(request.effort, compat, efforts),
    ...(tools.length === 0
      ? {}
      : {
          tools: marks
            ? tools.map((tool, n) => (n === tools.length - 1 ? { ...tool, cache_control: CACHED } : tool))
            : tools,
          ...toToolChoice(request),
        }),
    ...toWished(request),
    messages: marks ? markCache(whole) : whole,
  };
}

function toToolChoice(request: ModelRequest): Pick<ChatCompletionCreateParamsStreaming, "tool_choice"> {
  const forced = forcedChoice(request);
  if (forced === "required") return { tool_choice: "required" };
  if (forced) return { tool_choice: { type: "function", function: { name: forced.name } } };
  return request.toolChoice === "none" ? { tool_choice: "none" } : {};
}

/** What a client wishes. Nothing for other requests. */
function toWished({ format, sampling = {} }: ModelRequest): Partial<ChatCompletionCreateParamsStreaming> {
  const { temperature, topP, stop } = sampling;
  return {
    ...(format?.type === "json_object" && { response_format: format }),
    ...(format?.type === "json_schema" && {
      response_format: {
        type: "json_schema",
        json_schema: {
          ...{ name: format.name ?? FORMAT_NAME, schema: format.schema },
          ...(format.strict !== undefined && { strict: format.strict }),
        },
      },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && { stop }),
  };
}

const WISHED = ["response_format", "temperature", "top_p", "stop"];

function listWishes(request: ModelRequest, body: ChatCompletionCreateParamsStreaming) {
  if (!request.format && !request.sampling && !forcedChoice(request)) return [];
  return [...WISHED, ...(forcedChoice(request) ? ["tool_choice"] : [])].map((field) => wishFor(body, field));
}

/** The fields that set the effort in this server's form. Some are not OpenAI's. */
function toReasoning(requested: Effort | undefined, { effort: rule }: Compat, efforts?: readonly Effort[]): object {
  const effort = rule ? chooseEffort(requested, supportedEfforts(rule.levels, efforts)) : undefined;
  if (!rule || effort === undefined) return {};
  const thinks = effort !== "none";
  switch (rule.form) {
    case "reasoning_effort":
      return { reasoning_effort: effort };
    case "reasoning.effort":
      return { reasoning: { effort } };
    case "reasoning.enabled":
      return { reasoning: { enabled: thinks } };
    case "thinking.type":
      return { thinking: { type: thinks ? "enabled" : "disabled" } };
    case "thinking+effort":
      return thinks ? { thinking: { type: "enabled" }, reasoning_effort: effort } : { thinking: { type: "disabled" } };
  }
}

const RESULTS_READ = "I have read the results.";

/**
 * Makes user and assistant messages alternate, for chat templates that require it. A request ends with a user or tool message,
 * and later messages never join it. So each request is a prefix of the next.
 */
function toAlternating(messages: ChatCompletionMessageParam[]): ChatCompletionMessageParam[] {
  const accepted: ChatCompletionMessageParam[] = [];
  for (const message of messages) {
    const before = accepted.at(-1);
    const joined = before && join(before, message);
    if (joined) {
      accepted.splice(-1, 1, joined);
      continue;
    }
    if (message.role === "user" && before?.role === "tool") accepted.push({ role: "assistant", content: RESULTS_READ });
    accepted.push(message);
  }
  return accepted;
}

/** Joins neighbours of one role. Only the later one can have calls: calls of the earlier one are followed by their results. */
function join(a: ChatCompletionMessageParam, b: ChatCompletionMessageParam): ChatCompletionMessageParam | null {
  if (a.role !== b.role || (a.role !== "user" && a.role !== "assistant")) return null;
  if (Array.isArray(a.content) || Array.isArray(b.content)) {
    return { ...a, ...b, content: [...toParts(a.content), ...toParts(b.content)] } as ChatCompletionMessageParam;
  }
  const content = [a.content, b.content].filter((text) => typeof text === "string" && text !== "").join("\n\n");
  return { ...a, ...b, content: content || null } as ChatCompletionMessageParam;
}

function toParts(content: ChatCompletionMessageParam["content"]): object[] {
  if (Array.isArray(content)) return content;
  return content ? [{ type: "text", text: content }] : [];
}

const CACHED = { type: "ephemeral" } as const;

/**
 * Anthropic's cache breakpoints in this wire's form: the system prompt and the ends of the last two runs of user and tool messages.
 * The last tool is marked elsewhere. Every text becomes a part, marked or not, so that a text is the same in later requests.
 */
function markCache(messages: ChatCompletionMessageParam[]): ChatCompletionMessageParam[] {
  const isInput = (message?: ChatCompletionMessageParam) => message?.role === "user" || message?.role === "tool";
  const isSystem = (message: ChatCompletionMessageParam) => message.role === "system" || message.role === "developer";
  const ends = messages.filter((message, n) => isInput(message) && !isInput(messages[n + 1])).slice(-2);
  return messages.map((message) => {
    const marked = isSystem(message) || ends.includes(message) ? { cache_control: CACHED } : {};
    if (Array.isArray(message.content)) {
      const last = { ...message.content.at(-1), ...marked };
      return { ...message, content: [...message.content.slice(0, -1), last] } as ChatCompletionMessageParam;
    }
    // Anthropic refuses a mark on an empty text.
    if (typeof message.content !== "string" || !message.content.trim()) return message;
    return { ...message, content: [{ type: "text", text: message.content, ...marked }] } as ChatCompletionMessageParam;
  });
}

function toMessage(message: WireMessage, compat: Compat, slots: ImageSlots): ChatCompletionMessageParam[] {
  if (message.role === "user") return [{ role: "user", content: toUserContent(message, slots) }];
  if (message.role === "tool") return [{ role: "tool", tool_call_id: message.wireIds[0]!, content: message.text }];
  if (!message.text && message.calls.length === 0) return [];

  const native = readNative(message, compat);
  const { extras = [] } = native;
  const tool_calls: ChatCompletionMessageFunctionToolCall[] = message.calls.map((call, index) => ({
    id: message.wireIds[index]!,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
    // Google refuses a call without the signature that it sent with it.
    ...(extras.length === message.calls.length && extras[index] ? { extra_content: extras[index] } : {}),
  }));
  return [
    {
      role: "assistant",
      content: message.text || null,
      ...(compat.echoesReasoning ? native.reasoning : {}),
      ...(tool_calls.length > 0 ? { tool_calls } : {}),
    },
  ];
}

/** Without images a plain text: some servers take nothing else. */
function toUserContent({ text, images = [] }: Extract<WireMessage, { role: "user" }>, slots: ImageSlots) {
  if (images.length === 0) return text;
  const parts = images.map((image) => ({
    type: "image_url" as const,
    image_url: { url: `data:${image.type};base64,${slots.place(image)}` },
  }));
  return [...(text ? [{ type: "text" as const, text }] : []), ...parts];
}

/** Native data of this server only: another server may refuse it. */
function readNative({ native }: Extract<WireMessage, { role: "assistant" }>, compat: Compat): ChatNative {
  if (native?.wire !== WIRE) return {};
  const data = native.data as ChatNative;
  return data.server === undefined || data.server === compat.provider ? data : {};
}
