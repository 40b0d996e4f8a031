import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type PlanOptions,
  applyCompaction,
  calibrate,
  inForce,
  measureTokens,
  estimateOverhead,
  planCompaction,
  toPrunedText,
  tailBudget,
  thresholdTokens,
  sumTokens,
} from "../../core/agent/compaction/compaction.ts";
import { pruneMessages } from "../../core/agent/compaction/compaction-prune.ts";
import type { Message } from "../../core/agent/contract.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { type CompactionEntry, NO_USAGE } from "../../core/schemas/entry.ts";
import { type Utterance, compactionEntry, conversation } from "../support/session/conversation.ts";
import { runs } from "../support/thorough.ts";

const weigh = (message: Message) => Math.ceil(message.text.length / 4) + 1;

const options = (more: Partial<PlanOptions> = {}): PlanOptions => ({
  contextWindow: 10_000,
  protectFirst: 3,
  tailTokens: 100,
  minTailMessages: 2,
  keepFrom: 1_000_000,
  chain: [],
  weigh,
  ...more,
});

const said = fc.array(
  fc.oneof(
    fc.record({ user: fc.constant(true as const), chars: fc.nat(400) }),
    fc.record({
      chars: fc.nat(400),
      calls: fc.array(fc.record({ chars: fc.nat(2_000), failed: fc.boolean() }), { maxLength: 4 }),
    }),
  ),
  { minLength: 1, maxLength: 40 },
);

const drawn = fc.record({
  protectFirst: fc.nat(6),
  tailTokens: fc.integer({ min: 1, max: 2_000 }),
  minTailMessages: fc.integer({ min: 1, max: 10 }),
  contextWindow: fc.integer({ min: 500, max: 20_000 }),
});

/** Each assistant message is followed by the results of its calls, in order, and by no other result. */
function isWhole(messages: Message[]): boolean {
  const waiting: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (waiting.shift() !== message.call) return false;
    } else {
      if (waiting.length > 0) return false;
      if (message.role === "assistant") waiting.push(...message.calls.map((call) => call.id));
    }
  }
  return waiting.length === 0;
}

/** Compacts once, if there is anything to leave out. */
function compactOnce(
  messages: Message[],
  chain: CompactionEntry[],
  n: number,
  how: { method: CompactionEntry["method"] } & Partial<PlanOptions>,
): { messages: Message[]; chain: CompactionEntry[]; made: CompactionEntry | null } {
  const { method, ...more } = how;
  const plan = planCompaction(messages, options({ ...more, chain }));
  if (!plan) return { messages, chain, made: null };
  const parts =
    method === "prune" ? [{ source: "own" as const, text: toPrunedText(pruneMessages(plan.between)) }] : undefined;
  const made = compactionEntry({
    n,
    head: plan.head,
    tail: plan.tail,
    kept: plan.kept,
    method,
    ...(parts && { parts }),
  });
  return { messages: applyCompaction(messages, chain, made), chain: inForce([...chain, made]), made };
}

