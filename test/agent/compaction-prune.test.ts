import { describe, expect, it } from "vitest";
import { pruneMessages } from "../../core/agent/compaction/compaction-prune.ts";
import type { Message } from "../../core/agent/contract.ts";
import { conversation } from "../support/session/conversation.ts";

const results = (messages: Message[]) => messages.filter((message) => message.role === "tool").map(({ text }) => text);
const long = (letter: string) => JSON.stringify({ letter: letter.repeat(300) });

describe("pruneMessages", () => {
  it("leaves short results, messages and requests unchanged", () => {
    const messages = conversation([
      { user: true, chars: 900 },
      { chars: 900, calls: [{ text: "x".repeat(200) }] },
    ]);
    expect(pruneMessages(messages)).toEqual(messages);
  });

  it("replaces a long result by its call, its outcome and its beginning", () => {
    const messages = conversation([
      { calls: [{ text: long("a") }, { text: `{"error":"gone"}\n${long("b")}`, failed: true }] },
    ]);
    expect(results(pruneMessages(messages))).toEqual([
      `[shortened] terminal {"command":"run 1"} -> ok, 313 characters: {"letter":"${"a".repeat(124)}…`,
      '[shortened] terminal {"command":"run 1"} -> failed, 330 characters: {"error":"gone"}',
    ]);
  });

  it("refers back if a result equals an earlier one", () => {
    const messages = conversation([
      { calls: [{ text: long("a") }] },
      { calls: [{ text: long("a") }, { text: long("b") }] },
    ]);
    expect(results(pruneMessages(messages)).map((text) => text.includes("the same result as an earlier call"))).toEqual(
      [false, true, false],
    );
  });

  it("states that a skill is no longer in view", () => {
    const messages = conversation([{ calls: [{ name: "skill_view", args: { name: "tables" }, chars: 5_000 }] }]);
    expect(results(pruneMessages(messages))).toEqual([
      "[shortened] skill_view tables: no longer in view. Load it again with skill_view before you follow it.",
    ]);
  });

  it("cuts long arguments at any depth, and the native parts that would repeat them", () => {
    const args = { path: "a.txt", parts: [{ text: "😀".repeat(300) }], n: 1 };
    const [message] = conversation([{ calls: [{ name: "write_file", args }] }]);
    const native = { wire: "w", data: [] };
    const [pruned] = pruneMessages([{ ...(message as Extract<Message, { role: "assistant" }>), native }]);
    expect(pruned).toEqual({
      ...message,
      calls: [
        {
          id: "c1-0",
          name: "write_file",
          args: { path: "a.txt", parts: [{ text: `${"😀".repeat(100)} [shortened: 600 characters]` }], n: 1 },
        },
      ],
    });
  });

  it("changes nothing the second time, and makes no line longer than what stays whole", () => {
    const messages = conversation([
      { calls: [{ name: "n".repeat(200), args: { text: "t".repeat(900) }, text: long("a") }, { text: long("a") }] },
    ]);
    const once = pruneMessages(messages);
    expect(pruneMessages(once)).toEqual(once);
    expect(Math.max(...results(once).map((text) => text.length))).toBeLessThanOrEqual(200);
  });
});
