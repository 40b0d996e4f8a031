// Draws curves with uPlot. Loaded by plot.tsx when the first curve is shown.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type PlotProps, type Series, TONES } from "./plot.tsx";

type Drawn = Required<Pick<PlotProps, "times" | "series" | "marks" | "height" | "format">> & Pick<PlotProps, "range">;

/** Returns how to remove it. The plot follows the width of its frame. */
export function drawPlot(frame: HTMLElement, { times, series, format, marks, height, range }: Drawn): () => void {
  const colour = readColours(frame);
  const columns = series.flatMap(toColumns);
  const axis = { stroke: colour("--muted"), grid: { stroke: colour("--border"), width: 1 }, ticks: { show: false } };
  const plot = new uPlot(
    {
      width: Math.max(1, frame.clientWidth),
      height,
      legend: { show: false },
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: {
        y: range ? { range } : { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(high ?? 1, 1e-9) * 1.08] },
      },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map((at) => axisDay.format(at * 1_000)) },
        { ...axis, size: 56, values: (_, ticks) => ticks.map(format) },
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

const axisDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

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
