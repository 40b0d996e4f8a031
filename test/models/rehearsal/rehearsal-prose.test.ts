// What rehearsal understands of skills that people wrote in their own words.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Advice } from "../../../core/models/rehearsal/conventions.ts";
import { readAdvice } from "../../../core/models/rehearsal/prose/prose.ts";
import { chooseSkills } from "../../../core/models/rehearsal/skill-choice.ts";
import { seeds } from "../../../skills-seed/index.ts";

const FOLDER = join(import.meta.dirname, "../../fixtures/demo/skills");
const read = (name: string) => readFileSync(join(FOLDER, `${name}.md`), "utf8");

/** What each fixture states: separators, decimal mark, thousands, missing, dates, row of units. Some leave things open. */
const STATED: [string, string[], string, string | undefined, string[], string | undefined, boolean?][] = [
  ["office-figures", [";"], ",", ".", ["n/a"], "dmy", true],
  ["legacy-system-output", ["|"], ".", ",", ["-9999"], "dmy", true],
  ["tables-from-the-office", ["\t"], ",", " ", ["n/a"], "dmy", true],
  ["data-file-conventions", ["\t"], ",", "", ["-9999"], "dmy", true],
  ["reading-delimited-exports", [";", "\t", "|"], ",", ".", ["-9999", "n/a"], "dmy", true],
  ["how-we-read-exports", ["|"], ".", "'", ["n/a"], "dmy", true],
  ["monthly-extracts", [";"], ",", "", ["-9999"], "dmy", true],
  ["apostrophes", ["|"], ".", "'", ["n/a"], "dmy"],
  ["awk-example", [";"], ",", ".", ["n/a"], "dmy", true],
  ["chatty", [";"], ",", undefined, ["n/a"], "dmy", true],
  ["cut-and-tail", ["|"], ",", undefined, ["n/a"], undefined, true],
  ["distractors", ["|"], ".", ",", ["n/a"], "dmy", false],
  ["german-locale", [";"], ",", ".", ["-", "–", "—"], "dmy", true],
  ["imperative", [";"], ",", undefined, ["n/a"], "dmy", true],
  ["long-prose", [";"], ",", ".", ["-9999"], "dmy", true],
  ["markdown-table", ["|"], ",", " ", ["n/a"], "dmy", true],
  ["negations", ["\t"], ",", ".", ["-9999"], "dmy", true],
  ["numbered-tab", ["\t"], ".", undefined, ["-9999"], "dmy", true],
  ["one-sentence", ["|"], ",", ".", ["-9999"], "dmy", true],
  ["pandas", ["\t"], ",", ".", ["-9999"], "dmy", true],
  ["questions", ["\t"], ",", ".", ["-9999"], "dmy", true],
  ["spaces", ["\t"], ",", " ", ["-9999"], "dmy"],
  ["stars", [";"], ",", " ", ["-9999"], "dmy", true],
  ["terse-bullets", [";"], ",", ".", ["n/a"], "dmy", true],
  ["labor-instrumente", ["\t"], ",", ".", ["-9999"], "dmy", false],
  ["faq-about-the-hospital-exports", [";"], ",", " ", ["-9999"], "dmy", true],
  ["telemetry-feed", ["|"], ",", " ", ["-9999"], "ymd", false],
  ["r-import", ["\t"], ".", ",", ["n/a"], "ymd", true],
  ["sql-loader", ["|"], ",", ".", ["n/a"], "dmy", true],
  ["read-office-csv-python", [";"], ",", ".", ["n/a"], "dmy", true],
  ["power-station-data", [";"], ",", ".", ["-9999"], "dmy", true],
  ["audit-trail-statements", ["|"], ".", "'", ["-9999"], "ymd", true],
  ["logger-quirks", ["|"], ",", "", ["-9999"], "dmy", false],
  ["swiss-branch-files", ["\t"], ".", "'", ["n/a"], "dmy", true],
  ["treasury-positions", [";"], ",", ".", ["-9999"], "dmy", true],
  ["geneva-donations", ["|"], ".", "'", ["n/a"], "dmy", true],
  ["theatre-box-office", ["\t"], ",", ".", ["n/a"], "dmy"],
  ["survey-dumps", ["|"], ".", "", ["n/a"], "dmy", false],
  ["fleet-costs", [";"], ",", " ", ["-9999"], "dmy", true],
  ["how-numbers-look", ["\t"], ",", " ", ["-9999"], "ymd", false],
  ["things-that-bit-me", ["\t"], ",", "", ["-9999"], "dmy"],
  ["timber-trade-data", ["|"], ",", "", ["-9999"], "ymd", false],
  ["procurement-totals", [";"], ",", " ", ["n/a"], "ymd", true],
  ["container-weights", ["|"], ".", " ", ["-9999"], "dmy", false],
  ["plant-production-data", ["|"], ",", ".", ["n/a"], "dmy", true],
  ["harvest-reports", ["\t"], ",", " ", ["-9999"], "ymd", true],
];

