// A review's values are compared with the work: values that failed, or were not tried although another one worked, are refused.
import { describe, expect, it } from "vitest";
import { createGrounding } from "../../../core/learning/review/rules/grounding.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { ReviewJob } from "../../../core/schemas/learning/review.ts";
import { assistant, call, tool, user } from "../sample.ts";

/** Each a call of the terminal, and whether it failed: with what, where the program said something. */
function work(calls: [command: string, failed: boolean | string][], said = "Export the ledger"): Entry[] {
  return [
    user(1, said),
    ...calls.flatMap(([command, failure], at): Entry[] => {
      const made = call(`c${at}`, "terminal", { command });
      const n = 2 + 2 * at;
      const failed = failure !== false;
      const content = { said: failure };
      const outcome = { exit_code: failed ? 1 : 0 };
      return [assistant(n, "", [made]), tool(n + 1, made, { outcome, content }, { failed })];
    }),
  ];
}

const SOLVED = work([
  ["ledger export --encoding utf8 --out a.csv", true],
  ["ledger export --encoding latin1 --out a.csv", false],
]);
const check = (entries: Entry[], line: string, standing = "", trigger: ReviewJob["trigger"] = "value") =>
  createGrounding({ entries, trigger })({ prose: [line], code: [] }, standing);

it("a value is not proved by the agent writing it into a skill or a fact", () => {
  const saved = call("s", "skill_manage", { new_string: "Pass `--encoding cp1252`." });
  const entries = [...SOLVED, assistant(8, "", [saved]), tool(9, saved, { outcome: { name: "ledger" } })];
  expect(check(entries, "Pass `--encoding cp1252`.")).toMatchObject({ code: "unproved_value" });
});

describe("a value that a lesson gives", () => {
  it.each([
    ["was never tried", SOLVED, "Run `ledger export --encoding cp1252`.", /`--encoding cp1252`, but no call used it/],
    ["failed", SOLVED, "For `ledger export` pass `--encoding=utf8`.", /failed \(entry 3\); --encoding latin1/],
    ["is in quotes", SOLVED, 'Pass `--encoding "cp1252"` to it.', /worked \(entry 5\)/],
    [
      "was tried, and nothing else worked either",
      work([["ledger export --encoding utf8", true]]),
      "Run `ledger export --encoding utf8`.",
      /what was not solved is not a lesson/,
    ],
    [
      "is the value of a variable",
      work([
        ["TZ=CET ledger close", true],
        ["TZ=UTC ledger close", false],
      ]),
      "Set `TZ=EST` before it.",
      /`TZ est`/,
    ],
    [
      "was never tried, and has a slash but is not a file",
      work([
        ["plan --tz Europe/Paris", true],
        ["plan --tz Europe/Berlin", false],
      ]),
      "Pass `--tz Europe/Rome`.",
      /`--tz europe\/rome`, but no call used it/,
    ],
  ])("is refused if it %s", (_what, entries, line, message) => {
    expect(check(entries, line)).toMatchObject({ code: "unproved_value", message: expect.stringMatching(message) });
    expect(createGrounding({ entries, trigger: "value" })({ prose: [], code: [line] }, "")).toMatchObject({
      code: "unproved_value",
    });
  });

  it.each([
    ["worked", SOLVED, "Run `ledger export --encoding latin1 --out {{file}}`.", ""],
    [
      "was said by the person",
      work([["x --encoding utf8", true]], "Always cp1252, please."),
      "Pass `--encoding cp1252`.",
      "",
    ],
    ["was in the skill before", SOLVED, "For imports pass `--encoding cp1252`.", "Imports take `--encoding cp1252`."],
    ["is to be avoided", SOLVED, "Never pass `--encoding utf8`: it is refused.", ""],
    ["is a placeholder", SOLVED, "Pass `--encoding {{encoding}}` or `--encoding $ENC`.", ""],
    ["belongs to an option that was never tried", SOLVED, "Pass `--basis booking` when you close it.", ""],
    ["belongs to an option that never failed", SOLVED, "Write to `--out b.csv`.", ""],
    [
      "only differs in its figures",
      work([
        ["tail --lines 5 a", true],
        ["tail --lines 7 a", false],
      ]),
      "Begin with `tail --lines 20`.",
      "",
    ],
    [
      "is a file of the task",
      work([
        ["cut --file in/a.csv", true],
        ["cut --file in/b.csv", false],
      ]),
      "Run `cut --file in/c.csv`.",
      "",
    ],
    [
      "failed temporarily",
      work([
        ["ledger export --encoding latin1", true],
        ["ledger export --encoding latin1", false],
      ]),
      "Pass `--encoding cp1252` for old years.",
      "",
    ],
  ])("is kept if it %s", (_what, entries, line, standing) => {
    expect(check(entries, line, standing)).toBeNull();
  });
});

