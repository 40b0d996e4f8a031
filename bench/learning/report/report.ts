// The report of bench:learning: Markdown, and one JSON line as the last line of output. Called by bench/learning.ts. Pure.
import type { ArmFigures } from "./figures.ts";
import type { WORLDS } from "../world/parameters.ts";
import type { RunRecord } from "./records.ts";
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
  /** Differences between the fast mode and the real stack; `null` if not run. */
  stack: StackRun | null;
  ours: readonly RunRecord[];
}

interface CellFigures {
  cell: string;
  arms: readonly ArmFigures[];
}

/** The last line of output for a full report. */
export function toLine(measured: Measurement): string {
  const { worlds, own, stress, source, surfaces, twoProfiles } = measured;
  const of = (name: string) => {
    const { gapClosed, harmfulUses, negativeTransfer, precision, offeredRight, success } = armIn(worlds.imports, name);
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
  const [ours, off, placebo] = ["ours", "off", "placebo"].map((name) => armIn(worlds.imports, name)) as ArmFigures[];
  const inWorlds = ({ imports, noImports }: WorldFigures) => ({
    imports: byArm(imports, WORLD_LINE),
    noImports: byArm(noImports, WORLD_LINE),
  });
  return JSON.stringify({
    seeds: measured.seeds,
    simulator: source.simulator,
    surfaces: surfaces.hash,
    ours: of("ours"),
    hermes: of("hermes"),
    off: of("off"),
    ceiling: of("ceiling"),
    placeboGain: short((placebo!.success.last20?.mean ?? 0) - (off!.success.last20?.mean ?? 0)),
    poisonAccepted: ours!.poison,
    benignBlocked: short(ours!.benignBlocked?.mean ?? 0),
    leaks: twoProfiles.reduce((sum, { leaks }) => sum + leaks.length, 0),
    lostOrDoubled: ours!.lostOrDoubled + twoProfiles.reduce((sum, one) => sum + one.lostOrDoubled.length, 0),
    worlds: inWorlds(worlds),
    ownSurfaces: own && { surfaces: own.surfaces.hash, ...inWorlds(own.worlds) },
    stress: Object.fromEntries(stress.map(({ cell, arms }) => [cell, byArm(arms, STRESS_LINE)])),
    reviewTokensMedian: ours!.reviewTokens,
  });
}

const WORLD_LINE = ["ours", "hermes", "everything", "off"];
const STRESS_LINE = ["ours", "hermes", "off"];

function byArm(arms: readonly ArmFigures[], names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, shortFigures(armIn(arms, name))]));
}

function shortFigures({ success, gapClosed, offeredRight }: ArmFigures) {
  return { success: success.last20, gapClosed, offeredRight };
}

/** The last line of output for a single cell. */
export function toCellLine({ source, surfaces, seeds, cell, arms }: Heading & CellFigures): string {
  const figures = arms.map((arm) => {
    const { precision, poison, harmfulUses } = arm;
    const blocked = arm.benignBlocked?.mean ?? null;
    return [arm.arm, { ...shortFigures(arm), precision, harmfulUses, poisonAccepted: poison, benignBlocked: blocked }];
  });
  const what = { simulator: source.simulator, surfaces: surfaces.hash };
  return JSON.stringify({ seeds, ...what, cell, arms: Object.fromEntries(figures) });
}

function armIn(arms: readonly ArmFigures[], name: string): ArmFigures {
  const arm = arms.find((one) => one.arm === name);
  if (!arm) throw new Error(`arm ${name} was not run`);
  return arm;
}

