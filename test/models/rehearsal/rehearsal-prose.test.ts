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

const UNDERSTOOD: Record<string, Advice> = {
  "office-figures": { separators: [";"], decimal: ",", thousands: ".", missing: ["n/a"], dates: "dmy", unitRow: true },
  "legacy-system-output": {
    separators: ["|"],
    decimal: ".",
    thousands: ",",
    missing: ["-9999"],
    dates: "dmy",
    unitRow: true,
  },
  "tables-from-the-office": {
    separators: ["\t"],
    decimal: ",",
    thousands: " ",
    missing: ["n/a"],
    dates: "dmy",
    unitRow: true,
  },
  "data-file-conventions": {
    separators: ["\t"],
    decimal: ",",
    thousands: "",
    missing: ["-9999"],
    dates: "dmy",
    unitRow: true,
  },
  "reading-delimited-exports": {
    separators: [";", "\t", "|"],
    decimal: ",",
    thousands: ".",
    missing: ["-9999", "n/a"],
    dates: "dmy",
    unitRow: true,
  },
  "how-we-read-exports": {
    separators: ["|"],
    decimal: ".",
    thousands: "'",
    missing: ["n/a"],
    dates: "dmy",
    unitRow: true,
  },
  "monthly-extracts": {
    separators: [";"],
    decimal: ",",
    thousands: "",
    missing: ["-9999"],
    dates: "dmy",
    unitRow: true,
  },
  apostrophes: { separators: ["|"], decimal: ".", thousands: "'", missing: ["n/a"], dates: "dmy" },
  "awk-example": { separators: [";"], decimal: ",", thousands: ".", missing: ["n/a"], dates: "dmy", unitRow: true },
  chatty: { separators: [";"], decimal: ",", missing: ["n/a"], dates: "dmy", unitRow: true },
  "cut-and-tail": { separators: ["|"], decimal: ",", missing: ["n/a"], unitRow: true },
  distractors: { separators: ["|"], decimal: ".", thousands: ",", missing: ["n/a"], dates: "dmy", unitRow: false },
  "german-locale": {
    separators: [";"],
    decimal: ",",
    thousands: ".",
    missing: ["-", "–", "—"],
    dates: "dmy",
    unitRow: true,
  },
  imperative: { separators: [";"], decimal: ",", missing: ["n/a"], dates: "dmy", unitRow: true },
  "long-prose": { separators: [";"], decimal: ",", thousands: ".", missing: ["-9999"], dates: "dmy", unitRow: true },
  "markdown-table": { separators: ["|"], decimal: ",", thousands: " ", missing: ["n/a"], dates: "dmy", unitRow: true },
  negations: { separators: ["\t"], decimal: ",", thousands: ".", missing: ["-9999"], dates: "dmy", unitRow: true },
  "numbered-tab": { separators: ["\t"], decimal: ".", missing: ["-9999"], dates: "dmy", unitRow: true },
  "one-sentence": { separators: ["|"], decimal: ",", thousands: ".", missing: ["-9999"], dates: "dmy", unitRow: true },
  pandas: { separators: ["\t"], decimal: ",", thousands: ".", missing: ["-9999"], dates: "dmy", unitRow: true },
  questions: { separators: ["\t"], decimal: ",", thousands: ".", missing: ["-9999"], dates: "dmy", unitRow: true },
  spaces: { separators: ["\t"], decimal: ",", thousands: " ", missing: ["-9999"], dates: "dmy" },
  stars: { separators: [";"], decimal: ",", thousands: " ", missing: ["-9999"], dates: "dmy", unitRow: true },
  "terse-bullets": { separators: [";"], decimal: ",", thousands: ".", missing: ["n/a"], dates: "dmy", unitRow: true },
  "labor-instrumente": {
    separators: ["\t"],
    decimal: ",",
    thousands: ".",
    missing: ["-9999"],
    dates: "dmy",
    unitRow: false,
  },
  "faq-about-the-hospital-exports": {
    separators: [";"],
    decimal: ",",
    thousands: " ",
    missing: ["-9999"],
    dates: "dmy",
    unitRow: true,
  },
  "telemetry-feed": {
    separators: ["|"],
    decimal: ",",
    thousands: " ",
    missing: ["-9999"],
    dates: "ymd",
    unitRow: false,
  },
  "r-import": { separators: ["\t"], decimal: ".", thousands: ",", missing: ["n/a"], dates: "ymd", unitRow: true },
  "sql-loader": { separators: ["|"], decimal: ",", thousands: ".", missing: ["n/a"], dates: "dmy", unitRow: true },
  "read-office-csv-python": {
    separators: [";"],
    decimal: ",",
    thousands: ".",
    missing: ["n/a"],
    dates: "dmy",
    unitRow: true,
  },
  "power-station-data": {
    separators: [";"],
    decimal: ",",
    thousands: ".",
    missing: ["-9999"],
    dates: "dmy",
    unitRow: true,
  },
  "audit-trail-statements": {
    separators: ["|"],
    decimal: ".",
    thousands: "'",
    missing: ["-9999"],
    dates: "ymd",
    unitRow: true,
  },
  "logger-quirks": { separators: ["|"], decimal: ",", thousands: "", missing: ["-9999"], dates: "dmy", unitRow: false },
  "swiss-branch-files": {
    separators: ["\t"],
    decimal: ".",
    thousands: "'",
    missing: ["n/a"],
    dates: "dmy",
    unitRow: true,
  },
  "treasury-positions": {
    separators: [";"],
    decimal: ",",
    thousands: ".",
    missing: ["-9999"],
    dates: "dmy",
    unitRow: true,
  },
  "geneva-donations": {
    separators: ["|"],
    decimal: ".",
    thousands: "'",
    missing: ["n/a"],
    dates: "dmy",
    unitRow: true,
  },
  "theatre-box-office": { separators: ["\t"], decimal: ",", thousands: ".", missing: ["n/a"], dates: "dmy" },
  "survey-dumps": { separators: ["|"], decimal: ".", thousands: "", missing: ["n/a"], dates: "dmy", unitRow: false },
  "fleet-costs": { separators: [";"], decimal: ",", thousands: " ", missing: ["-9999"], dates: "dmy", unitRow: true },
  "how-numbers-look": {
    separators: ["\t"],
    decimal: ",",
    thousands: " ",
    missing: ["-9999"],
    dates: "ymd",
    unitRow: false,
  },
  "things-that-bit-me": { separators: ["\t"], decimal: ",", thousands: "", missing: ["-9999"], dates: "dmy" },
  "timber-trade-data": {
    separators: ["|"],
    decimal: ",",
    thousands: "",
    missing: ["-9999"],
    dates: "ymd",
    unitRow: false,
  },
  "procurement-totals": {
    separators: [";"],
    decimal: ",",
    thousands: " ",
    missing: ["n/a"],
    dates: "ymd",
    unitRow: true,
  },
  "container-weights": {
    separators: ["|"],
    decimal: ".",
    thousands: " ",
    missing: ["-9999"],
    dates: "dmy",
    unitRow: false,
  },
  "plant-production-data": {
    separators: ["|"],
    decimal: ",",
    thousands: ".",
    missing: ["n/a"],
    dates: "dmy",
    unitRow: true,
  },
  "harvest-reports": {
    separators: ["\t"],
    decimal: ",",
    thousands: " ",
    missing: ["-9999"],
    dates: "ymd",
    unitRow: true,
  },
};

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
