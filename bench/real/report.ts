// The report of bench:real and its last line of JSON. Pure.
import type { Task } from "../../scripts/demo/tasks.ts";
import type { ArmName, TaskRecord } from "./records.ts";

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
  const reviews = records.flatMap(({ review }) => review ?? []);
  const entered = reviews.reduce((sum, review) => sum + review.entered, 0);
  const refused = reviews.reduce((sum, review) => sum + review.refused, 0);
  return JSON.stringify({
    ...{ model, tasks },
    off: computeArmFigures(records, "off"),
    ours: computeArmFigures(records, "ours"),
    seeded: computeArmFigures(records, "seeded"),
    lessons: { proposed: entered + refused, refused, entered },
  });
}

export function toReport(model: string, tasks: Task[], records: TaskRecord[]): string {
  const rows = tasks.map(({ text }, n) => {
    const cells = (["off", "ours", "seeded"] as const).map((arm) => {
      const record = records.find((one) => one.arm === arm && one.n === n);
      if (!record) return "not run".padEnd(22);
      const end = record.state === "done" ? (record.correct ? "right" : "wrong") : record.state;
      return `${end}, ${record.toolCalls} calls (${record.failedCalls} failed)`.padEnd(22);
    });
    return `  ${String(n + 1).padStart(3)}  ${cells.join("  ")}  ${text}`;
  });
  return [`${model}: off | ours | seeded`, ...rows, ""].join("\n");
}
