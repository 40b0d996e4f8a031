import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { NO_COUNTERS } from "../../../core/learning/observe/triggers/review-counters.ts";
import {
  decideOnCorrection,
  decideOnRating,
  decideOnRefine,
  decideReview,
  isUrgent,
  mergeDecisions,
} from "../../../core/learning/observe/triggers/triggers.ts";
import type { ReviewCounters } from "../../../core/schemas/learning/learning.ts";
import { Trigger } from "../../../core/schemas/learning/review.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { assistant, hardWonTurn, notice, observation, user } from "../sample.ts";

type Turn = Parameters<typeof decideReview>[0];
const enough = { modelCalls: 6, entries: 12, toolCalls: 5, userTurns: 1 };
const turn = (over: Partial<Turn> = {}): Turn => ({
  counters: enough,
  observation: observation({ value: 0.8 }),
  neighbourhood: { similar: 0, successes: 0, skills: {} },
  corrected: false,
  entries: hardWonTurn(),
  settings: DEFAULTS,
  offered: { skills: true, memory: true },
  isBundled: ({ skill }) => skill === "bundled-one",
  ...over,
});
const reviewing = (review: Partial<Settings["review"]>): Settings => ({
  ...DEFAULTS,
  review: { ...DEFAULTS.review, ...review },
});
const loaded = (skill: string) => [{ skill, text: "a".repeat(64) }];

const both = { skills: true, memory: true };
const rated = {
  rating: { rating: "down" as const },
  turn: 4,
  entries: hardWonTurn(),
  settings: DEFAULTS,
  offered: both,
};
/** A turn for which every trigger is due. */
const everything: Partial<Turn> = {
  observation: observation({
    value: 0.8,
    effort: { calls: 3, failedCalls: 0, tokens: 1 },
    // It had a failure, so its loaded skill does not cover it.
    recoveries: [{ failed: 3, succeeded: 5 }],
    loaded: loaded("own-one"),
  }),
  corrected: true,
  neighbourhood: {
    similar: 2,
    successes: 2,
    skills: {
      "own-one": {
        without: { turns: 0, successes: 0, failures: 0, calls: null },
        best: { calls: 10, failedCalls: 0, tokens: 1, turn: "x" },
      },
    },
  },
};

describe("decideReview", () => {
  it("reviews skills and memory after ten model calls with tools, whatever the value of the turn", () => {
    const counters = { ...NO_COUNTERS, modelCalls: 10 };
    expect(decideReview(turn({ counters, observation: observation({ value: 0 }) }))).toEqual({
      trigger: "model_calls",
      because: "10 model calls with tools since skills were last reviewed",
      skills: true,
      memory: true,
    });
    expect(decideReview(turn({ counters: { ...counters, modelCalls: 9 } }))).toBeNull();
  });

  it("reviews a turn with value 0.6 after ten entries and five tool calls", () => {
    const because = "a turn was worth 0.8 after 12 entries and 5 tool calls";
    expect(decideReview(turn())).toEqual({ trigger: "value", because, skills: true, memory: true });
    expect(decideReview(turn({ observation: observation({ value: 0.6 }) }))).not.toBeNull();
    expect(decideReview(turn({ observation: observation({ value: 0.4 }) }))).toBeNull();
    expect(decideReview(turn({ counters: { ...enough, entries: 9 } }))).toBeNull();
    expect(decideReview(turn({ counters: { ...enough, toolCalls: 4 } }))).toBeNull();
  });

  it("does not review a turn that a loaded skill covered", () => {
    const covered = observation({ value: 0.8, loaded: loaded("own-one") });
    expect(decideReview(turn({ observation: covered }))).toBeNull();
  });

  it.each([
    ["failed", observation({ value: 0.8, outcome: "failure", loaded: loaded("own-one") })],
    [
      "had to recover",
      observation({ value: 0.8, loaded: loaded("own-one"), recoveries: [{ failed: 3, succeeded: 5 }] }),
    ],
    ["had loaded only a bundled skill", observation({ value: 0.8, loaded: loaded("bundled-one") })],
  ])("reviews a turn that %s", (_words, seen) => {
    expect(decideReview(turn({ observation: seen }))?.trigger).toBe("value");
  });

  it("reviews memory alone after ten turns of the user", () => {
    const counters = { ...NO_COUNTERS, userTurns: 10 };
    const because = "10 turns since memory was last reviewed";
    expect(decideReview(turn({ counters }))).toEqual({ trigger: "memory_turns", because, skills: false, memory: true });
    expect(decideReview(turn({ counters: { ...counters, userTurns: 9 } }))).toBeNull();
  });

  it("never writes to a store whose tool was not offered", () => {
    const counters = { ...enough, modelCalls: 10, userTurns: 10 };
    const seen = observation({ value: 0 });
    const decide = (skills: boolean, memory: boolean, corrected = false) =>
      decideReview(turn({ counters, observation: seen, offered: { skills, memory }, corrected }));
    expect(decide(true, false)).toMatchObject({ trigger: "model_calls", skills: true, memory: false });
    expect(decide(false, true)).toMatchObject({ trigger: "memory_turns", skills: false, memory: true });
    expect(decide(false, true, true)).toMatchObject({ trigger: "correction", skills: false, memory: true });
    expect(decide(false, false, true)).toBeNull();
  });

  it.each([
    ["was interrupted", [...hardWonTurn().slice(0, -1), notice(8, "stopped", "Stopped.")]],
    ["ended on a tool call", hardWonTurn().slice(0, -1)],
    ["got an empty answer", [...hardWonTurn().slice(0, -1), assistant(8, " ")]],
    ["was started by content from outside", [user(1, "x", { source: "content" }), ...hardWonTurn().slice(1)]],
    ["has no input at all", hardWonTurn().slice(1)],
  ])("does not review a turn that %s", (_words, entries) => {
    const counters: ReviewCounters = { ...enough, modelCalls: 10, userTurns: 10, fullStores: ["user"] };
    expect(decideReview(turn({ ...everything, entries, counters }))).toBeNull();
  });

  it("does nothing when reviews are switched off", () => {
    const settings = reviewing({ enabled: false });
    expect(decideReview(turn({ ...everything, settings, counters: { ...enough, modelCalls: 10 } }))).toBeNull();
    expect(decideOnCorrection(settings, both)).toBeNull();
    expect(decideOnRefine("", settings, both)).toBeNull();
    expect(decideOnRating({ ...rated, settings })).toBeNull();
  });
});