it("in a review of a correction, a value must come from the person or from a successful call", () => {
  const entries = work([["ledger export --encoding utf8", false]], "No: `ledger export` takes `--encoding latin1`.");
  const slip = "For `ledger export` pass `--encoding cp1252`.";
  expect(check(entries, slip)).toBeNull();
  for (const trigger of ["correction", "rating"] as const) {
    expect(check(entries, slip, "", trigger)).toMatchObject({
      code: "unproved_value",
      message: expect.stringMatching(/no call used it and the person did not say it/),
    });
    expect(check(entries, "For `ledger export` pass `--encoding latin1`.", "", trigger)).toBeNull();
    // The turn that was corrected may not be in the range.
    expect(check([user(1, "Take `--encoding latin1`.")], slip, "", trigger)).toMatchObject({ code: "unproved_value" });
  }
});

describe("a positional value that a lesson gives", () => {
  const rendered = work([
    ["mailing render stacked", "mailing render: 'stacked' is not accepted"],
    ["mailing render columnar", false],
  ]);
  /** The same, with a value for each argument. */
  const service = (options: [option: string, failed: boolean][]): Entry[] =>
    options.flatMap(([option, failed], at): Entry[] => {
      const made = call(`c${at}`, "service", { job: "b-12", operation: "mailing send", option });
      return [
        assistant(2 + 2 * at, "", [made]),
        tool(3 + 2 * at, made, { outcome: {}, content: failed ? { said: `'${option}' is unknown` } : {} }, { failed }),
      ];
    });
  const paced = service([
    ["pacing: drip", true],
    ["pacing: burst", false],
  ]);

  it.each([
    [
      "failed",
      rendered,
      "For `mailing render` pass `stacked`.",
      /`mailing render stacked`.*\(entry 3\).*columnar worked/,
    ],
    ["was never tried", rendered, "Run `mailing render fluid`.", /`mailing render fluid`, but no call used it/],
    [
      "is the value of a setting",
      paced,
      "Give `pacing: dusk` when you call `mailing send`.",
      /dusk`, but no call used it/,
    ],
    [
      "is a command",
      work([
        ["git swich main", "git: 'swich' is not a git command"],
        ["git switch main", false],
      ]),
      "Change to it with `git swich main`.",
      /switch worked/,
    ],
    [
      "is the value of a short option",
      work([
        ["pandoc -t docx7 {{file}}", "Unknown output format docx7"],
        ["pandoc -t docx {{file}}", false],
      ]),
      "Write it with `pandoc -t odt7 FILE`.",
      /odt7`, but no call used it/,
    ],
    [
      "was tried, and nothing else worked either",
      work([
        ["mailing render stacked", "unknown layout 'stacked'"],
        ["mailing render fluid", "unknown layout 'fluid'"],
      ]),
      "For `mailing render` pass `fluid`.",
      /what was not solved is not a lesson/,
    ],
  ])("is refused if it %s", (_what, entries, line, message) => {
    expect(check(entries, line)).toMatchObject({ code: "unproved_value", message: expect.stringMatching(message) });
  });

  it.each([
    ["worked", rendered, "For `mailing render` pass `columnar`.", ""],
    ["was said by the person", [...rendered, user(9, "Later we take fluid.")], "Later, `mailing render fluid`.", ""],
    ["was in the skill before", rendered, "Else `mailing render fluid`.", "In June: `mailing render fluid`."],
    ["is to be avoided", rendered, "Do not pass `stacked` to `mailing render`.", ""],
    ["is a placeholder in capitals", rendered, "Run `mailing render LAYOUT`.", ""],
    ["is a file", rendered, "Run `mailing render letter.html`.", ""],
    ["is not in backticks", rendered, "Those who want mailing render fluid have asked for it.", ""],
    ["belongs to another command", rendered, "Run `mailing send fluid`, then `mailing list`.", ""],
    ["is one of two new words", rendered, "Run `mailing render --dry fluid`.", ""],
    [
      "was tried alone",
      work([["mailing render stacked", "'stacked' is not accepted"]]),
      "For `mailing render` pass `fluid`.",
      "",
    ],
    [
      "is an option in the place of a value",
      work([
        ["grep -rn TODO src", ""],
        ["grep -rn FIXME src", false],
      ]),
      "Search with `grep -rn -w src`.",
      "",
    ],
    ["is a placeholder in braces", rendered, "Run `mailing render {{layout}}`.", ""],
    ["is a placeholder in angle brackets", rendered, "Run `mailing render <layout>`.", ""],
    ["is a variable", rendered, "Run `mailing render $LAYOUT` or `mailing render ${layout}`.", ""],
    ["is a placeholder of two words", rendered, "Run `mailing render LAYOUT-NAME`.", ""],
    [
      "worked in a longer call",
      [...rendered, ...work([["mailing render columnar --draft", false]])],
      "Look at it first with `mailing render --draft`.",
      "",
    ],
    [
      "occurs in another command of the sentence",
      [...rendered, ...work([["mailing ls drafts", "not now"]])],
      "Look it up with `mailing drafts`, then run `mailing render LAYOUT`.",
      "",
    ],
    [
      "shares little with a long call",
      work([
        ["load csv clean sort group utf8 sum report", "'utf8' is not accepted"],
        ["load csv clean sort group latin1 sum report", false],
      ]),
      "Begin with `load csv dtype`.",
      "",
    ],
    ["is described as unsupported", rendered, "`mailing render stacked` is unsupported.", ""],
    ["is warned of in French", rendered, "N'utilise jamais `mailing render stacked`.", ""],
    ["is warned of in Spanish", rendered, "Evita `mailing render stacked`.", ""],
    ["is warned of in German", rendered, "`mailing render stacked` ist ungültig.", ""],
    ["is in a table row with its exit code", rendered, "| `mailing render stacked` | exit 2 |", ""],
    [
      "was tried with one more word",
      work([
        ["mailing render stacked --fast", "'stacked' is not accepted"],
        ["mailing render columnar", false],
      ]),
      "For `mailing render` pass `stacked`.",
      "",
    ],
    [
      "failed temporarily",
      work([
        ["mailing render stacked", "'stacked' is not accepted"],
        ["mailing render stacked", false],
      ]),
      "For `mailing render` pass `fluid`.",
      "",
    ],
  ])("is kept if it %s", (_what, entries, line, standing) => {
    expect(check(entries, line, standing)).toBeNull();
  });
});

