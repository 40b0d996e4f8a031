// The conformance kit of Model. Adapters run it against the scripted model server (`scripted`), where the whole stream is
// known. A model without a script runs only the part that needs none.
import { describe, expect, it } from "vitest";
import type { Model, ModelEvent, ModelRequest } from "../../core/agent/contract.ts";
import type { Answer } from "../../core/schemas/entry.ts";
import { type Reply, SCRIPTED_USAGE, type Script, type ScriptedAnswer } from "../support/wires/wire-script.ts";

export interface ModelUnderTest {
  model: Model;
  /** Absent for a model whose answers cannot be scripted. */
  script?: Script;
}

/** Makes a model that receives these replies, one for each call. */
export type MakeModel = (replies: Reply[]) => Promise<ModelUnderTest>;

export const LOOK_UP = {
  name: "look_up",
  description: "Looks up a fact.",
  parameters: {
    type: "object",
    properties: { query: { type: "string", description: "What to look up." } },
    required: ["query"],
    additionalProperties: false,
  },
};

/** Characters of one to four bytes, so that some cuts fall inside a character. */
export const TEXT = "Schöne Grüße aus 東京 🌍🪽: das Ergebnis ist 42 €.";

export const CALLS = [
  { id: "call_a", name: "look_up", arguments: '{"query":"Grüße 🌍"}' },
  { id: "call_b", name: "look_up", arguments: '{ "query" : "second",\n "deep": {"list": [1, 2.5, null, "é"]} }' },
  { id: "call_c", name: "look_up", arguments: "" },
];

export function toRequest(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You are Talaria.",
    messages: [{ role: "user", text: "What is the answer?" }],
    tools: [],
    maxOutputTokens: 1_000,
    toolChoice: "auto",
    cacheKey: "session-1",
    ...change,
  };
}

/** Reads all events to the end. */
export async function readAll(model: Model, request: ModelRequest, signal?: AbortSignal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal ?? new AbortController().signal)) events.push(event);
  return events;
}

/** Returns the answer, or throws an error that shows the last event. */
export async function readAnswer(model: Model, request: ModelRequest): Promise<Answer> {
  const last = (await readAll(model, request)).at(-1);
  if (last?.type !== "done") throw new Error(`no answer, but ${JSON.stringify(last)}`);
  return last.answer;
}

export function reply(answer: ScriptedAnswer, delivery: object = {}): Reply {
  return { kind: "answer", answer, ...delivery };
}

export function describeModel(name: string, make: MakeModel, options: { scripted: boolean }): void {
  describe(`${name} as a Model`, () => {
    describeAlways(make);
    if (options.scripted) describeScripted(make);
  });
}

function describeAlways(make: MakeModel): void {
  it("streams its answer's text, and sends `done` once, last", async () => {
    const { model } = await make([reply({ text: TEXT })]);
    const events = await readAll(model, toRequest());
    const terminal = events.filter((event) => event.type === "done" || event.type === "failed");
    const done = events.at(-1);
    expect(terminal).toEqual([done]);
    const streamed = events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
    expect(done).toMatchObject({ type: "done", answer: { text: streamed, calls: [], stop: "end", model: model.name } });
    expect(streamed).not.toBe("");
  });

  it("continues from its own answer, its calls and their results", async () => {
    const { model } = await make([reply({ text: "First." }), reply({ text: "Second." })]);
    const first = await readAnswer(model, toRequest());
    const answer = await readAnswer(
      model,
      toRequest({
        messages: [
          { role: "user", text: "What is the answer?" },
          { role: "assistant", text: first.text, calls: first.calls, native: first.native },
          { role: "user", text: "Look it up." },
          { role: "assistant", text: "", calls: [{ id: "1", name: "look_up", args: { query: "answer" } }] },
          { role: "tool", call: "1", name: "look_up", text: '{"found":42}', failed: false },
        ],
        tools: [LOOK_UP],
        toolChoice: "none",
      }),
    );
    expect(answer.calls).toEqual([]);
  });

  it("answers an already aborted signal with `aborted` alone", async () => {
    const { model, script } = await make([reply({ text: TEXT })]);
    const events = await readAll(model, toRequest(), AbortSignal.abort());
    expect(events).toMatchObject([{ type: "failed", failure: { code: "aborted", retry: false } }]);
    expect((await script?.requests()) ?? []).toEqual([]);
  });
}

