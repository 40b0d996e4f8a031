// The skill that a person who knows the office would write for the tasks of bench:real. It describes the files' format and a command
// that reads them. It must not contain facts about a particular file or an answer.
import type { Conventions } from "../../scripts/demo/conventions.ts";

export const SKILL_NAME = "reading-office-exports";

const SEPARATOR_WORDS = { ";": "a semicolon", "\t": "a tab", "|": "a pipe" };
const SEPARATOR_FLAGS = { ";": "';'", "\t": "'\\t'", "|": "'|'" };
const DATE_TESTS: Record<Conventions["dates"], string> = {
  "YYYY-MM-DD": "$D ~ /^2012-03/",
  "DD/MM/YYYY": "$D ~ /\\/03\\/2012$/",
  "DD.MM.YYYY": "$D ~ /\\.03\\.2012$/",
};

export function writeSkillByHand(conventions: Conventions): string {
  const { separator, decimal, thousands, missing, dates, unitRow } = conventions;
  // A literal apostrophe would end the shell quotes around the awk program.
  const strip = thousands === "" ? "" : `gsub(/[${thousands === "'" ? "\\047" : thousands}]/, "", v); `;
  const point = decimal === "," ? `sub(/,/, ".", v); ` : "";
  return `---
name: ${SKILL_NAME}
description: Mean, total, largest or smallest value of a column in a table the office exported (.csv), also for some rows only.
---

# Reading the office's exports

## Steps

1. Run \`head -n 3 FILE\`. Fields are separated by ${SEPARATOR_WORDS[separator]}. Count to find the number C of the wanted column.
2. Run one command, with C and FILE put in:

   awk -F${SEPARATOR_FLAGS[separator]} 'NR > ${unitRow ? 2 : 1} { v = $C; if (v == "" || v == "${missing || "n/a"}") next; ${strip}${point}v += 0; if (n == 0 || v > hi) hi = v; if (n == 0 || v < lo) lo = v; n++; s += v } END { printf "n %d mean %.6f total %.6f largest %.6f smallest %.6f\\n", n, s / n, s, hi, lo }' FILE

3. For some rows only, put a test before the braces: \`NR > ${unitRow ? 2 : 1} && $D == "word"\`, or for March 2012 \`NR > ${unitRow ? 2 : 1} && ${DATE_TESTS[dates]}\`.
4. Answer with the figure, rounded as asked.

## Pitfalls

- ${unitRow ? "Line 2 holds units and is no data." : "Data begins in line 2."}
- The decimal mark is a ${decimal === "," ? "comma" : "point"}${thousands === "" ? "" : `, thousands are grouped by "${thousands}"`}; dates are ${dates}.
- \`${missing || "n/a"}\` and an empty field mean that the value is missing: leave it out.
`;
}