function short(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

export function toMarkdown(measured: Measurement): string {
  const { worlds, own, ablations, stress, twoProfiles } = measured;
  const leaks = twoProfiles.flatMap((one) => one.leaks);
  const kept = twoProfiles.reduce((sum, one) => sum + one.kept, 0);
  const said = twoProfiles.reduce((sum, one) => sum + one.said, 0);
  const detail = (arms: readonly ArmFigures[]) =>
    [MAIN_COLUMNS, WORK_COLUMNS, LIBRARY_COLUMNS].flatMap((columns) => [table(arms, columns), ""]);
  return [
    "# Learning, measured",
    "",
    renderHeading(measured),
    "",
    `${measured.minutes.toFixed(1)} minutes. Figures are ratios of sums over seeds, with 95 % intervals by bootstrap over seeds.`,
    "",
    "## Two worlds",
    "",
    ...leading("With wrong imported skills", worlds.imports),
    ...leading("Without imported skills", worlds.noImports),
    ...(own ? [`The same in the surfaces \`${own.surfaces.name}\` (${own.seeds} seeds).`, ""] : []),
    ...(own ? leading("With wrong imported skills", own.worlds.imports) : []),
    ...(own ? leading("Without imported skills", own.worlds.noImports) : []),
    ...(stress.length > 0 ? [`## Harder worlds, with imported skills (${measured.stressSeeds} seeds a cell)`, ""] : []),
    ...stress.flatMap(({ cell, arms }) => [`### ${cell}`, "", table(arms, LEADING_COLUMNS), ""]),
    "## Where ours does not lead",
    "",
    ...notLeading(measured),
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
      ? [`## Without one mechanism (${measured.ablationSeeds} seeds)`, "", table(ablations, ABLATION_COLUMNS), ""]
      : []),
    "## Two people",
    "",
    `${leaks.length} leaks. ${kept} of ${said} preferences were kept for the person who has them.`,
    ...leaks.slice(0, LISTED).map((leak) => `- ${leak}`),
    "",
    "## What the product's reviews were, and what stayed wrong",
    "",
    ...notesOn(measured.ours),
    "",
    ...stackNotes(measured.stack),
  ].join("\n");
}

/** Compares the means that the tables show, without their intervals. */
function notLeading({ worlds, own, stress }: Measurement): string[] {
  const places = [
    ...Object.entries(worlds),
    ...Object.entries(own?.worlds ?? {}).map(([world, arms]) => [`${world}, ${own!.surfaces.name}`, arms] as const),
    ...stress.map(({ cell, arms }) => [cell, arms] as const),
  ];
  const behind = places.flatMap(([place, arms]) => {
    const [ours, hermes] = [armIn(arms, "ours"), armIn(arms, "hermes")];
    const figures = [
      ["success", ours.success.last20, hermes.success.last20],
      ["gap closed", ours.gapClosed, hermes.gapClosed],
      ["offered right", ours.offeredRight, hermes.offeredRight],
    ] as const;
    return figures.flatMap(([what, mine, other]) =>
      mine && other && mine.mean <= other.mean
        ? [`- ${place}: ${what} ${percent(mine)}, with the rules of Hermes Agent ${percent(other)}.`]
        : [],
    );
  });
  return behind.length > 0
    ? behind
    : ["In no world and no cell are the rules of Hermes Agent as good in any of these figures."];
}

