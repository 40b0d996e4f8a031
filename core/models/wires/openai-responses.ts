// OpenAI's Responses API, with nothing stored at OpenAI. Translates a request and its stream; stream-guard.ts enforces the contract
// and makes failures. Created by routing.ts.
import type OpenAI from "openai";
import type {
  Response as WireResponse,
  ResponseCreateParamsStreaming,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from "openai/resources/responses/responses";
import type { Model, ModelRequest } from "../../agent/contract.ts";
import { type Answer, NO_USAGE, type StopReason, type Usage } from "../../schemas/entry.ts";
import { EFFORTS, type Effort } from "../../schemas/settings.ts";
import { type ModelFacts, lookUpFacts } from "../catalog.ts";
import { chooseEffort } from "../effort.ts";
import { readErrorBody } from "../failures/error-reply.ts";
import { readReplyFailure } from "../failures/failures.ts";
import { type OpenAiClientOptions, createOpenAiClient } from "./openai-client.ts";
import { DEVELOPER_MODELS } from "./openai-compat.ts";
import { openAiImageTokens } from "../../images/image-tokens.ts";
import { isOwnServer } from "../own-server.ts";
import { type ImageSlots, createImageSlots } from "./image-slots.ts";
import { sendBuilt } from "./sdk-request.ts";
import { FORMAT_NAME, forcedChoice, sendWithWishes, wishFor } from "./wishes.ts";
import { assertCallCount } from "../stream/storable-answer.ts";
import { type OpenCall, guardWire } from "../stream/stream-guard.ts";
import { type IdRule, type WireMessage, asText, assignWireIds, toArgumentText, toToolCalls } from "./wire-calls.ts";

export interface OpenAiResponsesOptions extends OpenAiClientOptions {
  model: string;
  /** Default: what the catalog knows. */
  facts?: ModelFacts;
}

const WIRE = "openai-responses";
const PROVIDER = "OpenAI";
const IDS: IdRule = { strip: /[^A-Za-z0-9_-]/g, filler: "_", maxChars: 64 };

export function createOpenAiResponsesModel(options: OpenAiResponsesOptions): Model {
  const name = `openai:${options.model}`;
  const facts = options.facts ?? lookUpFacts({ provider: "openai", id: options.model, name });
  let client: OpenAI | undefined;
  return guardWire({
    name,
    facts,
    provider: PROVIDER,
    apiKey: options.apiKey,
    cachedAt: options.baseUrl ?? "openai",
    imageTokens: (size) => openAiImageTokens(options.model, size),
    clock: options.clock,
    isOwn: options.baseUrl !== undefined && isOwnServer(options.baseUrl),
    ...(options.baseUrl !== undefined && { server: options.baseUrl }),
    open(request, { signal, charge }) {
      client ??= createOpenAiClient(options);
      const slots = createImageSlots(request);
      const body = toResponsesBody(request, options.model, facts.efforts, slots);
      const to = client;
      const server = `${options.baseUrl} ${options.model}`;
      const response = sendWithWishes(server, body, listWishes(request, body), (accepted) =>
        sendBuilt(to, { path: "/responses", body: accepted, slots, signal, fetch: options.fetch }),
      );
      const messagesBefore = request.messages.length;
      return { response, read: createReader({ model: name, apiKey: options.apiKey, messagesBefore, charge }) };
    },
  });
}

/** `efforts`: the levels that the model takes; absent: unknown. */
export function toResponsesBody(
  request: ModelRequest,
  model: string,
  efforts?: readonly Effort[],
  slots = createImageSlots(request),
): ResponseCreateParamsStreaming {
  const { system } = request;
  const effort = chooseEffort(request.effort, efforts ?? EFFORTS);
  const isDeveloper = DEVELOPER_MODELS.test(model);
  const input = assignWireIds(request.messages, IDS).flatMap((message) => toItems(message, slots));
  return {
    model,
    stream: true,
    store: false,
    // Models that do not reason answer 400 "Encrypted content is not supported with this model."
    ...(/^(gpt-3|gpt-4|chatgpt-4)/.test(model) ? {} : { include: ["reasoning.encrypted_content" as const] }),
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    prompt_cache_key: request.cacheKey,
    max_output_tokens: request.maxOutputTokens,
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: "function" as const,
            name,
            description,
            parameters,
            // Strict schemas allow no optional fields.
            strict: false,
          })),
          ...toToolChoice(request),
        }),
    ...toWished(request),
    // Later families rank the role `developer` above the user. Earlier ones take the prompt as `instructions`.
    ...(system && !isDeveloper ? { instructions: system } : {}),
    input: system && isDeveloper ? [{ role: "developer" as const, content: system }, ...input] : input,
  };
}

