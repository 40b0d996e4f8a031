// The promises of the Model contract, kept for wires that keep none.
import { describe, expect, it } from "vitest";
import type { ModelEvent } from "../../core/agent/contract.ts";
import { createAnthropicModel } from "../../core/models/anthropic.ts";
import { createOpenAiChatModel } from "../../core/models/openai-chat.ts";
import { createOpenAiResponsesModel } from "../../core/models/openai-responses.ts";
import { readAll, toRequest } from "../conformance/model.ts";

const MAKERS = [
  ["Anthropic", createAnthropicModel],
  ["Chat Completions", createOpenAiChatModel],
  ["Responses", createOpenAiResponsesModel],
] as const;

const key = { apiKey: "sk-a-key-of-ours", model: "some-model" };

describe.each(MAKERS)("%s", (_, create) => {
  it("does not wait for a fetch that ignores its signal", async () => {
    const asked = Promise.withResolvers<void>();
    const model = create({
      ...key,
      fetch: () => {
        asked.resolve();
        return new Promise<Response>(() => undefined);
      },
    });
    const stop = new AbortController();
    const events = readAll(model, toRequest(), stop.signal);
    await asked.promise;
    stop.abort();
    expect(await events).toMatchObject([{ type: "failed", failure: { code: "aborted", retryable: false } }]);
  });

  it("says that a server cannot be reached, with the deepest cause and without the key", async () => {
    const cause = new Error("connect ECONNREFUSED with sk-a-key-of-ours");
    const model = create({ ...key, fetch: () => Promise.reject(new TypeError("fetch failed", { cause })) });
    const events = await readAll(model, toRequest());
    expect(events).toMatchObject([{ type: "failed", failure: { code: "network", retryable: true } }]);
    expect(JSON.stringify(events)).toContain("connect ECONNREFUSED with [key]");
  });

  it("says that a server took too long", async () => {
    const model = create({ ...key, fetch: () => Promise.reject(new Error("Connect Timeout Error")) });
    expect(await readAll(model, toRequest())).toMatchObject([
      { type: "failed", failure: { code: "timeout", retryable: true } },
    ]);
  });

  it("reads no endless error body to its end", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array((sent += 10_000) && 10_000).fill(120)),
    });
    const model = create({ ...key, fetch: async () => new Response(endless, { status: 500 }) });
    const events = await readAll(model, toRequest());
    expect(events).toMatchObject([{ type: "failed", failure: { code: "server_error" } }]);
    expect(sent).toBeLessThan(200_000);
  });

  it.each([
    ["nothing", ""],
    ["JSON", '{"id":"x"}'],
    ["half an event", 'data: {"type":"mess'],
    ["an event that is no JSON", "event: message_start\ndata: {oops}\n\n"],
  ])("says that a good status followed by %s is a cut stream", async (_, body) => {
    const headers = { "content-type": "text/event-stream" };
    const model = create({ ...key, fetch: async () => new Response(body, { headers }) });
    const events: ModelEvent[] = await readAll(model, toRequest());
    expect(events).toMatchObject([{ type: "failed", failure: { code: "stream_cut", retryable: true } }]);
  });

  it("never sends a key that it was not given", async () => {
    process.env.OPENAI_ORG_ID =
      process.env.OPENAI_ADMIN_KEY =
      process.env.ANTHROPIC_AUTH_TOKEN =
        "from-the-environment";
    process.env.OPENAI_BASE_URL = process.env.ANTHROPIC_BASE_URL = "https://from-the-environment.example";
    const asked: string[] = [];
    try {
      const model = create({
        ...key,
        fetch: async (input, init) => {
          asked.push(JSON.stringify([String(input), [...new Headers(init?.headers)]]));
          return Response.json({}, { status: 500 });
        },
      });
      await readAll(model, toRequest());
    } finally {
      for (const name of [
        "OPENAI_ORG_ID",
        "OPENAI_ADMIN_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_BASE_URL",
        "ANTHROPIC_BASE_URL",
      ]) {
        delete process.env[name];
      }
    }
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("Bearer sk-a-key-of-ours");
    expect(asked[0]).not.toContain("from-the-environment");
  });
});
