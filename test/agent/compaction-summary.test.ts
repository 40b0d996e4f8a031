import { describe, expect, it } from "vitest";
import {
  type SummaryInput,
  droppedSkills,
  renderStaticSummary,
  renderSummaryRequest,
  summaryTokens,
  toSummaryParts,
  worstSource,
} from "../../core/agent/compaction/compaction-summary.ts";
import { type Utterance, conversation } from "../support/session/conversation.ts";

const input = (said: Utterance[], more: Partial<SummaryInput> = {}): SummaryInput => ({
  gap: conversation(said),
  previous: "",
  focus: "",
  dayOf: (entry) => `2026-01-0${entry % 10}`,
  ...more,
});

describe("the text that a summariser reads", () => {
  it("is the conversation with days, calls and outcomes, after the previous summary", () => {
    const said: Utterance[] = [
      { user: true, text: "Count." },
      { text: "I count.", calls: [{ text: "{}", failed: true }] },
    ];
    expect(renderSummaryRequest(input(said, { previous: "Before.", focus: "rates" }), 2_000, 100_000)).toBe(
      `<previous_summary>
Before.
</previous_summary>

<conversation>
[user 2026-01-01]
Count.

[assistant 2026-01-02]
I count.
-> terminal {"command":"run 2"}

[tool terminal failed 2026-01-03]
{}
</conversation>

<focus>
rates
</focus>

Write at most 2000 tokens.`,
    );
  });

  it("keeps 4,000 characters of a long message's beginning and 1,500 of its end", () => {
    const text = renderSummaryRequest(
      input([{ user: true, text: `${"a".repeat(6_000)}${"z".repeat(2_000)}` }]),
      1,
      1e6,
    );
    expect(text).toContain(`\n${"a".repeat(4_000)}\n[… 2500 characters …]\n${"z".repeat(1_500)}\n`);
  });

  it("keeps at most 1,500 characters of a call's arguments", () => {
    const text = renderSummaryRequest(input([{ calls: [{ args: { body: "b".repeat(9_000) } }] }]), 1, 1e6);
    const line = /^-> terminal .*\n.*\n.*$/m.exec(text)![0];
    expect(line.length).toBeLessThan(1_500);
  });

  it("has at most 160,000 characters, nearly half of them from the beginning", () => {
    const said = Array.from({ length: 100 }, (_, i): Utterance => ({ text: `m${i} `.repeat(1_200).slice(0, 5_000) }));
    const text = renderSummaryRequest(input(said), 1, 1e6);
    const [head = "", tail = ""] = text.split(/\[\d+ messages left out\]/);
    expect(text.length).toBeLessThanOrEqual(160_100);
    expect(head.length / text.length).toBeCloseTo(0.44, 1);
    expect([head.includes("m0 "), tail.includes("m99 "), text.includes("m30 ")]).toEqual([true, true, false]);
    expect(renderSummaryRequest(input(said), 1, 20_000).length).toBeLessThan(20_100);
  });
});

describe("a summary without a model", () => {
  it("has at most 8,000 characters: the newest of the conversation, and the previous summary", () => {
    const said = Array.from({ length: 60 }, (_, i): Utterance => ({ user: true, text: `n${i} ${"x".repeat(900)}` }));
    const text = renderStaticSummary(input(said, { previous: "p".repeat(9_000), focus: "rates" }));
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect([text.match(/p/g)!.length > 2_900, text.includes("n59 "), text.includes("n0 ")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(text).toMatch(
      /^Made without a model, from excerpts\.\n\nFocus: rates\n\n## Earlier\n\np+…\n\n## Excerpts \(\d+ earlier messages left out\)\n\n- user: n/,
    );
  });

  it("takes at most 700 characters of a message, without secrets", () => {
    const key = `sk-ant-${"a1B2".repeat(8)}`;
    const text = renderStaticSummary(input([{ user: true, text: `${"x".repeat(680)} ${key}` }, { calls: [{}] }]));
    expect(text.split("\n").every((line) => line.length <= 702)).toBe(true);
    expect(text).not.toContain("a1B2");
    expect(text.split("\n").slice(-2)).toEqual([
      '- assistant: wwwwwwc wwwwwwc wwww [calls terminal {"command":"run 2"}]',
      "- result of terminal (ok): wwwwwwd wwwwwwd wwww",
    ]);
  });
});

describe("the length of a summary", () => {
  it.each([
    [100_000, 200_000, 10_000],
    [30_000, 200_000, 6_000],
    [3_000, 200_000, 2_000],
    [100_000, 20_000, 1_000],
  ])("of %i tokens in a window of %i is %i tokens", (gap, window, tokens) => {
    expect(summaryTokens(gap, window, 10_000)).toBe(tokens);
  });
});

describe("the message with the summary", () => {
  it("is cut if a model wrote far more than requested", () => {
    const parts = toSummaryParts("x".repeat(9_000), "own", [], 1_000);
    expect(parts[1]!.text.length).toBe(6_000);
  });

  it("has the worst source of what it summarises", () => {
    expect(worstSource(["principal", "outcome", "content", "own"])).toBe("content");
    expect(worstSource(["principal", "own", "outcome"])).toBe("own");
    expect(worstSource(["principal", "outcome"])).toBe("outcome");
    expect(worstSource(["principal"])).toBe("principal");
  });

  it("names skills that were dropped earlier and not loaded again", () => {
    const view = (name: string): Utterance => ({ calls: [{ name: "skill_view", args: { name } }] });
    const gap = conversation([view("a"), view("b")]);
    expect(droppedSkills(gap, conversation([view("b"), view("c")], 90), ["c", "d"])).toEqual(["a", "d"]);
  });

  it("also names skills that the person loaded, and only dropped ones", () => {
    const loaded = (name: string) => ({
      user: true as const,
      text: `<skills>\nLoaded.\n\n<skill name="${name}">\nText\n</skill>\n</skills>\n\nGo`,
    });
    const quoted = { user: true as const, text: 'Why <skill name="q">?\n<skill name="q">\n' };
    const gap = conversation([loaded("a"), loaded("b"), quoted]);
    expect(droppedSkills(gap, conversation([loaded("b")], 90), [])).toEqual(["a"]);
    const recalled = { ...loaded("c"), text: `<note>\n${loaded("c").text}\n</note>` };
    expect(droppedSkills(conversation([recalled]), [], [])).toEqual(["c"]);
  });
});
