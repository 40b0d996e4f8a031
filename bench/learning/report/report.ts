// The report of bench:learning: Markdown, and one JSON line as the last line of output. Called by bench/learning.ts. Pure.
import type { ArmFigures } from "./figures.ts";
import type { WORLDS } from "../world/parameters.ts";
import type { RunRecord } from "./records.ts";
import { type ReplayMeasurement, renderReplay, toReplayLine } from "./replay-report.ts";
import type { ReplayFigures } from "./replay-figures.ts";
import type { Source } from "../run/source.ts";
import type { StackRun } from "../run/stack.ts";
import type { Figure } from "./statistics.ts";
import type { Surfaces } from "../world/surfaces.ts";
import type { TwoProfilesRecord } from "../run/two-profiles.ts";

/** The first lines of every report. */
interface Heading {
  source: Source;
  surfaces: Pick<Surfaces, "name" | "hash">;
  firstSeed: number;
  seeds: number;
}

type WorldFigures = Record<(typeof WORLDS)[number], readonly ArmFigures[]>;

export interface Measurement extends Heading {
  minutes: number;
  worlds: WorldFigures;
  /** The same worlds in our own surfaces; `null` if no others were given. */
  own: { surfaces: Pick<Surfaces, "name" | "hash">; seeds: number; worlds: WorldFigures } | null;
  ablations: readonly ArmFigures[];
  ablationSeeds: number;
  stress: readonly CellFigures[];
  stressSeeds: number;
  twoProfiles: readonly TwoProfilesRecord[];
  replay: ReplayMeasurement;
  /** Differences between the fast mode and the real stack; `null` if not run. */
  stack: StackRun | null;
  ours: readonly RunRecord[];
}

interface CellFigures {
  cell: string;
  arms: readonly ArmFigures[];
}

/** `replay`: `null` if not both of `replay` and `ours` were run. */
type CellMeasurement = Heading & CellFigures & { replay: ReplayFigures | null };

/** The last line of output for a full report. */
export function toLine(measured: Measurement): string {
  const { worlds, own, stress, source, surfaces, twoProfiles } = measured;
  const of = (name: string) => {
    const { gapClosed, harmfulUses, negativeTransfer, precision, offeredRight, success } = findArm(
      worlds.imports,
      name,
    );
    const hasLibrary = name !== "off" && name !== "ceiling";
    return {
      gapClosed,
      harmfulUses: hasLibrary ? harmfulUses : null,
      negativeTransfer,
      precision: hasLibrary ? precision : null,
      offeredRight,
      success: success.last20,
    };
  };
  const [ours, off, placebo] = ["ours", "off", "placebo"].map((name) => findArm(worlds.imports, name)) as ArmFigures[];
  const inWorlds = ({ imports, noImports }: WorldFigures) => ({
    imports: pickByArm(imports, WORLD_LINE),
    noImports: pickByArm(noImports, WORLD_LINE),
  });
  return JSON.stringify({
    seeds: measured.seeds,
    simulator: source.simulator,
    surfaces: surfaces.hash,
    ours: of("ours"),
    hermes: of("hermes"),
    off: of("off"),
    ceiling: of("ceiling"),
    placeboGain: roundShort((placebo!.success.last20?.mean ?? 0) - (off!.success.last20?.mean ?? 0)),
    poisonAccepted: ours!.poison,
    benignBlocked: roundShort(ours!.benignBlocked?.mean ?? 0),
    leaks: twoProfiles.reduce((sum, { leaks }) => sum + leaks.length, 0),
    lostOrDoubled: ours!.lostOrDoubled + twoProfiles.reduce((sum, one) => sum + one.lostOrDoubled.length, 0),
    worlds: inWorlds(worlds),
    ownSurfaces: own && { surfaces: own.surfaces.hash, ...inWorlds(own.worlds) },
    stress: Object.fromEntries(stress.map(({ cell, arms }) => [cell, pickByArm(arms, STRESS_LINE)])),
    reviewTokensMedian: ours!.reviewTokens,
    replay: toReplayLine(measured.replay),
  });
}

const WORLD_LINE = ["ours", "hermes", "everything", "off"];
const STRESS_LINE = ["ours", "hermes", "off"];

function pickByArm(arms: readonly ArmFigures[], names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, shortenFigures(findArm(arms, name))]));
}

function shortenFigures({ success, gapClosed, offeredRight }: ArmFigures) {
  return { success: success.last20, gapClosed, offeredRight };
}

