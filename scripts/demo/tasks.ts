// Draws the demo's two tasks: the same kind of question about two files of one office. Answers are computed from the original
// values. The first file must show every convention that the second task needs.
import { type Conventions, drawConventions, isGrouped } from "./conventions.ts";
import { type RandomSource, createDraw } from "./random.ts";
import type { Table } from "./tables.ts";

export interface Task {
  table: Table;
  text: string;
  /** What is asked for, without the period. */
  aggregate: string;
  column: string;
  filter?: { column: string; value: string };
  answer: number;
  places: number;
}
export interface DrawnTasks {
  conventions: Conventions;
  tasks: [Task, Task];
}

/** A convention that a task depends on. Every task depends on the separator and the row of units. */
type RequiredConvention = "decimal" | "thousands" | "missing" | "dates";
interface Question {
  table: Table;
  column: number;
  needs: Set<RequiredConvention>;
}

/** Means and totals are twice as likely: every value counts in them. */
const AGGREGATES = ["mean", "total", "mean", "total", "largest value", "smallest value"] as const;
const MAX_QUESTIONS = 200;
const MIN_VALUES = 8;
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** `dated`: tasks may ask for a period. Throws with a sentence when no column of any table suits a question. */
export function drawTasks(tables: Table[], seed: number, { dated: mayBeDated } = { dated: true }): DrawnTasks {
  const draw = createDraw(seed ^ 0x5eed);
  const halves = tables.flatMap(halve);
  for (const conventions of eachWeaker(drawConventions(seed))) {
    const pair = choosePair(tables, conventions, draw) ?? choosePair(halves, conventions, draw);
    if (!pair) continue;
    const dated = mayBeDated && pair.every(({ table }) => findDateColumn(table) !== undefined);
    const dates = dated && (pair[1].needs.has("dates") || conventions.dates === "YYYY-MM-DD");
    const kind = { dates, aggregate: draw.pick(AGGREGATES) };
    return { conventions, tasks: [toTask(pair[0], kind, draw), toTask(pair[1], kind, draw)] };
  }
  throw new Error(
    "No column of these tables can be asked about: one of numbers is needed, with at least eight values that can be read in one way only (1.234 throughout may be thousands or thousandths).",
  );
}

/** Like `drawTasks`, but up to `count` tasks: for many sessions of one kind of work. */
export function drawSeries(tables: Table[], seed: number, count: number): { conventions: Conventions; tasks: Task[] } {
  const draw = createDraw(seed ^ 0x5e71e5);
  const conventions = drawConventions(seed);
  const usable = tables.filter((table) => isDecidable(table, conventions));
  const questions = draw.shuffle(usable.flatMap((table) => toQuestions(table, conventions)));
  const tasks = questions.slice(0, count).map((question) => {
    const dates = findDateColumn(question.table) !== undefined;
    return toTask(question, { dates, aggregate: draw.pick(AGGREGATES) }, draw);
  });
  if (tasks.length > 0) return { conventions, tasks };
  throw new Error(`No column of these tables can be asked about under the conventions of seed ${seed}.`);
}

/** The conventions, then weaker ones, until the first file can show all that the second needs. */
function* eachWeaker(conventions: Conventions): Generator<Conventions> {
  yield conventions;
  yield { ...conventions, thousands: "" };
  yield { ...conventions, missing: "n/a", dates: "DD.MM.YYYY" };
  yield { ...conventions, missing: "", dates: "DD.MM.YYYY" };
  yield { ...conventions, missing: "", dates: "DD.MM.YYYY", thousands: "" };
}

/** Whether a reader can infer these conventions from this file: no code that is also a value, no day that may be a month. */
function isDecidable(table: Table, conventions: Conventions): boolean {
  return table.columns.every(({ kind }, i) => {
    const values = listValues(table, i);
    if (kind === "date" && conventions.dates === "DD/MM/YYYY") return values.some((date) => Number(date.slice(8)) > 12);
    return kind !== "number" || conventions.missing !== "-9999" || isUnusedCode(-9999, values.map(Number));
  });
}