it("a value in a list of failures does not count as advice", () => {
  const entries = work([
    ["mailing render stacked", "'stacked' is not accepted"],
    ["mailing render columnar", false],
  ]);
  const held = (...prose: string[]) => createGrounding({ entries, trigger: "value" })({ prose, code: [] }, "");
  expect(held("## What fails", "- `mailing render stacked`")).toBeNull();
  expect(held("These were refused:", "- `mailing render stacked`", "1. `mailing render fluid`")).toBeNull();
  expect(held("## What works", "- `mailing render stacked`")).toMatchObject({ code: "unproved_value" });
  expect(held("What fails:", "- `mailing send x`", "Then run `mailing render stacked`.")).toMatchObject({
    code: "unproved_value",
  });
});

it("a value is refused if it failed and another worked, however little the text says of its place", () => {
  const entries = work([
    ["kiln standard 6.003", true],
    ["kiln relaxed 6.003", true],
    ["kiln legacy 6.003", false],
  ]);
  expect(check(entries, "Set `relaxed` on `kiln`.")).toMatchObject({ code: "unproved_value" });
  expect(check(entries, "Set `legacy` on `kiln`.")).toBeNull();
  expect(check(entries, "Set `gentle` on `kiln`.")).toBeNull();
  expect(check(entries, "`relaxed` on `kiln` fails.")).toBeNull();
});

