// The peer: Cloudflare's own chat agent (`agents`, `@cloudflare/ai-chat`, the AI SDK) with one tool that writes a file into
// its SQLite, as Talaria's write_file does. Set up as its documentation says. Plain JavaScript, because its packages are
// installed by the bench alone and the project's type check knows nothing of them.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { AIChatAgent } from "@cloudflare/ai-chat";
import { routeAgentRequest } from "agents";
import { convertToModelMessages, isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { meterStorage } from "../support/storage-meter.ts";

const MAX_STEPS = 500;

export class ChatAgent extends AIChatAgent {
  #meter;
  constructor(ctx, env) {
    const meter = meterStorage(ctx.storage);
    super(ctx, env);
    this.#meter = meter;
    void this.sql`CREATE TABLE IF NOT EXISTS file(path TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID`;
  }

  async onChatMessage(_onFinish, options) {
    const provider = createOpenAICompatible({ name: "bench", baseURL: this.env.OPENAI_BASE_URL, includeUsage: true });
    const result = streamText({
      model: provider.chatModel("bench"),
      system: "You are a helpful assistant with a workspace of files.",
      messages: await convertToModelMessages(this.messages),
      tools: { write_file: this.#writeFile() },
      stopWhen: isStepCount(MAX_STEPS),
      abortSignal: options?.abortSignal,
    });
    return result.toUIMessageStreamResponse();
  }

  #writeFile() {
    return tool({
      description: "Writes a file of the workspace, replacing what it held.",
      inputSchema: z.object({ path: z.string(), content: z.string() }),
      execute: async ({ path, content }) => {
        void this.sql`INSERT INTO file VALUES(${path}, ${content}) ON CONFLICT DO UPDATE SET body = excluded.body`;
        return { path, bytes: content.length };
      },
    });
  }

  async readMeter() {
    return { ...this.#meter.counts(), alarmAt: await this.ctx.storage.getAlarm() };
  }
}

const METER = /^\/bench\/([^/]+)$/;

export default {
  async fetch(request, env) {
    const name = METER.exec(new URL(request.url).pathname)?.[1];
    if (name) return Response.json(await env.ChatAgent.getByName(name).readMeter());
    return (await routeAgentRequest(request, env)) ?? new Response("not found", { status: 404 });
  },
};
