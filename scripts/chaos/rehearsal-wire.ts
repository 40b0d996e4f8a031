// The wire between a chaos run's stack and a model that runs as JavaScript: requests of chat completions in the loop's form, and its answers as
// events. Used by the api Worker of a run over reviews, and by the model server of a run over replays. Pure.
import * as z from "zod";
import type { Message, ModelRequest } from "../../core/agent/contract.ts";
import { readRendered } from "../../core/agent/tool-result.ts";
import type { Answer } from "../../core/schemas/entry.ts";

const Text = z.union([z.string(), z.array(z.object({ text: z.string().default("") })), z.null()]).optional();
export const ChatRequest = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: Text,
      tool_call_id: z.string().optional(),
      tool_calls: z
        .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
        .optional(),
    }),
  ),
  tools: z
    .array(
      z.object({
        function: z.object({
          name: z.string(),
          description: z.string().default(""),
          parameters: z.record(z.string(), z.json()).default({}),
        }),
      }),
    )
    .default([]),
  tool_choice: z.unknown().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export function toModelRequest({ messages, tools, tool_choice: choice }: ChatRequest): ModelRequest {
  const names = new Map(
    messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id, function: { name } }) => [id, name] as const)),
  );
  const spoken = messages.filter(({ role }) => role !== "system" && role !== "developer");
  return {
    system: joinTextParts(messages.find(({ role }) => role === "system" || role === "developer")?.content),
    messages: spoken.map((message): Message => {
      const text = joinTextParts(message.content);
      if (message.role === "user") return { role: "user", text };
      if (message.role === "tool") {
        const call = message.tool_call_id ?? "";
        const failed = typeof readRendered(text)?.error === "string";
        return { role: "tool", call, name: names.get(call) ?? "", text, failed };
      }
      const calls = (message.tool_calls ?? []).map(({ id, function: made }) => ({
        ...{ id, name: made.name },
        args: JSON.parse(made.arguments || "{}"),
      }));
      return { role: "assistant", text, calls };
    }),
    tools: tools.map(({ function: tool }) => tool),
    maxOutputTokens: 16_000,
    toolChoice: choice === "none" ? "none" : "auto",
    cacheKey: "",
  };
}

function joinTextParts(content: z.infer<typeof Text>): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text).join("");
}

export function toEvents({ text, calls }: Pick<Answer, "text" | "calls">): string {
  const delta = {
    content: text,
    tool_calls: calls.map(({ id, name, args }, index) => ({
      ...{ index, id, type: "function" },
      function: { name, arguments: JSON.stringify(args) },
    })),
  };
  const finish = calls.length > 0 ? "tool_calls" : "stop";
  const chunks = [
    { object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] },
    { object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } },
  ];
  return [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
}