it.each([
  ["the program refused a value by name", "unknown profile 'strict'"],
  ["another value worked", "rc=22 EINVAL"],
])("a value that no call used is refused if %s, even for a command of only two words", (_what, said) => {
  const entries = work([
    ["kiln run strict 6.003", said],
    ["kiln run legacy 6.003", false],
  ]);
  expect(check(entries, "For `kiln run` pass `compact`.")).toMatchObject({ code: "unproved_value" });
  expect(check(entries, "For `kiln run` pass `legacy`.")).toBeNull();
  expect(check(entries, "`kiln` writes `compact` files.")).toBeNull();
});

describe("a lesson is accepted", () => {
  it.each([
    "`--encoding utf8` raises UnicodeDecodeError.",
    "`--encoding utf8` garbles umlauts.",
    "`--encoding utf8` crashes.",
    "`--encoding utf8` returns nothing.",
    "Change `--encoding utf8` to `--encoding latin1`.",
    "Pass `--encoding ENCODING` as the customer says.",
    "Pass `--encoding [encoding]`.",
  ])("that describes what the failed value did, or gives no value: %s", (line) => {
    expect(check(SOLVED, line)).toBeNull();
  });

  it("with a value that worked in a loop or by a variable", () => {
    const entries = work([
      ["ledger export --encoding utf8 --out a.csv", true],
      ["for e in latin1 cp1252; do ledger export --encoding $e --out $e.csv && break; done", false],
    ]);
    expect(check(entries, "Pass `--encoding latin1`.")).toBeNull();
    expect(check(entries, "Pass `--encoding utf8`.")).toMatchObject({ code: "unproved_value" });
  });

  it("with an item of a list that failed where others had worked", () => {
    const entries = work([
      ["pytest -q tests unit", false],
      ["pytest -q tests integration", "1 failed"],
      ["pytest -q tests e2e", false],
    ]);
    expect(check(entries, "Integration tests run with `pytest -q tests integration`.")).toBeNull();
  });
});

it.each([
  "Pass `--encoding utf8` to avoid errors.",
  "Pass `--encoding utf8` instead.",
  "Pass `--encoding cp1252` to avoid errors.",
])("a promise does not prove a value: %s", (line) => {
  expect(check(SOLVED, line)).toMatchObject({ code: "unproved_value" });
});

it.each<[what: string, command: string]>([
  ["only printed", "printf x"],
  ["in a pipe that may have hidden a failure", "ledger export --encoding cp1252 --out a.csv 2>&1 | tail -5"],
])("a value is not proved if it was %s", (_what, command) => {
  const written = call("w", "write_file", { path: "run.sh", content: "ledger export --encoding cp1252" });
  const entries = [
    ...work([
      ["ledger export --encoding utf8 --out a.csv", true],
      ["ledger export --encoding latin1 --out a.csv", false],
      [command, false],
    ]),
    assistant(20, "", [written]),
    tool(21, written, { outcome: {} }),
  ];
  expect(check(entries, "Pass `--encoding cp1252`.")).toMatchObject({ code: "unproved_value" });
});