function describeScripted(make: MakeModel): void {
  // Thousands of one-byte writes are slow on a busy machine.
  const patience = { timeout: 60_000 };
  it.each([1, 3, 7, 64])("reads a stream correctly in pieces of %i bytes", patience, async (chunkBytes) => {
    const answer = { reasoning: "Hm — über 🪽 nachdenken.", text: TEXT, calls: CALLS.slice(0, 2) };
    const { model } = await make([reply(answer, { chunkBytes })]);
    const events = await readAll(model, toRequest({ tools: [LOOK_UP] }));
    const join = (type: string) =>
      events.map((event) => (event.type === type && "text" in event ? event.text : "")).join("");
    expect(join("text_delta")).toBe(TEXT);
    expect(join("reasoning_delta")).toBe(answer.reasoning);
    const { native: _, cost, ...done } = lastAnswer(events);
    expect(cost).toEqual({ usdMicros: expect.any(Number), source: expect.stringMatching(/^(catalog|none)$/) });
    expect(done).toEqual({
      text: TEXT,
      reasoning: answer.reasoning,
      calls: [
        { id: "call_a", name: "look_up", args: { query: "Grüße 🌍" } },
        { id: "call_b", name: "look_up", args: { query: "second", deep: { list: [1, 2.5, null, "é"] } } },
      ],
      stop: "tools",
      usage: SCRIPTED_USAGE,
      model: model.name,
    });
  });

  it("signals activity for every piece, even one without an event for readers", async () => {
    const call = { id: "call_1", name: "look_up", arguments: JSON.stringify({ query: "x".repeat(500) }) };
    const { model } = await make([reply({ calls: [call] }, { chunkBytes: 64 })]);
    let activity = 0;
    const events: ModelEvent[] = [];
    const signal = new AbortController().signal;
    for await (const event of model.stream(toRequest({ tools: [LOOK_UP] }), signal, () => activity++))
      events.push(event);
    expect(events.map(({ type }) => type)).toEqual(["done"]);
    expect(activity).toBeGreaterThan(5);
  });

  it("yields the first words before the last ones exist", async () => {
    const { model, script } = await make([reply({ text: TEXT }, { frames: 12, afterwards: "hold" })]);
    const events = model.stream(toRequest(), new AbortController().signal)[Symbol.asyncIterator]();
    const first = await events.next();
    expect(first.value).toEqual({ type: "text_delta", text: expect.stringMatching(/^Schö/) });
    await script!.release();
    let last = first;
    for (let next = first; !next.done; next = await events.next()) last = next;
    expect(last.value).toMatchObject({ type: "done", answer: { text: TEXT } });
  });

  it("yields parallel calls in order, and reads absent arguments as no arguments", async () => {
    const { model } = await make([reply({ calls: CALLS })]);
    const answer = await readAnswer(model, toRequest({ tools: [LOOK_UP] }));
    expect(answer.calls.map(({ id, args }) => [id, Object.keys(args)])).toEqual([
      ["call_a", ["query"]],
      ["call_b", ["query", "deep"]],
      ["call_c", []],
    ]);
    expect(answer.calls.filter((call) => "malformed" in call)).toEqual([]);
  });

  it.each(['{"query": "cut', "[1, 2]", '"text"', "null", "look_up(query)"])(
    "keeps the text of malformed arguments (%s) beside an empty object",
    async (text) => {
      const { model } = await make([reply({ calls: [{ id: "call_1", name: "look_up", arguments: text }] })]);
      const answer = await readAnswer(model, toRequest({ tools: [LOOK_UP] }));
      expect(answer.calls).toEqual([{ id: "call_1", name: "look_up", args: {}, malformed: text }]);
      expect(answer.stop).toBe("tools");
    },
  );

  it("gives two calls that share an id different ids", async () => {
    const twice = [CALLS[0]!, { ...CALLS[1]!, id: "call_a" }];
    const { model } = await make([reply({ calls: twice })]);
    const answer = await readAnswer(model, toRequest({ tools: [LOOK_UP] }));
    expect(answer.calls.map((call) => call.id)).toEqual(["call_a", "call_a_2"]);
  });

  it.each(["length", "refusal"] as const)("reports that %s ended the answer", async (stop) => {
    const { model } = await make([reply({ text: "Half of", stop })]);
    expect(await readAnswer(model, toRequest())).toMatchObject({ text: "Half of", stop });
  });

  it.each(["end", "reset"] as const)(
    "reports a stream cut in the middle (%s) as a retryable failure",
    async (afterwards) => {
      const { model } = await make([reply({ text: TEXT }, { frames: 12, afterwards })]);
      const events = await readAll(model, toRequest());
      expect(events.slice(0, -1).length).toBeGreaterThan(0);
      expect(events.at(-1)).toMatchObject({ type: "failed", failure: { code: "stream_cut", retry: true } });
    },
  );

  it("ends with `aborted` when the signal aborts in the middle, and closes the connection", async () => {
    const { model, script } = await make([reply({ text: TEXT }, { frames: 12, afterwards: "hold" })]);
    const stop = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of model.stream(toRequest(), stop.signal)) {
      events.push(event);
      stop.abort();
    }
    expect(events).toMatchObject([
      { type: "text_delta", text: expect.stringMatching(/^Schö/) },
      { type: "failed", failure: { code: "aborted", retry: false } },
    ]);
    await script!.closed();
  });

  it("closes the connection when its reader stops", async () => {
    const { model, script } = await make([reply({ text: TEXT }, { frames: 12, afterwards: "hold" })]);
    for await (const event of model.stream(toRequest(), new AbortController().signal)) {
      expect(event.type).toBe("text_delta");
      break;
    }
    await script!.closed();
  });

  it("sends one request: a failure is reported, neither thrown nor retried", async () => {
    const busy: Reply = {
      kind: "error",
      status: 503,
      headers: { "retry-after": "7" },
      body: "<html>Service down</html>",
    };
    const { model, script } = await make([busy, reply({ text: TEXT })]);
    const events = await readAll(model, toRequest());
    expect(events).toMatchObject([
      { type: "failed", failure: { code: "overloaded", retry: true, retryAfterMs: 7_000 } },
    ]);
    expect(await script!.requests()).toHaveLength(1);
  });

  it("sends the earlier conversation unchanged with every further call", async () => {
    const { model, script } = await make([
      reply({ reasoning: "Look first.", text: "I look.", calls: CALLS.slice(0, 2) }),
      reply({ calls: [{ id: "call_a", name: "look_up", arguments: "{broken" }] }),
      reply({ text: "42." }),
    ]);
    const request = toRequest({ tools: [LOOK_UP] });
    for (let n = 0; n < 3; n++) {
      const answer = await readAnswer(model, request);
      request.messages = [
        ...request.messages,
        { role: "assistant", text: answer.text, calls: answer.calls, native: answer.native },
        ...answer.calls.map(({ id, name }) => ({ role: "tool" as const, call: id, name, text: "{}", failed: n === 1 })),
      ];
    }
    const sent = (await script!.requests()).map((request) => toConversation(request.body));
    expect(sent).toHaveLength(3);
    for (const [n, text] of sent.slice(1).entries()) expect(text.slice(0, sent[n]!.length)).toBe(sent[n]);
  });
}

/** The serialised messages without their closing bracket and without cache marks, which move with every call. */
function toConversation(body: Record<string, unknown>): string {
  const { messages, input, system, instructions, tools } = body;
  const text = JSON.stringify([system ?? instructions, tools, ...((messages ?? input) as unknown[])]);
  return text.replaceAll(',"cache_control":{"type":"ephemeral"}', "").slice(0, -1);
}

function lastAnswer(events: ModelEvent[]): Answer {
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error(`no answer, but ${JSON.stringify(last)}`);
  return last.answer;
}
