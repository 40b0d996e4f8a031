// Tables as aligned columns, for flavours without tables, and as Markdown. Pure.
import { type Body, type Run, plainText } from "./pieces.ts";

type Table = Extract<Body, { kind: "table" }>;

export function alignTable({ header, rows, align }: Table): string {
  const cells = [header, ...rows].map((row) => row.map((runs) => plainText(runs).replaceAll("\n", " ")));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ""))));
  const write = (row: readonly string[]) =>
    widths
      .map((width, column) => pad(row[column] ?? "", width, align[column] ?? null))
      .join("  ")
      .trimEnd();
  const [first, ...others] = cells.map(write);
  return [first, widths.map((width) => "─".repeat(width)).join("  "), ...others].join("\n");
}

export function writeMarkdownTable({ header, rows, align }: Table, write: (runs: readonly Run[]) => string): string {
  const line = (row: readonly (readonly Run[])[]) =>
    `| ${row
      .map((runs) =>
        write(runs)
          .replaceAll("\n", " ")
          .replaceAll(/(?<!\\)\|/g, "\\|"),
      )
      .join(" | ")} |`;
  const marks = { left: ":--", center: ":-:", right: "--:" };
  const rule = `| ${align.map((one) => (one === null ? "---" : marks[one])).join(" | ")} |`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

function pad(text: string, width: number, align: Table["align"][number]): string {
  const missing = width - widthOf(text);
  const left = align === "right" ? missing : align === "center" ? Math.floor(missing / 2) : 0;
  return " ".repeat(left) + text + " ".repeat(missing - left);
}

/** Columns of a fixed-width font: East Asian characters and emoji take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width +=
      /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1FAFF}]/u.test(
        character,
      )
        ? 2
        : 1;
  return width;
}
