// Requests to Anthropic: pure translation, in Node. The stream and the SDK are in anthropic.workers.test.ts.
import { describe, expect, it } from "vitest";
import type { Message } from "../../../core/agent/contract.ts";
import { toAnthropicBody } from "../../../core/models/wires/anthropic.ts";
import { LOOK_UP, toRequest } from "../../conformance/model.ts";

const MARK = { type: "ephemeral" };
const user = (text: string): Message => ({ role: "user", text });
const asks = (ids: string[], text = "", native?: unknown): Message => ({
  role: "assistant",
  text,
  calls: ids.map((id) => ({ id, name: "look_up", args: { query: id } })),
  ...(native ? { native: { wire: "anthropic", data: native } } : {}),
});
const result = (call: string, failed = false): Message => ({
  role: "tool",
  call,
  name: "look_up",
  text: `{"of":"${call}"}`,
  failed,
});
const toBody = (messages: Message[], change = {}) =>
  toAnthropicBody(toRequest({ messages, ...change }), "claude-sonnet-5-5");
const toSent = (messages: Message[]) => toBody(messages).messages;

/** The paths of the parts that carry a cache breakpoint. */
function findMarks(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const here = "cache_control" in value ? [path] : [];
  return [...here, ...Object.entries(value).flatMap(([key, field]) => findMarks(field, path ? `${path}.${key}` : key))];
}

describe("a request to Anthropic", () => {
  it("has all its fields", () => {
    const body = toBody([user("Hi"), asks(["a"], "I look."), result("a", true)], {
      tools: [{ ...LOOK_UP, name: "first" }, LOOK_UP],
    });
    const { name: _, description, parameters: input_schema } = LOOK_UP;
    expect(body).toEqual({
      model: "claude-sonnet-5-5",
      max_tokens: 1_000,
      stream: true,
      tools: [
        { name: "first", description, input_schema },
        { name: "look_up", description, input_schema, cache_control: MARK },
      ],
      system: [{ type: "text", text: "You are Talaria.", cache_control: MARK }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi", cache_control: MARK }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: "a", name: "look_up", input: { query: "a" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: '{"of":"a"}', is_error: true, cache_control: MARK },
          ],
        },
      ],
    });
  });

  it("has four breakpoints, two of them at the ends of this call and of the one before", () => {
    const before = [user("Hi"), asks(["a"]), result("a"), asks(["b", "c"]), result("b"), result("c")];
    const change = { tools: [LOOK_UP] };
    const marksOfCall = (messages: Message[]) => findMarks(toBody(messages, change));
    const frozen = ["tools.0", "system.0"];
    expect(marksOfCall(before.slice(0, 1))).toEqual([...frozen, "messages.0.content.0"]);
    expect(marksOfCall(before.slice(0, 3))).toEqual([...frozen, "messages.0.content.0", "messages.2.content.0"]);
    expect(marksOfCall(before)).toEqual([...frozen, "messages.2.content.0", "messages.4.content.1"]);
  });

  it("has neither tools nor a system prompt if there are none", () => {
    expect(Object.keys(toBody([user("Hi")], { system: " " }))).toEqual(["model", "max_tokens", "stream", "messages"]);
  });

  it("keeps the tools if none may be called", () => {
    const change = { tools: [LOOK_UP], toolChoice: "none" };
    expect(toBody([user("Hi")], change)).toMatchObject({ tools: [{ name: "look_up" }], tool_choice: { type: "none" } });
  });

  it("holds the results of parallel calls in one message, and what follows in the next", () => {
    const sent = toSent([user("Hi"), asks(["a", "b"]), result("a"), result("b"), user("And?")]);
    expect(sent.map(({ role, content }) => [role, (content as { type: string }[]).map((block) => block.type)])).toEqual(
      [
        ["user", ["text"]],
        ["assistant", ["tool_use", "tool_use"]],
        ["user", ["tool_result", "tool_result"]],
        ["user", ["text"]],
      ],
    );
  });

  it("holds no text without a visible character", () => {
    const empty: Message = { role: "tool", call: "a", name: "look_up", text: " \n", failed: false };
    const sent = toSent([user(" "), asks([], "  "), user("Go on"), asks(["a"], "\n"), empty]);
    expect(sent).toEqual([
      { role: "user", content: [{ type: "text", text: "(an empty message)" }] },
      { role: "user", content: [{ type: "text", text: "Go on", cache_control: MARK }] },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look_up", input: { query: "a" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", cache_control: MARK }] },
    ]);
  });

  it("has ids in the letters that Anthropic accepts, each unique, and the same for call and result", () => {
    const long = "x".repeat(80);
    const ids = ["call:1|ü", "call_1__", long];
    const sent = toSent([
      user("Hi"),
      asks(ids),
      ...ids.map((id) => result(id)),
      asks(["call_1__"]),
      result("call_1__"),
    ]);
    const seen = sent.flatMap(({ content }) => content as { id?: string; tool_use_id?: string }[]);
    expect(seen.flatMap((block) => block.id ?? [])).toEqual(["call_1__", "call_1___2", "x".repeat(64), "call_1___3"]);
    expect(seen.flatMap((block) => block.tool_use_id ?? [])).toEqual(seen.flatMap((block) => block.id ?? []));
  });

  it("holds native blocks only from the same wire", () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "sig" };
    const blocks = [thinking, { type: "tool_use", id: "a", name: "look_up", input: { query: "a" } }];
    const contentOf = (message: Message) => toSent([user("Hi"), message, result("a")])[1]!.content;
    expect(contentOf(asks(["a"], "", blocks))).toEqual(blocks);
    const foreign = { ...asks(["a"]), native: { wire: "openai-responses", data: blocks } } as Message;
    expect(contentOf(foreign)).toEqual(blocks.slice(1));
  });

  it("is built from text if calls were removed from the answer afterwards", () => {
    const blocks = [
      { type: "text", text: "Done." },
      { type: "tool_use", id: "a", name: "look_up", input: {} },
    ];
    expect(toSent([user("Hi"), asks([], "Done.", blocks), user("Thanks")])[1]).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Done." }],
    });
  });
});

