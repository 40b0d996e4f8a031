import { expect, it } from "vitest";
import { observeTurn } from "../../../core/learning/observe/observe.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { SESSION, assistant, call, tool, user } from "../sample.ts";

const text = "a".repeat(64);
const used = [{ skill: "ledger", text }];

function turn(content: string, command: string, { failed = false, late = false, name = "terminal" } = {}) {
  const view = call("v", "skill_view", { name: "ledger" });
  const run = call("r", name, { command });
  const loads = (n: number) => tool(n, view, { outcome: { name: "ledger", text }, own: { content } });
  const entries: Entry[] = [
    user(1, "Export the ledger"),
    assistant(2, "", [view, run]),
    ...(late ? [] : [loads(3)]),
    tool(4, run, { outcome: { exit_code: failed ? 1 : 0 } }, { failed }),
    ...(late ? [loads(5)] : []),
    assistant(6, "Done."),
  ];
  return observeTurn({ session: SESSION, turn: 1, entries }).unfollowed;
}

it("a text is unfollowed when a successful call gave an option another value", () => {
  expect(turn("Pass `--encoding latin1`.", "ledger export --encoding cp1252")).toEqual(used);
});

it.each([
  ["the value of the text", "Pass `--encoding latin1`.", "ledger export --encoding latin1", {}],
  ["one of several values", "`--encoding latin1`, for imports `--encoding cp1252`.", "ledger x --encoding cp1252", {}],
  ["an option that the text does not mention", "Pass `--basis booking`.", "ledger export --encoding cp1252", {}],
  ["a different figure", "Pass `--lines 5`.", "tail --lines 7", {}],
  ["a placeholder of the text", "Pass `--out {{file}}`.", "ledger export --out a.csv", {}],
  ["an argument after a flag without a value", "Begin with `ls --all /work`.", "ls --all /srv", {}],
  ["the word after a flag", "Run `npm install --global typescript`.", "npm install --global eslint", {}],
  ["a file where the text has a choice", "Pass `--out json`.", "ledger export --out /tmp/a", {}],
  ["a file with another name", "Read it with `cut --file a.csv`.", "cut --file b.csv", {}],
  ["a word on the next line", "```\nsort --unique\nuniq\n```", "sort --unique names", {}],
  ["the variables of a script", "`awk '{n=NR} END{print n}'`", "awk '{n=NF} END{print n}'", {}],
  ["a write of the skill itself", "Pass `--encoding latin1`.", "--encoding cp1252", { name: "skill_manage" }],
  ["a call that failed", "Pass `--encoding latin1`.", "ledger export --encoding cp1252", { failed: true }],
  ["a call before the text was read", "Pass `--encoding latin1`.", "ledger export --encoding cp1252", { late: true }],
])("a text is not reported as unfollowed for %s", (_what, content, command, more) => {
  expect(turn(content, command, more)).toEqual([]);
});
