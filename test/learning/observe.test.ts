import { describe, expect, it } from "vitest";
import { isSimilarRequest, isGeneralisable } from "../../core/learning/requests.ts";
import { observeTurn } from "../../core/learning/observe.ts";
import { SESSION, assistant, call, hardWonTurn, notice, tool, user } from "./sample.ts";

const text = "a".repeat(64);
const look = (entries: Parameters<typeof observeTurn>[0]["entries"], earlierRequests: string[] = [], turn = 1) =>
  observeTurn({ session: SESSION, turn, entries, earlierRequests });

describe("observeTurn", () => {
  it("describes a turn that found its way after two failures", () => {
    expect(look(hardWonTurn())).toEqual({
      turn: `${SESSION}-1`,
      request: "What is the total of `rate` in `rates.txt`?",
      steps: 4,
      toolCalls: 3,
      failedCalls: 2,
      recoveries: [
        { failed: 3, succeeded: 7 },
        { failed: 5, succeeded: 7 },
      ],
      loaded: [],
      outcome: "success",
      judge: "exit",
      generalisable: false,
      value: 0.8,
    });
  });

  it("passes over the entries of other turns", () => {
    const later = [user(9, "And the mean?", { turn: 2 }), assistant(10, "5.", [], { turn: 2 })];
    expect(look([...hardWonTurn(), ...later], [], 2)).toMatchObject({
      steps: 1,
      toolCalls: 0,
      outcome: "unknown",
      value: 0,
    });
  });

  it("adds to the value when an earlier request was of the same kind", () => {
    const seen = look(hardWonTurn(), ["Write a poem about rain", "Give me the total of `price` in `stocks.csv`"]);
    expect(seen).toMatchObject({ generalisable: true, value: 1 });
  });

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
    expect(look(entries)).toMatchObject({ outcome: "failure", recoveries: [], value: 0.2 });
  });

  it("does not know how a turn ended that used no tool on the task", () => {
    const view = call("v", "skill_view", { name: "x" });
    const entries = [user(1, "Hi"), assistant(2, "", [view]), tool(3, view, { outcome: {} }), assistant(4, "Hello")];
    expect(look(entries).outcome).toBe("unknown");
  });

  it("does not know how a turn ended that was cut off", () => {
    const cut = [...hardWonTurn().slice(0, -1), notice(8, "stopped", "The turn was stopped.")];
    expect(look(cut)).toMatchObject({ outcome: "unknown", value: 0.4 });
  });

  it("names the skills that were loaded, each text once, and not those that were not found", () => {
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

  it("names the companion that was shown with a skill", () => {
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

  it("names the texts that the person loaded with a slash command", () => {
    const skills = [{ skill: "adding-columns", text }];
    const parts = [{ source: "own" as const, text: "…" }];
    const note = { v: 1 as const, n: 2, turn: 1, at: 2, kind: "note" as const, code: "skills", parts, skills };
    expect(look([user(1, "/adding-columns in a.csv"), note, assistant(3, "Done")]).loaded).toEqual(skills);
    expect(look([user(1, "x"), { ...note, code: "news", skills: undefined }, assistant(3, "Done")]).loaded).toEqual([]);
  });

  it("passes over parts that are not JSON", () => {
    const view = call("v", "skill_view");
    const odd = { ...tool(3, view, {}), parts: [{ source: "outcome" as const, text: "not json" }] };
    expect(look([user(1, "x"), assistant(2, "", [view]), odd, assistant(4, "y")]).loaded).toEqual([]);
  });
});

describe("the kind of a request", () => {
  it.each([
    ["In `a.csv`, what is the average of `x`?", "Calculate the averages of `y` in `b.csv` for 2012", false],
    ["What is the average price in `a.csv`?", "What was the average price in `b.csv` in March 2012?", true],
    ["Summarise the meeting notes in notes/may.md", "Please summarise meeting notes in notes/june.md", true],
    ["Write a poem about rain", "What is the average price?", false],
    ["`a` `b`", "`a` `b`", false],
  ])("%s / %s", (a, b, similar) => {
    expect(isSimilarRequest(a, b)).toBe(similar);
    expect(isSimilarRequest(b, a)).toBe(similar);
  });

  it.each(["just this once", "as a one-off", "don't remember this", "only for today"])(
    "%s marks a one-off",
    (words) => {
      const request = "Summarise the meeting notes";
      expect(isGeneralisable(request, [request])).toBe(true);
      expect(isGeneralisable(`${request}, ${words}`, [request])).toBe(false);
    },
  );
});
