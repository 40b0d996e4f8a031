// How the terminal shows the events of a turn. Text from outside must never steer the terminal.
import { describe, expect, it } from "vitest";
import { summarise, toPlain, toPlainJson } from "../../cli/output/plain-text.ts";
import { createDisplay } from "../../cli/show.ts";
import type { AgentEvent } from "../../core/schemas/entry.ts";

const USAGE = { input: 1_000, output: 200, cacheRead: 34, cacheWrite: 0 };
const STATS = { modelCalls: 2, toolCalls: 1, failedCalls: 1, usage: USAGE };
const TURN: AgentEvent[] = [
  { type: "turn_start", turn: 1, entry: 1 },
  { type: "entry_start", turn: 1, entry: 2 },
  { type: "text_delta", entry: 2, offset: 0, text: "Looking" },
  { type: "tool_start", entry: 3, name: "terminal", args: { command: "awk '{ print }' a.csv\n" } },
  { type: "tool_end", entry: 3, name: "terminal", failed: true, result: "{}" },
  { type: "text_delta", entry: 4, offset: 0, text: "It is" },
  { type: "text_delta", entry: 4, offset: 5, text: " 7." },
  { type: "turn_end", turn: 1, entry: 4, state: "done", reason: "answer", stats: STATS },
];

function show(events: AgentEvent[], rich: boolean, columns = 80) {
  const screen = { answer: "", aside: "", both: "" };
  const shown = createDisplay({
    answer: (text) => ((screen.answer += text), (screen.both += text)),
    aside: (text) => ((screen.aside += text), (screen.both += text)),
    rich,
    columns,
  });
  for (const event of events) shown.event(event);
  return screen;
}

describe("a turn on screen", () => {
  it("separates the answer from its tool calls, one line each, without colours in a pipe", () => {
    const { answer, aside } = show(TURN, false);
    expect(answer).toBe("Looking\nIt is 7.\n");
    expect(aside).toBe("  ✗ terminal awk '{ print }' a.csv\n2 model calls, 1 tool call, 1 failed, 1,234 tokens\n");
  });

  it("shows a running call, and overwrites the line with its end", () => {
    const { both } = show(TURN.slice(2, 5), true);
    expect(both).toBe(
      "Looking\n\x1b[2m  … terminal awk '{ print }' a.csv\x1b[0m\r\x1b[2K\x1b[2m  ✗ terminal awk '{ print }' a.csv\x1b[0m\n",
    );
  });

  it("cuts a call to the width of the screen", () => {
    const args = { command: "x".repeat(500) };
    const { aside } = show([{ type: "tool_start", entry: 1, name: "terminal", args }], true, 40);
    expect(aside).toBe(`\x1b[2m  … terminal ${"x".repeat(25)}…\x1b[0m`);
  });

  it("reports a restarted answer, and why a turn ended without an answer", () => {
    const { both } = show(
      [
        { type: "text_delta", entry: 2, offset: 0, text: "Half" },
        { type: "entry_restart", entry: 2 },
        { type: "notice_add", entry: 3, code: "model_failed", text: "The model did not answer." },
        {
          type: "turn_end",
          turn: 1,
          entry: 3,
          state: "failed",
          reason: "model_failed",
          stats: { ...STATS, failedCalls: 0 },
        },
      ],
      false,
    );
    expect(both).toBe(
      "Half\n(the answer was cut off; it starts again)\n! The model did not answer.\nfailed (model_failed): 2 model calls, 1 tool call, 1,234 tokens\n",
    );
  });

  it("does not mention a restarted answer of which nothing was shown", () => {
    expect(show([{ type: "entry_restart", entry: 2 }], false).both).toBe("");
  });

  it("names each lesson, and each message put into the running turn, on its own line", () => {
    const { answer, aside } = show(
      [
        { type: "text_delta", entry: 2, offset: 0, text: "So far" },
        { type: "steer_add", turn: 2, into: 1, entry: 3, text: "Leave out\nthe \x1b[2Jlast" },
        { type: "notice_add", entry: 4, code: "learned", text: "Remembered\n1 fact" },
        { type: "notice_add", entry: 5, code: "news", text: "Since your prompt was written …" },
        { type: "notice_add", entry: 6, code: "rating", text: "The person rated turn 1." },
      ],
      false,
    );
    expect(answer).toBe("So far\n");
    expect(aside).toBe("(put into the running turn: Leave out the [2Jlast)\n★ Remembered 1 fact\n");
  });

  it("does not repeat a command that answers a question", () => {
    const { aside } = show([{ type: "steer_add", turn: 2, into: 1, entry: 3, text: "/approve session" }], false);
    expect(aside).toBe("");
  });

  it("never holds control characters", () => {
    expect(toPlain("a\x1b]0;title\x07b\x1b[2Jc\u202Ed\r\n\te")).toBe("a]0;titleb[2Jcd\n\te");
    const { both } = show([{ type: "text_delta", entry: 1, offset: 0, text: "\x1b[31mred" }], true);
    expect(both).toBe("[31mred");
  });

  it("holds no control characters in a tool's name or in its own lines", () => {
    const name = "x\x1b]0;t\x07\n\x9b2Jy";
    const calls: AgentEvent[] = [
      { type: "tool_start", entry: 1, name, args: {} },
      { type: "tool_end", entry: 1, name, failed: true, result: "" },
      { type: "tool_end", entry: 2, name, failed: true, result: "" },
    ];
    expect(show(calls, false).both).toBe("  ✗ x]0;t 2Jy {}\n  ✗ x]0;t 2Jy\n");
    let aside = "";
    createDisplay({ answer: () => {}, aside: (text) => (aside += text), rich: false, columns: 80 }).line("a\x1b[2Jb\r");
    expect(aside).toBe("a[2Jb\n");
  });

  it("escapes control characters in JSON without changing its value", () => {
    const event = { text: "\x1b\x9b2J\x7f\u202E😀\n" };
    const json = toPlainJson(event);
    expect([json, JSON.parse(json)]).toEqual([String.raw`{"text":"\u001b\u009b2J\u007f\u202e😀\n"}`, event]);
  });
});

describe("a call in one line", () => {
  it("shows its most telling argument", () => {
    expect(summarise({ command: "ls\n  -l" })).toBe("ls -l");
    expect(summarise({ path: "a.csv", limit: 3 })).toBe("a.csv");
    expect(summarise({ action: "create", name: "reading-logs", content: "…" })).toBe("create reading-logs");
    const operations = [
      { action: "patch", name: "a" },
      { action: "write_file", name: "a" },
    ];
    expect(summarise({ operations })).toBe("patch a");
    expect(summarise({ name: "b", operations: [{ action: "patch" }] })).toBe("patch b");
    expect(summarise({ operations: [] })).toBe('{"operations":[]}');
    expect(summarise({ operations: "all" })).toBe('{"operations":"all"}');
    expect(summarise({ n: 1 })).toBe('{"n":1}');
  });
});