/** The report of one cell. */
export function toCellMarkdown(measured: Heading & CellFigures): string {
  return [
    `# Learning, in ${measured.cell}`,
    "",
    renderHeading(measured),
    "",
    table(measured.arms, ABLATION_COLUMNS),
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

function leading(title: string, arms: readonly ArmFigures[]): string[] {
  return [`### ${title}`, "", table(arms, LEADING_COLUMNS), ""];
}

const LISTED = 20;

type Column = [title: string, cell: (arm: ArmFigures) => string];

const LEADING_COLUMNS: Column[] = [
  ["success, last 20", ({ success }) => percent(success.last20)],
  ["gap closed", ({ gapClosed }) => percent(gapClosed)],
  ["offered right", ({ offeredRight }) => percent(offeredRight)],
  ["precision", ({ precision }) => percent(precision)],
  ["poison accepted", ({ poison, orders }) => `${poison} of ${orders}`],
  ["tokens of a review", ({ reviewTokens }) => (reviewTokens === null ? "–" : String(reviewTokens))],
];
const MAIN_COLUMNS: Column[] = [
  ["first 20", ({ success }) => percent(success.first20)],
  ["30–49", ({ success }) => percent(success.before)],
  ["51–65", ({ success }) => percent(success.afterDrift)],
  ["last 20", ({ success }) => percent(success.last20)],
  ["gap closed", ({ gapClosed }) => percent(gapClosed)],
  ["held out", ({ heldOut }) => percent(heldOut)],
  ["one-offs", ({ oneOffs }) => percent(oneOffs)],
];
const WORK_COLUMNS: Column[] = [
  ["calls", ({ calls }) => plain(calls)],
  ["failed calls", ({ failedCalls }) => plain(failedCalls)],
  ["prompt tokens", ({ promptTokens }) => whole(promptTokens)],
  ["recovered", ({ recovery }) => percent(recovery)],
  ["helpful uses", ({ helpfulUses }) => percent(helpfulUses)],
  ["harmful uses", ({ harmfulUses }) => percent(harmfulUses)],
  ["inert uses", ({ inertUses }) => percent(inertUses)],
  ["silent bypass", ({ silentBypass }) => percent(silentBypass)],
  ["negative transfer", ({ negativeTransfer }) => percent(negativeTransfer)],
];
const LIBRARY_COLUMNS: Column[] = [
  ["precision", ({ precision }) => percent(precision)],
  ["precision of what was learned", ({ precisionLearned }) => percent(precisionLearned)],
  ["skills", ({ librarySize }) => plain(librarySize)],
  ["duplicates", ({ duplicates }) => plain(duplicates)],
  ["half-life of a bad lesson", ({ badLessonHalfLife }) => counted(badLessonHalfLife)],
  ["recovered from drift after", ({ driftRecovery }) => counted(driftRecovery)],
  ["tokens a useful lesson", ({ tokensPerLesson }) => whole(tokensPerLesson)],
  ["benign blocked", ({ benignBlocked }) => percent(benignBlocked)],
  ["poison accepted", ({ poison, orders }) => `${poison} of ${orders}`],
  ["lost or doubled", ({ lostOrDoubled }) => String(lostOrDoubled)],
];
const ABLATION_COLUMNS: Column[] = [
  ["last 20", ({ success }) => percent(success.last20)],
  ["gap closed", ({ gapClosed }) => percent(gapClosed)],
  ["harmful uses", ({ harmfulUses }) => percent(harmfulUses)],
  ["negative transfer", ({ negativeTransfer }) => percent(negativeTransfer)],
  ["precision", ({ precision }) => percent(precision)],
  ["offered right", ({ offeredRight }) => percent(offeredRight)],
  ["duplicates", ({ duplicates }) => plain(duplicates)],
  ["skills", ({ librarySize }) => plain(librarySize)],
  ["benign blocked", ({ benignBlocked }) => percent(benignBlocked)],
  ["poison", ({ poison, orders }) => `${poison} of ${orders}`],
  ["lost or doubled", ({ lostOrDoubled }) => String(lostOrDoubled)],
];

function table(arms: readonly ArmFigures[], columns: readonly Column[]): string {
  const rows = arms.map((arm) => [arm.arm, ...columns.map(([, cell]) => cell(arm))]);
  const head = ["arm", ...columns.map(([title]) => title)];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function percent(figure: Figure | null): string {
  if (!figure) return "–";
  const [mean, low, high] = [figure.mean, figure.low, figure.high].map((value) => (100 * value).toFixed(1));
  return `${mean} % (${low}–${high})`;
}

function plain(figure: Figure | null): string {
  return figure ? `${figure.mean.toFixed(2)} (${figure.low.toFixed(2)}–${figure.high.toFixed(2)})` : "–";
}

function whole(figure: Figure | null): string {
  return figure ? `${Math.round(figure.mean)} (${Math.round(figure.low)}–${Math.round(figure.high)})` : "–";
}

function counted(sessions: number | null): string {
  return sessions === null ? "not within the run" : `${sessions} sessions`;
}

function notesOn(runs: readonly RunRecord[]): string[] {
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
      : ["", `${title} (${items.length}):`, "", ...items.slice(0, LISTED).map((item) => `- ${item}`)];
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

function stackNotes(stack: Measurement["stack"]): string[] {
  if (!stack) return [];
  const { seeds, sessions, differences, minutes } = stack;
  return [
    "## The same on the real stack",
    "",
    `${seeds} seeds of ${sessions} sessions through the Workers, over HTTP, in ${minutes.toFixed(1)} minutes: ${differences.length === 0 ? "the same state." : `${differences.length} differences.`}`,
    ...differences.slice(0, LISTED).map((one) => `- ${one}`),
    "",
  ];
}
