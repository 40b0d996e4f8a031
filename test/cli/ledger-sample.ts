// The learning ledger of a profile that has learned nothing, for the tests of the terminal client.
import type { LearningLedger } from "../../core/schemas/learning/ledger.ts";

const spent = { calls: 0, tokens: 0, usd: 0 };

export const EMPTY: LearningLedger = {
  turns: {
    ...{ seen: 0, more: false, since: null, by: "day", periods: [], stretches: [] },
    all: {
      turns: 0,
      judged: 0,
      successes: 0,
      success: null,
      calls: null,
      failedCalls: null,
      tokens: null,
      ms: null,
      recovery: null,
    },
  },
  curves: { success: null, calls: null, time: null, to80: null },
  kinds: [],
  reuse: { had: 0, loaded: 0, rate: null },
  skills: [],
  byState: { pending: 0, trial: 0, active: 0, stale: 0, archived: 0 },
  reviews: {
    ...{ seen: 0, more: false, lessons: 0, byTrigger: {}, waiting: 0, superseded: 0 },
    ...{ dead: {}, refused: {}, periods: [], lastRefused: [] },
  },
  waits: [],
  cost: { from: "2025-01-01", to: "2026-01-31", review: spent, curation: { ...spent, runs: 0, oldest: null } },
  experiments: null,
  bought: null,
};
