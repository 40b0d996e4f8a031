// Draws curves with uPlot. Loaded by plot.tsx when the first curve is shown.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type PlotProps, type Series, TONES } from "./plot.tsx";

type Drawn = Required<
  Pick<PlotProps, "times" | "series" | "marks" | "height" | "format" | "isStacked" | "hasUtcDays">
> &
  Pick<PlotProps, "range" | "span">;

/** Returns how to remove it. The plot follows the width of its frame. */
export function drawPlot(frame: HTMLElement, drawn: Drawn): () => void {
  const { times, series, format, marks, height, range, span, isStacked, hasUtcDays } = drawn;
  const colour = readColours(frame);
  const columns = isStacked ? toStack(series) : series.flatMap(toColumns);
  const hasBars = series.some(({ shape }) => shape === "bars");
  const axisDay = hasUtcDays ? utcDay : ownDay;
  const step = times.length > 1 ? (times.at(-1)! - times[0]!) / 1_000 / (times.length - 1) : DAY_S;
  const axis = { stroke: colour("--muted"), grid: { stroke: colour("--border"), width: 1 }, ticks: { show: false } };
  const plot = new uPlot(
    {
      width: Math.max(1, frame.clientWidth),
      height,
      ...(hasUtcDays && { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1_000), "Etc/UTC") }),
      legend: { show: false },
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: {
        // The first and the last bar need half a step beside their middle.
        x: {
          range: (_, low, high) =>
            toTimeRange(span ? [span[0] / 1_000, span[1] / 1_000] : [low, high], hasBars ? step / 2 : 0),
        },
        y: range ? { range } : { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(high ?? 1, 1e-9) * 1.08] },
      },
      axes: [
        { ...axis, size: 32, incrs: AXIS_STEPS, values: (_, ticks) => ticks.map((at) => axisDay.format(at * 1_000)) },
        { ...axis, size: (_, labels) => widthOf(labels), values: (_, ticks) => ticks.map(format) },
      ],
      series: [{}, ...columns.map((column) => toSeries(column, colour))],
      bands: toBands(columns, colour),
      hooks: { draw: [(drawn) => drawMarks(drawn, marks, colour("--muted"))] },
    },
    [times.map((at) => at / 1_000), ...columns.map(({ values }) => values)],
    frame,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(1, frame.clientWidth), height }));
  observer.observe(frame);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}

const DAY_S = 86_400;

/** In seconds. A single time has no width of its own. */
function toTimeRange([low, high]: [number, number], beside: number): [number, number] {
  const spare = low === high ? Math.max(beside, DAY_S) : beside;
  return [low - spare, high + spare];
}

/** Room for the longest label of the value axis, in px. */
function widthOf(labels: string[] | null): number {
  return 16 + 7 * Math.max(3, ...(labels ?? []).map((label) => label.length));
}

/** Whole days: a label names a day. */
const AXIS_STEPS = [1, 2, 7, 14, 28, 56, 91, 182, 365].map((days) => days * DAY_S);
const ownDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const utcDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

interface Column {
  values: (number | null)[];
  tone: string;
  part: "value" | "low" | "high";
  shape: "line" | "bars";
}

/** A series with an interval takes three columns: its ends first, so that the value is drawn above them. */
function toColumns({ values, interval, tone, shape = "line" }: Series, i: number): Column[] {
  const of = { tone: tone ?? TONES[i % TONES.length]!, shape };
  const ends = interval
    ? [
        { ...of, part: "high" as const, values: interval.high },
        { ...of, part: "low" as const, values: interval.low },
      ]
    : [];
  return [...ends, { ...of, part: "value" as const, values }];
}

/** Each column reaches from 0 to the sum of its series and those before it. The highest is drawn first, and the others over it. */
function toStack(series: Series[]): Column[] {
  const below = series[0]?.values.map(() => 0) ?? [];
  const columns = series.map((one, i) => {
    one.values.forEach((value, at) => (below[at]! += value ?? 0));
    return { ...toColumns(one, i).at(-1)!, values: [...below] };
  });
  return columns.toReversed();
}

function toSeries({ tone, part, shape }: Column, colour: (name: string) => string): uPlot.Series {
  const stroke = colour(`--${tone}`);
  if (part !== "value") return { stroke: "transparent", points: { show: false } };
  if (shape === "bars")
    return { stroke, fill: stroke, paths: uPlot.paths.bars!({ size: [0.7, 28] }), points: { show: false } };
  return { stroke, width: 2, spanGaps: true, points: { size: 5, fill: stroke } };
}

function toBands(columns: Column[], colour: (name: string) => string): uPlot.Band[] {
  return columns.flatMap(({ part, tone }, i) =>
    // Columns are counted from 1: the first of the data are the times.
    part === "high" ? [{ series: [i + 1, i + 2] as [number, number], fill: withAlpha(colour(`--${tone}`)) }] : [],
  );
}

function withAlpha(colour: string): string {
  return `color-mix(in srgb, ${colour}, transparent 82%)`;
}

function drawMarks(plot: uPlot, marks: { at: number }[], stroke: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.setLineDash([4, 4]);
  for (const { at } of marks) {
    const x = Math.round(plot.valToPos(at / 1_000, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

/** Colours of the theme as the canvas takes them: `light-dark()` is resolved by an element. */
function readColours(frame: HTMLElement): (name: string) => string {
  const probe = document.createElement("span");
  frame.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const known = new Map(
    ["--muted", "--border", ...TONES.map((tone) => `--${tone}`)].map((name) => [name, read(name)] as const),
  );
  probe.remove();
  return (name) => known.get(name)!;
}