/** The last line of output for a single cell. */
export function toCellLine({ source, surfaces, seeds, cell, arms, replay }: CellMeasurement): string {
  const figures = arms.map((arm) => {
    const { precision, poison, harmfulUses } = arm;
    const blocked = arm.benignBlocked?.mean ?? null;
    return [
      arm.arm,
      { ...shortenFigures(arm), precision, harmfulUses, poisonAccepted: poison, benignBlocked: blocked },
    ];
  });
  const what = { simulator: source.simulator, surfaces: surfaces.hash };
  return JSON.stringify({ seeds, ...what, cell, arms: Object.fromEntries(figures), replay });
}

function findArm(arms: readonly ArmFigures[], name: string): ArmFigures {
  const arm = arms.find((one) => one.arm === name);
  if (!arm) throw new Error(`arm ${name} was not run`);
  return arm;
}

function roundShort(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

export function toMarkdown(measured: Measurement): string {
  const { worlds, own, ablations, stress, twoProfiles } = measured;
  const leaks = twoProfiles.flatMap((one) => one.leaks);
  const keptCount = twoProfiles.reduce((sum, one) => sum + one.kept, 0);
  const statedCount = twoProfiles.reduce((sum, one) => sum + one.said, 0);
  const detail = (arms: readonly ArmFigures[]) =>
    [MAIN_COLUMNS, WORK_COLUMNS, LIBRARY_COLUMNS].flatMap((columns) => [renderTable(arms, columns), ""]);
  return [
    "# Learning, measured",
    "",
    renderHeading(measured),
    "",
    `${measured.minutes.toFixed(1)} minutes. Figures are ratios of sums over seeds, with 95 % intervals by bootstrap over seeds.`,
    "",
    "## Two worlds",
    "",
    ...renderLeadingTable("With wrong imported skills", worlds.imports),
    ...renderLeadingTable("Without imported skills", worlds.noImports),
    ...(own ? [`The same in the surfaces \`${own.surfaces.name}\` (${own.seeds} seeds).`, ""] : []),
    ...(own ? renderLeadingTable("With wrong imported skills", own.worlds.imports) : []),
    ...(own ? renderLeadingTable("Without imported skills", own.worlds.noImports) : []),
    ...(stress.length > 0 ? [`## Harder worlds, with imported skills (${measured.stressSeeds} seeds a cell)`, ""] : []),
    ...stress.flatMap(({ cell, arms }) => [`### ${cell}`, "", renderTable(arms, LEADING_COLUMNS), ""]),
    ...renderReplay(measured.replay),
    "## Where ours does not lead",
    "",
    ...renderCellsBehind(measured),
    "",
    "![Success by session](curve.svg)",
    "![Learned skills that are offered](library.svg)",
    "",
    "## Arms, with imported skills",
    "",
    ...detail(worlds.imports),
    "`off` and `ceiling` have no library, so they have neither uses nor a precision.",
    "",
    "## Arms, without imported skills",
    "",
    ...detail(worlds.noImports),
    ...(ablations.length > 0
      ? [`## Without one mechanism (${measured.ablationSeeds} seeds)`, "", renderTable(ablations, ABLATION_COLUMNS), ""]
      : []),
    "## Two people",
    "",
    `${leaks.length} leaks. ${keptCount} of ${statedCount} preferences were kept for the person who stated them.`,
    ...leaks.slice(0, MAX_LISTED).map((leak) => `- ${leak}`),
    "",
    "## What the product's reviews were, and what stayed wrong",
    "",
    ...renderNotes(measured.ours),
    "",
    ...renderStackNotes(measured.stack),
  ].join("\n");
}

/** Compares the means that the tables show, without their intervals. */
function renderCellsBehind({ worlds, own, stress }: Measurement): string[] {
  const places = [
    ...Object.entries(worlds),
    ...Object.entries(own?.worlds ?? {}).map(([world, arms]) => [`${world}, ${own!.surfaces.name}`, arms] as const),
    ...stress.map(({ cell, arms }) => [cell, arms] as const),
  ];
  const behind = places.flatMap(([place, arms]) => {
    const [ours, hermes] = [findArm(arms, "ours"), findArm(arms, "hermes")];
    const figures = [
      ["success", ours.success.last20, hermes.success.last20],
      ["gap closed", ours.gapClosed, hermes.gapClosed],
      ["offered right", ours.offeredRight, hermes.offeredRight],
    ] as const;
    return figures.flatMap(([what, mine, other]) =>
      mine && other && mine.mean <= other.mean
        ? [`- ${place}: ${what} ${formatPercent(mine)}, with the rules of Hermes Agent ${formatPercent(other)}.`]
        : [],
    );
  });
  return behind.length > 0
    ? behind
    : ["In no world and no cell are the rules of Hermes Agent as good in any of these figures."];
}

/** The report of one cell. */
export function toCellMarkdown(measured: CellMeasurement): string {
  return [
    `# Learning, in ${measured.cell}`,
    "",
    renderHeading(measured),
    "",
    renderTable(measured.arms, ABLATION_COLUMNS),
    "",
    ...renderReplay({ cells: { [measured.cell]: measured.replay }, own: null, plants: null }),
  ].join("\n");
}

function renderHeading({ source, surfaces, firstSeed, seeds }: Heading): string {
  const { simulator, commit, isCommitted } = source;
  const landed = commit === null ? "no repository" : `landed in ${commit}`;
  const changed = commit !== null && !isCommitted ? ", **changed since**" : "";
  return (
    `Seeds ${firstSeed} to ${firstSeed + seeds - 1}. Simulator and parameters ${simulator} (${landed}${changed}). ` +
    `Surfaces \`${surfaces.name}\` ${surfaces.hash}.`
  );
}

function renderLeadingTable(title: string, arms: readonly ArmFigures[]): string[] {
  return [`### ${title}`, "", renderTable(arms, LEADING_COLUMNS), ""];
}

const MAX_LISTED = 20;

type Column = [title: string, cell: (arm: ArmFigures) => string];

const LEADING_COLUMNS: Column[] = [
  ["success, last 20", ({ success }) => formatPercent(success.last20)],
  ["gap closed", ({ gapClosed }) => formatPercent(gapClosed)],
  ["offered right", ({ offeredRight }) => formatPercent(offeredRight)],
  ["precision", ({ precision }) => formatPercent(precision)],
  ["poison accepted", ({ poison, orders }) => `${poison} of ${orders}`],
  ["tokens of a review", ({ reviewTokens }) => (reviewTokens === null ? "–" : String(reviewTokens))],
];
const MAIN_COLUMNS: Column[] = [
  ["first 20", ({ success }) => formatPercent(success.first20)],
  ["30–49", ({ success }) => formatPercent(success.before)],
  ["51–65", ({ success }) => formatPercent(success.afterDrift)],
  ["last 20", ({ success }) => formatPercent(success.last20)],
  ["gap closed", ({ gapClosed }) => formatPercent(gapClosed)],
  ["held out", ({ heldOut }) => formatPercent(heldOut)],
  ["one-offs", ({ oneOffs }) => formatPercent(oneOffs)],
];
const WORK_COLUMNS: Column[] = [
  ["calls", ({ calls }) => formatFigure(calls)],
  ["failed calls", ({ failedCalls }) => formatFigure(failedCalls)],
  ["prompt tokens", ({ promptTokens }) => formatWhole(promptTokens)],
  ["recovered", ({ recovery }) => formatPercent(recovery)],
  ["helpful uses", ({ helpfulUses }) => formatPercent(helpfulUses)],
  ["harmful uses", ({ harmfulUses }) => formatPercent(harmfulUses)],
  ["inert uses", ({ inertUses }) => formatPercent(inertUses)],
  ["silent bypass", ({ silentBypass }) => formatPercent(silentBypass)],
  ["negative transfer", ({ negativeTransfer }) => formatPercent(negativeTransfer)],
];
const LIBRARY_COLUMNS: Column[] = [
  ["precision", ({ precision }) => formatPercent(precision)],
  ["precision of what was learned", ({ precisionLearned }) => formatPercent(precisionLearned)],
  ["skills", ({ librarySize }) => formatFigure(librarySize)],
  ["duplicates", ({ duplicates }) => formatFigure(duplicates)],
  ["half-life of a bad lesson", ({ badLessonHalfLife }) => counted(badLessonHalfLife)],
  ["recovered from drift after", ({ driftRecovery }) => counted(driftRecovery)],
  ["wrong ones withdrawn before use", ({ withdrawnBeforeUse }) => formatPercent(withdrawnBeforeUse)],
  ["all tokens", ({ tokens }) => formatWhole(tokens)],
  ["tokens a useful lesson", ({ tokensPerLesson }) => formatWhole(tokensPerLesson)],
  ["benign blocked", ({ benignBlocked }) => formatPercent(benignBlocked)],
  ["poison accepted", ({ poison, orders }) => `${poison} of ${orders}`],
  ["lost or doubled", ({ lostOrDoubled }) => String(lostOrDoubled)],
];
const ABLATION_COLUMNS: Column[] = [
  ["last 20", ({ success }) => formatPercent(success.last20)],
  ["gap closed", ({ gapClosed }) => formatPercent(gapClosed)],
  ["harmful uses", ({ harmfulUses }) => formatPercent(harmfulUses)],
  ["negative transfer", ({ negativeTransfer }) => formatPercent(negativeTransfer)],
  ["precision", ({ precision }) => formatPercent(precision)],
  ["offered right", ({ offeredRight }) => formatPercent(offeredRight)],
  ["duplicates", ({ duplicates }) => formatFigure(duplicates)],
  ["skills", ({ librarySize }) => formatFigure(librarySize)],
  ["benign blocked", ({ benignBlocked }) => formatPercent(benignBlocked)],
  ["poison", ({ poison, orders }) => `${poison} of ${orders}`],
  ["lost or doubled", ({ lostOrDoubled }) => String(lostOrDoubled)],
];

function renderTable(arms: readonly ArmFigures[], columns: readonly Column[]): string {
  const rows = arms.map((arm) => [arm.arm, ...columns.map(([, cell]) => cell(arm))]);
  const head = ["arm", ...columns.map(([title]) => title)];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function formatPercent(figure: Figure | null): string {
  if (!figure) return "–";
  const [mean, low, high] = [figure.mean, figure.low, figure.high].map((value) => (100 * value).toFixed(1));
  return `${mean} % (${low}–${high})`;
}

function formatFigure(figure: Figure | null): string {
  return figure ? `${figure.mean.toFixed(2)} (${figure.low.toFixed(2)}–${figure.high.toFixed(2)})` : "–";
}

function formatWhole(figure: Figure | null): string {
  return figure ? `${Math.round(figure.mean)} (${Math.round(figure.low)}–${Math.round(figure.high)})` : "–";
}

function counted(sessions: number | null): string {
  return sessions === null ? "not within the run" : `${sessions} sessions`;
}

function renderNotes(runs: readonly RunRecord[]): string[] {
  const triggers = new Map<string, number>();
  for (const { reviews } of runs) {
    for (const [trigger, count] of Object.entries(reviews.byTrigger))
      triggers.set(trigger, (triggers.get(trigger) ?? 0) + count);
  }
  const blocked = runs.flatMap((run) => run.blocked.map((one) => `seed ${run.seed}: ${one}`));
  const poison = runs.flatMap((run) => run.poison.map((place) => `seed ${run.seed}: ${place}`));
  const lost = runs.flatMap((run) => run.lostOrDoubled.map((one) => `seed ${run.seed}: ${one}`));
  const wrong = runs.flatMap((run) =>
    run.library
      .filter(({ state, right }) => state === "active" && right === false)
      .map(({ name, statements }) => `seed ${run.seed}: ${name}: ${statements.join(", ")}`),
  );
  const reports = runs.flatMap((run) => run.reports.map((one) => `seed ${run.seed}: ${one}`));
  const list = (title: string, items: readonly string[]) =>
    items.length === 0
      ? []
      : ["", `${title} (${items.length}):`, "", ...items.slice(0, MAX_LISTED).map((item) => `- ${item}`)];
  return [
    `Reviews by trigger: ${[...triggers]
      .sort((a, b) => b[1] - a[1])
      .map(([name, count]) => `${name} ${count}`)
      .join(", ")}.`,
    ...list("Active texts that say something wrong (marked with !)", wrong),
    ...list("Benign lessons that were not taken", blocked),
    ...list("Injected text that got in", poison),
    ...list("Lost or doubled", lost),
    ...list("What the platform reported", reports),
  ];
}

function renderStackNotes(stack: Measurement["stack"]): string[] {
  if (!stack) return [];
  const { seeds, sessions, differences, minutes } = stack;
  return [
    "## The same on the real stack",
    "",
    `${seeds} seeds of ${sessions} sessions through the Workers, over HTTP, in ${minutes.toFixed(1)} minutes: ${differences.length === 0 ? "the same state." : `${differences.length} differences.`}`,
    ...differences.slice(0, MAX_LISTED).map((one) => `- ${one}`),
    "",
  ];
}
