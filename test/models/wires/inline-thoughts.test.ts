import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { createThoughtFilter } from "../../../core/models/wires/inline-thoughts.ts";
import { readAnswer, toRequest } from "../../conformance/model.ts";
import { createTestClock } from "../../support/clock.ts";
import { toSseBody } from "../../support/wires/sse-body.ts";

/** What readers have received in the end. */
function sort(pieces: string[]) {
  const filter = createThoughtFilter();
  const all = { text: "", reasoning: "", retracts: 0 };
  for (const piece of [...pieces.map((piece) => filter.push(piece)), filter.end()]) {
    if (piece.retracts) {
      all.text = "";
      all.retracts += 1;
    }
    all.text += piece.text;
    all.reasoning += piece.reasoning;
  }
  return all;
}

function cut(text: string, places: number[]): string[] {
  const edges = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length];
  return edges.slice(1).map((edge, i) => text.slice(edges[i], edge));
}

const SORTED: [what: string, said: string, text: string, reasoning: string][] = [
  ["a thought before the answer", "<think>\nHm.\n</think>\n\nFour.", "Four.", "\nHm.\n"],
  ["a thought after blank lines", "\n\n <think>Hm.</think>Four.", "Four.", "Hm."],
  ["an empty thought", "<think>\n\n</think>\n\nFour.", "Four.", "\n\n"],
  ["a thought without an opening tag", "Hm, two and two.\n</think>\n\nFour.", "Four.", "Hm, two and two.\n"],
  ["only an end tag", "</think>\n\nFour.", "Four.", ""],
  ["a thought without an end", "<think>Hm", "", "Hm"],
  ["a second thought, which is text", "<think>a</think>b <think>c</think>", "b <think>c</think>", "a"],
  ["tags in the middle of an answer", "Use <think>x</think> so.", "Use <think>x</think> so.", ""],
  ["an end tag in code", "Close it with `</think>` here.", "Close it with `</think>` here.", ""],
  ["an end tag in a block of code", "```\n</think>\n```\nSo.", "```\n</think>\n```\nSo.", ""],
  ["another tag", "<thinker>Four.", "<thinker>Four.", ""],
  ["blank text", "  \n", "  \n", ""],
  ["a call that leaked into the text", "<tool_call>\n{}\n</tool_call>", "<tool_call>\n{}\n</tool_call>", ""],
];

describe("thoughts in the text of an answer", () => {
  it.each(SORTED)("are separated from it: %s", (_, said, text, reasoning) => {
    expect(sort([said])).toMatchObject({ text, reasoning });
  });

  it.each(SORTED)("are the same wherever the stream is cut: %s", (_, said, text, reasoning) => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: said.length }), { maxLength: 12 }), (places) => {
        expect(sort(cut(said, places))).toMatchObject({ text, reasoning });
      }),
    );
    expect(sort([...said])).toMatchObject({ text, reasoning });
  });

  it("are never shown if they begin with their tag", () => {
    const filter = createThoughtFilter();
    const shown = [..."<think>secret</think>open"].map((letter) => filter.push(letter).text).join("");
    expect(shown).toBe("open");
  });

  it("become the answer's reasoning, and are not sent back", async () => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: { choices: [{ index: 0, delta, finish_reason }] },
    });
    const frames = [
      ...[..."Hm.\n</think>\n\n42"].map((content) => chunk({ content })),
      chunk({}, "stop"),
      { data: "[DONE]" },
    ];
    const bodies: string[] = [];
    const model = createOpenAiChatModel({
      ...{ apiKey: "none", model: "r1", baseUrl: "http://127.0.0.1:9/v1", clock: createTestClock() },
      fetch: async (_, init) => {
        bodies.push(String(init!.body));
        return new Response(toSseBody(frames));
      },
    });
    const answer = await readAnswer(model, toRequest());
    expect(answer).toMatchObject({ text: "42", reasoning: "Hm.\n", stop: "end" });
    const { text, calls, native } = answer;
    const messages = [...toRequest().messages, { role: "assistant" as const, text, calls, native }];
    await readAnswer(model, toRequest({ messages: [...messages, { role: "user", text: "And?" }] }));
    expect(bodies[1]).toContain('"42"');
    expect(bodies[1]).not.toContain("Hm.");
  });
});
