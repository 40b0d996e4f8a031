// The official clients of OpenAI's Responses and Anthropic's Messages, against the Worker: answers, streams, going on, forgetting, and the
// error class of each refusal. The model is rehearsal.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import { createClients } from "../../support/doors/clients.ts";
import { START_MS, ask, createProfile, fetchApi } from "../api-calls.ts";

let key: string;
let openai: OpenAI;
let anthropic: Anthropic;
const SCHEMA = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const ASK_WEATHER = 'Call get_weather with {"city":"Oslo"}';
const ABSENT = `resp_${"0".repeat(32)}`;

beforeAll(async () => {
  ({ key } = await createProfile());
  ({ openai, anthropic } = createClients(key));
}, START_MS);

const sessions = async (of = key) =>
  ((await ask("GET", "/v1/sessions", { key: of })).body as { sessions: { session: string }[] }).sessions;
const turnsOf = async (session: string) =>
  ((await ask("GET", `/v1/sessions/${session}`, { key })).body as { turns: { n: number }[] }).turns.length;

describe("the official OpenAI client", () => {
  it("gets a response, goes on from it in the same session, reads it again and forgets it", async () => {
    const before = (await sessions()).length;
    const first = await openai.responses.create({ model: "talaria", input: "Hello!", metadata: { from: "test" } });
    expect(first).toMatchObject({ object: "response", status: "completed", metadata: { from: "test" } });
    expect(first.output_text.length).toBeGreaterThan(0);
    expect(first.usage!.total_tokens).toBeGreaterThan(0);

    const stream = await openai.responses.create({
      ...{ model: "talaria", input: "And again, please.", previous_response_id: first.id, stream: true },
    });
    const types: string[] = [];
    let second: OpenAI.Responses.Response | undefined;
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "response.completed") second = event.response;
    }
    expect(types.slice(0, 4)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
    ]);
    expect(types.at(-1)).toBe("response.completed");
    expect(second!.previous_response_id).toBe(first.id);
    const listed = await sessions();
    expect(listed).toHaveLength(before + 1);
    expect(await turnsOf(listed[0]!.session)).toBe(2);

    const read = await openai.responses.retrieve(second!.id);
    expect(read).toMatchObject({ id: second!.id, status: "completed", output: second!.output, usage: second!.usage });
    expect((await openai.responses.retrieve(first.id)).output_text).toBe(first.output_text);
    await openai.responses.delete(first.id);
    await expect(openai.responses.retrieve(first.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    expect(await turnsOf(listed[0]!.session)).toBe(2);
  });

  it("branches from an earlier response once the session has gone on", async () => {
    const first = await openai.responses.create({ model: "talaria", input: "One." });
    await openai.responses.create({ model: "talaria", input: "Two.", previous_response_id: first.id });
    const before = (await sessions()).length;
    const other = await openai.responses.create({ model: "talaria", input: "Three.", previous_response_id: first.id });
    expect(other.status).toBe("completed");
    expect(await sessions()).toHaveLength(before + 1);
  });

  it("keeps a conversation by its name, and stores no response that it asks not to", async () => {
    const say = (input: string) =>
      openai.responses.create({ model: "talaria", input, conversation: "diary", store: false });
    const first = await say("Hello!");
    const before = (await sessions()).length;
    await say("Again!");
    expect(await sessions()).toHaveLength(before);
    await expect(openai.responses.retrieve(first.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it("runs its own tools, sends their results, and reads both responses again", async () => {
    const tools = [{ type: "function" as const, name: "get_weather", parameters: SCHEMA, strict: false }];
    const first = await openai.responses.create({ model: "talaria", input: ASK_WEATHER, tools });
    const call = first.output.find((item) => item.type === "function_call")!;
    expect(call).toMatchObject({ name: "get_weather", arguments: '{"city":"Oslo"}', status: "completed" });
    const second = await openai.responses.create({
      ...{ model: "talaria", tools, previous_response_id: first.id },
      input: [{ type: "function_call_output", call_id: call.call_id, output: "Snow, -2" }],
    });
    expect(second).toMatchObject({ status: "completed", output: [{ type: "message" }] });
    expect(second.output_text).toContain("Snow");
    for (const made of [first, second]) {
      const { output, usage } = await openai.responses.retrieve(made.id);
      expect({ output, usage }).toEqual({ output: made.output, usage: made.usage });
    }
    const unknown = [{ type: "function_call_output" as const, call_id: "call_1", output: "Sun" }];
    const refused = openai.responses.create({ model: "talaria", input: unknown, tools });
    await expect(refused).rejects.toMatchObject({ status: 400 });
  });

  it("is refused with its own class of error", async () => {
    const create = (body: object, options = {}) =>
      openai.responses.create({ model: "talaria", input: "hi", ...body } as never, options);
    await expect(create({ input: [] })).rejects.toMatchObject({ status: 400, param: "input", code: "body_invalid" });
    await expect(create({ input: [] })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(create({ previous_response_id: ABSENT })).rejects.toMatchObject({
      ...{ status: 400, code: "previous_not_found", param: "previous_response_id" },
    });
    await expect(create({ model: "nobody" })).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(openai.responses.retrieve("resp_other")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const stranger = createClients(`${key.slice(0, -2)}zz`).openai;
    await expect(stranger.responses.retrieve(ABSENT)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const headers = { "idempotency-key": "once" };
    await create({}, { headers });
    await expect(create({ input: "other" }, { headers })).rejects.toBeInstanceOf(OpenAI.ConflictError);
  });
});

describe("the official Anthropic client", () => {
  const hello = { role: "user" as const, content: "Hello!" };

  it("gets a message, and goes on in one session when it sends its whole history", async () => {
    const before = (await sessions()).length;
    const first = await anthropic.messages.create({ model: "talaria", max_tokens: 500, messages: [hello] });
    expect(first).toMatchObject({ type: "message", role: "assistant", stop_reason: "end_turn", model: "talaria" });
    expect(first.usage.output_tokens).toBeGreaterThan(0);
    const history = [
      hello,
      { role: "assistant" as const, content: first.content },
      { role: "user" as const, content: "And now?" },
    ];
    const stream = anthropic.messages.stream({ model: "talaria", max_tokens: 500, messages: history });
    const second = await stream.finalMessage();
    expect(second.stop_reason).toBe("end_turn");
    expect(second.content.length).toBeGreaterThan(0);
    const listed = await sessions();
    expect(listed).toHaveLength(before + 1);
    expect(await turnsOf(listed[0]!.session)).toBe(2);
  });

  it("runs its own tools and sends their results with the history", async () => {
    const tools = [{ name: "get_weather", input_schema: SCHEMA }];
    const ask = { role: "user" as const, content: ASK_WEATHER };
    const stream = anthropic.messages.stream({ model: "talaria", max_tokens: 500, messages: [ask], tools });
    const first = await stream.finalMessage();
    expect(first.stop_reason).toBe("tool_use");
    const call = first.content.find((block) => block.type === "tool_use")!;
    expect(call).toMatchObject({ name: "get_weather", input: { city: "Oslo" } });
    const result = { type: "tool_result" as const, tool_use_id: call.id, content: "Snow, -2" };
    const second = await anthropic.messages.create({
      ...{ model: "talaria", max_tokens: 500, tools },
      messages: [ask, { role: "assistant", content: first.content }, { role: "user", content: [result] }],
    });
    expect(second.stop_reason).toBe("end_turn");
    expect(second.content).toMatchObject([{ type: "text", text: expect.stringContaining("Snow") }]);
  });

  it("counts tokens by our estimate", async () => {
    const counted = await anthropic.messages.countTokens({ model: "talaria", system: "Be short.", messages: [hello] });
    expect(counted.input_tokens).toBeGreaterThan(2);
    expect(counted.input_tokens).toBeLessThan(20);
  });

  it("is refused with its own class of error", async () => {
    const create = (body: object, options = {}) =>
      anthropic.messages.create({ model: "talaria", max_tokens: 9, messages: [hello], ...body } as never, options);
    await expect(create({ max_tokens: undefined })).rejects.toMatchObject({
      status: 400,
      type: "invalid_request_error",
    });
    await expect(create({ messages: [] })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(create({ model: "nobody" })).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    const stranger = createClients(`${key.slice(0, -2)}zz`).anthropic;
    await expect(stranger.messages.countTokens({ model: "m", messages: [hello] })).rejects.toBeInstanceOf(
      Anthropic.AuthenticationError,
    );
    const headers = { "idempotency-key": "once-again" };
    await create({}, { headers });
    const refused = create({ messages: [{ role: "user", content: "other" }] }, { headers });
    await expect(refused).rejects.toBeInstanceOf(Anthropic.ConflictError);
  });

  it("gets the error object of its API for a body that is no JSON", async () => {
    const headers = { "content-type": "application/json" };
    const answer = await fetchApi("POST", "/v1/messages", { key, body: "{", headers });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      ...{ type: "error", error: { type: "invalid_request_error" }, request_id: answer.headers.get("request-id") },
    });
  });
});

describe("another profile", () => {
  it("reaches no response, and no turn by its id", async () => {
    const first = await openai.responses.create({ model: "talaria", input: "Mine." });
    const other = createClients((await createProfile()).key).openai;
    await expect(other.responses.retrieve(first.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(other.responses.delete(first.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(
      other.responses.create({ model: "talaria", input: "Go on.", previous_response_id: first.id }),
    ).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });

  it("of a deleted session has no response left", async () => {
    const first = await openai.responses.create({ model: "talaria", input: "Delete me." });
    const [{ session } = { session: "" }] = await sessions();
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
    await expect(openai.responses.retrieve(first.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});
