// Draws line plots as SVG: a few lines over sessions, each labelled at its end. Pure.

export interface Line {
  name: string;
  values: readonly (number | null)[];
}

const WIDTH = 860;
const HEIGHT = 420;
const LEFT = 56;
const RIGHT = 150;
const TOP = 36;
const BOTTOM = 44;
const COLOURS = ["#1b6ca8", "#c44536", "#3a7d44", "#8d5a97", "#b8860b", "#4a4e69", "#00848a"];
const TICKS = 5;
/** Minimum distance between labels; closer ones would overlap. */
const NAME_GAP = 15;

/** `unit`: the axis of `share` is 0 to 100 %; the axis of `count` ends at the highest value. */
export function plotLines(
  title: string,
  lines: readonly Line[],
  unit: "share" | "count",
  marks: readonly number[],
): string {
  const length = Math.max(1, ...lines.map(({ values }) => values.length));
  const highest = Math.max(1, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const most = unit === "share" ? 1 : Math.ceil(highest / TICKS) * TICKS;
  const x = (at: number) => LEFT + (at / Math.max(1, length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  const parts: string[] = [];
  for (let tick = 0; tick <= TICKS; tick++) {
    const value = (most * tick) / TICKS;
    const label = unit === "share" ? `${Math.round(100 * value)} %` : String(value);
    parts.push(`<path d="M${LEFT} ${fixed(y(value))}H${WIDTH - RIGHT}" stroke="#ddd"/>`);
    parts.push(`<text x="${LEFT - 8}" y="${fixed(y(value) + 4)}" text-anchor="end">${label}</text>`);
  }
  for (const mark of marks) {
    parts.push(`<path d="M${fixed(x(mark - 1))} ${TOP}V${HEIGHT - BOTTOM}" stroke="#999" stroke-dasharray="3 4"/>`);
    parts.push(`<text x="${fixed(x(mark - 1))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${mark}</text>`);
  }
  const ends = lines.map(({ values }) => y(values.findLast((value) => value !== null) ?? 0));
  const places = spreadLabels(ends);
  lines.forEach(({ name, values }, n) => {
    const colour = COLOURS[n % COLOURS.length]!;
    parts.push(`<path d="${drawPath(values, x, y)}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    parts.push(`<text x="${WIDTH - RIGHT + 8}" y="${fixed(places[n]! + 4)}" fill="${colour}">${escape(name)}</text>`);
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="22" font-size="15">${escape(title)}</text>`,
    ...parts,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">session</text>`,
    "</svg>\n",
  ].join("\n");
}

function drawPath(values: Line["values"], x: (at: number) => number, y: (value: number) => number): string {
  let pen = "M";
  return values
    .map((value, at) => {
      if (value === null) {
        pen = "M";
        return "";
      }
      const step = `${pen}${fixed(x(at))} ${fixed(y(value))}`;
      pen = "L";
      return step;
    })
    .join("");
}

/** Moves overlapping labels down, starting at the top. */
function spreadLabels(ends: readonly number[]): number[] {
  const order = ends.map((end, n) => ({ end, n })).sort((a, b) => a.end - b.end);
  const places: number[] = [];
  let free = -Infinity;
  for (const { end, n } of order) {
    places[n] = Math.max(end, free);
    free = places[n]! + NAME_GAP;
  }
  return places;
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
