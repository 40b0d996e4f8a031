// Writes the shell command that reads a delimited file: one awk program that validates strictly under one belief and stops at the
// first cell that contradicts it. The command's options carry the belief. Used by worker.ts. Pure.
import { type Belief, type Mark, groupPattern, numberPattern } from "./conventions.ts";
import type { TableTask } from "./table-task.ts";

/** Exit codes of the program, by the kind of failure. */
export const NO_COLUMN = 2;
export const BAD_NUMBER = 3;
export const BAD_DATE = 4;

/** `extremes`: also prints the smallest and largest values, to show whether they are real values. */
export function toCommand(task: TableTask, belief: Belief, extremes: boolean): string {
  const { form, separators } = belief;
  const options: [string, string][] = [["decimal", form.decimal]];
  if (separators.length > 1) options.push(["either", separators.join("")]);
  if (form.thousands) options.push(["thousands", form.thousands]);
  if (belief.missing.length > 0) options.push(["missing", belief.missing.join("|")]);
  if (task.period) options.push(["dates", belief.dates]);
  if (belief.unitRow) options.push(["units", "2"]);
  options.push(["aggregate", task.aggregate]);
  if (task.column) options.push(["column", task.column]);
  for (const [i, filter] of task.filters.entries()) {
    options.push([`filter${i + 1}`, filter.column], [`equals${i + 1}`, filter.value]);
  }
  if (task.period) options.push(["when", task.period.column], ["period", task.period.prefix]);
  options.push(["places", String(task.places)]);
  if (extremes) options.push(["extremes", "1"]);
  const settings = options.map(([name, value]) => `-v ${name}=${quote(escapeOption(value))}`).join(" ");
  const patterns = `number=${quote(numberPattern(form))}`;
  const group = form.thousands ? ` -v group=${quote(groupPattern(form.thousands))}` : "";
  return `awk -F${quote(toFieldSeparator(separators[0]!))} ${settings} -v ${patterns}${group} ${quote(PROGRAM)} ${quote(task.path)}`;
}

function toFieldSeparator(mark: Mark): string {
  return mark === "\t" ? "\\t" : mark;
}

