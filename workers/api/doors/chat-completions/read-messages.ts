// The messages of OpenAI's Chat Completions as those of a conversation. `system` and `developer` messages are guidance, wherever they are.
// Pure.
import * as z from "zod";
import type { GivenImage } from "../../../../core/schemas/media/image.ts";
import type { DoorMessage } from "../contract.ts";
import { readArguments, readImageUrl, readPart, refuse } from "../parse-body.ts";

const Part = z.looseObject({ type: z.string() });
type Part = z.infer<typeof Part>;
const Content = z.union([z.string(), z.array(Part)], "must be a text or a list of parts").nullish();
const Messages = z
  .array(z.looseObject({ role: z.string(), content: Content }), "must be a list of messages")
  .min(1, "must have a message");
type Message = z.infer<typeof Messages>[number];

const Text = z.looseObject({ text: z.string() });
const Refusal = z.looseObject({ refusal: z.string() });
const ImageUrl = z.looseObject({ image_url: z.union([z.string(), z.looseObject({ url: z.string() })]) });
const Calls = z.array(
  z.looseObject({ id: z.string().min(1), function: z.looseObject({ name: z.string(), arguments: z.string() }) }),
  "must be a list of calls",
);
const ToolMessage = z.looseObject({ tool_call_id: z.string().min(1) });

export interface ReadMessages {
  guidance: string[];
  messages: DoorMessage[];
}

/** Ends with what the user or a tool said. Throws `body_invalid`. */
export function readMessages(raw: unknown): ReadMessages {
  const read: ReadMessages = { guidance: [], messages: [] };
  for (const [n, message] of readPart(Messages, raw, "messages").entries()) {
    const path = `messages.${n}`;
    if (message.role === "system" || message.role === "developer") read.guidance.push(readText(message, path));
    else read.messages.push(readMessage(message, path));
  }
  const last = read.messages.at(-1);
  if (!last || last.role === "assistant") {
    const why =
      "the conversation must end with a message of the user or of a tool; an answer cannot be begun for the agent";
    throw refuse("messages", why);
  }
  return read;
}

function readMessage(message: Message, path: string): DoorMessage {
  switch (message.role) {
    case "user":
      return readUser(message, path);
    case "assistant": {
      const calls = message.tool_calls == null ? [] : readPart(Calls, message.tool_calls, `${path}.tool_calls`);
      const read = calls.map(({ id, function: { name, arguments: json } }) => ({
        id,
        name,
        args: readArguments(json),
      }));
      return { role: "assistant", text: readText(message, path), calls: read };
    }
    case "tool": {
      const { tool_call_id: callId } = readPart(ToolMessage, message, path);
      return { role: "tool", callId, text: readText(message, path) };
    }
    case "function":
      throw refuse(
        `${path}.role`,
        "functions are not taken; send tools, and their results as messages of the role tool",
      );
    default:
      throw refuse(`${path}.role`, "must be system, developer, user, assistant or tool");
  }
}

function readUser({ content }: Message, path: string): DoorMessage {
  if (typeof content === "string") return { role: "user", text: content, images: [] };
  const texts: string[] = [];
  const images: GivenImage[] = [];
  for (const [n, part] of (content ?? []).entries()) {
    const at = `${path}.content.${n}`;
    if (part.type === "text") texts.push(readPart(Text, part, at).text);
    else if (part.type === "image_url") images.push(readImage(part, at));
    else throw refuse(`${at}.type`, `parts of the type '${part.type}' are not taken; send text or image_url`);
  }
  return { role: "user", text: texts.join("\n\n"), images };
}

function readImage(part: Part, path: string): GivenImage {
  const { image_url: image } = readPart(ImageUrl, part, path);
  return readImageUrl(typeof image === "string" ? image : image.url, `${path}.image_url.url`);
}

function readText({ content }: Message, path: string): string {
  if (typeof content === "string") return content;
  const texts = (content ?? []).map((part, n) => {
    const at = `${path}.content.${n}`;
    if (part.type === "text") return readPart(Text, part, at).text;
    if (part.type === "refusal") return readPart(Refusal, part, at).refusal;
    throw refuse(`${at}.type`, `parts of the type '${part.type}' are not taken here; send text`);
  });
  return texts.join("\n\n");
}
