// Serves the simulated worker and reviewer as a provider: Chat Completions over plain HTTP. The same scripts answer here and in
// the fast mode, where they run in-process. Started by stack.ts.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Message, ModelRequest } from "../../../core/agent/contract.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { beginReview } from "./reviewer.ts";
import { type ScriptedAnswer, replayScript } from "./scripted.ts";
import { beginWork } from "./worker.ts";
import type { World } from "../world/tasks.ts";

export const WORKER_MODEL = "bench-worker";
export const REVIEWER_MODEL = "bench-reviewer";

interface WireMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content?: string | { text?: string }[] | null;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}
interface WireRequest {
  model: string;
  messages: WireMessage[];
  tools?: { function: { name: string; description?: string; parameters?: JsonObject } }[];
  tool_choice?: unknown;
}

export async function startWireServer(worldOf: (job: string) => World): Promise<{ baseUrl: string; close(): void }> {
  const server = createServer((request, response) => {
    serve(worldOf, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, close: () => void (server.close(), server.closeAllConnections()) };
}

async function serve(
  worldOf: (job: string) => World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces).toString("utf8");
  const wireRequest = JSON.parse(body) as WireRequest;
  const read = toRequest(wireRequest);
  const scripted = replayScript(read, (one) =>
    wireRequest.model === REVIEWER_MODEL ? beginReview({ worldOf }, one) : beginWork(worldOf, one),
  );
  streamAnswer(response, scripted, { messages: read.messages.length, promptTokens: Math.ceil(body.length / 4) });
}

/** For servers that reject consecutive user messages, the product appends a note to the user message before it. */
const NOTE = /\n\n(?=<note>\n)/;

function toRequest({ messages, tools = [], tool_choice: choice }: WireRequest): ModelRequest {
  const calls = new Map(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.function.name])),
  );
  const system = messages.filter(({ role }) => role === "system" || role === "developer").map(joinTextParts);
  return {
    system: system.join("\n\n"),
    messages: messages.flatMap((message): Message[] => {
      const text = joinTextParts(message);
      if (message.role === "user") return text.split(NOTE).map((part) => ({ role: "user", text: part }));
      if (message.role === "tool") {
        const call = message.tool_call_id ?? "";
        return [{ role: "tool", call, name: calls.get(call) ?? "", text, failed: false }];
      }
      if (message.role !== "assistant") return [];
      const madeCalls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
        id,
        name,
        args: JSON.parse(args || "{}") as JsonObject,
      }));
      return [{ role: "assistant", text, calls: madeCalls }];
    }),
    tools: tools.map(({ function: { name, description = "", parameters = {} } }) => ({
      name,
      description,
      parameters,
    })),
    toolChoice: choice === "none" ? "none" : "auto",
    maxOutputTokens: 0,
    cacheKey: "",
  };
}

function joinTextParts({ content }: WireMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text = "" }) => text).join("");
}

function streamAnswer(
  response: ServerResponse,
  { text, calls = [] }: ScriptedAnswer,
  size: { messages: number; promptTokens: number },
): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  const send = (fields: object) => {
    const chunk = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_790_000_000, model: "bench" };
    response.write(`data: ${JSON.stringify({ ...chunk, ...fields })}\n\n`);
  };
  const delta = (fields: object) => send({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
  delta({ role: "assistant", content: text });
  for (const [index, { name, args }] of calls.entries()) {
    const call = {
      id: `c${size.messages}x${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    };
    delta({ tool_calls: [{ index, ...call }] });
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] });
  const usage = { prompt_tokens: size.promptTokens, completion_tokens: 10, total_tokens: size.promptTokens + 10 };
  send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}