const UNDERSTOOD: Record<string, Advice> = Object.fromEntries(
  STATED.map(([name, separators, decimal, thousands, missing, dates, unitRow]) => [
    name,
    { separators, decimal, thousands, missing, dates, unitRow } as Advice,
  ]),
);

describe("a skill in a person's own words", () => {
  it("has an expectation for each fixture", () => {
    const names = readdirSync(FOLDER).map((name) => name.replace(".md", ""));
    expect(names.sort()).toEqual(Object.keys(UNDERSTOOD).sort());
  });

  it.each(Object.keys(UNDERSTOOD))("%s is understood", (name) => {
    expect(readAdvice(read(name))).toEqual(UNDERSTOOD[name]);
  });

  it.each(Object.keys(UNDERSTOOD))("%s is selected from a list for a question about a table", (name) => {
    const text = read(name);
    const listed = { name: /^name: (.*)$/m.exec(text)![1]!, description: /^description: (.*)$/m.exec(text)![1]! };
    const others = Object.keys(seeds).map((seed) => ({ name: seed, description: describeSeed(seed) }));
    expect(chooseSkills([...others, listed])).toEqual([listed.name]);
  });
});

describe("the advice in a single statement", () => {
  it.each<[string, Advice]>([
    ["Fields are split by tabs.", { separators: ["\t"] }],
    ["The field delimiter is a tab character (`\\t`), never a space.", { separators: ["\t"] }],
    ["It is a TSV file in disguise.", { separators: ["\t"] }],
    ["Cells are separated by `|`.", { separators: ["|"] }],
    ["Use `awk -F'|'`.", { separators: ["|"] }],
    ["Either semicolons or tabs separate the columns; look at the header.", { separators: [";", "\t"] }],
    ["Semicolons instead of commas separate the fields.", { separators: [";"] }],
    ["Separator: ;", { separators: [";"] }],
    ["Decimals are written with a comma, not with a point.", { decimal: "," }],
    ["The decimal point is written as a comma.", { decimal: "," }],
    ["Numbers have a decimal comma.", { decimal: "," }],
    ["A full stop groups thousands while the comma marks decimals.", { decimal: ",", thousands: "." }],
    ["Thousands are separated by an apostrophe.", { thousands: "'" }],
    ["There are spaces between the thousands; remove them.", { thousands: " " }],
    ["`-9999` is a sentinel.", { missing: ["-9999"] }],
    ["Minus 9999 stands for missing.", { missing: ["-9999"] }],
    ["A value of −9999 means that nothing was recorded.", { missing: ["-9999"] }],
    ['Missing values are written as "n/a".', { missing: ["n/a"] }],
    ["The day precedes the month in dates.", { dates: "dmy" }],
    ["Dates are in US order.", { dates: "mdy" }],
    ["Dates follow ISO 8601.", { dates: "ymd" }],
    ["Dates have the year first, then month and day.", { dates: "ymd" }],
    ["Dates give the month, then the day, then the year.", { dates: "mdy" }],
    ["Is there a row of units? No.", { unitRow: false }],
    ["I split on commas. It's tabs. Dates follow ISO 8601.", { separators: ["\t"], dates: "ymd" }],
    ["The second line is already a normal record.", { unitRow: false }],
    ["Convert the numbers: no spaces, and a point in place of the comma.", { decimal: ",", thousands: " " }],
    ["Thousands aren't separated by anything.", { thousands: "" }],
    ["Skip the second line, which names units.", { unitRow: true }],
    ["Data begins on line 3.", { unitRow: true }],
    ["There is no units row in these files.", { unitRow: false }],
    ["Semicolons join two clauses; commas are for lists.", {}],
    ["Write short sentences and answer first.", {}],
    [
      "It writes semicolons between values and puts a comma where English writers put a point.",
      { separators: [";"], decimal: "," },
    ],
    [
      "A dot inside a number only makes big figures easier to read; a comma is the decimal point.",
      { decimal: ",", thousands: "." },
    ],
    [
      "In these files the comma does not separate anything: it belongs to the numbers, as the decimal mark.",
      { decimal: "," },
    ],
    [
      "Fields end with a tab. A comma in a number groups thousands. Decimals use a dot.",
      { separators: ["\t"], decimal: ".", thousands: "," },
    ],
    [
      "Each record's fields are set off by |, not by commas. Dates put the day ahead of the month.",
      { separators: ["|"], dates: "dmy" },
    ],
    ["Marketing sends commas. Ours are not like that. Tabs stand between two columns.", { separators: ["\t"] }],
    [
      "Head office divides fields by semicolons; the branch does not. We use pipes to divide them.",
      { separators: ["|"] },
    ],
    ["Numbers are not grouped and have a decimal comma.", { decimal: ",", thousands: "" }],
    ["Delete the dots, then replace the comma with a dot.", { decimal: ",", thousands: "." }],
    ["Amounts look like 4.250,99.", { decimal: ",", thousands: "." }],
    ["Thousands: `,`. Decimal: `.`.", { decimal: ".", thousands: "," }],
    ["They use ' every three digits and . before the decimals.", { decimal: ".", thousands: "'" }],
    ["A number over 999 has a space in it: get rid of that.", { thousands: " " }],
    ["Tab separated values, dates DMY.", { separators: ["\t"], dates: "dmy" }],
    ["A date like 02/03/2014 is the second of March.", { dates: "dmy" }],
    ["Don't read 04/05/2013 as April.", { dates: "dmy" }],
    ["Which row is odd? The second line. Units. Skip it.", { unitRow: true }],
    ["units_row: false", { unitRow: false }],
    ["```sql\nCOPY t WITH (DELIMITER '|', NULL 'n/a');\n```", { separators: ["|"], missing: ["n/a"] }],
    ["```python\nnext(r)  # names\nnext(r)  # units\n```", { unitRow: true }],
    ["The file has two header lines: names, then units.", { unitRow: true }],
    ["Large amounts carry a thin space every three digits.", { thousands: " " }],
    [
      "Decimal separator `,`; field separator `;`; date format `DD/MM/YYYY`.",
      { separators: [";"], decimal: ",", dates: "dmy" },
    ],
  ])("%s", (text, advice) => {
    expect(readAdvice(text)).toEqual(advice);
  });
});

describe("skills about other subjects", () => {
  it.each([
    ["timing-dinner-courses", "When to fire each course so that a table of eight is served at once."],
    ["writing-release-notes", "How to write release notes that people read: tone, order, what to leave out."],
    ["restoring-database-backups", "Restore a backup of the database into staging and check it."],
    ["reviewing-pull-requests", "Read a change before it is merged: risks, tests, names."],
    ["planning-a-garden", "Which rows of vegetables to plant next to each other, and when."],
    ["punctuation-guide", "When to use a semicolon, a comma or a dash in an essay."],
    ["booking-travel", "Compare dates and fares of trains and hotels and book within the travel policy."],
    ["triaging-bug-reports", "Sort incoming bug reports by severity and ask for missing facts."],
  ])("%s is not loaded", (name, description) => {
    expect(chooseSkills([{ name, description }])).toEqual([]);
  });

  it("include all bundled skills, which are not loaded either", () => {
    expect(chooseSkills(Object.keys(seeds).map((name) => ({ name, description: describeSeed(name) })))).toEqual([]);
  });
});

function describeSeed(name: string): string {
  return /^description: (.*)$/m.exec(seeds[name]!["SKILL.md"]!)![1]!;
}
