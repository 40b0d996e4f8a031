// Decides what rehearsal tries next, from advice and evidence; used by worker.ts. Each failure of the awk program changes one part of the
// belief: to the first choice, in the order of rehearsal.ts, that explains every cell seen so far. Pure. The state is
// computed from the results in the request and never stored.
import { BAD_DATE, BAD_NUMBER, NO_COLUMN } from "./awk-program.ts";
import {
  type Advice,
  type Belief,
  DATE_ORDERS,
  type NumberForm,
  NUMBER_FORMS,
  SEPARATORS,
  isDate,
  isNumber,
} from "./conventions.ts";

/** The outcome of one run of the program. */
export interface Run {
  exitCode: number;
  output: string;
}

export interface Inquiry {
  belief: Belief;
  /** Separators that did not fit. */
  ruledOut: string[];
  /** Numbers and dates that did not parse under an earlier belief. */
  numbersSeen: string[];
  datesSeen: string[];
  /** The cell on the second line that was taken for a unit. */
  unitCell?: string;
  /** The advice named a decimal mark but no grouping mark, so the other mark is assumed to group. */
  assumesGrouping: boolean;
  /** A successful run has shown the extremes. */
  checked: boolean;
  /** The figure of the last successful run under the present belief, `null` for an empty selection. */
  result?: string | null;
  /** Set if there is nothing left to try: the reason. */
  stuck?: string;
}

export function beginInquiry(advice: Advice): Inquiry {
  return {
    belief: {
      separators: advice.separators?.length ? advice.separators : [SEPARATORS[0]!],
      form: toForm(advice),
      missing: advice.missing ?? [],
      dates: advice.dates ?? DATE_ORDERS[0]!,
      unitRow: advice.unitRow ?? false,
    },
    ruledOut: [],
    numbersSeen: [],
    datesSeen: [],
    assumesGrouping: advice.thousands === undefined,
    checked: false,
  };
}

/** The next state after one run. */
export function learn(before: Inquiry, run: Run): Inquiry {
  const state = structuredClone(before);
  if (run.exitCode === 0) return learnFromSuccess(state, run.output);
  discardResult(state);
  if (run.exitCode === NO_COLUMN) return nextSeparator(state, run.output);
  const seen = /line (\d+), column "[^]*?": "([^]*?)" is not a (?:number|date); the line is: ([^]*)$/.exec(run.output);
  if (!seen || (run.exitCode !== BAD_NUMBER && run.exitCode !== BAD_DATE)) {
    return { ...state, stuck: `the command failed with exit code ${run.exitCode}: ${run.output.trim()}` };
  }
  const [, line, cell, whole] = seen as unknown as [string, string, string, string];
  if (!/\d/.test(cell)) return learnWord(state, Number(line), cell, whole);
  return run.exitCode === BAD_NUMBER ? nextForm(state, cell) : nextDates(state, cell);
}

/** If only the decimal mark is known, the other mark can only group thousands. */
function toForm({ decimal, thousands }: Advice): NumberForm {
  const mark = decimal ?? (thousands === "." ? "," : ".");
  if (thousands !== undefined) return { decimal: mark, thousands: thousands === mark ? "" : thousands };
  if (decimal === undefined) return { decimal: mark, thousands: "" };
  return { decimal: mark, thousands: decimal === "," ? "." : "," };
}

function nextSeparator(state: Inquiry, output: string): Inquiry {
  state.ruledOut.push(...state.belief.separators);
  const left = SEPARATORS.filter((mark) => !state.ruledOut.includes(mark));
  // The failure quotes the header and the column that was not found.
  const seen = /^no column "([^]*?)" in the header, which has \d+ cell\(s\): (.*)/m.exec(output);
  const [, column = "", header = ""] = seen ?? [];
  const next =
    left.find((mark) => header.split(mark).some((cell) => cell.replaceAll('"', "").trim() === column)) ?? left[0];
  if (!next) return { ...state, stuck: output.trim() };
  state.belief.separators = [next];
  return state;
}