describe("planCompaction", () => {
  it("keeps the beginning and the newest messages, and names what is between them", () => {
    const messages = conversation([
      { user: true },
      { calls: [{}] },
      ...Array.from({ length: 10 }, () => ({ calls: [{ chars: 400 }] })),
      { user: true },
      { text: "Done." },
    ]);
    const plan = planCompaction(messages, options())!;
    const { between, gap, ...rest } = plan;
    expect(between).toEqual(gap);
    expect({ ...rest, gap: gap.map((message) => message.entry) }).toEqual({
      head: 3,
      tail: 22,
      kept: [],
      gap: Array.from({ length: 18 }, (_, i) => i + 4),
    });
  });

  it("finds nothing to leave out of a short conversation, of one message, or of none", () => {
    for (const messages of [conversation([{ user: true }, {}, { user: true }]), conversation([{ user: true }]), []]) {
      expect(planCompaction(messages, options({ protectFirst: 0, tailTokens: 1_000 }))).toBe(null);
    }
  });

  it("never separates a call from its result, and keeps head, tail and the newest request unchanged", () => {
    fc.assert(
      fc.property(said, drawn, fc.nat(2), (all, how, late) => {
        const messages = conversation(all as Utterance[]);
        const requests = messages.filter((message) => message.role === "user");
        const keepFrom = (requests.at(-1 - late) ?? requests[0])?.entry ?? 1;
        const plan = planCompaction(messages, options({ ...how, keepFrom }));
        if (!plan) return;
        const made = compactionEntry({ n: 1_000, ...plan });
        const shorter = applyCompaction(messages, [], made);
        expect(isWhole(shorter)).toBe(true);
        const at = shorter.findIndex((message) => message.entry === 1_000);
        expect(shorter.slice(0, at)).toEqual(messages.slice(0, at));
        expect(at).toBeLessThan(how.protectFirst + 5);
        const tail = shorter.slice(at + 1 + plan.kept.length);
        expect(tail).toEqual(messages.slice(-tail.length));
        expect(tail.length).toBeGreaterThan(0);
        if (requests.length > 0) expect(shorter).toContain(requests.at(-1));
        expect(plan.gap.length + shorter.length - 1).toBe(messages.length);
      }),
      { numRuns: runs(500) },
    );
  });

  it("gives the same messages if compactions are applied during a turn or later from the log", () => {
    const step = fc.record({ more: said, method: fc.constantFrom("model", "prune", "static"), how: drawn });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (steps) => {
        let live: Message[] = [];
        let chain: CompactionEntry[] = [];
        const log: Message[] = [];
        const compactions: CompactionEntry[] = [];
        let n = 1;
        for (const { more, method, how } of steps) {
          const added = conversation(more as Utterance[], n);
          n = (added.at(-1)?.entry ?? n) + 1;
          log.push(...added);
          const done = compactOnce([...live, ...added], chain, n++, { ...how, method: method as "model" });
          ({ messages: live, chain } = done);
          if (done.made) compactions.push(done.made);
          expect(isWhole(live)).toBe(true);
        }
        // The rows that the history reads: both sides of the newest gap, and what that compaction kept.
        const counting = inForce(compactions);
        const newest = counting.at(-1);
        const isRead = (entry: number) =>
          !newest ||
          entry <= newest.head ||
          entry >= newest.tail ||
          (newest.method !== "prune" && newest.kept.includes(entry));
        const rows = log.filter(({ entry = 0 }) => isRead(entry));
        const read = counting.reduce((sum, entry, i) => applyCompaction(sum, counting.slice(0, i), entry), rows);
        expect(JSON.stringify(read)).toBe(JSON.stringify(live));
      }),
      { numRuns: runs(300) },
    );
  });

  it("shortens a turn that alone fills the window, and keeps its request and steers word for word", () => {
    const steps = Array.from({ length: 30 }, () => ({ calls: [{ chars: 300 }] }));
    const messages = conversation([{ user: true }, {}, { user: true, text: "The request" }, ...steps]);
    messages.splice(20, 0, { role: "user", text: "[steer x]\nAnd hurry", entry: 19.5 });
    const plan = planCompaction(messages, options({ keepFrom: 3 }))!;
    const shorter = applyCompaction(messages, [], compactionEntry({ n: 900, ...plan }));
    expect(shorter.slice(0, 5).map((message) => message.text)).toEqual([
      messages[0]!.text,
      messages[1]!.text,
      "The request",
      "<summary 900>",
      "[steer x]\nAnd hurry",
    ]);
    expect(shorter.length).toBeLessThan(12);
  });

  it("keeps the request itself and the newest of very many steers", () => {
    const messages = conversation([
      {},
      { user: true, text: "The request" },
      ...Array.from({ length: 20 }, () => ({ user: true as const, chars: 600 })),
      { calls: [{ chars: 2_000 }] },
    ]);
    const plan = planCompaction(
      messages,
      options({ protectFirst: 1, keepFrom: 2, minTailMessages: 1, contextWindow: 4_000 }),
    )!;
    expect(plan.kept).toEqual([2, 20, 21, 22]);
  });

  it("protects no beginning so large that little else would fit", () => {
    const messages = conversation([{ user: true, chars: 8_000 }, {}, {}, {}, {}, {}, { user: true }]);
    expect(planCompaction(messages, options())).toMatchObject({ head: 0, tail: 2 });
  });

  it("keeps the minimum number of messages, unless they are too large, and always the newest", () => {
    const small = conversation(Array.from({ length: 20 }, () => ({ chars: 400 })));
    expect(planCompaction(small, options({ minTailMessages: 8, tailTokens: 1 }))?.tail).toBe(13);
    const large = conversation(Array.from({ length: 20 }, () => ({ chars: 4_000 })));
    expect(planCompaction(large, options({ minTailMessages: 8, tailTokens: 1 }))?.tail).toBe(20);
    const huge = conversation([{}, {}, {}, {}, { calls: [{ chars: 80_000 }, { chars: 80_000 }] }]);
    expect(planCompaction(huge, options())?.tail).toBe(5);
  });

  it("allows one group to exceed the tail's budget by half", () => {
    const groups = Array.from({ length: 10 }, () => ({ chars: 236 })); // 60 tokens each
    expect(planCompaction(conversation(groups), options({ minTailMessages: 1, tailTokens: 100 }))?.tail).toBe(9);
    expect(planCompaction(conversation(groups), options({ minTailMessages: 1, tailTokens: 130 }))?.tail).toBe(8);
  });
});

