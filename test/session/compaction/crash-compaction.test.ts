// A turn that compacts its conversation crashes at every write it makes, and continues in a new object from what was stored.
// Every later model request has the same bytes as without the crash.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ModelRequest, Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import { compactionPrompt } from "../../../core/prompts/compaction.ts";
import { createWords } from "../../support/session/conversation.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { Crash, createSessionHarness } from "../../support/session/session-harness.ts";
import { stepOfCrashes } from "../../support/thorough.ts";

/**
 * What fills the conversation: results, which are cut to a line each, or the model's own words, which are summarised; and
 * a provider whose window is smaller than anyone thought, so that it refuses what is too long for it.
 */
const CASES = {
  prune: { steps: 6, resultChars: 18_000, textChars: 0, maxTokens: 19_500, refusedChars: Infinity },
  model: { steps: 5, resultChars: 0, textChars: 18_000, maxTokens: 16_000, refusedChars: Infinity },
  overflow: { steps: 4, resultChars: 0, textChars: 18_000, maxTokens: 150_000, refusedChars: 45_000 },
};
type Method = keyof typeof CASES;

const bytesOf = ({ system, messages }: ModelRequest) =>
  JSON.stringify([system, messages.map(({ entry: _entry, ...message }) => message)]);

async function runWithCrash(method: Method, crashAt: number) {
  const { steps, resultChars, textChars, maxTokens, refusedChars } = CASES[method];
  const read: Tool = {
    name: "read",
    description: "Reads a page.",
    parameters: z.strictObject({ page: z.int() }),
    effect: "read",
    run: async ({ page }) => succeed({ page }, { content: { text: createWords(resultChars, page) } }),
  };
  // Depends on the request alone: the same place in the turn always gets the same answer.
  const answer = (request: ModelRequest) => {
    if (request.system === compactionPrompt()) return { text: "Pages were read.", usage: { input: 50, output: 5 } };
    const chars = JSON.stringify(request.messages).length;
    if (chars > refusedChars) {
      return { failure: { code: "context_overflow", message: "prompt is too long", compact: true } };
    }
    const input = Math.round(chars / 8) + 9_000;
    const last = request.messages.findLast((message) => message.role === "tool");
    const page = last ? Number(/"page":(\d+)/.exec(last.text)![1]) + 1 : 0;
    if (page === steps) return { text: "All pages are read.", usage: { input } };
    const calls = [{ id: `p${page}`, name: "read", args: { page } }];
    return { text: `Now page ${page}. ${createWords(textChars, page).replaceAll(" ", "")}`, calls, usage: { input } };
  };
  const model = createScriptedModel(Array.from({ length: 40 }, () => answer));
  const harness = createSessionHarness({
    model,
    tools: [read],
    settings: {
      review: { enabled: false },
      context: { maxTokens, protectFirst: 1, minTailTokens: 1_000, tailShare: 0, minTailMessages: 1 },
    },
  });
  const first = harness.boot({ crashAt });
  const post = async ({ engine }: typeof first) => {
    await engine.create({ learning: "off", title: "" });
    expect((await engine.post({ text: "Read all pages.", key: "k" })).ok).toBe(true);
  };
  await post(first).catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
  await first.settled();
  const second = harness.boot();
  await post(second);
  await second.settled();
  for (let wakes = 0; harness.alarmAt() !== null && wakes < 20; wakes++) await second.wake();
  expect(second.reports).toEqual([]);
  const entries = harness.boot().engine.entries(0);
  if (!entries.ok) throw new Error(entries.failure.code);
  // A booking may arrive twice. Its id makes it count once.
  const bookings = new Map(harness.booked.map((booking) => [booking.id, booking]));
  const booked = [...bookings.values()].map(({ lines }) => ({
    calls: sum(lines.filter((line) => line.kind === "compaction")),
    asked: sum(lines.filter((line) => line.kind === "turn")),
  }));
  return {
    harness,
    booked,
    requests: model.requests.map(bytesOf),
    entries: entries.value,
    detail: second.engine.detail(),
  };
}

function sum(lines: { calls: number }[]): number {
  return lines.reduce((calls, line) => calls + line.calls, 0);
}

/** Three methods take turns. */
const STEP = stepOfCrashes(3);

describe.each([
  ["prune", 0],
  ["model", 1],
  ["overflow", 2],
] as const)("a turn that is cut off around a compaction (%s)", async (method, place) => {
  const whole = await runWithCrash(method, Infinity);
  const writes = whole.harness.crashPoints();
  const made = whole.entries.filter((entry) => entry.kind === "compaction");

  it("compacts its conversation in the middle of the turn", () => {
    expect(made.map((entry) => entry.method)).toContain(method === "overflow" ? "model" : method);
    expect(made.every((entry) => entry.step > 0 && entry.step < CASES[method].steps)).toBe(true);
  });

  it.each(Array.from({ length: writes }, (_, index) => index + 1).filter((n) => n % STEP === place % STEP))(
    "continues with the same bytes after a crash at write %i",
    async (at) => {
      const { requests, entries, detail, booked } = await runWithCrash(method, at);
      expect(detail).toMatchObject({ state: "idle", turns: [{ state: "done" }] });
      expect([...new Set(requests)].toSorted()).toEqual([...new Set(whole.requests)].toSorted());
      const again = entries.filter((entry) => entry.kind === "compaction");
      const facts = ({ step, method: how, tokensBefore, tokensAfter }: (typeof made)[number]) => [
        step,
        how,
        tokensBefore,
        tokensAfter,
      ];
      expect(again.map(facts)).toEqual(made.map(facts));
      expect(booked).toEqual([{ calls: made.flatMap((entry) => entry.calls).length, asked: CASES[method].steps + 1 }]);
    },
  );
});