/** A cell without a digit is a unit if the whole second line has no digit, else a word for "no value". */
function learnWord(state: Inquiry, line: number, cell: string, whole: string): Inquiry {
  if (line === 2 && !state.belief.unitRow && !/\d/.test(whole)) {
    state.belief.unitRow = true;
    state.unitCell = cell;
    return state;
  }
  if (state.belief.missing.includes(cell)) return { ...state, stuck: `"${cell}" could not be read` };
  state.belief.missing.push(cell);
  if (cell === state.unitCell) state.belief.unitRow = false;
  return state;
}

function nextForm(state: Inquiry, cell: string): Inquiry {
  state.numbersSeen.push(cell);
  const next = NUMBER_FORMS.find((form) => state.numbersSeen.every((seen) => isNumber(seen, form)));
  if (!next) return { ...state, stuck: `no way of writing numbers explains ${state.numbersSeen.join(" and ")}` };
  state.belief.form = next;
  return state;
}

function nextDates(state: Inquiry, cell: string): Inquiry {
  state.datesSeen.push(cell);
  const next = DATE_ORDERS.find((order) => state.datesSeen.every((seen) => isDate(seen, order)));
  if (!next) return { ...state, stuck: `no order of day, month and year explains ${state.datesSeen.join(" and ")}` };
  state.belief.dates = next;
  return state;
}

function learnFromSuccess(state: Inquiry, output: string): Inquiry {
  const figure = /^result: (\S+)/m.exec(output)?.[1];
  if (!figure) return { ...state, stuck: `the command printed no result: ${output.trim()}` };
  state.result = figure === "none" ? null : figure;
  const extremes = readExtremes(output);
  if (!extremes) return state;
  state.checked = true;
  const { form } = state.belief;
  const mayGroup = form.thousands === "" || state.assumesGrouping;
  if (extremes.marks > 0 && extremes.marks === extremes.threes && mayGroup) {
    // Real fractions do not all have three digits and a non-zero integer part: the mark groups thousands.
    state.assumesGrouping = false;
    state.belief.form = { decimal: form.decimal === "." ? "," : ".", thousands: form.decimal };
    return discardResult(state);
  }
  const code = [toCode(extremes.smallest, extremes), toCode(extremes.largest, extremes)].find((found) => found);
  if (code && !state.belief.missing.includes(code)) {
    state.belief.missing.push(code);
    return discardResult(state);
  }
  return state;
}

/** The result was based on a wrong reading. Another run must check the extremes again. */
function discardResult(state: Inquiry): Inquiry {
  state.checked = false;
  delete state.result;
  return state;
}

interface Extreme {
  value: number;
  /** The next different value of the column. */
  next: number;
}
interface Extremes {
  smallest: Extreme;
  largest: Extreme;
  /** Cells with the decimal mark. */
  marks: number;
  /** Of these, cells of 1 to 3 digits, the mark, and 3 digits: the form of a grouped number. */
  threes: number;
}

function readExtremes(output: string): Extremes | null {
  const small = /^smallest: (\S+) \(\d+ times\), next: (\S+)/m.exec(output);
  const large = /^largest: (\S+) \(\d+ times\), next: (\S+)/m.exec(output);
  const marks = /^cells with the decimal mark: (\d+), .*: (\d+)$/m.exec(output);
  if (!small || !large || !marks) return null;
  return {
    smallest: { value: Number(small[1]), next: Number(small[2]) },
    largest: { value: Number(large[1]), next: Number(large[2]) },
    marks: Number(marks[1]),
    threes: Number(marks[2]),
  };
}

/** At least three nines and nothing else, far from the other values: a code for "no value". */
function toCode(extreme: Extreme, { smallest, largest }: Extremes): string | null {
  if (!/^-?9{3,}$/.test(String(extreme.value)) || extreme.value === extreme.next) return null;
  /** The range of all other values. */
  const otherRange = extreme === smallest ? largest.value - smallest.next : largest.next - smallest.value;
  const isOnlyNegative = extreme === smallest && extreme.value < 0 && extreme.next >= 0;
  return isOnlyNegative || Math.abs(extreme.next - extreme.value) > otherRange ? String(extreme.value) : null;
}
