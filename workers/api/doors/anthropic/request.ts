// The body of POST /v1/messages and of its count_tokens, as far as we know its fields. Pure.
import * as z from "zod";
import { JsonObject } from "../../../../core/schemas/entry.ts";
import { AnswerFormat, type ClientTool, type ClientToolChoice } from "../../../../core/schemas/sessions/client-part.ts";
import { Effort } from "../../../../core/schemas/settings.ts";
import { estimateTokens } from "../../../../core/tokens.ts";
import type { DoorRequest } from "../contract.ts";
import { readPart, refuse } from "../parse-body.ts";
import { AGENT_MODEL } from "../responses/request.ts";
import { readMessages, readSystem } from "./read-messages.ts";

export const CountBody = z.looseObject({
  model: z.string().min(1),
  messages: z.unknown(),
  system: z.unknown().optional(),
  tools: z.array(z.looseObject({ type: z.string().nullish(), name: z.string() })).nullish(),
  tool_choice: z.looseObject({ type: z.string(), name: z.string().optional() }).nullish(),
  thinking: z.looseObject({ type: z.string(), budget_tokens: z.number().optional() }).nullish(),
  output_config: z.looseObject({ effort: Effort.nullish(), format: JsonObject.nullish() }).nullish(),
});
const Limits = z.looseObject({
  max_tokens: z.int("it is required: a whole number of at least 1").min(1),
  stop_sequences: z.array(z.string().min(1)).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stream: z.boolean().nullish(),
});
/** All that is read of a request, for the description of the route. */
export const MessagesBody = CountBody.extend(Limits.shape);

const Custom = z.looseObject({ description: z.string().nullish(), input_schema: JsonObject });

/** Tools that Anthropic runs itself. The agent has its own. */
const HOSTED = /^(?:web_search|web_fetch|code_execution|tool_search)_/;
/** [own] Budgets of thinking as an effort. */
const LOW_BUDGET = 4_096;
const HIGH_BUDGET = 16_384;
/** [Anthropic] An image of a usual size. */
const IMAGE_TOKENS = 1_600;

export interface ParsedMessages {
  /** As the client named it. */
  model: string;
  request: Pick<
    DoorRequest,
    "model" | "guidance" | "messages" | "tools" | "toolChoice" | "format" | "effort" | "sampling" | "stream"
  >;
}

type Shared = Omit<ParsedMessages["request"], "sampling" | "stream">;

/** Throws `body_invalid`. */
export function parseMessagesBody(raw: unknown): ParsedMessages {
  const { model, request } = parseShared(raw);
  const { max_tokens: maxTokens, stop_sequences: stop, temperature, top_p: topP, stream } = readPart(Limits, raw);
  const given = {
    temperature: temperature ?? undefined,
    topP: topP ?? undefined,
    stop: stop?.length ? stop : undefined,
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { model, request: { ...request, sampling: { maxTokens, ...set }, stream: stream === true } };
}

/** Tokens of what the client sent, by our estimate. The agent's own prompt and tools are not counted. Throws `body_invalid`. */
export function countTokens(raw: unknown): number {
  const { guidance, messages, tools } = parseShared(raw).request;
  const texts = messages.map((message) => {
    const calls = message.role === "assistant" ? JSON.stringify(message.calls) : "";
    return estimateTokens(message.text + calls) + (message.role === "user" ? message.images.length * IMAGE_TOKENS : 0);
  });
  const toolTokens = tools.length > 0 ? estimateTokens(JSON.stringify(tools)) : 0;
  return texts.reduce((sum, tokens) => sum + tokens, estimateTokens(guidance ?? "") + toolTokens);
}

/** The path of a field of `ClientPart` in this body. */
export function toMessagesField(path: string): string {
  const [field = "", ...rest] = path.split(".");
  return [FIELDS[field] ?? field, ...rest].join(".");
}

const FIELDS: Record<string, string> = {
  ...{ guidance: "system", history: "messages", toolChoice: "tool_choice", format: "output_config.format" },
  ...{ effort: "output_config.effort", maxTokens: "max_tokens", topP: "top_p", stop: "stop_sequences" },
};

function parseShared(raw: unknown): { model: string; request: Shared } {
  const body = readPart(CountBody, raw);
  const { guidance, messages } = readMessages(body.messages);
  const system = body.system == null ? "" : readSystem(body.system, "system");
  const told = [system, ...guidance].filter((text) => text.trim() !== "");
  const toolChoice = readToolChoice(body.tool_choice);
  const format = body.output_config?.format;
  const effort = body.output_config?.effort ?? toEffort(body.thinking);
  return {
    model: body.model,
    request: {
      model: body.model === AGENT_MODEL ? null : body.model,
      guidance: told.length > 0 ? told.join("\n\n") : null,
      messages,
      tools: readTools(body.tools ?? []),
      ...(toolChoice !== undefined && { toolChoice }),
      ...(format && { format: readPart(AnswerFormat, format, "output_config.format") }),
      ...(effort && { effort }),
    },
  };
}

function readTools(tools: { type?: string | null | undefined; name: string }[]): ClientTool[] {
  return tools.flatMap((tool, n) => {
    const type = tool.type ?? "custom";
    if (HOSTED.test(type)) return [];
    if (type !== "custom")
      throw refuse(`tools.${n}.type`, `tools of the type '${type}' are not taken; send one with input_schema`);
    const { description, input_schema: parameters } = readPart(Custom, tool, `tools.${n}`);
    return [{ name: tool.name, description: description ?? "", parameters }];
  });
}

function readToolChoice(choice: z.infer<typeof CountBody>["tool_choice"]): ClientToolChoice | undefined {
  if (choice == null) return undefined;
  const { type, name } = choice;
  if (type === "auto" || type === "none") return type;
  if (type === "any") return "required";
  if (type === "tool" && name !== undefined) return { name };
  throw refuse("tool_choice", "send {type: auto, any or none}, or {type: tool, name}");
}

function toEffort(thinking: z.infer<typeof CountBody>["thinking"]): Effort | undefined {
  if (thinking?.type === "disabled") return "none";
  if (thinking?.type !== "enabled" || thinking.budget_tokens === undefined) return undefined;
  if (thinking.budget_tokens >= HIGH_BUDGET) return "high";
  return thinking.budget_tokens >= LOW_BUDGET ? "medium" : "low";
}
