// Distils a lesson from a transcript: compares the first reading of a delimited file with the one that worked, and writes advice on
// what had to change. Called by reviewer.ts. Must not write any name, figure or date of the session. Pure.
import type { Mark } from "./conventions.ts";
import { readAdvice } from "./prose/prose.ts";
import type { SeenCall, Transcript } from "./transcript.ts";

/** One thing that had to be found out. */
export interface Finding {
  part: "separators" | "unitRow" | "decimal" | "thousands" | "missing" | "dates";
  /** A property of such files, such as "semicolons between the fields". */
  trait: string;
  /** A name for skills about it. */
  name: string;
  step: string;
  pitfalls: string[];
}
export interface TableLesson {
  findings: Finding[];
  /** The requested figure, such as "a mean". */
  figure: string;
  /** A number among the extremes turned out to be a code for a missing value. */
  codeAtExtreme: boolean;
  /** Several files were read as the findings describe. */
  severalFiles: boolean;
  citations: string[];
}

export const SKILL_CATEGORY = "data";
/** Matches the text of `toFact`, about one file or several. */
export const MEMORY_FACT = /delimited files? this person work(?:s|ed) with differs? from plain CSV/;

/** `null` unless a reading of a delimited file failed and a later one worked. */
export function distil(transcript: Transcript): TableLesson | null {
  const runs = transcript.calls
    .filter((call) => call.tool === "terminal")
    .map((call) => ({ call, options: readOptions(String(call.args.command ?? "")) }))
    .filter((run) => run.options !== null) as Run[];
  const failed = runs.filter(({ call }) => call.failed);
  const succeeded = runs.filter(({ call }) => !call.failed);
  const last = succeeded.at(-1);
  if (failed.length === 0 || !last || runs.indexOf(last) < runs.indexOf(failed[0]!)) return null;
  const codes = readMissingCodes(last).filter((code) => !readMissingCodes(runs[0]!).includes(code));
  const codeAtExtreme = succeeded.some(
    (run) => run.options.extremes && codes.some((code) => isNumeric(code) && !readMissingCodes(run).includes(code)),
  );
  const codeIsWord = codes.some((code) => !isNumeric(code));
  const emptyCells = succeeded.some(({ call }) => /\bempty: [1-9]/.test(String(call.result.stdout)));
  const changes = READING.filter((name) => last.options[name] && last.options[name] !== runs[0]!.options[name]);
  const findings = changes.map((name) =>
    name === "missing"
      ? missingFinding(readMissingCodes(last), { codeAtExtreme, codeIsWord, emptyCells })
      : FINDING_BY_OPTION[name](last.options[name]!),
  );
  if (findings.length === 0) return null;
  const sameReading = succeeded.filter(({ options }) => changes.every((name) => options[name] === last.options[name]));
  const severalFiles = new Set(sameReading.map(readFileName)).size > 1;
  const cited = [...failed, ...succeeded.slice(-2)].map(({ call }) => call.citation);
  const asked = transcript.principal.map(({ citation }) => citation).slice(-1);
  const figure = FIGURES[last.options.aggregate ?? ""] ?? "a value";
  return { findings, figure, codeAtExtreme, severalFiles, citations: [...new Set([...asked, ...cited])] };
}

interface Run {
  call: SeenCall;
  options: Options;
}

function readMissingCodes({ options }: Run): string[] {
  return options.missing?.split("|") ?? [];
}

function isNumeric(code: string): boolean {
  return code !== "" && !Number.isNaN(Number(code));
}

/** The command's last word. */
function readFileName({ call }: Run): string {
  return String(call.args.command).trim().split(" ").at(-1)!;
}

const FIGURES: Record<string, string> = {
  mean: "a mean",
  sum: "a total",
  min: "a smallest value",
  max: "a largest value",
  count: "a number of rows",
};

/** The name of the first finding. */
export function toSkillName({ findings }: TableLesson): string {
  return findings[0]!.name;
}

