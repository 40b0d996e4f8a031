// What existing clients see of POST /v1/chat/completions and GET /v1/models: OpenAI's official client, the AI SDK's openai-compatible
// provider, and plain requests. Streaming and not, with tools of the client's own, and with each class of error.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import type { SessionDetail } from "../../../../core/schemas/api.ts";
import { BASE_URL, assistant, createChatClient, fetchWorker, say, user } from "../../../support/doors/chat-client.ts";
import { START_MS, ask, createProfile } from "../../api-calls.ts";

let key: string;
let client: OpenAI;
beforeAll(async () => {
  ({ key } = await createProfile());
  client = createChatClient(key);
}, START_MS);

const toAiModel = (apiKey = key, model = "talaria") =>
  createOpenAICompatible({ name: "talaria", baseURL: BASE_URL, apiKey, fetch: fetchWorker, includeUsage: true })(model);

const WEATHER: OpenAI.ChatCompletionTool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const ASK_WEATHER = 'Call get_weather with {"city":"Oslo"}';

async function post(
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetchWorker(`${BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("OpenAI's client", () => {
  it("streams the same text that it gets at once, with the usage at the end", async () => {
    const messages = [user("What can you do?")];
    const whole = await say(client, messages);
    const stream = await client.chat.completions.create({
      ...{ model: "talaria", messages, stream: true, stream_options: { include_usage: true } },
    });
    const chunks = await collect(stream);
    expect(chunks[0]!.choices[0]!.delta).toMatchObject({ role: "assistant", content: "" });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(whole.text);
    const [end, last] = chunks.slice(-2);
    expect([end!.choices[0]!.finish_reason, end!.usage, last!.choices]).toEqual(["stop", null, []]);
    expect(last!.usage).toEqual(whole.usage);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it("ignores what the agent's own tools do, and gets the texts of all answers as one", async () => {
    const messages = [user("List the files")];
    const stream = client.chat.completions.stream({ model: "talaria", messages });
    const seen: unknown[] = [];
    stream.on("chunk", (chunk) => seen.push((chunk as { talaria?: unknown }).talaria ?? []));
    const text = (await stream.finalChatCompletion()).choices[0]!.message.content;
    expect(seen.flat()).toEqual([
      { type: "tool_start", name: "terminal" },
      { type: "tool_end", name: "terminal", failed: false },
    ]);
    expect(text).toBe("I look at the files.\n\nIt printed nothing.");
    expect((await say(client, messages)).text).toBe(text);
  });

  it("answers a question of the agent with its next message", async () => {
    const first = [user("Ask me: Which colour? red, dark blue")];
    const asked = await say(client, first);
    expect(asked).toMatchObject({
      finish: "stop",
      text: expect.stringMatching(/^The agent asks: Which colour\?[^]*next message/),
    });
    const answered = await say(client, [...first, assistant(asked.text), user("2")]);
    expect(answered).toMatchObject({ session: asked.session, finish: "stop", text: "Your answer: dark blue." });
    const history = [...first, assistant(asked.text), user("2"), assistant(answered.text), user("Thanks")];
    expect((await say(client, history)).session).toBe(asked.session);
  });

  it("is told of a question that the turn before waits with, and sends commands as a person does", async () => {
    const first = [user("Ask me: Which colour? red, dark blue")];
    const asked = await say(client, first);
    const headers = { "x-talaria-session": asked.session };
    const listed = await say(client, [user("/approvals")], { headers });
    expect(listed).toMatchObject({ finish: "stop", text: expect.stringContaining("Which colour?") });
    expect(await say(client, [user("/answer red")], { headers })).toMatchObject({ text: "Your answer: red." });
    const titled = await say(client, [user("/title About colours")], { headers });
    expect(titled).toMatchObject({ finish: "stop", text: expect.stringContaining("About colours") });
    const { title } = (await ask("GET", `/v1/sessions/${asked.session}`, { key })).body as SessionDetail;
    expect(title).toBe("About colours");
    const refused = await say(client, [user("/model no-such-model")], { headers });
    expect(refused).toMatchObject({ finish: "stop", text: expect.stringMatching(/model/) });
  });

  it("runs its own tools, and answers their calls once", async () => {
    const first = [user(ASK_WEATHER)];
    const asked = await say(client, first, { tools: [WEATHER] });
    expect(asked).toMatchObject({ finish: "tool_calls", text: "" });
    expect(asked.calls).toMatchObject([
      { type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
    ]);
    const call: OpenAI.ChatCompletionMessageParam = { role: "assistant", content: null, tool_calls: asked.calls };
    const result = (content: string, id = asked.calls[0]!.id): OpenAI.ChatCompletionMessageParam => {
      return { role: "tool", tool_call_id: id, content };
    };
    const unknown = say(client, [...first, call, result("Sun", "call_1")], { tools: [WEATHER] });
    await expect(unknown).rejects.toMatchObject({ status: 400, code: "call_unknown" });
    const answered = await say(client, [...first, call, result("Snow, -2")], { tools: [WEATHER] });
    expect(answered).toMatchObject({ session: asked.session, turn: asked.turn, finish: "stop", text: "Snow, -2" });
    expect(await say(client, [...first, call, result("Snow, -2")], { tools: [WEATHER] })).toEqual(answered);
    const total = (await ask("GET", `/v1/sessions/${asked.session}`, { key })).body as SessionDetail;
    const { usage } = total.turns[0]!.stats;
    expect(asked.usage.completion_tokens + answered.usage.completion_tokens).toBe(usage.output);
    const other = say(client, [...first, call, result("Rain")], { tools: [WEATHER] });
    await expect(other).rejects.toThrow(OpenAI.ConflictError);
    const next = [...first, call, result("Snow, -2"), assistant(answered.text), user("Thanks")];
    expect(await say(client, next, { tools: [WEATHER] })).toMatchObject({ turn: `${asked.session}-2` });
  });

  it("says something beside the results of its tools", async () => {
    const first = [user(ASK_WEATHER)];
    const asked = await say(client, first, { tools: [WEATHER] });
    const call: OpenAI.ChatCompletionMessageParam = { role: "assistant", content: null, tool_calls: asked.calls };
    const result: OpenAI.ChatCompletionMessageParam = {
      role: "tool",
      tool_call_id: asked.calls[0]!.id,
      content: "Snow",
    };
    const next = await say(client, [...first, call, result, user("Note: I like snow")], { tools: [WEATHER] });
    expect(next).toMatchObject({ session: asked.session, finish: "stop", turn: `${asked.session}-2` });
  });

  it("sees the classes of its errors", async () => {
    const chat = (more: object, by = client) =>
      by.chat.completions.create({ model: "talaria", messages: [user("Hi")], ...more });
    const stranger = createChatClient("not-a-key");
    await expect(chat({}, stranger)).rejects.toThrow(OpenAI.AuthenticationError);
    await expect(chat({}, stranger)).rejects.toMatchObject({ code: "key_unknown", type: "authentication_error" });
    await expect(chat({ model: "gpt-none" })).rejects.toThrow(OpenAI.NotFoundError);
    await expect(chat({ model: "gpt-none" })).rejects.toMatchObject({ code: "model_not_found", param: "model" });
    await expect(chat({ n: 2 })).rejects.toThrow(OpenAI.BadRequestError);
    for (const [field, value] of Object.entries({
      ...{
        n: 2,
        logprobs: true,
        top_logprobs: 3,
        audio: { voice: "alloy", format: "mp3" },
        functions: [{ name: "f" }],
      },
      ...{ temperature: 3, max_completion_tokens: 0, messages: [] },
    })) {
      await expect(chat({ [field]: value })).rejects.toMatchObject({
        status: 400,
        param: field,
        type: "invalid_request_error",
      });
    }
    const remote = [
      { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] },
    ];
    await expect(chat({ messages: remote })).rejects.toMatchObject({
      ...{ status: 400, param: "messages.0.content.0.image_url.url", message: expect.stringContaining("data URL") },
    });
    const taken = { type: "function", function: { name: "terminal", parameters: {} } };
    await expect(chat({ tools: [taken] })).rejects.toMatchObject({ status: 400, code: "tool_collides" });
    await expect(chat({ tool_choice: "required", tools: [WEATHER, WEATHER] })).rejects.toMatchObject({
      param: "tools",
    });
    const legacy = [user("Hi"), { role: "function", name: "f", content: "x" }];
    await expect(chat({ messages: legacy })).rejects.toMatchObject({ param: "messages.1.role" });
    const ignored = {
      seed: 1,
      user: "me",
      logit_bias: {},
      store: true,
      metadata: { a: "b" },
      n: 1,
      logprobs: false,
      surprise: [],
    };
    expect((await chat(ignored)).choices).toHaveLength(1);
  });

  it("sees a rate limit, with the time to wait", async () => {
    const { session } = await say(client, [user("Ask me: Which colour? red, blue")]);
    const send = () => ask("POST", `/v1/sessions/${session}/messages`, { key, body: { text: "Later", busy: "queue" } });
    let status = 202;
    while (status === 202) ({ status } = await send());
    const limited = say(client, [user("More")], { headers: { "x-talaria-session": session } });
    await expect(limited).rejects.toThrow(OpenAI.RateLimitError);
    await expect(limited).rejects.toMatchObject({ code: "too_many_queued" });
    const { headers } = await post({ model: "talaria", messages: [user("More")] }, { "x-talaria-session": session });
    expect(headers.get("retry-after")).toBe("5");
  });

  it("lists the models, and reads one", async () => {
    const models = await collect(client.models.list());
    expect(models.map(({ id }) => id)).toEqual(["talaria", expect.any(String)]);
    expect(await client.models.retrieve("talaria")).toMatchObject({ id: "talaria", object: "model" });
    const chosen = models[1]!.id;
    expect(await client.models.retrieve(chosen)).toMatchObject({ id: chosen });
    expect(await say(client, [user("Hello")], { model: chosen })).toMatchObject({ finish: "stop" });
    await expect(client.models.retrieve("gpt-none")).rejects.toThrow(OpenAI.NotFoundError);
    await expect(collect(createChatClient("not-a-key").models.list())).rejects.toThrow(OpenAI.AuthenticationError);
  });
});

describe("the AI SDK", () => {
  it("generates and streams text", async () => {
    const whole = await generateText({ model: toAiModel(), system: "Be brief.", prompt: "What can you do?" });
    expect(whole).toMatchObject({ finishReason: "stop", text: expect.stringContaining("rehearsal") });
    expect(whole.usage.inputTokens).toBeGreaterThan(0);
    const streamed = streamText({ model: toAiModel(), prompt: "List the files" });
    expect(await streamed.text).toBe("I look at the files.\n\nIt printed nothing.");
    expect([await streamed.finishReason, (await streamed.usage).totalTokens]).toEqual(["stop", expect.any(Number)]);
  });

  it.each(["generateText", "streamText"])(
    "runs a tool of the client's own by %s, in one turn of one session",
    async (how) => {
      const cities: unknown[] = [];
      const weather = tool({
        description: "The weather of a city.",
        inputSchema: jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } }),
        execute: async (args) => (cities.push(args), `Snow in ${args.city}`),
      });
      const asked = {
        model: toAiModel(),
        prompt: ASK_WEATHER,
        tools: { get_weather: weather },
        stopWhen: stepCountIs(3),
      };
      const result = how === "generateText" ? await generateText(asked) : streamText(asked);
      expect([await result.text, (await result.steps).length, cities]).toEqual(["Snow in Oslo", 2, [{ city: "Oslo" }]]);
      const { sessions } = (await ask("GET", "/v1/sessions?limit=1", { key })).body as {
        sessions: { session: string }[];
      };
      const { turns } = (await ask("GET", `/v1/sessions/${sessions[0]!.session}`, { key })).body as SessionDetail;
      expect(turns.map(({ state }) => state)).toEqual(["done"]);
    },
  );

  it("sees the status of each refusal", async () => {
    const { session } = await say(client, [user("Ask me: Which colour? red, blue")]);
    const generate = (more: object, model = toAiModel()) =>
      generateText({ model, prompt: "Hi", maxRetries: 0, ...more });
    const statusOf = (failed: Promise<unknown>) =>
      failed.then(
        () => 200,
        (error: unknown) => (APICallError.isInstance(error) ? error.statusCode : error),
      );
    const headers = { "x-talaria-session": session };
    expect(await statusOf(generate({ temperature: 3 }))).toBe(400);
    expect(await statusOf(generate({}, toAiModel("not-a-key")))).toBe(401);
    expect(await statusOf(generate({}, toAiModel(key, "gpt-none")))).toBe(404);
    expect(await statusOf(generate({ headers: { ...headers, "x-talaria-learning": "off" } }))).toBe(409);
    const send = () => ask("POST", `/v1/sessions/${session}/messages`, { key, body: { text: "Later", busy: "queue" } });
    for (let status = 202; status === 202;) ({ status } = await send());
    expect(await statusOf(generate({ headers }))).toBe(429);
  });
});

describe("a plain request", () => {
  it("gets events that end with [DONE], and goes on without its reader", async () => {
    const { status, headers, text } = await post({ model: "talaria", messages: [user("Hello")], stream: true });
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(text.split("\n\n").every((event) => event === "" || /^(?:data: |: )/.test(event))).toBe(true);
    const left = await fetchWorker(`${BASE_URL}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "talaria", messages: [user("List the files")], stream: true }),
    });
    await left.body!.cancel();
    const session = left.headers.get("x-talaria-session")!;
    for (;;) {
      const { turns } = (await ask("GET", `/v1/sessions/${session}`, { key })).body as SessionDetail;
      if (turns[0]!.state === "done") break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  it("is refused in OpenAI's form, whatever is wrong with it", async () => {
    const read = ({ status, text }: { status: number; text: string }) => [
      status,
      (JSON.parse(text) as { error: { code: string } }).error.code,
    ];
    expect(read(await post("{"))).toEqual([400, "json_malformed"]);
    expect(read(await post(""))).toEqual([400, "body_missing"]);
    expect(read(await post({ messages: [user(" ")] }))).toEqual([400, "body_invalid"]);
    expect(read(await post("a=b", { "content-type": "application/x-www-form-urlencoded" }))).toEqual([
      400,
      "content_type_unsupported",
    ]);
    expect(read(await post({ messages: [user("x".repeat(9 << 20))] }))).toEqual([413, "body_too_large"]);
    expect(read(await post({}, { authorization: "" }))).toEqual([401, "key_missing"]);
    const answer = await ask("GET", "/v1/chat/completions", { key });
    expect(answer).toMatchObject({
      status: 404,
      body: { error: { code: "route_not_found", type: "invalid_request_error" } },
    });
  });

  it("lists the models in the form of each client", async () => {
    const list = await ask("GET", "/v1/models", { key });
    expect(list.body).toMatchObject({
      object: "list",
      data: [{ id: "talaria", object: "model" }, {}],
      models: [{ isDefault: true }],
    });
    const headers = { "anthropic-version": "2023-06-01" };
    const theirs = await ask("GET", "/v1/models?limit=20", { key, headers });
    expect(theirs.body).toMatchObject({
      data: [{ type: "model", id: "talaria" }, {}],
      has_more: false,
      first_id: "talaria",
    });
    const [, { id: model }] = (theirs.body as { data: [object, { id: string }] }).data;
    const page = async (query: string) => (await ask("GET", `/v1/models?${query}`, { key, headers })).body;
    const [first, second] = [
      { first_id: "talaria", last_id: "talaria" },
      { first_id: model, last_id: model },
    ];
    expect(await page("limit=1")).toMatchObject({ ...first, has_more: true });
    expect(await page("limit=1&after_id=talaria")).toMatchObject({ ...second, has_more: false });
    expect(await page(`limit=1&before_id=${model}`)).toMatchObject({ ...first, has_more: false });
    expect(await page(`after_id=${model}`)).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
    expect((await ask("GET", "/v1/models?after_id=gone", { key, headers })).status).toBe(400);
    expect((await ask("GET", "/v1/models/talaria", { key, headers })).body).toMatchObject({
      type: "model",
      display_name: "Talaria",
    });
    const refused = await ask("GET", "/v1/models", {});
    expect(refused).toMatchObject({ status: 401, body: { code: "key_missing", error: { code: "key_missing" } } });
  });
});
