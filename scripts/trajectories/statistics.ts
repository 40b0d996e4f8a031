// What a run came to: outcomes, and the calls of every tool, also of those that nobody called, so that each run has the same fields.
import * as z from "zod";
import type { BatchOptions } from "./options.ts";
import { OUTCOMES, type RunFolder } from "./run-folder.ts";

const Count = z.object({ count: z.int(), success: z.int(), failure: z.int() });
const Counted = z.object({ tool_stats: z.record(z.string(), Count), api_calls: z.int() });

/** `success_rate`, `failure_rate`: of the tool's calls; 0 without any. */
export function toStatistics(
  { run, prompts }: Pick<BatchOptions, "run" | "prompts">,
  folder: RunFolder,
  tools: string[],
) {
  const lines = [...folder.lines("completed"), ...folder.lines("failed")].map((line) => Counted.parse(line));
  const marks = prompts.map(({ hash }) => folder.done.get(hash));
  const byOutcome = OUTCOMES.map(
    (outcome) => [outcome, marks.filter((mark) => mark?.outcome === outcome).length] as const,
  );
  const stats = tools.map((name) => {
    const sum = { count: 0, success: 0, failure: 0 };
    for (const { tool_stats: counts } of lines) {
      for (const field of ["count", "success", "failure"] as const) sum[field] += counts[name]?.[field] ?? 0;
    }
    const share = (part: number) => (sum.count === 0 ? 0 : Math.round((part / sum.count) * 10_000) / 10_000);
    return [name, { ...sum, success_rate: share(sum.success), failure_rate: share(sum.failure) }] as const;
  });
  return {
    run,
    prompts: prompts.length,
    ...(Object.fromEntries(byOutcome) as Record<(typeof OUTCOMES)[number], number>),
    api_calls: lines.reduce((sum, line) => sum + line.api_calls, 0),
    tool_stats: Object.fromEntries(stats),
  };
}
