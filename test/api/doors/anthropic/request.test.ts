// Bodies of POST /v1/messages: what becomes of each field, and the path of what is refused.
import { describe, expect, it } from "vitest";
import type { AppError } from "../../../../workers/api/problems.ts";
import { countTokens, parseMessagesBody } from "../../../../workers/api/doors/anthropic/request.ts";

const user = (content: unknown) => ({ role: "user", content });
const body = (rest: object = {}) => ({ model: "talaria", max_tokens: 100, messages: [user("hi")], ...rest });
function refusal(asked: unknown): string {
  try {
    parseMessagesBody(asked);
  } catch (error) {
    return (error as AppError).extra.errors![0]!.path;
  }
  return "none";
}
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };

describe("a request of the Messages API", () => {
  it("has its fields in the form of all doors", () => {
    const { model, request } = parseMessagesBody(
      body({
        ...{
          model: "large",
          system: [
            { type: "text", text: "A.", cache_control: { type: "ephemeral" } },
            { type: "text", text: "B." },
          ],
        },
        ...{ stop_sequences: ["END"], temperature: 1, top_p: 0.5, top_k: 5, stream: true, metadata: { user_id: "u" } },
        tools: [
          { name: "f", input_schema: { type: "object" } },
          { type: "web_search_20260318", name: "web_search" },
        ],
        ...{
          tool_choice: { type: "any", disable_parallel_tool_use: true },
          thinking: { type: "enabled", budget_tokens: 20_000 },
        },
      }),
    );
    expect(model).toBe("large");
    expect(request).toEqual({
      ...{ model: "large", guidance: "A.\n\nB.", stream: true, effort: "high", toolChoice: "required" },
      messages: [{ role: "user", text: "hi", images: [] }],
      tools: [{ name: "f", description: "", parameters: { type: "object" } }],
      sampling: { maxTokens: 100, stop: ["END"], temperature: 1, topP: 0.5 },
    });
  });

  it("has the results of calls before the text of the same message, and no thinking", () => {
    const { messages } = parseMessagesBody(
      body({
        messages: [
          user([{ type: "text", text: "Look" }, IMAGE]),
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm", signature: "s" },
              { type: "text", text: "I ask." },
              { type: "tool_use", id: "c1", name: "f", input: { x: 1 } },
            ],
          },
          user([
            { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "No" }], is_error: true },
            { type: "text", text: "And then?" },
          ]),
        ],
      }),
    ).request;
    expect(messages).toEqual([
      { role: "user", text: "Look", images: [{ data: "data:image/png;base64,AA==" }] },
      { role: "assistant", text: "I ask.", calls: [{ id: "c1", name: "f", args: { x: 1 } }] },
      { role: "tool", callId: "c1", text: "No", failed: true },
      { role: "user", text: "And then?", images: [] },
    ]);
  });

  it.each([
    [{ type: "auto" }, "auto"],
    [{ type: "none" }, "none"],
    [{ type: "tool", name: "f" }, { name: "f" }],
  ])("chooses tools as %o", (choice, expected) => {
    expect(parseMessagesBody(body({ tool_choice: choice })).request.toolChoice).toEqual(expected);
  });

  it.each([
    ["no limit of tokens", { model: "m", messages: [user("x")] }, "max_tokens"],
    ["no model", { max_tokens: 1, messages: [user("x")] }, "model"],
    ["no message", body({ messages: [] }), "messages"],
    ["the beginning of an answer", body({ messages: [user("x"), { role: "assistant", content: "{" }] }), "messages"],
    [
      "an image by its address",
      body({ messages: [user([{ type: "image", source: { type: "url", url: "https://x" } }])] }),
      "messages.0.content.0.source.type",
    ],
    ["a document", body({ messages: [user([{ type: "document", source: {} }])] }), "messages.0.content.0.type"],
    [
      "a tool that the client would have to run by other means",
      body({ tools: [{ type: "bash_20250124", name: "bash" }] }),
      "tools.0.type",
    ],
    ["a tool without a schema", body({ tools: [{ name: "f" }] }), "tools.0.input_schema"],
    ["an unknown choice", body({ tool_choice: { type: "tool" } }), "tool_choice"],
    ["too much heat", body({ temperature: 1.5 }), "temperature"],
  ])("with %s is refused with its path", (_, asked, path) => {
    expect(refusal(asked)).toBe(path);
  });

  it("is counted by our estimate: text, tools and images", () => {
    const short = countTokens({ model: "m", messages: [user("Hello, how are you today?")] });
    expect(short).toBeGreaterThan(4);
    expect(short).toBeLessThan(12);
    const tools = [{ name: "f", description: "It does something useful.", input_schema: { type: "object" } }];
    expect(countTokens({ model: "m", messages: [user("Hello, how are you today?")], tools })).toBeGreaterThan(
      short + 8,
    );
    expect(countTokens({ model: "m", messages: [user([IMAGE])] })).toBeGreaterThan(1_000);
    expect(countTokens({ model: "m", system: "Be short.", messages: [user("Hi")] })).toBeGreaterThan(2);
  });
});
