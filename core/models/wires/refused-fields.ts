// Handles Chat Completions servers that refuse a field they do not know. The request is sent again without the field, and later
// requests leave it out. Used by openai-chat.ts, only for fields that no answer depends on. Each isolate remembers them separately.
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions/completions";
import { readErrorBody } from "../failures/error-reply.ts";
import { findRule } from "../failures/failure-rules.ts";
import { ReplyRefused } from "../failures/refused-reply.ts";

type Body = ChatCompletionCreateParamsStreaming;

const OPTIONAL = [
  "stream_options",
  "prompt_cache_key",
  "reasoning_effort",
  "reasoning",
  "thinking",
  "tool_choice",
] as const;
/** `max_tokens` and `max_completion_tokens` are one field under two names; the role `developer` is `system` elsewhere. */
const RENAMED = ["max_tokens", "max_completion_tokens", "developer"] as const;
type Field = (typeof OPTIONAL)[number] | (typeof RENAMED)[number];

const MAX_READ_CHARS = 8_000;
/** Servers that one isolate remembers. */
const MAX_SERVERS = 500;
const UNKNOWN = /unsupported|not supported|unknown|unrecognized|unexpected|not permitted|not allowed|extra/i;
/** Ollama's refusal of `reasoning_effort`. */
const NO_THINKING = /does not support thinking/i;

/** The refused fields, by server. */
const refused = new Map<string, Set<Field>>();

/** `server`: address and model. Calls `send` again as long as a refusal names another field. */
export async function sendWithoutRefused(
  server: string,
  body: Body,
  send: (body: Body) => Promise<Response>,
): Promise<Response> {
  const known = refused.get(server) ?? new Set();
  for (;;) {
    const sent = [...known].reduce(without, body);
    try {
      return await send(sent);
    } catch (thrown) {
      const field = thrown instanceof ReplyRefused ? findRefusedField(thrown, sent) : null;
      if (field === null || known.has(field)) throw thrown;
      known.add(field);
      if (refused.size < MAX_SERVERS) refused.set(server, known);
    }
  }
}

/** The field of this body that was refused; `null` for any other refusal. */
function findRefusedField({ reply }: ReplyRefused, body: Body): Field | null {
  const read = readErrorBody(reply.body);
  if (findRule({ ...read, ...(reply.status !== undefined && { status: reply.status }) }).means !== "bad_request")
    return null;
  const said = JSON.stringify(reply.body).slice(0, MAX_READ_CHARS);
  const names = (field: string) => new RegExp(`\\b${field}\\b`).test(said);
  const optional = OPTIONAL.find((field) => field in body && names(field));
  if (optional) return optional;
  if (NO_THINKING.test(said) && "reasoning_effort" in body) return "reasoning_effort";
  if (!UNKNOWN.test(said)) return null;
  const renamed = RENAMED.find((field) => names(field) && (field in body || isDeveloper(field, body)));
  return renamed ?? null;
}

function isDeveloper(field: string, { messages }: Body): boolean {
  return field === "developer" && messages.some(({ role }) => role === "developer");
}

function without(body: Body, field: Field): Body {
  if (field === "developer") {
    const messages = body.messages.map((message) =>
      message.role === "developer" ? { ...message, role: "system" as const } : message,
    );
    return { ...body, messages };
  }
  const { [field]: value, ...rest } = body as Body & Record<string, unknown>;
  if (value === undefined) return body;
  if (field === "max_tokens") return { ...rest, max_completion_tokens: value } as Body;
  if (field === "max_completion_tokens") return { ...rest, max_tokens: value } as Body;
  return rest as Body;
}
