import { describe, expect, it } from "vitest";
import {
  withJudgement,
  observeTurn,
  withNeighbours,
  toSignature,
  withCorrection,
} from "../../../core/learning/observe/observe.ts";
import { areSimilarWords, contentWords, mayComeAgain, taskOf } from "../../../core/learning/requests.ts";
import type { Entry, UserEntry } from "../../../core/schemas/entry.ts";
import { Observation, TurnSignature } from "../../../core/schemas/learning/learning.ts";
import { SESSION, assistant, call, hardWonTurn, notice, tool, user } from "../sample.ts";

const text = "a".repeat(64);
const look = (entries: Parameters<typeof observeTurn>[0]["entries"], turn = 1) =>
  observeTurn({ session: SESSION, turn, entries });
const among = { similar: 0, successes: 0, best: null, skills: {} };

describe("observeTurn", () => {
  it("describes a turn that succeeded after two failures", () => {
    const seen = look(hardWonTurn());
    expect(Observation.parse(seen)).toEqual(seen);
    expect(seen).toEqual({
      v: 2,
      turn: `${SESSION}-1`,
      request: "What is the total of `rate` in `rates.txt`?",
      steps: 4,
      toolCalls: 3,
      tools: ["terminal"],
      failedCalls: 2,
      errors: [
        { entry: 3, tool: "terminal", code: "exit_1" },
        { entry: 5, tool: "terminal", code: "exit_2" },
      ],
      recoveries: [
        { failed: 3, succeeded: 7 },
        { failed: 5, succeeded: 7 },
      ],
      loaded: [],
      unfollowed: [],
      triedWords: [],
      corrections: [],
      outcome: "success",
      judge: "exit",
      judgements: [{ judge: "exit", outcome: "success", at: 1008 }],
      effort: { calls: 3, failedCalls: 2, tokens: 48, ms: 7 },
      efficiency: null,
      generalisable: false,
      value: 0.6,
    });
  });

  it("ignores the entries of other turns", () => {
    const later = [user(9, "And the mean?", { turn: 2 }), assistant(10, "5.", [], { turn: 2 })];
    expect(look([...hardWonTurn(), ...later], 2)).toMatchObject({
      steps: 1,
      toolCalls: 0,
      outcome: "unknown",
      value: 0,
    });
  });

  it("adds value for a similar earlier turn, unless the request is marked as a one-off", () => {
    const best = { calls: 2, failedCalls: 0, tokens: 30, turn: `${SESSION}-9` };
    const near = { ...among, similar: 2, successes: 1, best };
    const seen = withNeighbours(look(hardWonTurn()), near);
    expect(seen).toMatchObject({ generalisable: true, value: 0.8, similar: 2, best });
    expect(withNeighbours(look(hardWonTurn()), among)).toMatchObject({ generalisable: false, value: 0.6, best: null });
    const once = [user(1, "Just this once: the total of `rate`?"), ...hardWonTurn().slice(1)];
    expect(withNeighbours(look(once), near)).toMatchObject({ generalisable: false, value: 0.6 });
  });

  it("adds value for three different tools, not counting repeated calls and the agent's own tools", () => {
    const worth = (...names: string[]) => {
      const calls = names.map((name, n) => call(`c${n}`, name));
      const results = calls.map((made, n) => tool(3 + n, made, { outcome: {} }));
      const { value, tools } = look([user(1, "Do it"), assistant(2, "", calls), ...results, assistant(9, "Done.")]);
      return [value, tools];
    };
    expect(worth("terminal", "terminal", "terminal")).toEqual([0.4, ["terminal"]]);
    expect(worth("write_file", "terminal", "read_file")).toEqual([0.6, ["read_file", "terminal", "write_file"]]);
    expect(worth("skill_view", "terminal", "memory")).toEqual([0.4, ["terminal"]]);
  });

  it("adds value for a success with at most 70 % of the calls of the best similar turn", () => {
    const than = (calls: number, last = hardWonTurn()) => {
      const best = { calls, failedCalls: 0, tokens: 30, turn: `${SESSION}-9` };
      const { value, efficiency } = withNeighbours(look(last), { ...among, similar: 2, successes: 1, best });
      return [value, efficiency];
    };
    expect(than(6)).toEqual([1, 2]);
    expect(than(4)).toEqual([0.8, 4 / 3]);
    expect(than(6, [...hardWonTurn().slice(0, -1), notice(8, "stopped", "The turn was stopped.")])).toEqual([0.4, 2]);
  });

  it("keeps the value of an old observation that has no list of tools", () => {
    const { tools: _, ...old } = look(hardWonTurn());
    expect(withNeighbours(old, among).value).toBe(0.8);
  });

  it("names a failure by the tool's own code, and redacts secrets in the request", () => {
    const made = call("a", "read_file", { path: "x" });
    const key = `sk-ant-api03-${"aB3".repeat(12)}`;
    const failed = tool(3, made, { outcome: { error: "No.", code: "file_not_found" } }, { failed: true });
    const odd = tool(4, made, { content: {} }, { failed: true });
    const seen = look([user(1, `Use ${key}`), assistant(2, "", [made]), failed, odd, assistant(5, "Sorry.")]);
    expect(seen.errors?.map(({ code }) => code)).toEqual(["file_not_found", "failed"]);
    expect(seen.request).not.toContain(key);
  });

  it.each(["approval_denied", "approval_timed_out", "command_refused"])(
    "takes no call for a failure that was not allowed (%s)",
    (code) => {
      const made = call("a", "terminal", { command: "make install" });
      const denied = tool(7, call("b", "terminal"), { outcome: { error: "No.", code } }, { failed: true });
      const turn = (...more: Parameters<typeof look>[0]) =>
        look([
          user(1, "Install it"),
          assistant(2, "", [made]),
          tool(3, made, { outcome: {} }),
          ...more,
          assistant(9, "Done."),
        ]);
      expect(turn(denied)).toEqual(turn());
      expect(turn(denied)).toMatchObject({ outcome: "success", failedCalls: 0, errors: [], toolCalls: 1 });
    },
  );

  it("judges by the last tool that worked on the task, not by the agent's own notes", () => {
    const [a, b, m] = [call("a", "terminal"), call("b", "terminal"), call("m", "memory")];
    const entries = [
      user(1, "Do it"),
      assistant(2, "", [a]),
      tool(3, a, { outcome: { exit_code: 0 } }),
      assistant(4, "", [b, m]),
      tool(5, b, { outcome: { exit_code: 1 } }, { failed: true }),
      tool(6, m, { outcome: { done: "add" } }),
      assistant(7, "I could not."),
    ];
    expect(look(entries)).toMatchObject({ outcome: "failure", recoveries: [], value: 0 });
  });

  it("has an unknown outcome for a turn that used no tool on the task", () => {
    const view = call("v", "skill_view", { name: "x" });
    const entries = [user(1, "Hi"), assistant(2, "", [view]), tool(3, view, { outcome: {} }), assistant(4, "Hello")];
    expect(look(entries).outcome).toBe("unknown");
  });

  it("has an unknown outcome for a turn that was cut off", () => {
    const cut = [...hardWonTurn().slice(0, -1), notice(8, "stopped", "The turn was stopped.")];
    expect(look(cut)).toMatchObject({ outcome: "unknown", value: 0.2 });
  });

  it("lists each loaded text once, and no skill that was not found", () => {
    const views = ["v1", "v2", "v3"].map((id) => call(id, "skill_view", { name: "x" }));
    const entries = [
      user(1, "Do it"),
      assistant(2, "", views),
      tool(3, views[0]!, { outcome: { name: "adding-columns", path: "SKILL.md", text }, own: { content: "…" } }),
      tool(4, views[1]!, { outcome: { name: "adding-columns", path: "references/a.md", text }, own: { content: "…" } }),
      tool(5, views[2]!, { outcome: { error: "no such skill", name: "other", text } }, { failed: true }),
      assistant(6, "Done"),
    ];
    expect(look(entries).loaded).toEqual([{ skill: "adding-columns", text }]);
  });

  it("lists the companion that was shown with a skill", () => {
    const view = call("v", "skill_view", { name: "adding-columns" });
    const companion = { name: "adding-columns-local", text: "b".repeat(64), state: "trial" };
    const entries = [
      user(1, "Do it"),
      assistant(2, "", [view]),
      tool(3, view, { outcome: { name: "adding-columns", text, companion }, own: { content: "…" } }),
    ];
    expect(look(entries).loaded).toEqual([
      { skill: "adding-columns", text },
      { skill: "adding-columns-local", text: companion.text },
    ]);
  });

  it("lists the texts that the person loaded with a slash command", () => {
    const skills = [{ skill: "adding-columns", text }];
    const parts = [{ source: "own" as const, text: "…" }];
    const note = { v: 1 as const, n: 2, turn: 1, at: 2, kind: "note" as const, code: "skills", parts, skills };
    expect(look([user(1, "/adding-columns in a.csv"), note, assistant(3, "Done")]).loaded).toEqual(skills);
    expect(look([user(1, "x"), { ...note, code: "news", skills: undefined }, assistant(3, "Done")]).loaded).toEqual([]);
  });

  it("ignores parts that are not JSON", () => {
    const view = call("v", "skill_view");
    const odd = { ...tool(3, view, {}), parts: [{ source: "outcome" as const, text: "not json" }] };
    expect(look([user(1, "x"), assistant(2, "", [view]), odd, assistant(4, "y")]).loaded).toEqual([]);
  });
});

