// A task of the demo as a report that needs eight tools: the files in the workspace, the words of the person, and how the result is judged.
import { isCorrect } from "./answers.ts";
import { type Conventions, exportTable } from "./conventions.ts";
import type { Task } from "./tasks.ts";

/** Into how many files the table is cut. */
const PARTS = 3;
const REPORT = "report.md";
const PARTS_TABLE = "parts.csv";
const PLACEHOLDER = "FIGURE";

/** What the report contains, as the person says it. */
export function describeAgreement({ column, filter, places }: Task): string {
  const rows = filter ? `only rows where \`${filter.column}\` is \`${filter.value}\`` : "all rows";
  return `Note for later: the report on \`${column}\` takes ${rows}, and has ${places} decimals.`;
}

export function describeReport({ aggregate, column }: Task): string {
  return (
    `The folder \`exports/\` holds one table in parts, as our office exports it. Work out the ${aggregate} of \`${column}\` ` +
    `over all parts, for the rows that we agreed on for this report. Put it into \`${REPORT}\` where it says \`${PLACEHOLDER}\`, ` +
    `and list the parts with their numbers of rows in \`${PARTS_TABLE}\`.`
  );
}

/** The texts of the files by path: the parts of the table, and the report without its figure. */
export function toReportFiles({ table, aggregate, column }: Task, conventions: Conventions): Record<string, string> {
  const size = Math.ceil(table.cells.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, i) => {
    const cells = table.cells.slice(i * size, (i + 1) * size);
    return [`exports/${i + 1}-${table.file}`, exportTable({ ...table, cells }, conventions)];
  });
  return { ...Object.fromEntries(parts), [REPORT]: `# Report\n\nThe ${aggregate} of ${column}: ${PLACEHOLDER}\n` };
}

/** Whether the answer and both files say what they should. `files`: the texts by path. */
export function isReportCorrect(answer: string, files: Record<string, string>, task: Task): boolean {
  const report = files[REPORT] ?? PLACEHOLDER;
  const [, ...lines] = (files[PARTS_TABLE] ?? "").trim().split("\n");
  const rows = lines.reduce((sum, line) => sum + Number(line.split(",")[1]), 0);
  const isListed = lines.length === PARTS && rows === task.table.cells.length;
  return isCorrect(answer, task) && isListed && !report.includes(PLACEHOLDER) && isCorrect(report, task);
}
