// The report of bench:real and its last line of JSON. Pure.
import type { Task } from "../../scripts/demo/tasks.ts";
import { ARMS, type ArmName, type TaskRecord } from "./records.ts";

/** `success` is a fraction. `calls` (tool calls) and `tokens` (prompt and answer) are means over the tasks. */
interface ArmFigures {
  success: number | null;
  calls: number | null;
  tokens: number | null;
}

/** The figures are `null` for an arm without results, in an interrupted run. */
export function computeArmFigures(records: TaskRecord[], arm: ArmName): ArmFigures {
  const own = records.filter((record) => record.arm === arm);
  const mean = (of: (record: TaskRecord) => number, places: number) =>
    own.length === 0 ? null : Number((own.reduce((sum, record) => sum + of(record), 0) / own.length).toFixed(places));
  return {
    success: mean(({ correct }) => Number(correct), 4),
    calls: mean(({ toolCalls }) => toolCalls, 2),
    tokens: mean(({ tokens }) => tokens, 0),
  };
}

export function toLine(model: string, tasks: number, records: TaskRecord[]): string {
  return JSON.stringify({
    ...{ model, tasks },
    off: computeArmFigures(records, "off"),
    ours: computeArmFigures(records, "ours"),
    replay: { ...computeArmFigures(records, "replay"), ...sumExperiments(records) },
    seeded: computeArmFigures(records, "seeded"),
    lessons: sumLessons(records, "ours"),
  });
}

function sumLessons(records: TaskRecord[], arm: ArmName) {
  const reviews = records.flatMap((record) => (record.arm === arm && record.review ? [record.review] : []));
  const entered = reviews.reduce((sum, review) => sum + review.entered, 0);
  const refused = reviews.reduce((sum, review) => sum + review.refused, 0);
  return { proposed: entered + refused, refused, entered };
}

/** `replayTokens`: of all experiments, beside the turns. `null` for an arm without results. */
function sumExperiments(records: TaskRecord[]) {
  const own = records.flatMap(({ experiments }) => experiments ?? []);
  if (own.length === 0) return { lessons: null, experiments: null, replayTokens: null };
  const outcomes: Record<string, number> = {};
  for (const one of own) {
    for (const [name, count] of Object.entries(one.outcomes)) outcomes[name] = (outcomes[name] ?? 0) + count;
  }
  return {
    lessons: sumLessons(records, "replay"),
    experiments: { made: own.reduce((sum, { made }) => sum + made, 0), ...outcomes },
    replayTokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

export function toReport(model: string, tasks: Task[], records: TaskRecord[]): string {
  const rows = tasks.map(({ text }, n) => {
    const cells = ARMS.map((arm) => {
      const record = records.find((one) => one.arm === arm && one.n === n);
      if (!record) return "not run".padEnd(22);
      const end = record.state === "done" ? (record.correct ? "right" : "wrong") : record.state;
      return `${end}, ${record.toolCalls} calls (${record.failedCalls} failed)`.padEnd(22);
    });
    return `  ${String(n + 1).padStart(3)}  ${cells.join("  ")}  ${text}`;
  });
  return [`${model}: ${ARMS.join(" | ")}`, ...rows, ""].join("\n");
}
