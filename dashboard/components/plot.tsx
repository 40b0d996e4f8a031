// Curves over time by uPlot, which is loaded when a page shows the first one. Each has a table of the same figures, for readers who cannot see it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { theme } from "../data/preferences.ts";

type Tone = "accent" | "good" | "bad" | "warn" | "muted";

export interface Series {
  name: string;
  /** One value for each time; `null`: nothing was measured. */
  values: (number | null)[];
  tone?: Tone;
  /** `bars`: sums of a day. Default: a line. */
  shape?: "line" | "bars";
  /** Lower and upper end of the interval around each value. */
  interval?: { low: (number | null)[]; high: (number | null)[] };
}

export interface PlotProps {
  title: string;
  /** Times in ms since 1970, rising. */
  times: number[];
  series: Series[];
  format(value: number): string;
  /** Events, drawn as lines from top to bottom and named in the table's text. */
  marks?: { at: number; text: string }[];
  /** Height in px. */
  height?: number;
  /** Fixed ends of the value axis, such as `[0, 1]`. */
  range?: [number, number];
  /** First and last time of the time axis, in ms. Default: those of `times`. */
  span?: [number, number];
  /** The series are parts of a sum, drawn on top of each other. */
  isStacked?: boolean;
  /** The times are beginnings of UTC days, and are named so in every zone. */
  hasUtcDays?: boolean;
}

export const TONES: Tone[] = ["accent", "good", "warn", "bad", "muted"];
const ownDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

export function Plot({
  title,
  times,
  series,
  format,
  marks = [],
  height = 180,
  range,
  span,
  isStacked = false,
  hasUtcDays = false,
}: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const day = hasUtcDays ? utcDay : ownDay;
  const [failed, setFailed] = useState(false);
  const isDark = useSystemDark();
  const shape = JSON.stringify([times, series, marks, height, range, span, isStacked, hasUtcDays]);
  useEffect(() => {
    if (times.length === 0) return undefined;
    let isCurrent = true;
    let remove = () => {};
    void import("./draw-plot.ts").then(
      ({ drawPlot }) => {
        const drawn = { times, series, format, marks, height, range, span, isStacked, hasUtcDays };
        // The frame may be gone before the effect is.
        if (isCurrent && frame.current) remove = drawPlot(frame.current, drawn);
      },
      () => isCurrent && setFailed(true),
    );
    return () => {
      isCurrent = false;
      remove();
    };
  }, [shape, theme.value, isDark]);
  return (
    <figure class="plot">
      <figcaption>
        <span class="plot-title">{title}</span>
        <span class="legend">
          {series.map(({ name, tone }, i) => (
            <span key={name}>
              <i class={`legend-mark legend-${tone ?? TONES[i % TONES.length]}`} />
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      {times.length === 0 ? (
        <p class="muted">Nothing was measured in this time.</p>
      ) : (
        <div ref={frame} class="plot-frame" style={{ height: `${height}px` }} aria-hidden="true" />
      )}
      {failed && <p class="muted">The plot could not be loaded. The table has its figures.</p>}
      {times.length > 0 && (
        <details>
          <summary>Show as table</summary>
          <div class="table-frame" tabIndex={0} role="group" aria-label={`${title}, as a table`}>
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Day</th>
                  {series.map(({ name }) => (
                    <th key={name} scope="col" class="number">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {times.map((at, row) => (
                  <tr key={at}>
                    <th scope="row">{day.format(at)}</th>
                    {series.map(({ name, values, interval }) => (
                      <td key={name} class="number">
                        {describeValue(values[row], format)}
                        {interval?.low[row] != null && interval.high[row] != null && (
                          <span class="muted">
                            {" "}
                            ({format(interval.low[row])} to {format(interval.high[row])})
                          </span>
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
            {marks.map(({ at, text }) => (
              <p key={`${at} ${text}`} class="muted">
                {day.format(at)}: {text}
              </p>
            ))}
          </div>
        </details>
      )}
    </figure>
  );
}

/** Whether the system asks for dark colours, now and after it has changed its mind: a canvas keeps those that it was drawn with. */
function useSystemDark(): boolean {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const note = () => setDark(query.matches);
    query.addEventListener("change", note);
    return () => query.removeEventListener("change", note);
  }, [query]);
  return isDark;
}

function describeValue(value: number | null | undefined, format: (value: number) => string): string {
  return value == null ? "–" : format(value);
}
