import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tool } from "../../core/agent/contract.ts";
import { readLeniently } from "../../core/agent/lenient-calls.ts";
import { succeed } from "../../core/agent/tool-result.ts";
import { type Answer, type JsonObject, NO_USAGE } from "../../core/schemas/entry.ts";

const note: Tool = {
  name: "note",
  description: "Notes.",
  parameters: z.strictObject({
    text: z.string(),
    places: z.array(z.string()).optional(),
    list: z.array(z.strictObject({ text: z.string() })).optional(),
    all: z.boolean().optional(),
    at: z.int().optional(),
  }),
  effect: "read",
  run: async () => succeed({}),
};

function answer(over: Partial<Answer>): Answer {
  return { text: "", calls: [], stop: "end", usage: NO_USAGE, model: "m", native: { wire: "w", data: 1 }, ...over };
}

const CALL = '{"name": "note", "arguments": {"text": "a"}}';
const said = (text: string) => readLeniently(answer({ text }), [note]);
const argsOf = (args: JsonObject) => {
  const calls = [{ id: "1", name: "note", args }];
  return readLeniently(answer({ calls, stop: "tools" }), [note]).calls[0]!.args;
};

describe("an answer that is a tool call written as text", () => {
  it.each([
    CALL,
    `\n ${CALL} \n`,
    `\`\`\`json\n${CALL}\n\`\`\``,
    `\`\`\`\n${CALL}\n\`\`\``,
    `<tool_call>\n${CALL}\n</tool_call>`,
    `[${CALL}]`,
    '{"name": "note", "parameters": {"text": "a"}}',
    '{"tool": "note", "args": {"text": "a"}}',
    '{"function": {"name": "note", "arguments": "{\\"text\\": \\"a\\"}"}}',
  ])("is read as a call: %s", (text) => {
    const { native: _, ...rest } = answer({
      stop: "tools",
      calls: [{ id: "written_1", name: "note", args: { text: "a" } }],
    });
    expect(said(text)).toEqual(rest);
  });

  it("is read as several calls if each has a tag", () => {
    const tagged = `<tool_call>\n${CALL}\n</tool_call>`;
    expect(said(`${tagged}\n${tagged}`).calls.map(({ id }) => id)).toEqual(["written_1", "written_2"]);
    expect(said(`${tagged}\nand\n${tagged}`).calls).toEqual([]);
  });

  it.each([
    `The file says:\n\`\`\`json\n${CALL}\n\`\`\``,
    `${CALL}\nThat is what it asks for.`,
    '{"name": "terminal", "arguments": {"command": "ls"}}',
    '{"name": "note"}',
    '{"name": "note", "arguments": "text"}',
    '{"name": "note", "arguments": {"text": "a"}',
    `[${CALL}, "and more"]`,
    `[${Array.from({ length: 9 }, () => CALL).join(",")}]`,
    "Nothing worth keeping.",
    "",
  ])("stays text: %s", (text) => expect(said(text)).toEqual(answer({ text })));

  it("stays text if it was cut off, or comes with real calls", () => {
    const cut = answer({ text: CALL, stop: "length" });
    const calls = [{ id: "1", name: "note", args: { text: "b" } }];
    const both = answer({ text: CALL, stop: "tools", calls });
    expect([readLeniently(cut, [note]), readLeniently(both, [note])]).toEqual([cut, both]);
  });
});

describe("arguments that do not match the schema", () => {
  it.each([
    [
      { text: "a", places: "x" },
      { text: "a", places: ["x"] },
    ],
    [
      { text: "a", places: '["x", "y"]' },
      { text: "a", places: ["x", "y"] },
    ],
    [
      { text: "a", list: '[{"text": "b"}]' },
      { text: "a", list: [{ text: "b" }] },
    ],
    [
      { text: "a", list: { text: "b" } },
      { text: "a", list: [{ text: "b" }] },
    ],
    [
      { text: "a", all: "true", at: "12" },
      { text: "a", all: true, at: 12 },
    ],
    [{ text: "a", places: null, all: "", at: null }, { text: "a" }],
    [{ text: 12 }, { text: "12" }],
    [{ text: "a", old_string: "", other: null }, { text: "a" }],
    [
      { text: "a", list: [{ text: "b", extra: null }] },
      { text: "a", list: [{ text: "b" }] },
    ],
  ])("are corrected if there is one reading: %j", (given, taken) => expect(argsOf(given)).toEqual(taken));

  it.each([
    { text: "a", places: "x", color: "red" },
    { text: ["a"] },
    { places: ["x"] },
    { text: "a", at: "soon" },
    { text: "a", all: "maybe" },
  ])("are left unchanged if there is none: %j", (given) => expect(argsOf(given)).toEqual(given));
});
