// The report and the last line of bench:page. Pure.
import { median, roundToHundredths } from "../support/figures.ts";
import type { PageLoad } from "./measure.ts";

export interface PageLine {
  /** Medians; `null` where nothing was measured. */
  firstLoadKiB: number | null;
  interactiveMs: number | null;
}

export function toLine(loads: PageLoad[]): PageLine {
  return {
    firstLoadKiB: roundToHundredths(toKiB(median(loads.map(({ bytes }) => bytes)))),
    interactiveMs: Math.round(median(loads.map(({ interactiveMs }) => interactiveMs))),
  };
}

/** Every load in a line, then each request of the one in the middle. */
export function toReport(loads: PageLoad[]): string {
  const sorted = loads.toSorted((a, b) => a.interactiveMs - b.interactiveMs);
  const middle = sorted[sorted.length >> 1]!;
  return [
    "load   KiB  interactive",
    ...loads.map(
      ({ bytes, interactiveMs }, i) =>
        `${pad(i + 1, 4)} ${pad(showKiB(bytes), 5)} ${pad(Math.round(interactiveMs), 9)} ms`,
    ),
    "",
    "Requests of the load in the middle, until the composer took a key:",
    "   KiB   from     to  path",
    ...middle.requests.map(
      ({ path, bytes, startMs, endMs }) =>
        `${pad(showKiB(bytes), 6)} ${pad(startMs, 6)} ${pad(endMs ?? "–", 6)}  ${path}`,
    ),
  ].join("\n");
}

function toKiB(bytes: number): number {
  return bytes / 1_024;
}

function showKiB(bytes: number): string {
  return toKiB(bytes).toFixed(1);
}

function pad(value: string | number, width: number): string {
  return String(value).padStart(width);
}
