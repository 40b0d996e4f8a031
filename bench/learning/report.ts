// The report of bench:learning as Markdown, and its last line as JSON. Pure.
import type { ArmFigures } from "./figures.ts";
import type { RunRecord } from "./records.ts";
import type { StackRun } from "./stack.ts";
import type { Figure } from "./statistics.ts";
import type { TwoProfilesRecord } from "./two-profiles.ts";

export interface Measured {
  hash: string;
  firstSeed: number;
  seeds: number;
  minutes: number;
  arms: readonly ArmFigures[];
  ablations: readonly ArmFigures[];
  ablationSeeds: number;
  /** By cell, the arms in it. */
  stress: readonly { cell: string; arms: readonly ArmFigures[] }[];
  stressSeeds: number;
  twoProfiles: readonly TwoProfilesRecord[];
  /** What agrees, or what differs, between the fast mode and the real stack; `null`: not run. */
  stack: StackRun | null;
  ours: readonly RunRecord[];
}

type Kept = { mean: number; low: number; high: number } | null;

/** The last line of the report. */
export function toLine(measured: Measured): string {
  const of = (name: string) => {
    const arm = armIn(measured.arms, name);
    const { gapClosed, harmfulUses, negativeTransfer, precision, success } = arm;
    const isReference = name === "off" || name === "ceiling";
    return {
      gapClosed: gapClosed as Kept,
      harmfulUses: (isReference ? null : harmfulUses) as Kept,
      negativeTransfer: negativeTransfer as Kept,
      precision: (isReference ? null : precision) as Kept,
      success: success.last20 as Kept,
    };
  };
  const [ours, off, placebo] = ["ours", "off", "placebo"].map((name) => armIn(measured.arms, name)) as ArmFigures[];
  return JSON.stringify({
    seeds: measured.seeds,
    ours: of("ours"),
    hermes: of("hermes"),
    off: of("off"),
    ceiling: of("ceiling"),
    placeboGain: short((placebo!.success.last20?.mean ?? 0) - (off!.success.last20?.mean ?? 0)),
    poisonAccepted: ours!.poison,
    benignBlocked: short(ours!.benignBlocked?.mean ?? 0),
    leaks: measured.twoProfiles.reduce((sum, { leaks }) => sum + leaks.length, 0),
    lostOrDoubled: ours!.lostOrDoubled + measured.twoProfiles.reduce((sum, one) => sum + one.lostOrDoubled.length, 0),
  });
}

function armIn(arms: readonly ArmFigures[], name: string): ArmFigures {
  const arm = arms.find((one) => one.arm === name);
  if (!arm) throw new Error(`the arm ${name} was not run`);
  return arm;
}

function short(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

export function toMarkdown(measured: Measured): string {
  const { arms, ablations, stress, twoProfiles } = measured;
  const leaks = twoProfiles.flatMap((one) => one.leaks);
  const kept = twoProfiles.reduce((sum, one) => sum + one.kept, 0);
  const said = twoProfiles.reduce((sum, one) => sum + one.said, 0);
  return [
    "# Learning, measured",
    "",
    `Seeds ${measured.firstSeed} to ${measured.firstSeed + measured.seeds - 1}; parameters ${measured.hash}; ${measured.minutes.toFixed(1)} minutes. Figures are ratios of sums over seeds, with 95 % intervals by bootstrap over seeds.`,
    "",
    "![Success by session](curve.svg)",
    "![Learned skills that are offered](library.svg)",
    "",
    "## Arms",
    "",
    table(arms, MAIN_COLUMNS),
    "",
    table(arms, WORK_COLUMNS),
    "",
    table(arms, LIBRARY_COLUMNS),
    "",
    "`off` and `ceiling` have no library, so they have neither uses nor a precision.",
    "",
    ...(ablations.length > 0
      ? [`## Without one mechanism (${measured.ablationSeeds} seeds)`, "", table(ablations, ABLATION_COLUMNS), ""]
      : []),
    ...(stress.length > 0 ? [`## A harder world (${measured.stressSeeds} seeds a cell)`, ""] : []),
    ...stress.flatMap(({ cell, arms: inCell }) => [`### ${cell}`, "", table(inCell, ABLATION_COLUMNS), ""]),
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

const LISTED = 20;

type Column = [title: string, cell: (arm: ArmFigures) => string];

const MAIN_COLUMNS: Column[] = [
  ["first 20", ({ success }) => percent(success.first20)],
  ["30–49", ({ success }) => percent(success.before)],
  ["51–65", ({ success }) => percent(success.behindDrift)],
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
  ["of what was learned", ({ precisionLearned }) => percent(precisionLearned)],
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

function stackNotes(stack: Measured["stack"]): string[] {
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
