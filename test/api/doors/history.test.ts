// How a client's history is read: what is new in it, which conversation it is, and whether the client means what was answered. And how an
// exchange ends in the form of Chat Completions.
import { describe, expect, it } from "vitest";
import { type AgentEvent, NO_STATS } from "../../../core/schemas/entry.ts";
import { type DoorMessage } from "../../../workers/api/doors/contract.ts";
import { isFurther, isSameAnswer, readPositions, readResults, splitNew } from "../../../workers/api/doors/history.ts";
import { readPieces } from "../../../workers/api/doors/pieces.ts";
import { collectCompletion, renderChunks } from "../../../workers/api/doors/chat-completions/render.ts";
import { parseChatBody, toChatField } from "../../../workers/api/doors/chat-completions/request.ts";
import { toTurnError } from "../../../workers/api/doors/shape-problem.ts";

const user = (text: string): DoorMessage => ({ role: "user", text, images: [] });
const assistant = (text: string): DoorMessage => ({ role: "assistant", text, calls: [] });
const tool = (callId: string): DoorMessage => ({ role: "tool", callId, text: "result" });

describe("the chain of a conversation", () => {
  it("is the one that the next request finds, whatever became of calls, results and white space", () => {
    const before = readPositions([user("a"), assistant("b c"), user("d")]);
    const whole = [user("a\n"), assistant(" b\nc"), tool("1"), user(" d"), assistant("e"), user("f")];
    const after = readPositions(whole);
    expect(after.positions.map(({ answer, next }) => [answer, next])).toEqual([
      [" b\nc", 3],
      ["e", 5],
    ]);
    expect(after.positions[1]!.chain).toBe(before.chain);
    expect(before.positions[0]!.chain).toBe(readPositions([user("a")]).chain);
  });

  it("differs by every text before, by images and by scope", () => {
    const image = { role: "user", text: "d", images: [{ data: "data:image/png;base64,AA==" }] } as const;
    const chains = [
      readPositions([user("a"), assistant("b"), user("d")]),
      readPositions([user("a"), assistant("c"), user("d")]),
      readPositions([user("x"), assistant("b"), user("d")]),
      readPositions([user("a"), assistant("b"), { ...image, images: [...image.images] }]),
      readPositions([user("a"), assistant("b"), user("d")], "session"),
    ].map(({ chain }) => chain);
    expect(new Set(chains).size).toBe(chains.length);
  });
});

describe("what a client says was answered", () => {
  const said = { said: "I look.\n\nIt is four.", closing: "It is four." };
  it.each([
    ["I look.\n\nIt is four.", true],
    [" I  look. It is", true],
    ["", true],
    ["It is four.", true],
    ["I look. It is five.", false],
    ["four", false],
  ])("%j is the answer: %s", (answer, isSame) => expect(isSameAnswer(answer, said)).toBe(isSame));
});

it.each([
  ["I look. It is", true],
  ["I look.", true],
  ["", false],
  ["You look. It is", false],
])("%j is more of an answer that streams: %s", (answer, isMore) =>
  expect(isFurther(answer, { said: "I look." })).toBe(isMore),
);

describe("what is new in a request", () => {
  it("is the person's messages at the end, and before them what the session does not know", () => {
    const messages = [user("a"), assistant("b"), user("c"), assistant("d"), user("e"), user("f")];
    expect(splitNew(messages, 4)).toEqual({ history: [], text: "e\n\nf", images: [] });
    expect(splitNew(messages, 2)).toEqual({ history: messages.slice(2, 4), text: "e\n\nf", images: [] });
    expect(splitNew(messages, 5).text).toBe("f");
  });

  it("is also the results after the last answer", () => {
    const messages = [user("a"), assistant("b"), tool("1"), assistant(""), tool("2"), tool("3"), user("c")];
    expect(readResults(messages).map(({ callId }) => callId)).toEqual(["2", "3"]);
  });
});

async function* play(events: AgentEvent[]) {
  for (const [n, event] of events.entries()) yield { id: `${n}.0`, event };
}
const host = { frame: { id: "chatcmpl-1", model: "talaria", created: 1 }, readStats: async () => NO_STATS };
const START: AgentEvent = { type: "turn_start", turn: 1, entry: 1 };
const toEnd = (state: "done" | "failed" | "stopped", reason: string): AgentEvent => {
  return { type: "turn_end", turn: 1, entry: 3, state, reason, stats: NO_STATS };
};
const said = (text: string, entry = 2): AgentEvent => ({ type: "text_delta", entry, offset: text.length, text });
const notice = (code: string, text: string): AgentEvent => ({ type: "notice_add", entry: 3, code, text });

async function complete(events: AgentEvent[], isCommand = false) {
  const read = await collectCompletion(readPieces(play(events), { isCommand }), host);
  return "how" in read ? read : [read.choices[0]!.finish_reason, read.choices[0]!.message.content];
}

