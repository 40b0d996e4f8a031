import { describe, expect, it } from "vitest";
import { lessonsOf, summarise, countWaiting } from "../../../core/learning/review/lessons.ts";
import { callsOf } from "../../../core/learning/script/script-facts.ts";
import { nameWrittenStores, describeResult } from "../../../core/learning/review/result-notice.ts";
import { NO_USAGE, type JsonObject } from "../../../core/schemas/entry.ts";
import type { ReviewStep } from "../../../core/schemas/learning/review.ts";
import { SESSION } from "../sample.ts";

const SHA = "a".repeat(64);

/** A script with one call: what it asked, and what the harness said of it. */
function script(
  name: string,
  args: JsonObject,
  outcome: JsonObject,
  given: { failed?: boolean; prepared?: JsonObject } = {},
) {
  const { failed = false, prepared = {} } = given;
  const answer = { text: "", calls: [{ id: "1", name, args }], stop: "tools" as const, usage: NO_USAGE, model: "m" };
  const parts = [{ source: "outcome" as const, text: JSON.stringify(outcome) }];
  return [
    { v: 1, kind: "start", at: 0 },
    { v: 1, kind: "answer", at: 0, answer },
    { v: 1, kind: "intent", at: 0, call: "1", prepared },
    { v: 1, kind: "outcome", at: 0, call: "1", failed, parts },
  ] as ReviewStep[];
}

function resultOf(steps: ReviewStep[]) {
  const calls = callsOf(steps);
  const lessons = lessonsOf(calls, { session: SESSION, previews: true });
  const waiting = countWaiting(calls);
  return { lessons, summary: summarise(lessons, waiting), ...(waiting > 0 && { waiting }) };
}

const long = "x".repeat(200);
const PATCH = script(
  "skill_manage",
  { action: "patch", name: "reading-logs", old_string: `Old\n${long}`, new_string: `New ${long}`, citations: [] },
  { done: "patched", name: "reading-logs", rev: 2, text: SHA },
);
const ADD = script(
  "memory",
  { action: "add", store: "user", content: long },
  { done: "added", store: "user", id: SHA },
);
const REMOVE = script(
  "memory",
  { action: "remove", store: "user", old_text: "x" },
  { done: "removed", store: "user", id: SHA },
  { prepared: { at: 1, steps: [{ action: "remove", target: { id: SHA, text: long } }] } },
);

describe("the line a person reads of a review", () => {
  it("is absent when reports are off or nothing was learned", () => {
    expect(describeResult(resultOf(PATCH), "off")).toBeNull();
    expect(describeResult({ lessons: [], summary: "Nothing worth keeping." }, "verbose")).toBeNull();
  });

  it("names what was done, and no more", () => {
    expect(describeResult(resultOf(PATCH), "on")).toBe("Learned: improved skill reading-logs.");
  });

  it("shows the beginning of each change when verbose: 80 characters of a patch, 120 of a fact, 60 of a removed one", () => {
    const x = (count: number) => "x".repeat(count);
    expect(describeResult(resultOf(PATCH), "verbose")).toBe(
      `Learned: improved skill reading-logs. · reading-logs: "Old ${x(75)}…" → "New ${x(75)}…"`,
    );
    expect(describeResult(resultOf(ADD), "verbose")).toBe(`Learned: remembered 1 fact. · user: + "${x(119)}…"`);
    expect(describeResult(resultOf(REMOVE), "verbose")).toBe(`Learned: forgot 1 fact. · user: - "${x(59)}…"`);
  });

  it("repeats no secret", () => {
    const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
    const told = script(
      "memory",
      { action: "add", store: "user", content: key },
      { done: "added", store: "user", id: SHA },
    );
    expect(describeResult(resultOf(told), "verbose")).not.toContain("a1B2a1B2");
  });

  it("never reports a refused or waiting write as done", () => {
    const { args } = (PATCH[1] as Extract<ReviewStep, { kind: "answer" }>).answer.calls[0]!;
    const refused = script("skill_manage", args, { code: "read_first", error: "Read it." }, { failed: true });
    expect([describeResult(resultOf(refused), "verbose"), nameWrittenStores(resultOf(refused).lessons)]).toEqual([
      null,
      "none",
    ]);
    const staged = resultOf(script("skill_manage", args, { pending: "p", state: "waiting", note: "" }));
    expect(describeResult(staged, "verbose")).toBe("1 change waits for you: /pending.");
    expect(nameWrittenStores(staged.lessons)).toBe("none");
  });
});

it("the operator's log says which stores a review wrote", () => {
  const [patch, add] = [resultOf(PATCH).lessons, resultOf(ADD).lessons];
  expect([nameWrittenStores(patch), nameWrittenStores(add), nameWrittenStores([...patch, ...add])]).toEqual([
    "skill",
    "memory",
    "skill+memory",
  ]);
});