describe("the more valuable trigger comes first", () => {
  it("and each can be switched off", () => {
    const counters: ReviewCounters = { ...enough, modelCalls: 10, userTurns: 10, fullStores: ["memory"] };
    const told: string[] = [];
    for (;;) {
      const without = Trigger.options.filter((trigger) => told.includes(trigger));
      const decision = decideReview(turn({ ...everything, counters, settings: reviewing({ without }) }));
      if (!decision) break;
      told.push(decision.trigger);
    }
    expect(told).toEqual([
      ...["correction", "cheaper", "similar_turns", "value", "model_calls"],
      ...["memory_full", "memory_turns"],
    ]);
    expect(Trigger.options.filter(isUrgent).toSorted()).toEqual(["correction", "rating", "refine"]);
  });

  it("and one review serves both", () => {
    const memory = { trigger: "memory_turns", because: "a", skills: false, memory: true } as const;
    const refine = { trigger: "refine", because: "b", focus: "tables", skills: true, memory: false } as const;
    const merged = { trigger: "refine", because: "b", focus: "tables", skills: true, memory: true };
    expect(mergeDecisions(memory, refine)).toEqual(merged);
    expect(mergeDecisions(refine, memory)).toEqual(merged);
    const other = { ...refine, focus: "names" };
    expect(mergeDecisions(refine, other).focus).toBe("tables; names");
  });
});

describe("a correction", () => {
  it("starts a review, and waits when its turn was not answered", () => {
    const because = "the person said what would have been right";
    const decision = { trigger: "correction", because, ...both };
    expect(decideReview(turn({ corrected: true, counters: NO_COUNTERS }))).toEqual(decision);
    expect(decideReview(turn({ counters: NO_COUNTERS }))).toBeNull();
    expect(decideOnCorrection(DEFAULTS, both)).toEqual(decision);
    expect(decideOnCorrection(reviewing({ without: ["correction"] }), both)).toBeNull();
    expect(decideOnCorrection(DEFAULTS, { skills: false, memory: false })).toBeNull();
  });
});