describe("an exchange", () => {
  it.each([
    [
      [START, said("Four."), toEnd("done", "answer")],
      ["stop", "Four."],
    ],
    [
      [START, said("Fo"), notice("length", "Cut."), toEnd("done", "length")],
      ["length", "Fo"],
    ],
    [
      [START, said("No."), notice("refusal", "Refused."), toEnd("done", "refusal")],
      ["content_filter", "No."],
    ],
    [
      [START, said("Fo"), notice("stopped", "Stopped."), toEnd("stopped", "stopped")],
      ["stop", "Fo"],
    ],
    [
      [START, notice("compressed", "Shorter."), toEnd("done", "compressed")],
      ["stop", "Shorter."],
    ],
    [
      [START, said("One"), { type: "entry_restart", entry: 2 }, said("Two", 4), toEnd("done", "answer")],
      ["stop", "Two"],
    ],
  ] as [AgentEvent[], unknown][])("%# ends with its reason and its text", async (events, expected) => {
    expect(await complete(events)).toEqual(expected);
  });

  it("of a command that could not do it says so as its answer", async () => {
    const events = [START, notice("unknown_model", "There is no such model."), toEnd("failed", "unknown_model")];
    expect(await complete(events, true)).toEqual(["stop", "There is no such model."]);
  });

  it("with a form of the answer shows its last text alone, whether or not it is streamed", async () => {
    const parts = [
      ...[START, said("I look."), { type: "tool_start", entry: 3, name: "terminal", args: {} }, said("not JSON", 4)],
      ...[{ type: "entry_restart", entry: 4 }, said("{}", 5), toEnd("done", "answer")],
    ] as AgentEvent[];
    const read = () => readPieces(play(parts), { isFormatted: true });
    expect(await collectCompletion(read(), host)).toMatchObject({ choices: [{ message: { content: "{}" } }] });
    let streamed = "";
    for await (const chunk of renderChunks(read(), { ...host, includeUsage: false }))
      if ("choices" in chunk) streamed += chunk.choices[0]?.delta.content ?? "";
    expect(streamed).toBe("{}");
  });

  it("begins a text that is said again on a line of its own, where a stream cannot take back the first", async () => {
    const events = [START, said("On"), { type: "entry_restart", entry: 2 }, said("Two"), toEnd("done", "answer")];
    let streamed = "";
    const chunks = renderChunks(readPieces(play(events as AgentEvent[])), { ...host, includeUsage: false });
    for await (const chunk of chunks) if ("choices" in chunk) streamed += chunk.choices[0]?.delta.content ?? "";
    expect(streamed).toBe("On\n\nTwo");
  });

  it("without an answer is a failure, and the last chunk of a stream", async () => {
    const events = [START, said("Let me"), notice("overloaded", "No capacity."), toEnd("failed", "overloaded")];
    const failed = { how: "failed", code: "overloaded", message: "No capacity." };
    expect(await complete(events)).toEqual(failed);
    const chunks: unknown[] = [];
    for await (const chunk of renderChunks(readPieces(play(events)), { ...host, includeUsage: true }))
      chunks.push(chunk);
    expect(chunks.at(-1)).toEqual({ failed });
  });

  it.each([
    ["overloaded", 503],
    ["timeout", 503],
    ["auth", 502],
    ["no_progress", 502],
    ["rate_limit", 429],
    ["profile_budget_spent", 429],
    ["context_overflow", 400],
  ])("that failed by %s has the status %d", (code, status) => {
    expect(toTurnError({ code, message: "" }).status).toBe(status);
  });
});

describe("a body", () => {
  it("becomes a request, with everything that the client sets", () => {
    const schema = { type: "object", properties: {} };
    const parsed = parseChatBody({
      ...{
        model: "talaria",
        stream: true,
        stream_options: { include_usage: true },
        stop: "END",
        reasoning_effort: "low",
      },
      ...{ max_tokens: 5, max_completion_tokens: 7, temperature: 0.5, top_p: 0.9, surprise: 1, user: null },
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "no json" } }],
        },
        { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "b" }] },
        { role: "developer", content: "In English." },
      ],
      tools: [
        { type: "function", function: { name: "f", parameters: schema } },
        { type: "function", function: { name: "g" } },
      ],
      tool_choice: { type: "function", function: { name: "f" } },
      response_format: { type: "json_schema", json_schema: { name: "n", strict: true, schema } },
    });
    expect(parsed).toEqual({
      ...{ model: "talaria", includeUsage: true },
      request: {
        ...{ model: null, guidance: "Be brief.\n\nIn English.", stream: true, effort: "low" },
        sampling: { maxTokens: 7, temperature: 0.5, topP: 0.9, stop: ["END"] },
        messages: [
          { role: "user", text: "a", images: [{ data: "data:image/png;base64,AA==" }] },
          { role: "assistant", text: "", calls: [{ id: "1", name: "f", args: {} }] },
          { role: "tool", callId: "1", text: "b" },
        ],
        tools: [
          { name: "f", description: "", parameters: schema },
          { name: "g", description: "", parameters: schema },
        ],
        ...{ toolChoice: { name: "f" }, format: { type: "json_schema", name: "n", schema } },
      },
    });
  });

  it("names the client's own fields in a refusal", () => {
    const fields = ["maxTokens", "toolChoice", "history.0.text", "tools.1.name", "format.schema"].map(toChatField);
    expect(fields).toEqual([
      "max_completion_tokens",
      "tool_choice",
      "messages",
      "tools.1.name",
      "response_format.schema",
    ]);
  });
});
