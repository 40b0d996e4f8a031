// The part of the report and of its last line about experiments: the arm `replay` against `ours`. Called by report.ts. Pure.
import type { PlantsRecord } from "../run/plants.ts";
import type { ReplayFigures } from "./replay-figures.ts";
import type { Figure } from "./statistics.ts";

export interface ReplayMeasurement {
  /** By world or stress cell. `null`: not both arms were run there. */
  cells: Record<string, ReplayFigures | null>;
  /** The same worlds in our own surfaces; `null` if no others were given. */
  own: Record<string, ReplayFigures | null> | null;
  /** Lessons planted on finished work; `null` if not run. */
  plants: readonly PlantsRecord[] | null;
}

/** The cell of the leading figures: two lessons of five are wrong. */
const LEADING = "reviewerWrong40";

/** The field `replay` of the last line. A figure that was not taken is `null`, and `why` says the reason. */
export function toReplayLine({ cells, own, plants }: ReplayMeasurement) {
  const leading = cells[LEADING] ?? null;
  const figures = {
    offeredRight: leading?.offeredRight ?? null,
    withdrawnBeforeUse: leading?.withdrawnBeforeUse ?? null,
    moreTokens: leading?.moreTokens ?? null,
    plants: plants && sumPlants(plants),
  };
  const missing = leading
    ? "no such lesson was written, or none was offered at the end"
    : `the cell ${LEADING} was not run in both arms`;
  const why = Object.entries(figures).flatMap(([name, value]) =>
    value === null ? [[name, name === "plants" ? "no lessons were planted" : missing]] : [],
  );
  return {
    ...figures,
    ...(why.length > 0 && { why: Object.fromEntries(why) as Record<string, string> }),
    worse: listWorse(cells),
    cells,
    ownSurfaces: own,
  };
}

/** Such as `drift60: precision`. */
function listWorse(cells: ReplayMeasurement["cells"]): string[] {
  return Object.entries(cells).flatMap(([cell, figures]) => (figures?.worse ?? []).map((name) => `${cell}: ${name}`));
}

/** For each kind of lesson, the outcomes of its experiments. */
export function sumPlants(records: readonly PlantsRecord[]): PlantsRecord["outcomes"] {
  const sum: PlantsRecord["outcomes"] = { right: {}, useless: {}, harmful: {} };
  for (const { outcomes } of records) {
    for (const kind of ["right", "useless", "harmful"] as const) {
      for (const [outcome, count = 0] of Object.entries(outcomes[kind])) {
        const name = outcome as keyof (typeof sum)["right"];
        sum[kind][name] = (sum[kind][name] ?? 0) + count;
      }
    }
  }
  return sum;
}

export function renderReplay(measured: ReplayMeasurement): string[] {
  const taken = Object.entries(measured.cells).flatMap(([cell, figures]) =>
    figures ? [[cell, figures] as const] : [],
  );
  if (taken.length === 0) return [];
  const worse = listWorse(measured.cells);
  return [
    "## What experiments are worth",
    "",
    "The arm `replay` less `ours`, in points, over the same seeds.",
    "",
    renderRows(
      ["cell", ...COLUMNS.map(([title]) => title)],
      taken.map(([cell, figures]) => [cell, ...COLUMNS.map(([, of]) => of(figures))]),
    ),
    "",
    worse.length === 0 ? "No figure is worse in any cell." : `Worse, with the whole interval: ${worse.join(", ")}.`,
    "",
    ...taken.map(([cell, { experiments, seeds }]) => {
      const { made, replays, outcomes, ends } = experiments;
      return `- ${cell}, ${seeds} seeds: ${made} experiments (${list(outcomes)}), ${replays} replays (${list(ends)}).`;
    }),
    "",
    ...(measured.plants ? renderPlants(measured.plants) : []),
  ];
}

function renderPlants(records: readonly PlantsRecord[]): string[] {
  const lines = Object.entries(sumPlants(records)).map(([kind, outcomes]) => `- ${kind}: ${list(outcomes)}`);
  return [`Lessons planted on finished work (${records.length} seeds):`, "", ...lines, ""];
}

const COLUMNS: [title: string, cell: (figures: ReplayFigures) => string][] = [
  ["offered right", ({ offeredRight }) => toShare(offeredRight)],
  [
    "wrong ones withdrawn before use",
    ({ withdrawnBeforeUse, wrongLessons }) =>
      `${toShare(withdrawnBeforeUse)} of ${wrongLessons.all} (${wrongLessons.silent} silent)`,
  ],
  ["more tokens", ({ moreTokens }) => toShare(moreTokens)],
  ["success", ({ difference }) => toPoints(difference.success)],
  ["gap closed", ({ difference }) => toPoints(difference.gapClosed)],
  ["precision", ({ difference }) => toPoints(difference.precision)],
  ["offered right", ({ difference }) => toPoints(difference.offeredRight)],
  ["harmful uses", ({ difference }) => toPoints(difference.harmfulUses)],
  ["negative transfer", ({ difference }) => toPoints(difference.negativeTransfer)],
  ["benign blocked", ({ difference }) => toPoints(difference.benignBlocked)],
  ["held out", ({ difference }) => toPoints(difference.heldOut)],
];

function renderRows(head: string[], rows: string[][]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function toShare(figure: Figure | null): string {
  if (!figure) return "–";
  const [mean, low, high] = [figure.mean, figure.low, figure.high].map((value) => (100 * value).toFixed(1));
  return `${mean} % (${low}–${high})`;
}

function toPoints(figure: Figure | null): string {
  if (!figure) return "–";
  const [mean, low, high] = [figure.mean, figure.low, figure.high].map((value) => (100 * value).toFixed(1));
  return `${figure.mean > 0 ? "+" : ""}${mean} (${low} to ${high})`;
}

function list(counts: Partial<Record<string, number>>): string {
  const some = Object.entries(counts).sort(([, a = 0], [, b = 0]) => b - a);
  return some.length === 0 ? "none" : some.map(([name, count]) => `${name} ${count}`).join(", ");
}
