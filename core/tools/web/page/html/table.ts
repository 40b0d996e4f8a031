// A table as it is read, and as GitHub's Markdown writes it. Used by markdown-writer.ts. Pure.

/** More columns are not readable; more rows are a file to download. */
const MAX_COLUMNS = 60;
/** A cell that long holds a layout, not a value. */
const MAX_CELL_CHARS = 1_000;

export interface TableDraft {
  rows: string[][];
  /** The first row consists of `th`, or is in a `thead`. */
  hasHead: boolean;
}

export function toTable({ rows, hasHead }: TableDraft): string {
  const full = rows.filter((row) => row.some((cell) => cell !== ""));
  if (full.length === 0) return "";
  const isLayout =
    full.every((row) => row.length <= 1) || full.some((row) => row.some((cell) => cell.length > MAX_CELL_CHARS));
  if (isLayout) return full.map((row) => row.filter((cell) => cell !== "").join(" ")).join("\n\n");
  const columns = Math.min(MAX_COLUMNS, Math.max(...full.slice(0, 3).map((row) => row.length)));
  // Markdown has no table without a head.
  const [head, body] = hasHead ? [full[0]!, full.slice(1)] : [[], full];
  const cells = Array.from({ length: columns }, (_, i) => head[i] ?? "");
  // A short row stays short: padding would let one wide row multiply a long table.
  const lines = [cells, cells.map(() => "---"), ...body.map((row) => row.slice(0, columns))];
  return lines.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}
