// How a review ends when its model ignores the protocol: calls written as text, prose without a call, an empty answer.
import { describe, expect, it } from "vitest";
import { clipNote, toClosingNote } from "../../../core/learning/script/script-run.ts";
import { REVIEW_AGAIN } from "../../../core/prompts/review/review.ts";
import { NO_STATS } from "../../../core/schemas/entry.ts";
import type { ReviewResult } from "../../../core/schemas/learning/review.ts";
import { estimateTokens } from "../../../core/tokens.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { CITED, SKILL, SKILL_MD } from "../script.ts";
import { createWorld } from "../world.ts";

const args = { action: "create", name: SKILL, content: SKILL_MD, citations: CITED };
const create: ScriptLine = { calls: [{ name: "skill_manage", args }] };
const PROSE = "I would write a skill about adding up columns, with the separator named.";

async function review(lines: ScriptLine[]) {
  const world = await createWorld(lines);
  const process = world.start();
  const verdict = await process.deliver();
  const result = (await world.reviews.outcome(world.job.review)) as ReviewResult | null;
  return { world, verdict, result, requests: process.model.requests };
}

describe("a review", () => {
  it("makes a call that the model wrote as text", async () => {
    const text = `\`\`\`json\n${JSON.stringify({ name: "skill_manage", arguments: args })}\n\`\`\``;
    const { result, requests } = await review([{ text }, { text: "Kept it." }]);
    expect(result).toMatchObject({ state: "done", note: "Kept it.", lessons: [{ skill: SKILL, action: "create" }] });
    expect(requests[1]!.messages.slice(1)).toMatchObject([
      { role: "assistant", text: "", calls: [{ name: "skill_manage" }] },
      { role: "tool", name: "skill_manage", failed: false },
    ]);
  });

  it("makes no call that is quoted in its material or in the model's prose", async () => {
    const text = `The file says: ${JSON.stringify({ name: "skill_manage", arguments: args })}`;
    const { result, requests } = await review([{ text }, { text: "Nothing worth keeping." }]);
    expect(result).toMatchObject({ state: "done", lessons: [], refused: [] });
    expect(requests).toHaveLength(2);
  });

  it("that ends in prose without a call gets one more request, and may still write", async () => {
    const { result, requests } = await review([{ text: PROSE }, create, { text: "Kept it." }]);
    expect(requests[1]!.messages.slice(1)).toMatchObject([
      { role: "assistant", text: PROSE },
      { role: "user", text: REVIEW_AGAIN },
    ]);
    expect(result).toMatchObject({ note: "Kept it.", lessons: [{ skill: SKILL }] });
  });

  it("does not get a third request", async () => {
    const { result, requests } = await review([{ text: PROSE }, { text: PROSE }]);
    expect([requests.length, result?.state, result?.note]).toEqual([2, "done", PROSE]);
  });

  it.each([
    "Nothing worth keeping.",
    "**Nothing** to keep here.",
    "nothing.",
    "kind 1: add up a column",
    "verdict 1: none",
  ])("ends at the answer '%s'", async (text) => expect((await review([{ text }])).requests).toHaveLength(1));

  it("ends at prose after a refused write", async () => {
    const refused: ScriptLine = { calls: [{ name: "skill_manage", args: { ...args, citations: [] } }] };
    expect((await review([refused, { text: PROSE }])).requests).toHaveLength(2);
  });

  it("is done when an empty answer follows a write", async () => {
    const { verdict, result, requests } = await review([create, { text: "" }]);
    expect(verdict).toEqual({ act: "ack" });
    expect(requests).toHaveLength(2);
    expect(result).toMatchObject({
      state: "done",
      lessons: [{ skill: SKILL }],
      note: "The model ended without a closing word (empty_answer).",
    });
  });

  it("fails when it wrote nothing and every answer is empty", async () => {
    const { verdict, result } = await review([{ text: "" }, { text: "" }, { text: "" }]);
    expect([verdict, result]).toEqual([{ act: "retry", delaySeconds: 5 }, null]);
  });

  it("continues where it was killed, with the same result", async () => {
    const lines: ScriptLine[] = [{ text: PROSE }, create, { text: "" }];
    const whole = await review(lines);
    const { killed } = await (await createWorld(lines)).deliverAndCopy();
    expect(killed.length).toBeGreaterThan(8);
    for (const { world } of killed) {
      await world.deliverToEnd();
      const result = (await world.reviews.outcome(world.job.review)) as ReviewResult;
      expect({ ...result, finishedAt: 0 }).toEqual({ ...whole.result, finishedAt: 0 });
    }
  });
});

describe("a closing note", () => {
  const note = (text: string) =>
    clipNote(toClosingNote({ state: "done", reason: "answer", why: null, text, stats: NO_STATS }));

  it("is kept up to a thousand tokens", () => {
    expect(note("Kept it.")).toBe("Kept it.");
    for (const long of ["I kept what was found out. ".repeat(2_000), "漢".repeat(9_000), " ".repeat(90_000) + "x"]) {
      const kept = note(long);
      expect(estimateTokens(kept)).toBeLessThanOrEqual(1_001);
      expect(kept.length).toBeLessThan(long.length);
    }
    expect(estimateTokens(note("I kept what was found out. ".repeat(2_000)))).toBeGreaterThan(900);
  });
});
