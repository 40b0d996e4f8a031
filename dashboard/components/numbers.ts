// Numbers as people read them, in the reader's language.
const whole = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 0 });

export function formatNumber(value: number): string {
  return whole.format(value);
}

/** 12,345 as 12.3K. */
export function formatShort(value: number): string {
  return short.format(value);
}

/** "1 lesson", "1,200 lessons" */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** A fraction as a percentage. */
export function formatShare(value: number): string {
  return percent.format(value);
}

/** A difference of shares: 0.12 as "+12 points". */
export function formatPoints(difference: number): string {
  const points = Math.round(difference * 100);
  return `${points > 0 ? "+" : points < 0 ? "−" : ""}${Math.abs(points)} points`;
}

/** Dollars, with as many digits as a small sum needs. */
export function formatMoney(dollars: number): string {
  const digits = dollars !== 0 && Math.abs(dollars) < 1 ? 4 : 2;
  return new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: digits }).format(
    dollars,
  );
}

const UNITS = ["B", "KiB", "MiB", "GiB"];

export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_024 && unit < UNITS.length - 1) [value, unit] = [value / 1_024, unit + 1];
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

/** A duration in ms: 850 ms, 3.2 s, 4 min, 2 h. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}