describe("similar requests", () => {
  it.each([
    ["In `a.csv`, what is the average of `x`?", "Calculate the averages of `y` in `b.csv` for 2012", false],
    ["What is the average price in `a.csv`?", "What was the average price in `b.csv` in March 2012?", true],
    ["Summarise the meeting notes in notes/may.md", "Please summarise meeting notes in notes/june.md", true],
    ["Write a poem about rain", "What is the average price?", false],
    ["`a` `b`", "`a` `b`", false],
    ["把会议记录翻译成英文", "请把会议记录翻译成法文", true],
    ["把会议记录翻译成英文", "明天北京天气怎么样", false],
  ])("%s / %s", (a, b, similar) => {
    expect(areSimilarWords(contentWords(a), contentWords(b))).toBe(similar);
    expect(areSimilarWords(contentWords(b), contentWords(a))).toBe(similar);
  });

  it.each(["just this once", "as a one-off", "don't remember this", "only for today", "nur heute", "solo esta vez"])(
    "%s marks a one-off",
    (words) => {
      const request = "Summarise the meeting notes";
      expect(mayComeAgain(request)).toBe(true);
      expect(mayComeAgain(`${request}, ${words}`)).toBe(false);
    },
  );

  it("have one task for the same words, and none without words", () => {
    expect(taskOf("Sum the prices in a.csv")).toBe(taskOf("the price sum in b.csv, please"));
    expect(taskOf("Sum the prices")).not.toBe(taskOf("Sum the weights"));
    expect(taskOf("`a` 12")).toBe("");
    expect(taskOf("Sum the prices")).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("a judgement", () => {
  const at = 5_000;
  const base = look(hardWonTurn());

  it("counts by the rank of its judge, whenever it comes: rating, then message, then exit", () => {
    const told = withJudgement(base, { judge: "message", outcome: "failure", at });
    expect(told).toMatchObject({ outcome: "failure", judge: "message", value: 0.2 });
    const rated = withJudgement(told, { judge: "rating", outcome: "success", at });
    expect(rated).toMatchObject({ outcome: "success", judge: "rating", value: 0.6 });
    const late = withJudgement(rated, { judge: "message", outcome: "failure", at: at + 1 });
    expect(late).toMatchObject({ outcome: "success", judge: "rating" });
    expect(late.judgements?.map(({ judge }) => judge)).toEqual(["exit", "message", "rating", "message"]);
  });

  it("replaces an older one of the same judge", () => {
    const down = withJudgement(base, { judge: "rating", outcome: "failure", at });
    expect(withJudgement(down, { judge: "rating", outcome: "success", at: at + 1 }).outcome).toBe("success");
  });

  it("is added to the single judge of an old observation", () => {
    const { judgements: _, ...old } = base;
    expect(withJudgement(old, { judge: "message", outcome: "failure", at }).judgements).toEqual([
      { judge: "exit", outcome: "success", at: 0 },
      { judge: "message", outcome: "failure", at },
    ]);
  });

  it("can be a correction, which is recorded once", () => {
    expect(withCorrection(withCorrection(base, 9), 9).corrections).toEqual([{ entry: 9 }]);
  });

  it("is part of the signature that the Archive records", () => {
    const view = call("v", "skill_view", { name: "x" });
    const entries = [...hardWonTurn().slice(0, -1), tool(8, view, { outcome: {} }), assistant(9, "41.5")];
    const told = withJudgement(look(entries), { judge: "message", outcome: "failure", at });
    const signature = toSignature(told, { session: SESSION, at: 7, heldOut: false, entries, isChat: true });
    expect(TurnSignature.parse(signature)).toEqual(signature);
    expect(signature).toMatchObject({
      ...{ turn: `${SESSION}-1`, at: 7, tools: { terminal: 3 }, outcome: "failure", judge: "message", recovered: true },
      effort: { calls: 4, failedCalls: 2, tokens: 48 },
    });
  });

  it("says in the signature whether the owner asked, in a conversation", () => {
    const askedBy = (entries: Entry[], isChat = true) =>
      toSignature(look(entries), { session: SESSION, at: 7, heldOut: false, entries, isChat }).asked;
    const [first, ...rest] = hardWonTurn() as [UserEntry, ...Entry[]];
    expect(askedBy([first, ...rest])).toBe("owner");
    expect(askedBy([first, ...rest], false)).toBeUndefined();
    expect(askedBy([])).toBeUndefined();
    const strangers = { ...first, parts: [...first.parts, { source: "content" as const, text: "And mail it." }] };
    expect(askedBy([strangers, ...rest])).toBeUndefined();
    expect(askedBy([first, ...rest, { ...strangers, n: 90 }])).toBeUndefined();
    expect(askedBy([{ ...first, goal: { id: "0".repeat(16), serial: 1 } }, ...rest])).toBeUndefined();
    expect(askedBy([{ ...first, told: 1 }, ...rest])).toBeUndefined();
  });
});
