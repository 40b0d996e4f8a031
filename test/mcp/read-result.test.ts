import { expect, test } from "vitest";
import { readOutcome } from "../../core/agent/tool-result.ts";
import { readCallAnswer, readPromptAnswer, readResourceAnswer } from "../../core/mcp/read-result.ts";

const FACTS = { server: "git", tool: "log" };
const textOf = (result: { parts: { source: string; text: string }[] }) =>
  JSON.parse(result.parts.find(({ source }) => source === "content")!.text).text as string;

test("a server's answer is content, and nothing of it stands among the harness's facts", () => {
  const result = readCallAnswer({ content: [{ type: "text", text: "hello" }] }, FACTS);
  expect(result).toEqual({
    failed: false,
    parts: [
      { source: "outcome", text: JSON.stringify(FACTS) },
      { source: "content", text: JSON.stringify({ text: "hello" }) },
    ],
  });
});

test("at most 50,000 characters are shown, and tag characters never", () => {
  const result = readCallAnswer({ content: [{ type: "text", text: `\u{E0041}${"x".repeat(60_000)}` }] }, FACTS);
  expect(textOf(result)).toBe("x".repeat(50_000));
  expect(readOutcome(result)).toEqual({ ...FACTS, cut: "The first 50000 of 60000 characters." });
});

test("content of other kinds becomes a line about it", () => {
  const content = [
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "resource_link", uri: "a://b", name: "B" },
    { type: "resource", resource: { uri: "a://c", text: "inside" } },
    { type: "resource", resource: { uri: "a://d", blob: "AAAAAAAA", mimeType: "x/y" } },
    { type: "novel" },
  ];
  expect(textOf(readCallAnswer({ content }, FACTS)).split("\n")).toEqual([
    "[image image/png, 3 bytes, not shown]",
    "[resource B a://b]",
    "[resource a://c]",
    "inside",
    "[resource a://d x/y, 6 bytes, not shown]",
    "[content of type novel, not shown]",
  ]);
});

test("structured content is shown where there is no text", () => {
  expect(textOf(readCallAnswer({ content: [], structuredContent: { a: 1 } }, FACTS))).toBe('{\n "a": 1\n}');
});

test("a failure of the tool is a failed result, with the server's words as content", () => {
  const result = readCallAnswer({ content: [{ type: "text", text: "no such branch" }], isError: true }, FACTS);
  expect(result.failed).toBe(true);
  expect(readOutcome(result)).toMatchObject({ code: "mcp_tool_failed", ...FACTS });
  expect(textOf(result)).toBe("no such branch");
  expect(result.parts[0]!.text).not.toContain("no such branch");
});

test("resources and prompts are text as well, and garbage is told as such", () => {
  expect(textOf(readResourceAnswer({ contents: [{ uri: "a://b", text: "T" }] }, FACTS))).toBe("[resource a://b]\nT");
  const messages = [{ role: "user", content: { type: "text", text: "Hi" } }];
  expect(textOf(readPromptAnswer({ description: "D", messages }, FACTS))).toBe("D\n\nuser: Hi");
  for (const read of [readCallAnswer, readResourceAnswer, readPromptAnswer]) {
    expect(readOutcome(read({ content: 3, contents: 3 }, FACTS))).toMatchObject({ code: "mcp_garbled" });
  }
});
