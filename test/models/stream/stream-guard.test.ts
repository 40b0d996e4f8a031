// The promises of the Model contract, over wires that break them.
import { describe, expect, it, test } from "vitest";
import type { ModelEvent } from "../../../core/agent/contract.ts";
import { createAnthropicModel } from "../../../core/models/wires/anthropic.ts";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { createOpenAiResponsesModel } from "../../../core/models/wires/openai-responses.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { readAll, toRequest } from "../../conformance/model.ts";
import { HOSTILE_WIRES } from "../../support/wires/hostile-wires.ts";
import { toBody, toSse } from "../../support/wires/sse-body.ts";

const MAKERS = [
  ["Anthropic", createAnthropicModel],
  ["Chat Completions", createOpenAiChatModel],
  ["Responses", createOpenAiResponsesModel],
] as const;

const key = { apiKey: "sk-a-key-of-ours", model: "some-model", clock: systemClock };

/** A repeated piece of text, as each wire sends it. */
const DELTAS: Record<string, (text: string) => { type: string; [field: string]: unknown }[]> = {
  Anthropic: (text) => [
    { type: "message_start", message: { usage: { input_tokens: 1, output_tokens: 0 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...Array.from({ length: 20 }, () => ({
      ...{ type: "content_block_delta", index: 0 },
      delta: { type: "text_delta", text },
    })),
  ],
  "Chat Completions": (text) =>
    Array.from({ length: 20 }, () => ({ type: "chunk", choices: [{ index: 0, delta: { content: text } }] })),
  Responses: (text) => Array.from({ length: 20 }, () => ({ type: "response.output_text.delta", delta: text })),
};

describe.each(MAKERS)("%s", (wire, create) => {
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
    expect(await events).toMatchObject([{ type: "failed", failure: { code: "aborted", retry: false } }]);
  });

  it("reports that a server cannot be reached, with the deepest cause and without the key", async () => {
    const cause = new Error("connect ECONNREFUSED with sk-a-key-of-ours");
    const model = create({ ...key, fetch: () => Promise.reject(new TypeError("fetch failed", { cause })) });
    const events = await readAll(model, toRequest());
    expect(events).toMatchObject([{ type: "failed", failure: { code: "network", retry: true } }]);
    expect(JSON.stringify(events)).toContain("connect ECONNREFUSED with [key]");
  });

  it("estimates the cost of a broken answer without usage from its length, and none for a refusal", async () => {
    const asked = toRequest();
    const replies = [toBody([": nothing yet\n\n"]), null];
    const model = create({
      ...key,
      fetch: async () => {
        const body = replies.shift() ?? null;
        return body ? new Response(body) : new Response("{}", { status: 500 });
      },
    });
    const [cut] = await readAll(model, asked);
    expect(cut).toMatchObject({ type: "failed", failure: { spent: { usage: { output: 0 } } } });
    const usage = cut?.type === "failed" && cut.failure.spent?.usage;
    expect(usage && usage.input).toBeGreaterThan(asked.messages.reduce((sum, { text }) => sum + text.length, 0) / 5);
    const [refused] = await readAll(model, asked);
    expect(refused).toMatchObject({ type: "failed", failure: { code: "server_error" } });
    expect(refused).not.toHaveProperty("failure.spent");
  });

  it("aborts an answer that is far longer than requested", async () => {
    const model = create({
      ...key,
      fetch: async () =>
        new Response(toBody(DELTAS[wire]!("x".repeat(4_000)).map((data) => toSse({ event: data.type, data })))),
    });
    const events = await readAll(model, toRequest({ maxOutputTokens: 100 }));
    expect(events.at(-1)).toMatchObject({ type: "failed", failure: { code: "answer_too_large" } });
  });

  it("reports that a server took too long", async () => {
    const model = create({ ...key, fetch: () => Promise.reject(new Error("Connect Timeout Error")) });
    expect(await readAll(model, toRequest())).toMatchObject([
      { type: "failed", failure: { code: "timeout", retry: true } },
    ]);
  });

  it("does not read an endless error body to its end", async () => {
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
    ["nothing", "", "stream_cut"],
    ["half an event", 'data: {"type":"mess', "stream_cut"],
    ["JSON", '{"id":"x"}', "stream_malformed"],
    ["an HTML page", "<html>hello</html>", "stream_malformed"],
    ["an event that is not JSON", "event: message_start\ndata: {oops}\n\n", "stream_malformed"],
  ])("reports a good status followed by %s (%s) as %s", async (_, body, code) => {
    const headers = { "content-type": "text/event-stream" };
    const model = create({ ...key, fetch: async () => new Response(body, { headers }) });
    const events: ModelEvent[] = await readAll(model, toRequest());
    expect(events).toMatchObject([{ type: "failed", failure: { code, retry: true } }]);
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

describe.each(HOSTILE_WIRES)("the stream of $name", ({ create, begin, deltas, end }) => {
  const frames = [...begin(), ...deltas(["One ", "two ", "three\ud83e", "\udebd"]), ...end()].map(toSse);
  const served = (body: ReadableStream<Uint8Array>) => create({ ...key, fetch: async () => new Response(body) });
  const textsOf = (events: ModelEvent[]) => events.flatMap((event) => (event.type === "text_delta" ? event.text : []));

  it("is one delta if it comes at once, and otherwise begins with the first piece and gathers what follows quickly", async () => {
    const atOnce = await readAll(served(toBody([frames.join("")])), toRequest());
    expect(textsOf(atOnce)).toEqual(["One two three🪽"]);
    const byAndBy = await readAll(served(toBody(frames)), toRequest());
    expect(textsOf(byAndBy)[0]).toBe("One ");
    expect(textsOf(byAndBy).join("")).toBe("One two three🪽");
    expect(atOnce.at(-1)).toEqual(byAndBy.at(-1));
  });

  it("ends at once when the call is stopped, whatever else has been read", async () => {
    const stop = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of served(toBody([frames.join("")])).stream(toRequest(), stop.signal)) {
      events.push(event);
      stop.abort();
    }
    expect(events).toMatchObject([{ type: "text_delta" }, { type: "failed", failure: { code: "aborted" } }]);
  });

  it("repeats a call with the same client and the new request", async () => {
    const asked: string[] = [];
    const model = create({
      ...key,
      fetch: async (_, init) => {
        asked.push(String(init?.body));
        return new Response(toBody(frames));
      },
    });
    for (const text of ["first", "second"]) {
      const events = await readAll(model, toRequest({ messages: [{ role: "user", text }] }));
      expect(events.at(-1)).toMatchObject({ type: "done", answer: { text: "One two three🪽" } });
    }
    expect(asked.map((body) => /first|second/.exec(body)?.[0])).toEqual(["first", "second"]);
  });

  /** A body that is closed only by its reader. */
  function open(pieces: string[]) {
    const closed = Promise.withResolvers<void>();
    const rest = pieces.map((piece) => new TextEncoder().encode(piece)).values();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const { value } = rest.next();
        if (value) controller.enqueue(value);
        else return new Promise(() => undefined);
      },
      cancel: () => closed.resolve(),
    });
    return { body, closed: closed.promise };
  }

  it("is closed when its answer is complete, even if the server keeps it open", async () => {
    const { body, closed } = open(frames);
    const events = await readAll(served(body), toRequest());
    await closed;
    expect(events.at(-1)).toMatchObject({ type: "done" });
  });

  it("is closed when the reader stops reading", async () => {
    const { body, closed } = open(frames);
    for await (const event of served(body).stream(toRequest(), new AbortController().signal)) {
      expect(event).toMatchObject({ type: "text_delta", text: expect.stringMatching(/^One /) });
      break;
    }
    await closed;
  });

  it("is closed when the call is stopped during silence, and leaves no listener registered", async () => {
    const { body, closed } = open(frames.slice(0, -3));
    const stop = new AbortController();
    const listening = new Set<unknown>();
    const { addEventListener, removeEventListener } = stop.signal;
    let added = 0;
    stop.signal.addEventListener = (type: string, listener: any, options?: any) => {
      added += 1;
      if (!options?.once) listening.add(listener); // an SDK adds one of its own
      addEventListener.call(stop.signal, type, listener, options);
    };
    stop.signal.removeEventListener = (type: string, listener: any) => {
      listening.delete(listener);
      removeEventListener.call(stop.signal, type, listener);
    };
    const events: ModelEvent[] = [];
    for await (const event of served(body).stream(toRequest(), stop.signal)) {
      events.push(event);
      if (event.type === "text_delta") stop.abort();
    }
    await closed;
    expect(events.at(-1)).toMatchObject({ type: "failed", failure: { code: "aborted" } });
    expect(listening.size).toBe(0);
    expect(added).toBeLessThan(4);
  });

  it("is closed if it begins after the call was stopped", async () => {
    const { body, closed } = open(frames);
    const asked = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<Response>();
    const stop = new AbortController();
    const model = create({ ...key, fetch: () => (asked.resolve(), reply.promise) });
    const events = readAll(model, toRequest(), stop.signal);
    await asked.promise;
    stop.abort();
    expect(await events).toMatchObject([{ type: "failed", failure: { code: "aborted" } }]);
    reply.resolve(new Response(body));
    await closed;
  });
});

test("a gateway's stop reason for a full window is reported as what cut the answer", async () => {
  const chunk = {
    choices: [{ index: 0, delta: { content: "Half of" }, finish_reason: "model_context_window_exceeded" }],
  };
  const model = createOpenAiChatModel({ ...key, fetch: async () => new Response(toBody([toSse({ data: chunk })])) });
  const events = await readAll(model, toRequest());
  expect(events.at(-1)).toMatchObject({ type: "done", answer: { stop: "length", cutBy: "window" } });
});