/** The whole SKILL.md. It says only what the transcript has shown about such files. */
export function toSkill(lesson: TableLesson, name = toSkillName(lesson)): string {
  const { findings, figure, codeAtExtreme } = lesson;
  const code = codeAtExtreme
    ? " A value at either end that lies far from the rest may be a code, not a measurement."
    : "";
  const steps = findings.map(({ step }, i) => `${i + 1}. ${step}`);
  const traits = joinWords(findings.map(({ trait }) => trait));
  const title = toSkillName(lesson).replaceAll("-", " ");
  return `---
name: ${name}
description: How to work out a figure such as ${figure} from a delimited text file with ${traits}. Load it before reading such a table, because a reader of plain CSV gets it wrong.
---

# ${title[0]!.toUpperCase()}${title.slice(1)}

## When to use

A task asks for a figure from a text file of rows and columns, over all rows or only some of them.

## Steps

${steps.join("\n")}
${steps.length + 1}. Do all of this in one awk command that stops at the first cell it cannot read, and print the figure together with the number of rows it rests on.

## Pitfalls

${findings.flatMap(({ pitfalls }) => pitfalls.map((pitfall) => `- ${pitfall}`)).join("\n")}

## Verify

Let the same command print the smallest and the largest value of the column.${code} Compare the number of rows used with what the selection should hold.
`;
}

/** The memory entry: in what respects the files differ from plain CSV. How they differ belongs in the skill. */
export function toFact({ findings, severalFiles }: TableLesson): string {
  const subject = severalFiles
    ? "The delimited files this person works with differ"
    : "A delimited file this person worked with differs";
  return `${subject} from plain CSV in ${joinWords([...new Set(findings.map(({ part }) => ASPECTS[part]))])}.`;
}

const ASPECTS: Record<Finding["part"], string> = {
  separators: "the separator",
  unitRow: "what comes below the header",
  decimal: "the way numbers are written",
  thousands: "the way numbers are written",
  missing: "what is written for a missing value",
  dates: "the way dates are written",
};

function joinWords(items: string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)!}`;
}

/** The findings that the text of an existing skill lacks. */
export function findNewFindings(text: string, { findings }: TableLesson): Finding[] {
  const known = readAdvice(text);
  return findings.filter((finding) => {
    const taught = readAdvice(finding.step);
    if (finding.part === "missing") return (taught.missing ?? []).some((token) => !known.missing?.includes(token));
    return JSON.stringify(taught[finding.part]) !== JSON.stringify(known[finding.part]);
  });
}

/** A line whose only statement contradicts a finding, and the trait as that line names it. */
export interface Contradiction {
  line: string;
  trait: string;
  finding: Finding;
}

/** The lines that the file has proved wrong. Separators and codes are left out: several can be right. */
export function findContradictions(text: string, findings: Finding[]): Contradiction[] {
  const lines = text.split("\n").map((line) => ({ line, said: readAdvice(line) }));
  return findings.flatMap((finding) => {
    const { part } = finding;
    if (part !== "decimal" && part !== "thousands" && part !== "dates") return [];
    const taught = readAdvice(finding.step)[part];
    const found = lines.find(
      ({ said }) => Object.keys(said).length === 1 && said[part] !== undefined && said[part] !== taught,
    );
    if (!found || text.split(found.line).length !== 2) return [];
    return [{ line: found.line, trait: FINDING_BY_PART[part](found.said[part]!).trait, finding }];
  });
}

const FINDING_BY_PART = { decimal: decimalFinding, thousands: groupFinding, dates: dateFinding };

type Options = Record<string, string>;

/** The options of an awk command: the separator and the variables set with `-v`. */
function readOptions(command: string): Options | null {
  if (!/(^|[|;&]\s*)awk\b/.test(command)) return null;
  const options: Options = {};
  const words = /\s-(F|v)\s*('(?:[^']|'\\'')*'|"[^"]*"|[^\s'"]*(?:'(?:[^']|'\\'')*'|"[^"]*")?)/g;
  for (const match of command.matchAll(words)) {
    const value = match[2]!.replaceAll("'\\''", "\u0001").replace(/['"]/g, "").replaceAll("\u0001", "'");
    if (match[1] === "F") options.F ??= value;
    else if (value.includes("=")) options[value.slice(0, value.indexOf("="))] ??= value.slice(value.indexOf("=") + 1);
  }
  return options.F === undefined ? null : options;
}

const NAMES: Record<Mark, string> = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
  "|": "pipe",
  ".": "point",
  " ": "space",
  "'": "apostrophe",
};

const MARKS: Partial<Record<Mark, string>> = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes" };

function separatorFinding(option: string): Finding {
  const mark = (option === "\\t" ? "\t" : option) as Mark;
  const name = NAMES[mark] ?? `\`${option}\``;
  return {
    part: "separators",
    trait: `${MARKS[mark] ?? `\`${option}\``} between the fields`,
    name: mark === "," ? "reading-comma-separated-tables" : `reading-${name}-separated-tables`,
    step: `Split the fields at the ${name} (in awk: \`-F'${option}'\`), whatever the ending of the file's name suggests.`,
    pitfalls: [
      "A wrong separator leaves the header in one piece, so that no column is found: look at the header before anything else.",
    ],
  };
}