function listValues(table: Table, column: number): string[] {
  return table.cells.map((row) => row[column]!).filter((value) => value !== null);
}

/** A code that no value of the column has. */
function isUnusedCode(code: number, values: number[]): boolean {
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  return low > code && (low >= 0 || low - code > high - low);
}

/** Two questions about two files. Pairs that depend on more conventions are preferred. */
function choosePair(tables: Table[], conventions: Conventions, draw: RandomSource): [Question, Question] | undefined {
  const usable = tables.filter((table) => isDecidable(table, conventions));
  const questions = draw.shuffle(usable.flatMap((table) => toQuestions(table, conventions))).slice(0, MAX_QUESTIONS);
  let best: { pair: [Question, Question]; worth: number } | undefined;
  for (const first of questions) {
    for (const second of questions) {
      if (first.table === second.table || [...second.needs].some((need) => !first.needs.has(need))) continue;
      const worth = 2 * Math.min(second.needs.size, 2) + Math.min(first.needs.size, 3);
      if (!best || worth > best.worth) best = { pair: [first, second], worth };
    }
  }
  return best?.pair;
}

/** Number columns whose notation can be inferred, with the conventions they depend on. */
function toQuestions(table: Table, conventions: Conventions): Question[] {
  const dated = findDateColumn(table) !== undefined && conventions.dates !== "YYYY-MM-DD";
  return table.columns.flatMap(({ name, kind }, column) => {
    const cells = table.cells.map((row) => row[column]!);
    const values = cells.filter((value) => value !== null);
    if (kind !== "number" || values.length < MIN_VALUES || /[`"\n\r\\]/.test(name) || cells[0] === null) return [];
    if (/(^|[_ ])id$|^(id|zip|code|year|fips)/i.test(name) || new Set(values).size < 5) return [];
    const needs = new Set<RequiredConvention>();
    const grouped = conventions.thousands !== "" && isGrouped(cells);
    const fractions = values.some((value) => value.includes("."));
    if (fractions && conventions.decimal === ",") needs.add("decimal");
    if (grouped && values.some((value) => Math.abs(Number(value)) >= 1000)) needs.add("thousands");
    if (values.length < cells.length && conventions.missing !== "") needs.add("missing");
    if (dated) needs.add("dates");
    return hasOneReading(values, needs.has("thousands"), conventions) ? [{ table, column, needs }] : [];
  });
}

/**
 * Whether the exported column has only one reading. "1.234" throughout may be grouped or not, and real values that end in
 * nines look like a code.
 */
function hasOneReading(values: string[], grouped: boolean, { thousands }: Conventions): boolean {
  const numbers = values.map(Number).sort((a, b) => a - b);
  if ([numbers[0], numbers.at(-1)].some((value) => /^-?9{3,}(\.0+)?$/.test(String(value)))) return false;
  const fractions = values.filter((value) => value.includes("."));
  const doubtful = fractions.length > 0 && fractions.every((value) => /^-?[1-9]\d{0,2}\.\d{3}$/.test(value));
  return !doubtful || (grouped && (thousands === " " || thousands === "'"));
}

function toTask(
  { table, column }: Question,
  kind: { dates: boolean; aggregate: (typeof AGGREGATES)[number] },
  draw: RandomSource,
): Task {
  const name = table.columns[column]!.name;
  const choice = kind.dates ? { period: drawPeriod(table, column, draw) } : { filter: drawFilter(table, column, draw) };
  const chosen = table.cells.filter((row) => {
    if (choice.period) return row[choice.period.column]?.startsWith(choice.period.prefix) ?? false;
    return !choice.filter || row[choice.filter.column] === choice.filter.value;
  });
  const values = chosen
    .map((row) => row[column])
    .filter((value) => value !== null)
    .map(Number);
  const sum = values.reduce((total, value) => total + value, 0);
  const answer = {
    mean: sum / values.length,
    total: sum,
    "largest value": Math.max(...values),
    "smallest value": Math.min(...values),
  };
  const places = chooseDecimalPlaces(answer[kind.aggregate]);
  const where = choice.period
    ? `, taking only rows whose \`${table.columns[choice.period.column]!.name}\` falls in ${choice.period.words}`
    : choice.filter
      ? `, taking only rows where \`${table.columns[choice.filter.column]!.name}\` is \`${choice.filter.value}\``
      : "";
  const words = ["no", "one", "two", "three", "four", "five", "six"];
  const text = `What is the ${kind.aggregate} of \`${name}\` in \`${table.file}\`${where}? Give it to ${words[places]} decimals.`;
  const asked = { aggregate: kind.aggregate, column: name, ...nameFilter(table, choice.filter) };
  return { table, text, ...asked, answer: answer[kind.aggregate], places };
}

function nameFilter(table: Table, filter: { column: number; value: string } | undefined): Pick<Task, "filter"> {
  return filter ? { filter: { column: table.columns[filter.column]!.name, value: filter.value } } : {};
}

/** Two decimals, or as many as show three digits of a small number. */
function chooseDecimalPlaces(value: number): number {
  if (value === 0 || Math.abs(value) >= 1) return 2;
  return Math.min(6, 2 - Math.floor(Math.log10(Math.abs(value))));
}

interface Period {
  column: number;
  prefix: string;
  words: string;
}

/** The first column of dates, if any. */
function findDateColumn(table: Table): number | undefined {
  const column = table.columns.findIndex(({ name, kind }) => kind === "date" && !/[`"\n\r\\]/.test(name));
  return column < 0 ? undefined : column;
}

/** A month with several values, or a year where months have few; preferably one with a missing number. */
function drawPeriod(table: Table, value: number, draw: RandomSource): Period {
  const column = findDateColumn(table)!;
  const selectDates = (isMissing: boolean) =>
    table.cells.filter((row) => row[column] !== null && (row[value] === null) === isMissing).map((row) => row[column]!);
  const filled = selectDates(false);
  const prefixes = (length: number) => {
    const missing = countBy(selectDates(true).map((date) => date.slice(0, length)));
    const several = [...countBy(filled.map((date) => date.slice(0, length)))].filter(([, rows]) => rows >= 3);
    const telling = several.filter(([prefix]) => missing.has(prefix));
    return (telling.length > 0 ? telling : several).map(([prefix]) => prefix);
  };
  const choices = [prefixes(7), prefixes(4), filled.map((date) => date.slice(0, 4))].find((list) => list.length > 0)!;
  const prefix = draw.pick(choices);
  const [year, month] = prefix.split("-");
  return { column, prefix, words: month ? `${MONTHS[Number(month) - 1]} ${year}` : year! };
}

/** A word that several rows of a text column have; preferably one with a missing number. */
function drawFilter(table: Table, value: number, draw: RandomSource): { column: number; value: string } | undefined {
  const choices = table.columns.flatMap(({ name, kind }, column) => {
    if (kind !== "text" || /[`"\n\r\\]/.test(name)) return [];
    const filled = countBy(table.cells.filter((row) => row[value] !== null).map((row) => row[column]!));
    const missing = countBy(table.cells.filter((row) => row[value] === null).map((row) => row[column]!));
    if (filled.size > 60) return [];
    const words = [...filled].filter(([word, rows]) => rows >= 5 && /^[\p{L}\d][\p{L}\d .&/-]{0,30}$/u.test(word));
    return words
      .filter(([word]) => !/\.\w+$/.test(word))
      .map(([word]) => ({ column, value: word, telling: missing.has(word) }));
  });
  const telling = choices.filter((choice) => choice.telling);
  return choices.length > 0 ? draw.pick(telling.length > 0 ? telling : choices) : undefined;
}

function countBy(words: (string | null)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Splits a table into its first and its second half. */
function halve(table: Table): [Table, Table] {
  const middle = Math.ceil(table.cells.length / 2);
  const [stem, extension] = [table.file.replace(/\.\w+$/, ""), /\.\w+$/.exec(table.file)?.[0] ?? ".csv"];
  const part = (name: string, cells: Table["cells"]): Table => ({
    ...table,
    file: `${stem}-${name}${extension}`,
    cells,
  });
  return [part("first", table.cells.slice(0, middle)), part("second", table.cells.slice(middle))];
}