describe("a turn that was cheaper than the best one under its skill", () => {
  const decide = (calls: number, best: number, over: Partial<Turn["observation"]> = {}) =>
    decideReview(
      turn({
        counters: NO_COUNTERS,
        observation: observation({
          ...{ loaded: loaded("own-one"), effort: { calls, failedCalls: 0, tokens: 1 } },
          ...over,
        }),
        neighbourhood: {
          similar: 0,
          successes: 0,
          skills: Object.fromEntries(
            ["own-one", "bundled-one"].map((skill) => [
              skill,
              {
                without: { turns: 0, successes: 0, failures: 0, calls: null },
                best: { calls: best, failedCalls: 0, tokens: 1, turn: "x" },
              },
            ]),
          ),
        },
      }),
    );

  it("by 30 % and three calls starts a review", () => {
    expect(decide(7, 10)).toMatchObject({
      trigger: "cheaper",
      because: "the turn took 7 calls with 'own-one', where its best one before took 10",
    });
    expect(decide(8, 10)).toBeNull();
    expect(decide(2, 4)).toBeNull(); // half, but chance
    expect(decide(17, 20)).toBeNull(); // three calls, but not three tenths
  });

  it("does not when it failed or had only a bundled skill", () => {
    expect(decide(7, 10, { outcome: "failure" })).toBeNull();
    expect(decide(7, 10, { outcome: "unknown" })).toBeNull();
    expect(decide(7, 10, { loaded: loaded("bundled-one") })).toBeNull();
    expect(decide(7, 10, { loaded: [] })).toBeNull();
  });
});

describe("similar turns", () => {
  const decide = (
    successes: number,
    over: Partial<Turn["observation"]> = {},
    settings = DEFAULTS,
    similar = successes,
  ) =>
    decideReview(
      turn({
        ...{ counters: NO_COUNTERS, neighbourhood: { similar, successes, skills: {} }, settings },
        observation: observation(over),
      }),
    );

  it("start a review at every third success", () => {
    const fired = [0, 1, 2, 3, 4, 5].filter((successes) => decide(successes));
    expect(fired).toEqual([2, 5]);
    expect(decide(2)).toMatchObject({
      trigger: "similar_turns",
      because: "3 similar turns succeeded without a skill that covers them",
    });
    expect(decide(1, {}, reviewing({ similarTurns: 2 }))).not.toBeNull();
    expect(decide(101)).toBeNull();
    expect(decide(20, {}, DEFAULTS, 30)).not.toBeNull();
    expect(decide(20, {}, DEFAULTS, 31)).toBeNull();
  });

  it("do not when this one failed or a skill covers it", () => {
    expect(decide(2, { outcome: "unknown" })).toBeNull();
    expect(decide(2, { outcome: "failure" })).toBeNull();
    expect(decide(2, { loaded: loaded("own-one") })).toBeNull();
    expect(decide(2, { loaded: loaded("bundled-one") })).not.toBeNull();
  });
});

describe("a rating", () => {
  it("starts a review when it is down or has a correction, not when it is only up", () => {
    const because = "the person rated turn 4 down";
    expect(decideOnRating(rated)).toEqual({ trigger: "rating", because, ...both });
    expect(decideOnRating({ ...rated, rating: { rating: "up" } })).toBeNull();
    expect(decideOnRating({ ...rated, rating: { rating: "up", correction: "Shorter." } })).toMatchObject({
      because: "the person rated turn 4 up and said what would have been right",
    });
  });

  it("starts none for an interrupted turn, a turn of a stranger, or when switched off", () => {
    expect(decideOnRating({ ...rated, entries: hardWonTurn().slice(0, -1) })).toBeNull();
    const foreign = [user(1, "x", { source: "content" }), ...hardWonTurn().slice(1)];
    expect(decideOnRating({ ...rated, entries: foreign })).toBeNull();
    expect(decideOnRating({ ...rated, settings: reviewing({ without: ["rating"] }) })).toBeNull();
    expect(decideOnRating({ ...rated, offered: { skills: false, memory: false } })).toBeNull();
  });
});

describe("/refine", () => {
  it("passes on its focus", () => {
    const because = "the person asked for it";
    expect(decideOnRefine("names", DEFAULTS, both)).toEqual({ trigger: "refine", because, focus: "names", ...both });
    expect(decideOnRefine("", DEFAULTS, both)).toEqual({ trigger: "refine", because, ...both });
    expect(decideOnRefine("", reviewing({ without: ["refine"] }), both)).toBeNull();
    expect(decideOnRefine("", DEFAULTS, { skills: false, memory: false })).toBeNull();
  });
});

describe("a store over its limit", () => {
  const counters = { ...NO_COUNTERS, fullStores: ["user" as const] };

  it("starts a review of memory at once, merged with others that are due, unless memory is not offered", () => {
    const because = "the store user is over its limit";
    expect(decideReview(turn({ counters }))).toEqual({ trigger: "memory_full", because, skills: false, memory: true });
    expect(decideReview(turn({ counters: { ...counters, modelCalls: 10 } }))).toMatchObject({
      ...{ trigger: "model_calls", skills: true, memory: true },
    });
    expect(decideReview(turn({ counters, offered: { skills: true, memory: false } }))).toBeNull();
  });
});