const UNITS: Finding = {
  part: "unitRow",
  trait: "a row of units below the header",
  name: "reading-tables-with-a-unit-row",
  step: "Skip the second line: below the header stands a row of units, which is not data.",
  pitfalls: ["The row of units has words where numbers are due, and would be counted as a row."],
};

function decimalFinding(mark: string): Finding {
  const [name, example] = mark === "," ? ["comma", "3,14"] : ["point", "3.14"];
  return {
    part: "decimal",
    trait: `decimal ${name}s`,
    name: `reading-tables-with-decimal-${name}s`,
    step: `Read the ${name} as the decimal mark: \`${example}\`. Put it into the form awk computes with before adding anything up.`,
    pitfalls: [
      "awk stops reading a number at a mark it does not know and goes on without an error, so the sum is wrong in silence.",
    ],
  };
}

function groupFinding(mark: string): Finding {
  const name = NAMES[mark as Mark] ?? mark;
  return {
    part: "thousands",
    trait: `thousands grouped by ${name}s`,
    name: "reading-tables-with-grouped-thousands",
    step: `Remove the ${name} that groups thousands: \`1${mark}234\` is one number, of four digits.`,
    pitfalls: ["A grouped number read without care comes out a thousand times too small."],
  };
}

function missingFinding(
  tokens: string[],
  seen: { codeAtExtreme: boolean; codeIsWord: boolean; emptyCells: boolean },
): Finding {
  const list = tokens.map((token) => `\`${token}\``).join(" or ");
  const pitfalls = [];
  if (seen.codeIsWord)
    pitfalls.push("A reader that expects a number stops at a word, although the rows after it are fine.");
  if (seen.codeAtExtreme)
    pitfalls.push(
      "A code for a missing value may look like a number and then pulls every sum and mean away without an error.",
    );
  return {
    part: "missing",
    trait: "codes for missing values",
    name: "reading-tables-with-missing-values",
    step: `Leave out cells that hold ${list}: they stand for a missing value${seen.emptyCells ? ", and so does an empty cell" : ""}.`,
    pitfalls,
  };
}

function dateFinding(order: string): Finding {
  const [words, form] = order === "dmy" ? ["day first", "day, month, year"] : ["month first", "month, day, year"];
  return {
    part: "dates",
    trait: `dates with the ${words}`,
    name: `reading-tables-with-${words.replace(" ", "-")}-dates`,
    step: `Read dates with the ${words}: ${form}.`,
    pitfalls: [
      "Dates in another order pass unnoticed while both numbers are small; a number above twelve tells which is which.",
    ],
  };
}

/** The options that set how a file is read, in the order of a skill's steps. */
const READING = ["F", "units", "decimal", "thousands", "missing", "dates"] as const;
const FINDING_BY_OPTION = {
  F: separatorFinding,
  units: () => UNITS,
  decimal: decimalFinding,
  thousands: groupFinding,
  dates: dateFinding,
};
