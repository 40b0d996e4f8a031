// The body of POST /v1/chat/completions, as far as we know its fields. What would change the answer and cannot be done is refused; other
// unknown fields are ignored. Pure.
import * as z from "zod";
import { JsonObject } from "../../../../core/schemas/entry.ts";
import { AnswerFormat, type ClientTool, type ClientToolChoice } from "../../../../core/schemas/sessions/client-part.ts";
import { Effort } from "../../../../core/schemas/settings.ts";
import type { DoorRequest } from "../contract.ts";
import { readPart, refuse } from "../parse-body.ts";
import { AGENT_MODEL } from "../responses/request.ts";
import { readMessages } from "./read-messages.ts";

const Body = z.looseObject({
  model: z.string().min(1).default(AGENT_MODEL),
  messages: z.unknown(),
  tools: z.array(z.looseObject({ type: z.string() }), "must be a list of tools").nullish(),
  tool_choice: z
    .union([z.enum(["auto", "none", "required"]), z.looseObject({ type: z.string() })], "must be a choice")
    .nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())], "must be a text or a list of texts").nullish(),
  reasoning_effort: Effort.nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  // Refused unless they ask for nothing.
  n: z.literal(1, "one answer is given; leave it out or send 1").nullish(),
  logprobs: z.literal(false, "there are no log probabilities; leave it out").nullish(),
  top_logprobs: z.literal(0, "there are no log probabilities; leave it out").nullish(),
  audio: z.null("answers are text; leave it out").optional(),
  modalities: z.array(z.literal("text", "answers are text")).nullish(),
  functions: z.null("functions are not taken; send tools").optional(),
  function_call: z.null("functions are not taken; send tools and tool_choice").optional(),
});

const Function = z.looseObject({
  function: z.looseObject({ name: z.string(), description: z.string().nullish(), parameters: JsonObject.nullish() }),
});
const NamedFunction = z.looseObject({ function: z.looseObject({ name: z.string() }) });
const Schema = z.looseObject({ json_schema: z.looseObject({ name: z.string().optional(), schema: JsonObject }) });

export interface ParsedChat {
  /** As the client named it. */
  model: string;
  includeUsage: boolean;
  request: Pick<
    DoorRequest,
    "model" | "guidance" | "messages" | "tools" | "toolChoice" | "format" | "effort" | "sampling" | "stream"
  >;
}

/** Throws `body_invalid`. */
export function parseChatBody(raw: unknown): ParsedChat {
  const body = readPart(Body, raw);
  const { guidance, messages } = readMessages(body.messages);
  const told = guidance.filter((text) => text.trim() !== "");
  const toolChoice = readToolChoice(body.tool_choice);
  const format = readFormat(body.response_format);
  const stop = typeof body.stop === "string" ? [body.stop] : body.stop;
  const sampling = {
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    stop: stop?.length ? stop : undefined,
  };
  return {
    model: body.model,
    includeUsage: body.stream_options?.include_usage === true,
    request: {
      model: body.model === AGENT_MODEL ? null : body.model,
      guidance: told.length > 0 ? told.join("\n\n") : null,
      messages,
      tools: readTools(body.tools ?? []),
      ...(toolChoice !== undefined && { toolChoice }),
      ...(format && { format }),
      ...(body.reasoning_effort && { effort: body.reasoning_effort }),
      sampling: Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined)),
      stream: body.stream === true,
    },
  };
}

function readTools(tools: { type: string }[]): ClientTool[] {
  return tools.map((tool, n) => {
    if (tool.type !== "function") {
      throw refuse(`tools.${n}.type`, `tools of the type '${tool.type}' are not taken; send functions`);
    }
    const { name, description, parameters } = readPart(Function, tool, `tools.${n}`).function;
    return { name, description: description ?? "", parameters: parameters ?? { type: "object", properties: {} } };
  });
}

function readToolChoice(choice: z.infer<typeof Body>["tool_choice"]): ClientToolChoice | undefined {
  if (choice == null) return undefined;
  if (typeof choice === "string") return choice;
  if (choice.type === "function") return { name: readPart(NamedFunction, choice, "tool_choice").function.name };
  throw refuse("tool_choice.type", `'${choice.type}' is not known; send auto, none, required or a function`);
}

function readFormat(format: { type: string } | null | undefined): AnswerFormat | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type !== "json_schema") return readPart(AnswerFormat, format, "response_format");
  const { name, schema } = readPart(Schema, format, "response_format").json_schema;
  return readPart(AnswerFormat, { type: "json_schema", name, schema }, "response_format.json_schema");
}

/** Fields of `ClientPart`, as this API names them. */
const FIELDS: Record<string, string> = {
  guidance: "messages",
  history: "messages",
  toolChoice: "tool_choice",
  format: "response_format",
  maxTokens: "max_completion_tokens",
  topP: "top_p",
  effort: "reasoning_effort",
};

export function toChatField(path: string): string {
  const [first = "", ...rest] = path.split(".");
  return first === "history" ? "messages" : [FIELDS[first] ?? first, ...rest].join(".");
}