describe("measuring a conversation", () => {
  it("uses the provider's count up to its last answer and estimates the rest", () => {
    const messages = conversation([{ user: true, chars: 4_000 }, { calls: [{ chars: 400 }] }]);
    const usage = { ...NO_USAGE, input: 100, cacheRead: 5_000, cacheWrite: 50, output: 70 };
    expect(measureTokens(messages, usage, 9_000, weigh)).toBe(5_150 + weigh(messages[1]!) + weigh(messages[2]!));
  });

  it("adds the prompt and the tools if no provider has counted", () => {
    const messages = conversation([{ user: true, chars: 400 }]);
    expect(measureTokens(messages, null, estimateOverhead(200_000), weigh)).toBe(9_000 + 101);
    expect(measureTokens(messages, null, estimateOverhead(8_000), weigh)).toBe(1_000 + 101);
  });

  it("corrects estimates by the provider's counts, within limits", () => {
    const messages = conversation([{ user: true, chars: 40_000 }]);
    expect(calibrate(messages, 24_001, 9_000, weigh)).toBeCloseTo(15_001 / 10_001);
    expect([calibrate(messages, 900_000, 9_000, weigh), calibrate(messages, 10, 9_000, weigh)]).toEqual([3, 0.5]);
    expect(calibrate([], 10_000, 9_000, weigh)).toBe(1);
  });
});

describe("thresholds", () => {
  it.each([
    [2_000_000, 256_000],
    [512_000, 256_000],
    [400_000, 256_000],
    [200_000, 150_000],
    [64_000, 48_000],
    [8_000, 6_000],
  ])("make a window of %i tokens compact at %i tokens", (window, tokens) => {
    expect(thresholdTokens(window, DEFAULTS.context, DEFAULTS.turn.maxOutputTokens)).toBe(tokens);
  });

  it.each([
    [2_000_000, 25_000],
    [1_000_000, 25_000],
    [600_000, 15_000],
    [200_000, 10_000],
    [32_000, 6_400],
  ])("keep, of a window of %i tokens, the newest %i", (window, tokens) => {
    expect(tailBudget(window, DEFAULTS.context)).toBe(tokens);
  });
});

it("a whole conversation counts the same as its parts together", () => {
  const messages = conversation([{ user: true }, { calls: [{}] }, { user: true }]);
  expect(sumTokens(messages, weigh)).toBe(sumTokens(messages.slice(0, 2), weigh) + sumTokens(messages.slice(2), weigh));
});