function toToolChoice(request: ModelRequest): Pick<ResponseCreateParamsStreaming, "tool_choice"> {
  const forced = forcedChoice(request);
  if (forced === "required") return { tool_choice: "required" };
  if (forced) return { tool_choice: { type: "function", name: forced.name } };
  return request.toolChoice === "none" ? { tool_choice: "none" } : {};
}

/** What a client wishes. Nothing for other requests. The API has no stop sequences. */
function toWished({ format, sampling = {} }: ModelRequest): Partial<ResponseCreateParamsStreaming> {
  const { temperature, topP } = sampling;
  return {
    ...(format?.type === "json_object" && { text: { format } }),
    ...(format?.type === "json_schema" && {
      text: {
        format: {
          ...{ type: format.type, name: format.name ?? FORMAT_NAME, schema: format.schema },
          ...(format.strict !== undefined && { strict: format.strict }),
        },
      },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
  };
}

function listWishes(request: ModelRequest, body: ResponseCreateParamsStreaming) {
  if (!request.format && !request.sampling && !forcedChoice(request)) return [];
  return [
    wishFor(body, "text", /\btext\.format\b|\bresponse_format\b|\bjson_schema\b/),
    ...["temperature", "top_p", ...(forcedChoice(request) ? ["tool_choice"] : [])].map((field) => wishFor(body, field)),
  ];
}

function toItems(message: WireMessage, slots: ImageSlots): ResponseInputItem[] {
  if (message.role === "user") {
    const images = (message.images ?? []).map((image) => ({
      type: "input_image" as const,
      detail: "auto" as const,
      image_url: `data:${image.type};base64,${slots.place(image)}`,
    }));
    const text = message.text || images.length === 0 ? [{ type: "input_text" as const, text: message.text }] : [];
    return [{ role: "user", content: [...text, ...images] }];
  }
  if (message.role === "tool") {
    return [{ type: "function_call_output", call_id: message.wireIds[0]!, output: message.text }];
  }
  const calls: ResponseFunctionToolCall[] = message.calls.map((call, index) => ({
    type: "function_call",
    call_id: message.wireIds[index]!,
    name: call.name,
    arguments: JSON.stringify(call.args),
  }));
  const items = message.native?.wire === WIRE ? (message.native.data as ResponseOutputItem[]) : [];
  // Calls may have been removed from a stored answer. Then its native items no longer match it.
  if (items.length === 0 || items.filter(isCall).length !== calls.length) {
    return [...(message.text ? [{ role: "assistant" as const, content: message.text }] : []), ...calls];
  }
  const next = calls.entries();
  return items.map((item) => {
    if (!isCall(item)) return item as ResponseInputItem;
    const [index, call] = next.next().value!;
    return {
      ...item,
      call_id: call.call_id,
      name: call.name,
      arguments: message.calls[index]!.malformed ? "{}" : asText(item.arguments) || "{}",
    };
  });
}

function isCall(item: ResponseOutputItem): item is ResponseFunctionToolCall & ResponseOutputItem {
  return item.type === "function_call";
}

interface StreamFacts {
  model: string;
  apiKey: string;
  messagesBefore: number;
  charge(usage: Usage): void;
}

function createReader(facts: StreamFacts): OpenCall["read"] {
  // By the provider's index. A map, because no array may be sized by a number from a wire.
  const items = new Map<number, ResponseOutputItem>();
  let calls = 0;
  return (raw, say) => {
    const event = raw as ResponseStreamEvent;
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        if (asText(event.delta)) say({ type: "text_delta", text: event.delta });
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        if (asText(event.delta)) say({ type: "reasoning_delta", text: event.delta });
        break;
      case "response.output_item.done":
        items.set(event.output_index, event.item);
        if (event.item?.type === "function_call") assertCallCount(++calls);
        break;
      case "response.completed":
      case "response.incomplete": {
        const done = [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item);
        const output = done.length > 0 ? done : asList(event.response?.output);
        say({ type: "done", answer: toAnswer(output.filter(isItem), event.response ?? {}, facts) });
        break;
      }
      case "response.failed": {
        if (event.response?.usage) facts.charge(toUsage(event.response.usage));
        const reply = { ...readErrorBody(event.response?.error), provider: PROVIDER };
        say({ type: "failed", failure: readReplyFailure(reply, [facts.apiKey]) });
      }
    }
  };
}

function isItem(item: unknown): item is ResponseOutputItem {
  return typeof item === "object" && item !== null && "type" in item && typeof item.type === "string";
}

/** The objects in `list`, if it is a list. */
function asList<T>(list: T[] | undefined): T[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "object" && item !== null) : [];
}

