// The ways of writing a delimited file that rehearsal tries, in order, and the types for what a text says about them. Used by most
// files here. Pure data and predicates. Must know no particular file or column.

export type Mark = "," | ";" | "\t" | "|" | "." | " " | "'";
export type DateOrder = "ymd" | "mdy" | "dmy";
export interface NumberForm {
  decimal: "." | ",";
  /** Groups the digits of large numbers; "" for none. */
  thousands: "" | "." | "," | " " | "'";
}

/** What a text says about a class of files. Parts that it does not mention are absent. */
export interface Advice {
  separators?: Mark[];
  decimal?: NumberForm["decimal"];
  thousands?: NumberForm["thousands"];
  missing?: string[];
  dates?: DateOrder;
  unitRow?: boolean;
}

/** One complete way of reading a file. */
export interface Belief {
  separators: Mark[];
  form: NumberForm;
  missing: string[];
  dates: DateOrder;
  unitRow: boolean;
}

// In the order of attempts, plainest first.
export const SEPARATORS: Mark[] = [",", ";", "\t", "|"];
export const NUMBER_FORMS: NumberForm[] = [
  { decimal: ".", thousands: "" },
  { decimal: ",", thousands: "" },
  { decimal: ".", thousands: "," },
  { decimal: ",", thousands: "." },
  { decimal: ".", thousands: " " },
  { decimal: ",", thousands: " " },
  { decimal: ".", thousands: "'" },
  { decimal: ",", thousands: "'" },
];
export const DATE_ORDERS: DateOrder[] = ["ymd", "mdy", "dmy"];

/** A regular expression in the dialect that awk and JavaScript share, so that both judge a cell alike. */
export function numberPattern(form: NumberForm): string {
  const decimal = form.decimal === "." ? "[.]" : ",";
  const tail = `(${decimal}[0-9]*)?([eE][-+]?[0-9]+)?`;
  const plain = `([0-9]+${tail}|${decimal}[0-9]+)`;
  if (form.thousands === "") return `^[-+]?${plain}$`;
  return `^[-+]?([1-9][0-9]{0,2}(${groupPattern(form.thousands)}[0-9]{3})+${tail}|${plain})$`;
}

export function groupPattern(thousands: NumberForm["thousands"]): string {
  return { "": "", ".": "[.]", ",": ",", " ": "[ \u00a0\u202f]", "'": "['’]" }[thousands];
}

export function isNumber(cell: string, form: NumberForm): boolean {
  return new RegExp(numberPattern(form)).test(cell);
}

/** Dots separate the parts of a date only if the day comes first. */
export function isDate(cell: string, order: DateOrder): boolean {
  const match = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[ T].*)?$/.exec(cell);
  if (!match) return false;
  const [, first, mark, second, third] = match as unknown as [string, string, string, string, string];
  if (first.length === 4) return mark !== "." && Number(second) <= 12 && Number(third) <= 31;
  if (order === "ymd" || third.length !== 4) return false;
  if (order === "mdy") return mark !== "." && Number(first) <= 12 && Number(second) <= 31;
  return Number(first) <= 31 && Number(second) <= 12;
}
