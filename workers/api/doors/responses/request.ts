// The body of POST /v1/responses, as far as we know its fields: what the doors share, and what the response repeats. Pure.
import type { FunctionTool, ResponseFormatTextConfig } from "openai/resources/responses/responses";
import * as z from "zod";
import { JsonObject } from "../../../../core/schemas/entry.ts";
import { AnswerFormat, type ClientTool, type ClientToolChoice } from "../../../../core/schemas/sessions/client-part.ts";
import { Effort } from "../../../../core/schemas/settings.ts";
import { type ResponseEcho, ResponseId, ResponseMetadata } from "../../../../core/schemas/stored-response.ts";
import type { DoorRequest } from "../contract.ts";
import { readPart, refuse } from "../parse-body.ts";
import { readInput } from "./input-items.ts";
import type { ResponseFrame } from "./response-object.ts";

/** The name of the profile's agent, in `model`. */
export const AGENT_MODEL = "talaria";

export const ResponsesBody = z.looseObject({
  model: z.string().min(1).default(AGENT_MODEL),
  input: z.unknown(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() }).transform(({ id }) => id)]).nullish(),
  tools: z.array(z.looseObject({ type: z.string() })).nullish(),
  tool_choice: z.union([z.enum(["auto", "none", "required"]), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  reasoning: z.looseObject({ effort: Effort.nullish() }).nullish(),
  metadata: ResponseMetadata.nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  prompt: z.null("prompt templates are not known here; send their text in instructions").optional(),
});

const Function = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  parameters: JsonObject.nullish(),
  strict: z.boolean().nullish(),
});

/** Tools that OpenAI runs itself. The agent has its own. */
const HOSTED = /^(?:web_search|file_search|code_interpreter|image_generation)/;

export interface ParsedResponses {
  request: Pick<
    DoorRequest,
    "model" | "guidance" | "messages" | "tools" | "toolChoice" | "format" | "effort" | "sampling" | "stream"
  >;
  previous: ResponseId | null;
  conversation?: string;
  echo: ResponseEcho;
  told: NonNullable<ResponseFrame["told"]>;
}

/** Throws `body_invalid` and `response_not_found`, for a previous id that can be none of ours. */
export function parseResponsesBody(raw: unknown): ParsedResponses {
  const body = readPart(ResponsesBody, raw);
  const { guidance, messages } = readInput(body.input);
  const last = messages.at(-1);
  if (!last || last.role === "assistant")
    throw refuse("input", "it must end with a message of the user or the output of a call");
  if (body.previous_response_id != null && body.conversation != null) {
    throw refuse("previous_response_id", "it cannot be sent together with conversation; send one of them");
  }
  const previous =
    body.previous_response_id == null ? null : readPart(ResponseId, body.previous_response_id, "previous_response_id");
  const tools = readTools(body.tools ?? []);
  const { choice, allowed } = readToolChoice(body.tool_choice);
  const offered = allowed ? tools.filter(({ name }) => allowed.has(name)) : tools;
  const format = readFormat(body.text?.format);
  const { instructions = null } = body;
  const parts = [instructions ?? "", ...guidance].filter((text) => text.trim() !== "");
  const effort = body.reasoning?.effort ?? undefined;
  const shared = { temperature: body.temperature ?? undefined, topP: body.top_p ?? undefined };
  const conversation = body.conversation ?? undefined;
  const maxTokens = body.max_output_tokens ?? undefined;
  return {
    request: {
      model: body.model === AGENT_MODEL ? null : body.model,
      guidance: parts.length > 0 ? parts.join("\n\n") : null,
      messages,
      tools: offered,
      ...(choice !== undefined && { toolChoice: choice }),
      ...(format && { format }),
      ...(effort && { effort }),
      sampling: defined({ ...shared, maxTokens }),
      stream: body.stream === true,
    },
    previous,
    ...(conversation !== undefined && { conversation }),
    echo: defined({
      ...{ v: 1 as const, model: body.model, isStored: body.store !== false, ...shared, effort, conversation },
      ...{ previous: previous ?? undefined, maxOutputTokens: maxTokens, toolChoice: choice },
      ...{ parallel: body.parallel_tool_calls ?? undefined, metadata: body.metadata ?? undefined },
    }),
    told: {
      instructions: instructions ?? null,
      tools: tools.map(toFunctionTool),
      format: (body.text?.format as ResponseFormatTextConfig | null | undefined) ?? { type: "text" },
    },
  };
}

/** The path of a field of `ClientPart` in this body. */
export function toResponsesField(path: string): string {
  const [field = "", ...rest] = path.split(".");
  return [FIELDS[field] ?? field, ...rest].join(".");
}

const FIELDS: Record<string, string> = {
  ...{ guidance: "instructions", history: "input", toolChoice: "tool_choice", format: "text.format" },
  ...{ effort: "reasoning.effort", maxTokens: "max_output_tokens", topP: "top_p" },
};

function readTools(tools: { type: string }[]): ClientTool[] {
  return tools.flatMap((tool, n) => {
    if (HOSTED.test(tool.type)) return [];
    if (tool.type !== "function") {
      throw refuse(`tools.${n}.type`, `tools of the type '${tool.type}' are not taken; send functions`);
    }
    const { name, description, parameters } = readPart(Function, tool, `tools.${n}`);
    return [{ name, description: description ?? "", parameters: parameters ?? { type: "object", properties: {} } }];
  });
}

function readToolChoice(choice: z.infer<typeof ResponsesBody>["tool_choice"]): {
  choice?: ClientToolChoice;
  allowed?: Set<string>;
} {
  if (choice == null) return {};
  if (typeof choice === "string") return { choice };
  if (choice.type === "function") {
    return { choice: readPart(z.object({ name: z.string() }), choice, "tool_choice") };
  }
  if (choice.type === "allowed_tools") {
    const schema = z.looseObject({
      mode: z.enum(["auto", "required"]),
      tools: z.array(z.looseObject({ name: z.string() })),
    });
    const { mode, tools } = readPart(schema, choice, "tool_choice");
    return { choice: mode, allowed: new Set(tools.map(({ name }) => name)) };
  }
  throw refuse(
    "tool_choice.type",
    `'${choice.type}' is not known; send auto, none, required, function or allowed_tools`,
  );
}

function readFormat(format: { type: string } | null | undefined): AnswerFormat | undefined {
  if (!format || format.type === "text") return undefined;
  return readPart(AnswerFormat, format, "text.format");
}

function toFunctionTool({ name, description, parameters }: ClientTool): FunctionTool {
  return { type: "function", name, description, parameters, strict: null };
}

/** Without fields that are undefined. */
function defined<T extends object>(fields: { [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
