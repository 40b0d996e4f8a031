import { expect, it } from "vitest";
import { lessonsOf, summarise, countWaiting } from "../../../core/learning/review/lessons.ts";
import { callsOf, hasViewed } from "../../../core/learning/script/script-facts.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { ReviewStep } from "../../../core/schemas/learning/review.ts";
import { SESSION } from "../sample.ts";

const TEXT = sha256Hex("text");

/** A call that was made and done. */
function did(args: JsonObject): ReviewStep[] {
  const facts = { name: "reading-logs", rev: 1, text: TEXT };
  const answer = { text: "", calls: [{ id: "c1", name: "skill_manage", args }] } as never;
  return [
    { v: 1, kind: "answer", at: 1, answer },
    { v: 1, kind: "intent", at: 1, call: "c1", prepared: { rev: 0 } },
    {
      ...{ v: 1, kind: "outcome", at: 1, call: "c1", failed: false },
      parts: [{ source: "outcome", text: JSON.stringify(facts) }],
    },
  ];
}

it.each([
  [{ action: "patch", name: "reading-logs" }, "patch", false],
  [{ action: "create", name: "reading-logs" }, "create", true],
  [{ name: "reading-logs", operations: [{ action: "create" }, { action: "write_file" }] }, "create", true],
  [{ name: "reading-logs", operations: [{ action: "patch" }, { action: "write_file" }] }, "patch", false],
])("a review's action is read from %j", (args, action, isKnown) => {
  const script = did(args);
  const [lesson] = lessonsOf(callsOf(script), { session: SESSION });
  expect(lesson).toEqual({ kind: "skill", skill: "reading-logs", action, rev: 1, text: TEXT, citations: [] });
  expect(hasViewed(script, "reading-logs")).toBe(isKnown);
});

it("a summary names the writes that wait for the person, with or without what was learned", () => {
  const [answer, intent] = did({ action: "create", name: "reading-logs" });
  const parked = { pending: "0".repeat(20), state: "waiting" };
  const outcome = { v: 1 as const, kind: "outcome" as const, at: 1, call: "c1", failed: false };
  const part = { source: "outcome" as const, text: JSON.stringify(parked) };
  const calls = callsOf([answer!, intent!, { ...outcome, parts: [part] }]);
  expect([lessonsOf(calls, { session: SESSION }), countWaiting(calls)]).toEqual([[], 1]);
  expect(summarise([], 1)).toBe("1 change waits for you: /pending.");
  const learned = lessonsOf(callsOf(did({ action: "create", name: "reading-logs" })), { session: SESSION });
  expect(summarise(learned, 2)).toBe("Learned: created skill reading-logs. 2 changes wait for you: /pending.");
  expect(summarise([], 0)).toBe("Nothing worth keeping.");
});