function toAnswer(items: ResponseOutputItem[], response: Partial<WireResponse>, facts: StreamFacts): Answer {
  const raw = items.filter(isCall).map((item) => ({
    id: asText(item.call_id),
    name: asText(item.name),
    arguments: toArgumentText(item.arguments ?? ""),
  }));
  const calls = toToolCalls(raw, facts.messagesBefore);
  const contents = items.flatMap((item) => (item.type === "message" ? asList(item.content) : []));
  const reasoning = items.flatMap((item) =>
    item.type === "reasoning"
      ? [...asList(item.summary), ...asList(item.content)].map((part) => asText(part.text))
      : [],
  );
  return {
    text: contents.map((part) => asText(part.type === "refusal" ? part.refusal : part.text)).join(""),
    ...(reasoning.length > 0 ? { reasoning: reasoning.join("\n\n") } : {}),
    calls,
    stop: toStop(
      response,
      contents.some((part) => part.type === "refusal"),
      calls.length > 0,
    ),
    usage: toUsage(response.usage),
    model: facts.model,
    ...(isReplayable(items) ? { native: { wire: WIRE, data: items } } : {}),
  };
}

/**
 * Whether the API accepts these items back. It stores nothing, so it recognises a reasoning item only by its encrypted content. It
 * refuses a reasoning item without the item that followed it.
 */
function isReplayable(items: ResponseOutputItem[]): boolean {
  const known = items.every(
    (item) =>
      item.type === "message" ||
      item.type === "function_call" ||
      (item.type === "reasoning" && !!item.encrypted_content),
  );
  const whole = items.every((item) => !("status" in item) || item.status === undefined || item.status === "completed");
  return known && whole && items.length > 0 && items.at(-1)?.type !== "reasoning";
}

function toStop(response: Partial<WireResponse>, refused: boolean, hasCalls: boolean): StopReason {
  const reason = response.incomplete_details?.reason;
  if (refused || reason === "content_filter") return "refusal";
  if (response.status === "incomplete" || reason) return "length";
  return hasCalls ? "tools" : "end";
}

function toUsage(usage: ResponseUsage | undefined): Usage {
  if (!usage) return NO_USAGE;
  const cacheRead = usage.input_tokens_details?.cached_tokens ?? 0;
  const cacheWrite = usage.input_tokens_details?.cache_write_tokens ?? 0;
  const input = Math.max(0, usage.input_tokens - cacheRead - cacheWrite);
  const reasoning = usage.output_tokens_details?.reasoning_tokens;
  return {
    input,
    output: usage.output_tokens,
    cacheRead,
    cacheWrite,
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}
