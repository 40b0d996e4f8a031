// Bodies of POST /v1/responses: what becomes of each field, and the path of what is refused.
import { describe, expect, it } from "vitest";
import type { AppError } from "../../../../workers/api/problems.ts";
import { parseResponsesBody } from "../../../../workers/api/doors/responses/request.ts";

const PREVIOUS = `resp_${"0".repeat(32)}`;
const parse = (body: object) => parseResponsesBody({ input: "hi", ...body });
function refusal(body: unknown): string {
  try {
    parseResponsesBody(body);
  } catch (error) {
    return (error as AppError).extra.errors![0]!.path;
  }
  return "none";
}

describe("a request of the Responses API", () => {
  it("that is only a text is a message of the user, with all defaults", () => {
    const { request, echo, previous } = parse({});
    expect(request).toEqual({
      ...{ model: null, guidance: null, tools: [], sampling: {}, stream: false },
      messages: [{ role: "user", text: "hi", images: [] }],
    });
    expect([echo, previous]).toEqual([{ v: 1, model: "talaria", isStored: true }, null]);
  });

  it("has its fields in the form of all doors, and repeats the small ones", () => {
    const { request, echo, told, previous } = parse({
      ...{ model: "large", instructions: "Be short.", previous_response_id: PREVIOUS, max_output_tokens: 50 },
      ...{ temperature: 0.5, top_p: 0.9, stream: true, store: false, metadata: { a: "b" }, parallel_tool_calls: false },
      ...{ reasoning: { effort: "low", summary: "auto" }, tool_choice: { type: "function", name: "f" } },
      tools: [{ type: "function", name: "f", parameters: { type: "object" }, strict: true }, { type: "web_search" }],
      text: { format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true }, verbosity: "low" },
      of_a_newer_version: { anything: 1 },
    });
    expect(request).toMatchObject({
      ...{ model: "large", guidance: "Be short.", stream: true, effort: "low", toolChoice: { name: "f" } },
      tools: [{ name: "f", description: "", parameters: { type: "object" } }],
      format: { type: "json_schema", name: "n", schema: { type: "object" } },
      sampling: { maxTokens: 50, temperature: 0.5, topP: 0.9 },
    });
    expect(previous).toBe(PREVIOUS);
    expect(echo).toEqual({
      ...{ v: 1, model: "large", isStored: false, previous: PREVIOUS, maxOutputTokens: 50, effort: "low" },
      ...{ temperature: 0.5, topP: 0.9, parallel: false, toolChoice: { name: "f" }, metadata: { a: "b" } },
    });
    expect(told).toMatchObject({ instructions: "Be short.", format: { type: "json_schema" } });
  });

  it("offers only the allowed tools", () => {
    const tools = ["a", "b"].map((name) => ({ type: "function", name }));
    const choice = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "b" }] };
    expect(parse({ tools, tool_choice: choice }).request).toMatchObject({
      tools: [{ name: "b" }],
      toolChoice: "required",
    });
  });

  it("that sends back a whole response joins each answer with its calls, and skips reasoning", () => {
    const input = [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "Weather?" },
          { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "auto" },
        ],
      },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I ask.", annotations: [] }] },
      { type: "function_call", call_id: "c1", name: "f", arguments: '{"x":1}' },
      { type: "function_call", call_id: "c2", name: "f", arguments: "no json" },
      { type: "function_call_output", call_id: "c1", output: "Sunny" },
      { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "Rain" }] },
      { role: "developer", content: [{ type: "input_text", text: "In German." }] },
    ];
    expect(parse({ input, instructions: "First." }).request).toMatchObject({
      guidance: "First.\n\nBe kind.\n\nIn German.",
      messages: [
        { role: "user", text: "Weather?", images: [{ data: "data:image/png;base64,AA==" }] },
        {
          ...{ role: "assistant", text: "I ask." },
          calls: [
            { id: "c1", name: "f", args: { x: 1 } },
            { id: "c2", name: "f", args: {} },
          ],
        },
        { role: "tool", callId: "c1", text: "Sunny" },
        { role: "tool", callId: "c2", text: "Rain" },
      ],
    });
  });

  it.each([
    ["no input", {}, "input"],
    ["an empty list", { input: [] }, "input"],
    ["an answer as its end", { input: [{ role: "assistant", content: "So" }] }, "input"],
    [
      "an image by its address",
      { input: [{ role: "user", content: [{ type: "input_image", image_url: "https://x/a.png" }] }] },
      "input.0.content.0.image_url",
    ],
    [
      "a file",
      { input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] },
      "input.0.content.0.type",
    ],
    ["an unknown item", { input: [{ type: "item_reference", id: "x" }] }, "input.0.type"],
    ["an output without its call", { input: [{ type: "function_call_output", output: "x" }] }, "input.0.call_id"],
    [
      "a tool that the client would have to run by other means",
      { input: "x", tools: [{ type: "computer" }] },
      "tools.0.type",
    ],
    ["two ways to go on", { input: "x", previous_response_id: PREVIOUS, conversation: "c" }, "previous_response_id"],
    ["an id of another form", { input: "x", previous_response_id: "resp_1" }, "previous_response_id"],
    ["too much metadata", { input: "x", metadata: { a: "b".repeat(513) } }, "metadata.a"],
    [
      "a schema that is none",
      { input: "x", text: { format: { type: "json_schema", schema: 5 } } },
      "text.format.schema",
    ],
    ["a prompt template", { input: "x", prompt: { id: "p" } }, "prompt"],
    ["no object", "text", ""],
  ])("with %s is refused with its path", (_, body, path) => {
    expect(refusal(body)).toBe(path);
  });
});
