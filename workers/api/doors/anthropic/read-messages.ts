// The messages of Anthropic's Messages API as those of a conversation. The results of calls in a user's message come before its text, as
// the API demands. Thinking of earlier answers is left out: the agent keeps its own. Pure.
import * as z from "zod";
import { JsonObject } from "../../../../core/schemas/entry.ts";
import type { GivenImage } from "../../../../core/schemas/media/image.ts";
import type { DoorMessage } from "../contract.ts";
import { readPart, refuse } from "../parse-body.ts";

const Block = z.looseObject({ type: z.string() });
type Block = z.infer<typeof Block>;
const Content = z.union([z.string(), z.array(Block)], "must be a text or a list of blocks");
const Messages = z
  .array(
    z.looseObject({ role: z.enum(["user", "assistant", "system"]), content: Content }),
    "must be a list of messages",
  )
  .min(1, "must have a message");

const Text = z.looseObject({ text: z.string() });
const Image = z.looseObject({
  source: z.looseObject({
    type: z.literal("base64", "images are sent as base64; the server fetches nothing for a client"),
    media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
    data: z.string().min(1),
  }),
});
const ToolUse = z.looseObject({ id: z.string().min(1), name: z.string().min(1), input: JsonObject });
const ToolResult = z.looseObject({
  tool_use_id: z.string().min(1),
  content: Content.optional(),
  is_error: z.boolean().optional(),
});

const IGNORED = new Set(["thinking", "redacted_thinking"]);

export interface ReadMessages {
  /** Texts of messages with the role `system`. */
  guidance: string[];
  messages: DoorMessage[];
}

/** Ends with what the user or a tool said. Throws `body_invalid`. */
export function readMessages(raw: unknown): ReadMessages {
  const read: ReadMessages = { guidance: [], messages: [] };
  for (const [n, { role, content }] of readPart(Messages, raw, "messages").entries()) {
    const path = `messages.${n}.content`;
    if (role === "system") read.guidance.push(readSystem(content, path));
    else if (role === "user") read.messages.push(...readUser(content, path));
    else takeAssistant(read.messages, content, path);
  }
  const last = read.messages.at(-1);
  if (!last || last.role === "assistant") {
    throw refuse(
      "messages",
      "the conversation must end with a message of the user; an answer cannot be begun for the agent",
    );
  }
  return read;
}

/** The text of `system`: a text, or blocks of text. */
export function readSystem(content: unknown, path: string): string {
  const read = readPart(Content, content, path);
  if (typeof read === "string") return read;
  return read.map((block, n) => readTextBlock(block, `${path}.${n}`)).join("\n\n");
}

function readTextBlock(block: Block, path: string): string {
  if (block.type !== "text") throw refuse(`${path}.type`, `'${block.type}' is not taken here; send text`);
  return readPart(Text, block, path).text;
}

function readUser(content: z.infer<typeof Content>, path: string): DoorMessage[] {
  if (typeof content === "string") return [{ role: "user", text: content, images: [] }];
  const results: DoorMessage[] = [];
  const texts: string[] = [];
  const images: GivenImage[] = [];
  for (const [n, block] of content.entries()) {
    const at = `${path}.${n}`;
    if (block.type === "text") texts.push(readPart(Text, block, at).text);
    else if (block.type === "image") images.push(readImage(block, at));
    else if (block.type === "tool_result") results.push(readResult(block, at));
    else
      throw refuse(`${at}.type`, `blocks of the type '${block.type}' are not taken; send text, image or tool_result`);
  }
  const isSaid = texts.some((text) => text.trim() !== "") || images.length > 0 || results.length === 0;
  return isSaid ? [...results, { role: "user", text: texts.join("\n\n"), images }] : results;
}

function readImage(block: Block, path: string): GivenImage {
  const { media_type: type, data } = readPart(Image, block, path).source;
  return { data: `data:${type};base64,${data}` };
}

function readResult(block: Block, path: string): DoorMessage {
  const { tool_use_id: callId, content = "", is_error: failed } = readPart(ToolResult, block, path);
  const text =
    typeof content === "string"
      ? content
      : content.map((part, n) => readTextBlock(part, `${path}.content.${n}`)).join("\n\n");
  return { role: "tool", callId, text, ...(failed && { failed }) };
}

/** Answers that follow each other are one. */
function takeAssistant(messages: DoorMessage[], content: z.infer<typeof Content>, path: string): void {
  const last = messages.at(-1);
  const answer = last?.role === "assistant" ? last : { role: "assistant" as const, text: "", calls: [] };
  if (answer !== last) messages.push(answer);
  const texts = answer.text === "" ? [] : [answer.text];
  for (const [n, block] of (typeof content === "string" ? [{ type: "text", text: content }] : content).entries()) {
    const at = `${path}.${n}`;
    if (block.type === "text") texts.push(readPart(Text, block, at).text);
    else if (block.type === "tool_use") {
      const { id, name, input } = readPart(ToolUse, block, at);
      answer.calls.push({ id, name, args: input });
    } else if (!IGNORED.has(block.type)) {
      throw refuse(`${at}.type`, `blocks of the type '${block.type}' are not taken; send text or tool_use`);
    }
  }
  answer.text = texts.join("\n\n");
}