describe("thinking after a turn that another model began", () => {
  const thought = { type: "thinking", thinking: "Hm.", signature: "sig" };
  const use = (id: string) => ({ type: "tool_use", id, name: "look_up", input: { query: "a" } });
  const foreign = asks(["a"]);
  const own = asks(["b"], "", [thought, use("b")]);
  const unthought = asks(["c"], "", [use("c")]);
  const thinkingOf = (model: string, messages: Message[], efforts?: ("none" | "low" | "high")[]) =>
    toAnthropicBody(toRequest({ messages, effort: "high", maxOutputTokens: 16_000 }), model, efforts);
  const BUDGETED = "claude-haiku-4-5";
  const ADAPTIVE = "claude-opus-5";

  it("is off for the rest of the turn: the provider refuses calls without their thinking", () => {
    const turn = [user("Hi"), foreign, result("a")];
    expect(thinkingOf(BUDGETED, turn).thinking).toEqual({ type: "disabled" });
    expect(thinkingOf(ADAPTIVE, turn).thinking).toEqual({ type: "disabled" });
    expect(thinkingOf(ADAPTIVE, [...turn, own, result("b")]).thinking).toEqual({ type: "disabled" });
    // A person's message after results is sent in one message with them.
    expect(thinkingOf(BUDGETED, [...turn, user("[steer] Stop")]).thinking).toEqual({ type: "disabled" });
  });

  it("is not turned off for a model that cannot do without it", () => {
    const body = thinkingOf("claude-sonnet-5-5", [user("Hi"), foreign, result("a")], ["low", "high"]);
    expect([body.thinking, body.output_config]).toEqual([undefined, { effort: "high" }]);
  });

  it("is on again with the next message, and stays on if every call has its thinking", () => {
    const done: Message = { role: "assistant", text: "Done.", calls: [] };
    expect(thinkingOf(BUDGETED, [user("Hi"), foreign, result("a"), done, user("And?")]).thinking).toMatchObject({
      type: "enabled",
    });
    expect(thinkingOf(BUDGETED, [user("Hi"), own, result("b")]).thinking).toMatchObject({ type: "enabled" });
  });

  it("stays on for an adaptive model that answered without thinking", () => {
    const turn = [user("Hi"), unthought, result("c")];
    expect(thinkingOf(ADAPTIVE, turn).thinking).toMatchObject({ type: "adaptive" });
    expect(thinkingOf(BUDGETED, turn).thinking).toEqual({ type: "disabled" });
  });
});
