// The `input` of POST /v1/responses as messages of a conversation. Messages of the system and of the developer are guidance. An answer and
// the calls after it are one message, as they were one step of a model. Pure.
import * as z from "zod";
import type { GivenImage } from "../../../../core/schemas/media/image.ts";
import type { DoorMessage } from "../contract.ts";
import { readArguments, readImageUrl, readPart, refuse } from "../parse-body.ts";

export interface ReadInput {
  /** Texts of the system and the developer, in their order. */
  guidance: string[];
  messages: DoorMessage[];
}

const Item = z.looseObject({ type: z.string().optional(), role: z.string().optional() });
const Content = z.union(
  [z.string(), z.array(z.looseObject({ type: z.string() }))],
  "must be a text or a list of parts",
);
const Message = z.looseObject({
  role: z.enum(["user", "assistant", "system", "developer"]),
  content: Content,
});
const Call = z.looseObject({ call_id: z.string().min(1), name: z.string().min(1), arguments: z.string() });
const Output = z.looseObject({ call_id: z.string().min(1), output: Content });
const Text = z.looseObject({ text: z.string() });

/** Items of an earlier response that say nothing to an agent: it keeps its own. */
const IGNORED = new Set(["reasoning", "compaction", "compaction_summary"]);

export function readInput(input: unknown): ReadInput {
  if (typeof input === "string") return { guidance: [], messages: [{ role: "user", text: input, images: [] }] };
  const items = readPart(z.array(Item, "must be a text or a list of items").min(1), input, "input");
  const read: ReadInput = { guidance: [], messages: [] };
  for (const [n, item] of items.entries()) takeItem(read, item, `input.${n}`);
  return read;
}

function takeItem(read: ReadInput, item: z.infer<typeof Item>, path: string): void {
  const type = item.type ?? "message";
  if (type === "message") return takeMessage(read, item, path);
  if (type === "function_call") {
    const { call_id: id, name, arguments: json } = readPart(Call, item, path);
    lastAnswer(read.messages).calls.push({ id, name, args: readArguments(json) });
  } else if (type === "function_call_output") {
    const { call_id: callId, output } = readPart(Output, item, path);
    const { text, images } = readContent(output, `${path}.output`);
    if (images.length > 0) throw refuse(`${path}.output`, "a tool's output is text; send an image in a message");
    read.messages.push({ role: "tool", callId, text });
  } else if (!IGNORED.has(type)) {
    throw refuse(
      `${path}.type`,
      `items of the type '${type}' are not taken; send message, function_call or function_call_output`,
    );
  }
}

function takeMessage(read: ReadInput, item: z.infer<typeof Item>, path: string): void {
  const { role, content } = readPart(Message, item, path);
  const { text, images } = readContent(content, `${path}.content`);
  if (role === "user") {
    read.messages.push({ role, text, images });
    return;
  }
  if (images.length > 0) throw refuse(`${path}.content`, "only messages of the user have images");
  if (role === "assistant") {
    const answer = lastAnswer(read.messages);
    answer.text = [answer.text, text].filter((part) => part !== "").join("\n\n");
  } else {
    read.guidance.push(text);
  }
}

/** The answer that the messages end with; else a new one. */
function lastAnswer(messages: DoorMessage[]): Extract<DoorMessage, { role: "assistant" }> {
  const last = messages.at(-1);
  if (last?.role === "assistant") return last;
  const begun = { role: "assistant" as const, text: "", calls: [] };
  messages.push(begun);
  return begun;
}

function readContent(content: z.infer<typeof Content>, path: string): { text: string; images: GivenImage[] } {
  if (typeof content === "string") return { text: content, images: [] };
  const texts: string[] = [];
  const images: GivenImage[] = [];
  for (const [n, part] of content.entries()) {
    const at = `${path}.${n}`;
    if (part.type === "input_text" || part.type === "output_text" || part.type === "text") {
      texts.push(readPart(Text, part, at).text);
    } else if (part.type === "refusal") texts.push(readPart(z.looseObject({ refusal: z.string() }), part, at).refusal);
    else if (part.type === "input_image") images.push(readImageUrl(part.image_url, `${at}.image_url`));
    else throw refuse(`${at}.type`, `parts of the type '${part.type}' are not taken; send input_text or input_image`);
  }
  return { text: texts.join("\n\n"), images };
}
