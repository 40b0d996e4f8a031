// Realistic sessions of ten steps, with outputs of real length, and the conversations in which a reviewer keeps their lessons.
// Used to measure what a review costs in tokens.
import type { ModelRequest } from "../../../core/agent/contract.ts";
import type { Entry, JsonObject } from "../../../core/schemas/entry.ts";
import type { Observation } from "../../../core/schemas/learning/learning.ts";
import { estimateTokens } from "../../../core/tokens.ts";
import { assistant, call, observation, tool, user } from "../../learning/sample.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";

const row = (n: number) => `2026-0${1 + (n % 9)}-1${n % 10};station-${n};${(n * 37) % 90},${n % 10};${n * 13};ok`;
const TABLE = ["day;station;level;flow;state", ...Array.from({ length: 24 }, (_, n) => row(n))].join("\n");
const HELP = Array.from(
  { length: 18 },
  (_, n) =>
    `  --option-${n} VALUE   sets what step ${n} of the import does with a field that it cannot read (default: keep)`,
).join("\n");
const TRACE = Array.from(
  { length: 8 },
  (_, n) => `  File "import.py", line ${40 + n}, in step_${n}\n    self.parse(row)`,
).join("\n");

/** Each command, its output, and whether it failed. */
const STEPS: [command: string, stdout: string, failed: boolean][] = [
  [
    "ls -la",
    `${Array.from({ length: 20 }, (_, n) => `-rw-r--r-- 1 me me ${n * 911} levels-${n}.csv`).join("\n")}`,
    false,
  ],
  ["head -25 levels.csv", TABLE, false],
  [
    "python3 import.py levels.csv --table levels",
    `Traceback (most recent call last):\n${TRACE}\nValueError: could not convert '12,4'`,
    true,
  ],
  ["python3 import.py --help", HELP, false],
  [
    "python3 import.py levels.csv --table levels --decimal point",
    `Traceback:\n${TRACE}\nValueError: could not convert '12,4'`,
    true,
  ],
  [
    "python3 import.py levels.csv --table levels --decimal comma --separator ','",
    "error: 1 column found, 5 expected",
    true,
  ],
  ["python3 import.py levels.csv --table levels --decimal comma --separator ';'", "imported 24 rows", false],
  ["sqlite3 db 'select count(*), avg(level) from levels'", "24|43.1", false],
  ["awk -F';' 'NR>1{gsub(\",\",\".\",$3); s+=$3; n++} END{print s/n}' levels.csv", "43.1", false],
  ["git diff --stat", Array.from({ length: 12 }, (_, n) => ` data/part-${n}.csv | ${n * 3} ++++---`).join("\n"), false],
];

export function tenSteps(): Entry[] {
  const steps = STEPS.flatMap(([command, stdout, failed], n): Entry[] => {
    const made = call(`c${n}`, "terminal", { command });
    const parts = {
      outcome: { exit_code: failed ? 1 : 0, ms: 120 + n },
      content: { stdout: failed ? "" : stdout, stderr: failed ? stdout : "" },
    };
    return [
      assistant(2 + 2 * n, `Step ${n + 1}: I look at what the last output says before I go on with the import.`, [
        made,
      ]),
      tool(3 + 2 * n, made, parts, { failed }),
    ];
  });
  return [
    user(
      1,
      "Import levels.csv into the table levels of our database and tell me the mean level. It is the export of the water office.",
    ),
    ...steps,
    assistant(
      22,
      "The 24 rows are in the table `levels`. The mean level is 43.1, and awk over the file says the same.",
    ),
  ];
}

export function seenIn(loaded: Observation["loaded"] = []): Observation {
  const request = "Import levels.csv into the table levels of our database and tell me the mean level.";
  return observation({
    request,
    steps: 11,
    toolCalls: 10,
    failedCalls: 3,
    recoveries: [{ failed: 13, succeeded: 15 }],
    loaded,
  });
}

export const IMPORTING = "importing-delimited-exports";

export function importingSkill(name = IMPORTING): string {
  return `---
name: ${name}
description: Importing delimited text files of offices into database tables, with their separators and decimal marks. Load it before an import.
---

# Importing delimited exports

## When to use

When a text file of rows and columns is to be put into a table, or figures of it are asked for.

## Steps

1. Look at the header and the first rows: \`head -5 {{file}}\`. Note the separator and the decimal mark.
2. Import with both named: \`python3 import.py {{file}} --table {{table}} --decimal comma --separator ';'\`.
3. Compare the number of rows with \`wc -l {{file}}\` less the header.

## Pitfalls

- Name the separator, because the default is the comma and leaves one column.
- Name the decimal mark, because numbers with a comma are refused.

## Verify

Compute one figure of the table by another way, such as awk over the file, and compare.
`;
}

const CITED = ["13#outcome", "15#outcome"];
const manage = (args: JsonObject) => ({ name: "skill_manage", args: { ...args, citations: CITED } });
const create = manage({ action: "create", name: IMPORTING, content: importingSkill(), category: "data" });
const patch = (name: string) =>
  manage({
    action: "patch",
    name,
    old_string: "- Name the decimal mark, because numbers with a comma are refused.",
    new_string:
      "- Name the decimal mark, because numbers with a comma are refused.\n- Read `--help` before the second try, because it names both options.",
  });
const remember = {
  name: "memory",
  args: {
    action: "add",
    store: "memory",
    content: "The water office's exports are separated by semicolons and have decimal commas.",
    citations: ["1#principal", ...CITED],
  },
};
const CLOSING = { text: "Kept how such files are imported: the separator and the decimal mark have to be named." };
const search = { name: "skills_list", args: { query: "import delimited text file into a database table" } };
const view = (name: string) => ({ name: "skill_view", args: { name } });

/** Keyed by what the reviewer does. `loaded`: the work had loaded the skill; `exists`: it is in the library. */
export const REVIEWS: Record<string, { lines: ScriptLine[]; exists: boolean; loaded: boolean }> = {
  "creates a skill": { lines: [{ calls: [create] }, CLOSING], exists: false, loaded: false },
  "creates a skill and keeps a fact, a call an answer": {
    lines: [{ calls: [create] }, { calls: [remember] }, CLOSING],
    exists: false,
    loaded: false,
  },
  "patches the skill that was loaded": {
    lines: [{ calls: [patch(IMPORTING), remember] }, CLOSING],
    exists: true,
    loaded: true,
  },
  "reads a skill and patches it": {
    lines: [{ calls: [view(IMPORTING)] }, { calls: [patch(IMPORTING)] }, CLOSING],
    exists: true,
    loaded: false,
  },
  "searches, reads and patches": {
    lines: [{ calls: [search] }, { calls: [view(IMPORTING)] }, { calls: [patch(IMPORTING)] }, CLOSING],
    exists: true,
    loaded: false,
  },
  "keeps nothing": { lines: [{ text: "Nothing worth keeping." }], exists: true, loaded: true },
};

/** An estimate of the tokens that a provider would read. */
export function tokensOf({ system, tools, messages }: Pick<ModelRequest, "system" | "tools" | "messages">): number {
  const said = messages.map(
    (message) => `${message.text}${message.role === "assistant" ? JSON.stringify(message.calls) : ""}`,
  );
  return estimateTokens([system, JSON.stringify(tools), ...said].join("\n"));
}
