// Distils a lesson from a transcript: compares the first reading of a delimited file with the one that held, and says in
// plain advice what had to change. Whatever it writes is for a stranger: no name, figure or date of the session. Pure.
import type { Mark } from "./conventions.ts";
import { readAdvice } from "./prose.ts";
import type { SeenCall, Transcript } from "./transcript.ts";

/** One thing that had to be found out. */
export interface Finding {
  part: "separators" | "unitRow" | "decimal" | "thousands" | "missing" | "dates";
  step: string;
  pitfall: string;
}
export interface TableLesson {
  findings: Finding[];
  citations: string[];
}

export const SKILL_NAME = "reading-office-data-exports";
export const SKILL_CATEGORY = "data";
export const MEMORY_FACT =
  "The data files this person works with are exports of an office system and do not follow the conventions of plain CSV.";

/** `null` when nothing failed, nothing recovered, or the work was no reading of a delimited file. */
export function distil(transcript: Transcript): TableLesson | null {
  const runs = transcript.calls
    .filter((call) => call.tool === "terminal")
    .map((call) => ({ call, options: readOptions(String(call.args.command ?? "")) }))
    .filter((run) => run.options !== null) as { call: SeenCall; options: Options }[];
  const failed = runs.filter(({ call }) => call.failed);
  const succeeded = runs.filter(({ call }) => !call.failed);
  const last = succeeded.at(-1);
  if (failed.length === 0 || !last || runs.indexOf(last) < runs.indexOf(failed[0]!)) return null;
  const findings = compare(runs[0]!.options, last.options);
  if (findings.length === 0) return null;
  const cited = [...failed, ...succeeded.slice(-2)].map(({ call }) => call.citation);
  const asked = transcript.principal.map(({ citation }) => citation).slice(-1);
  return { findings, citations: [...new Set([...asked, ...cited])] };
}

/** The whole SKILL.md. */
export function toSkill({ findings }: TableLesson, name = SKILL_NAME): string {
  const steps = findings.map(({ step }, i) => `${i + 1}. ${step}`);
  return `---
name: ${name}
description: How to work out a figure (a mean, a total, a smallest or largest value) from a delimited data file exported by an office system. Load it before reading such a table, because its separator, its numbers and its codes are not those of plain CSV.
---

# Reading office data exports

## When to use

A task asks for a figure from a text file of rows and columns that an office system has exported, over all rows or only some of them.

## Steps

${steps.join("\n")}
${steps.length + 1}. Do all of this in one awk command that stops at the first cell it cannot read, and print the figure together with the number of rows it rests on.

## Pitfalls

${findings.map(({ pitfall }) => `- ${pitfall}`).join("\n")}

## Verify

Let the same command print the smallest and the largest value of the column. A value at either end that repeats and lies far from the rest is a code, not a measurement. Compare the number of rows used with what the selection should hold.
`;
}

/** The findings that a text does not yet give, for a skill that exists. */
export function missingFrom(text: string, { findings }: TableLesson): Finding[] {
  const known = readAdvice(text);
  return findings.filter((finding) => {
    const taught = readAdvice(finding.step);
    if (finding.part === "missing") return (taught.missing ?? []).some((token) => !known.missing?.includes(token));
    return JSON.stringify(taught[finding.part]) !== JSON.stringify(known[finding.part]);
  });
}

type Options = Record<string, string>;

/** The options of an awk command: the separator and what is assigned before the program begins. */
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

function compare(first: Options, last: Options): Finding[] {
  const changed = (name: string) => last[name] !== undefined && last[name] !== first[name];
  const findings: Finding[] = [];
  if (changed("F")) findings.push(separatorFinding(last.F!));
  if (changed("units")) findings.push(UNITS);
  if (changed("decimal")) findings.push(decimalFinding(last.decimal!));
  if (changed("thousands")) findings.push(groupFinding(last.thousands!));
  if (changed("missing")) findings.push(missingFinding(last.missing!.split("|")));
  if (changed("dates")) findings.push(dateFinding(last.dates!));
  return findings;
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

function separatorFinding(option: string): Finding {
  const mark = (option === "\\t" ? "\t" : option) as Mark;
  const name = NAMES[mark] ?? `\`${option}\``;
  return {
    part: "separators",
    step: `Split the fields at the ${name} (in awk: \`-F'${option}'\`), whatever the ending of the file's name suggests.`,
    pitfall:
      "A wrong separator leaves the header in one piece, so that no column is found: look at the header before anything else.",
  };
}

const UNITS: Finding = {
  part: "unitRow",
  step: "Skip the second line: below the header stands a row of units, which is not data.",
  pitfall: "The row of units has words where numbers are due, and would be counted as a row.",
};

function decimalFinding(mark: string): Finding {
  const [name, example] = mark === "," ? ["comma", "3,14"] : ["point", "3.14"];
  return {
    part: "decimal",
    step: `Read the ${name} as the decimal mark: \`${example}\`. Put it into the form awk computes with before adding anything up.`,
    pitfall:
      "awk stops reading a number at a mark it does not know and goes on without an error, so the sum is wrong in silence.",
  };
}

function groupFinding(mark: string): Finding {
  const name = NAMES[mark as Mark] ?? mark;
  return {
    part: "thousands",
    step: `Remove the ${name} that groups thousands: \`1${mark}234\` is one number, of four digits.`,
    pitfall: "A grouped number read without care comes out a thousand times too small.",
  };
}

function missingFinding(tokens: string[]): Finding {
  const list = tokens.map((token) => `\`${token}\``).join(" or ");
  return {
    part: "missing",
    step: `Leave out cells that hold ${list}: they stand for a missing value, and so does an empty cell.`,
    pitfall:
      "A code for a missing value may look like a number and then pulls every sum and mean away without an error.",
  };
}

function dateFinding(order: string): Finding {
  const [words, form] = order === "dmy" ? ["day first", "day, month, year"] : ["month first", "month, day, year"];
  return {
    part: "dates",
    step: `Read dates with the ${words}: ${form}.`,
    pitfall:
      "Dates in another order pass unnoticed while both numbers are small; a number above twelve tells which is which.",
  };
}
