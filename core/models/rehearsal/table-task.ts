// Parses an English request for one figure from a delimited file: file, column, rows, computation and rounding. Used by rehearsal.ts
// and worker.ts. Pure. Must know no particular data.

export type Aggregate = "mean" | "sum" | "min" | "max" | "count";
export interface TableTask {
  path: string;
  aggregate: Aggregate;
  /** Absent if rows are counted. */
  column?: string;
  filters: { column: string; value: string }[];
  /** `prefix` of an ISO date: `2021` or `2021-03`. */
  period?: { column: string; prefix: string; words: string };
  places: number;
}

const MONTHS = "january february march april may june july august september october november december".split(" ");
const NUMBERS = "no one two three four five six seven eight".split(" ");
const AGGREGATES: [Aggregate, RegExp][] = [
  ["mean", /\b(mean|average|averages|averaged)\b/i],
  ["sum", /\b(sum|total|totals|add(ed)? up|altogether)\b/i],
  ["max", /\b(max(imum)?|largest|highest|biggest|greatest)\b/i],
  ["min", /\b(min(imum)?|smallest|lowest|least)\b/i],
  ["count", /\b(how many|count of|number of) (rows|lines|records|entries)\b/i],
];
const FILE = /\.(csv|tsv|tab|txt|dat|psv|asc|data)$/i;
/** Delimits the number of a quoted piece that was taken out of a sentence. */
const HOLE = "\u0001";

/** `null` if the text asks for something else. */
export function parseTableTask(text: string): TableTask | null {
  const { plain, pieces } = takeOutPieces(text);
  const pathAt = pieces.findIndex((piece) => FILE.test(piece));
  const aggregate = findFirstKind(AGGREGATES, plain);
  if (pathAt < 0 || !aggregate) return null;

  const { filters, taken } = readFilters(plain, pieces);
  taken.add(pathAt);
  const period = readPeriod(plain, pieces, taken);
  const columnAt = pieces.findIndex((_, i) => !taken.has(i));
  if (period === "unclear" || (columnAt < 0 && aggregate !== "count")) return null;
  return {
    path: pieces[pathAt]!,
    aggregate,
    ...(aggregate !== "count" ? { column: pieces[columnAt]! } : {}),
    filters,
    ...(period ? { period } : {}),
    places: aggregate === "count" ? 0 : readPlaces(plain),
  };
}

/** The requested computation and its column, as in "the mean of `x`"; `null` if there is none. */
export function parseFigure(text: string): Pick<TableTask, "aggregate" | "column"> | null {
  const { plain, pieces } = takeOutPieces(text);
  const aggregate = findFirstKind(AGGREGATES, plain);
  const column = new RegExp(`\\bof ${HOLE}(\\d+)${HOLE}`).exec(plain)?.[1];
  return aggregate && column !== undefined ? { aggregate, column: pieces[Number(column)]! } : null;
}

/** Which rows a text takes, and how many decimals it wants. */
export function parseSelection(text: string): Pick<TableTask, "filters" | "places"> {
  const { plain, pieces } = takeOutPieces(text);
  return { filters: readFilters(plain, pieces).filters, places: readPlaces(plain) };
}

/** Replaces quoted pieces and names of files by holes. */
function takeOutPieces(text: string): { plain: string; pieces: string[] } {
  const pieces: string[] = [];
  const plain = text
    .replace(/`([^`\n]+)`|“([^”\n]+)”|"([^"\n]+)"|(?<=^|[\s(])'([^'\n]+)'(?=$|[\s.,;:?!)])/g, (_, a, b, c, d) => {
      pieces.push(a ?? b ?? c ?? d);
      return `${HOLE}${pieces.length - 1}${HOLE}`;
    })
    .replace(/(?<=^|\s)[\w./-]+\.(csv|tsv|tab|txt|dat|psv|asc|data)(?=$|[\s.,;:?!)])/gi, (path) => {
      pieces.push(path);
      return `${HOLE}${pieces.length - 1}${HOLE}`;
    });
  return { plain, pieces };
}

/** The task as the subject of a sentence, for the answer to the person. */
export function nameTask(task: TableTask): string {
  const what = { mean: "mean", sum: "total", min: "smallest value", max: "largest value", count: "number of rows" };
  const filters = task.filters.map(({ column, value }) => ` where \`${column}\` is \`${value}\``).join(" and");
  const period = task.period ? ` in ${task.period.words}` : "";
  return `${what[task.aggregate]}${task.column ? ` of \`${task.column}\`` : ""}${filters}${period} in \`${task.path}\``;
}

function findFirstKind(kinds: [Aggregate, RegExp][], text: string): Aggregate | undefined {
  const found = kinds.map(([kind, words]) => ({ kind, at: text.search(words) })).filter(({ at }) => at >= 0);
  return found.sort((a, b) => a.at - b.at)[0]?.kind;
}

function readFilters(plain: string, pieces: string[]) {
  const taken = new Set<number>();
  const filters: TableTask["filters"] = [];
  const said = new RegExp(
    `${HOLE}(\\d+)${HOLE}(?: column| field)? (?:is|equals|was|are|reads|says|being|=|==)(?: equal to| exactly)? ${HOLE}(\\d+)${HOLE}`,
    "gi",
  );
  for (const match of plain.matchAll(said)) {
    const [column, value] = [Number(match[1]), Number(match[2])];
    filters.push({ column: pieces[column]!, value: pieces[value]! });
    taken.add(column).add(value);
  }
  return { filters: filters.slice(0, 2), taken };
}

function readPeriod(plain: string, pieces: string[], taken: Set<number>): TableTask["period"] | "unclear" | undefined {
  const said = new RegExp(
    `\\b(?:in|during|of|for|within) (?:the year )?(?:(${MONTHS.join("|")}) )?((?:1[5-9]|20)\\d\\d)\\b`,
    "i",
  );
  const match = said.exec(plain);
  if (!match) return undefined;
  const before = [...plain.slice(0, match.index).matchAll(new RegExp(`${HOLE}(\\d+)${HOLE}`, "g"))];
  const nearest = before
    .map((found) => Number(found[1]))
    .filter((i) => !taken.has(i))
    .at(-1);
  if (nearest === undefined) return "unclear";
  taken.add(nearest);
  const month = match[1] ? MONTHS.indexOf(match[1].toLowerCase()) + 1 : 0;
  const prefix = month ? `${match[2]}-${String(month).padStart(2, "0")}` : match[2]!;
  return { column: pieces[nearest]!, prefix, words: match[1] ? `${match[1]} ${match[2]}` : match[2]! };
}

function readPlaces(plain: string): number {
  if (/\bwhole number|\bno decimals|\bnearest (integer|unit)/i.test(plain)) return 0;
  const match = new RegExp(
    `\\b(\\d|${NUMBERS.join("|")}) (?:decimals?|decimal (?:places?|digits?)|digits? after)`,
    "i",
  ).exec(plain);
  if (!match) return 2;
  const word = match[1]!.toLowerCase();
  return /\d/.test(word) ? Number(word) : NUMBERS.indexOf(word);
}