/** awk reads escapes in the value of -v. */
function escapeOption(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const PROGRAM = `
function cells(line,  n, i, j, k, m, piece, bits) {
  n = split(line, piece, "\\""); k = 1; c[1] = ""
  for (i = 1; i <= n; i++) {
    if (i % 2 == 0) c[k] = c[k] piece[i]
    else if (piece[i] == "") { if (i > 1 && i < n) c[k] = c[k] "\\"" }
    else {
      m = split(piece[i], bits, mark); c[k] = c[k] bits[1]
      for (j = 2; j <= m; j++) c[++k] = bits[j]
    }
  }
  return k
}
function trim(text) { gsub(/^[ \\t]+|[ \\t]+$/, "", text); return text }
function cell(i) { return trim(quoted ? c[i] : $i) }
function stop(status, what) { failed = status; print what; exit status }
function find(name,  i) {
  for (i = 1; i <= width; i++) if ((cell(i) "") == (name "")) return i
  stop(${NO_COLUMN}, "no column \\"" name "\\" in the header, which has " width " cell(s): " $0)
}
function day(text,  p) {
  sub(/[ T].*$/, "", text)
  if (text ~ /^[0-9][0-9][0-9][0-9][-\\/][0-9]+[-\\/][0-9]+$/) { split(text, p, /[-\\/]/); y = p[1]; m = p[2]; d = p[3] }
  else if (dates == "dmy" && text ~ /^[0-9]+[-.\\/][0-9]+[-.\\/][0-9][0-9][0-9][0-9]$/) { split(text, p, /[-.\\/]/); y = p[3]; m = p[2]; d = p[1] }
  else if (dates == "mdy" && text ~ /^[0-9]+[-\\/][0-9]+[-\\/][0-9][0-9][0-9][0-9]$/) { split(text, p, /[-\\/]/); y = p[3]; m = p[1]; d = p[2] }
  else return ""
  if (m + 0 < 1 || m + 0 > 12 || d + 0 < 1 || d + 0 > 31) return ""
  return sprintf("%04d-%02d-%02d", y, m, d)
}
function header(  i) {
  sub(/^\uFEFF/, "")
  for (i = 1; i <= length(either); i++) if (split($0, piece, substr(either, i, 1)) > split($0, bits, mark)) mark = substr(either, i, 1)
  if (either != "") { FS = (mark == "|" ? "[|]" : mark); $0 = $0 }
  width = quoted ? cells($0) : NF
  if (column != "") at = find(column)
  if (filter1 != "") at1 = find(filter1)
  if (filter2 != "") at2 = find(filter2)
  if (when != "") atDay = find(when)
}
BEGIN { mark = FS ~ /^\\[.\\]$/ ? substr(FS, 2, 1) : FS; many = split(missing, list, "|"); for (i = 1; i <= many; i++) none[tolower(list[i])] = 1 }
function isUnit(text) { return units == NR && text !~ /[0-9]/ }
function row() {
  if (quoted) cells($0)
  rows++; empty = 0; date = ""
  if (column == "") { if (isUnit($0)) { rows--; return } }
  else {
    value = cell(at)
    blank = value == ""
    empty = blank || (tolower(value) in none)
    if (empty && isUnit($0)) { rows--; return }
    if (!empty) {
      if (value !~ number) {
        if (isUnit(value)) { rows--; return }
        stop(${BAD_NUMBER}, "line " NR ", column \\"" column "\\": \\"" value "\\" is not a number; the line is: " $0)
      }
      if (extremes) {
        marks += index(value, decimal) > 0
        threes += value ~ ("^[-+]?[1-9][0-9]?[0-9]?[" decimal "][0-9][0-9][0-9]$")
      }
      if (group != "") gsub(group, "", value)
      if (decimal == ",") sub(/,/, ".", value)
      value += 0
      if (value in none) { empty = 1; gaps++ } else if (extremes) note(value)
    } else { gaps++; blanks += blank }
  }
  if (when != "") {
    date = cell(atDay)
    if (date == "" || (tolower(date) in none)) date = ""
    else if ((date = day(date)) == "") {
      if (isUnit(cell(atDay))) { rows--; return }
      stop(${BAD_DATE}, "line " NR ", column \\"" when "\\": \\"" cell(atDay) "\\" is not a date; the line is: " $0)
    }
    if (index(date, period) != 1) return
  }
  if (filter1 != "" && (cell(at1) "") != (equals1 "")) return
  if (filter2 != "" && (cell(at2) "") != (equals2 "")) return
  if (column != "" && empty) return
  if (!used || value < least) least = value
  if (!used || value > most) most = value
  sum += value; used++
}
function note(value) {
  if (!values) { low = value; high = value; second = value; under = value }
  if (value < low) { second = low; low = value; lows = 0 } else if (value > low && (second == low || value < second)) second = value
  if (value > high) { under = high; high = value; highs = 0 } else if (value < high && (under == high || value > under)) under = value
  lows += value == low; highs += value == high; values++
}
{
  quoted = index($0, "\\"")
  if (quoted) while (split($0, piece, "\\"") % 2 == 0 && (getline more) > 0) $0 = $0 "\\n" more
  sub(/\\r$/, "")
  if (NR == 1) header(); else if ($0 != "") row()
}
END {
  if (failed) exit failed
  result = aggregate == "count" ? used + 0 : aggregate == "sum" ? sum + 0 : !used ? "none" : aggregate == "mean" ? sum / used : aggregate == "min" ? least : most
  if (result == "none") print "result: none"; else printf "result: %." places "f\\n", result
  printf "rows: %d, empty: %d, used: %d, without a value: %d\\n", rows, blanks, used, gaps
  if (extremes) {
    printf "smallest: %.6f (%d times), next: %.6f\\n", low, lows, second
    printf "largest: %.6f (%d times), next: %.6f\\n", high, highs, under
    printf "cells with the decimal mark: %d, of the form 1-3 digits, mark, 3 digits: %d\\n", marks, threes
  }
}
`;
