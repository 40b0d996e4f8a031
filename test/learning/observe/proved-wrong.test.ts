import { expect, it } from "vitest";
import { observeTurn } from "../../../core/learning/observe/observe.ts";
import type { Entry, JsonObject } from "../../../core/schemas/entry.ts";
import { SESSION, assistant, call, tool, user } from "../sample.ts";

const text = "a".repeat(64);
const companion = { name: "adding-up-local", text: "b".repeat(64), state: "trial" };
const SKILL = "To add up a column:\n\n1. Run `sum --delimiter ';' FILE` in /work/data.\n2. Read port 8080.";

/** A skill is loaded, then a call fails and another one succeeds. */
function turn(failed: JsonObject, succeeded: JsonObject, { content = SKILL, name = "terminal", late = false } = {}) {
  const view = call("v", "skill_view", { name: "adding-up" });
  const [a, b] = [call("a", name, failed), call("b", name, succeeded)];
  const loads = (n: number) => tool(n, view, { outcome: { name: "adding-up", text }, own: { content } });
  const entries: Entry[] = [
    user(1, "Add it up"),
    assistant(2, "", [view, a]),
    ...(late ? [] : [loads(3)]),
    tool(4, a, { outcome: { exit_code: 1 } }, { failed: true }),
    ...(late ? [loads(5)] : []),
    tool(6, b, { outcome: { exit_code: 0 } }),
    assistant(7, "Done."),
  ];
  return observeTurn({ session: SESSION, turn: 1, entries }).provedWrong;
}

const proof = [{ skill: "adding-up", text, failed: 4, succeeded: 6 }];

it.each([
  ["an option that was named otherwise", { command: "sum --delimiter x.csv" }, { command: "sum --sep x.csv" }, {}],
  ["an option that was left out", { command: "sum --delimiter x.csv y" }, { command: "sum x.csv y" }, {}],
  ["a path", { path: "/work/data" }, { path: "/work/tables" }, { name: "search_files" }],
  [
    "a number",
    { url: { host: "localhost", port: 8080 } },
    { url: { host: "localhost", port: 9090 } },
    { name: "fetch" },
  ],
  ["an argument among others", { args: ["sum", "--delimiter=;"] }, { args: ["sum", "--separator=;"] }, {}],
])("a text is proved wrong by %s", (_what, failed, succeeded, more) => {
  expect(turn(failed, succeeded, more)).toEqual(proof);
});

it.each([
  ["the same call, tried again", { command: "sum --delimiter x.csv" }, { command: "sum --delimiter x.csv" }, {}],
  ["a word that the text does not have", { command: "sum --skip x.csv" }, { command: "sum --sep x.csv" }, {}],
  ["a word that the text itself gives instead", { command: "sum 8080" }, { command: "sum /work/data" }, {}],
  ["something that was only added", { command: "sum x.csv" }, { command: "sum x.csv --skip 1" }, {}],
  ["another deed altogether", { command: "sum --delimiter" }, { command: "awk -f add.awk <x.csv" }, {}],
  ["a generic word", { command: "Read x.csv" }, { command: "Show x.csv" }, {}],
  [
    "the agent's work on the skill itself",
    { action: "patch", name: "adding-up", old_string: "sum --delimiter ';' FILES" },
    { action: "patch", name: "adding-up", old_string: "sum --separator ';' FILES" },
    { name: "skill_manage" },
  ],
  ["one character", { command: "sum 2 x.csv" }, { command: "sum 3 x.csv" }, {}],
  [
    "a text that was loaded later",
    { command: "sum --delimiter x.csv" },
    { command: "sum --sep x.csv" },
    { late: true },
  ],
])("nothing is proved by %s", (_what, failed, succeeded, more) => {
  expect(turn(failed, succeeded, more)).toEqual([]);
});

function withCompanion(failed: string, succeeded: string) {
  const view = call("v", "skill_view", { name: "adding-up" });
  const [a, b] = [call("a", "terminal", { command: failed }), call("b", "terminal", { command: succeeded })];
  const content = `${SKILL}\n\n# Learned here, in adding-up-local\n\nUse \`sum --tabs\` for exports.`;
  const entries = [
    user(1, "Add it up"),
    assistant(2, "", [view, a]),
    tool(3, view, { outcome: { name: "adding-up", text, companion }, own: { content } }),
    tool(4, a, { outcome: { exit_code: 1 } }, { failed: true }),
    tool(5, b, { outcome: { exit_code: 0 } }),
    assistant(6, "Done."),
  ];
  return observeTurn({ session: SESSION, turn: 1, entries }).provedWrong!.map(({ skill }) => skill);
}

it("of a base and its companion, the one that has the word is proved wrong", () => {
  expect(withCompanion("sum --delimiter x.csv", "sum --sep x.csv")).toEqual(["adding-up"]);
  expect(withCompanion("sum --tabs x.csv", "sum --sep x.csv")).toEqual(["adding-up-local"]);
});

it("a text that the person loaded with a slash command is read from its note", () => {
  const [a, b] = [
    call("a", "terminal", { command: "sum --delimiter x" }),
    call("b", "terminal", { command: "sum --sep x" }),
  ];
  const parts = [
    { source: "outcome" as const, text: 'Loaded.\n<skill name="adding-up">\n' },
    { source: "own" as const, text: SKILL },
    { source: "outcome" as const, text: '\n</skill>\n<skill name="other">\nUse --sep.\n</skill>' },
    { source: "principal" as const, text: "with --delimiter, please" },
  ];
  const skills = [
    { skill: "adding-up", text },
    { skill: "other", text: "c".repeat(64) },
  ];
  const note: Entry = { v: 1, n: 2, turn: 1, at: 2, kind: "note", code: "skills", parts, skills };
  const entries = [
    user(1, "/adding-up x"),
    note,
    assistant(3, "", [a]),
    tool(4, a, { outcome: {} }, { failed: true }),
    tool(6, b, { outcome: {} }),
    assistant(7, "Done."),
  ];
  expect(observeTurn({ session: SESSION, turn: 1, entries }).provedWrong).toEqual(proof);
});

it("arguments that are data are passed over in no time", () => {
  const odd = `${".".repeat(200_000)}x`;
  expect(turn({ path: "/work/data", content: odd }, { path: "/work/tables", content: odd })).toEqual(proof);
}, 2_000);
