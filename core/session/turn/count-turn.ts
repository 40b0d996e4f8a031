// Counts what a turn did, from its entries. Pure.
import { type Entry, NO_STATS, type TurnStats, addUsage } from "../../schemas/entry.ts";

/** Failed calls and calls of a compaction are not steps, but their tokens and money count. */
export function countTurn(entries: Entry[]): TurnStats {
  const stats: TurnStats = { ...NO_STATS };
  const pay = ({ usage, cost }: Pick<Extract<Entry, { kind: "assistant" }>["answer"], "usage" | "cost">) => {
    stats.usage = addUsage(stats.usage, usage);
    if (cost && cost.source !== "none") stats.usdMicros = (stats.usdMicros ?? 0) + cost.usdMicros;
  };
  for (const entry of entries) {
    if (entry.kind === "assistant") {
      stats.modelCalls++;
      pay(entry.answer);
    }
    if (entry.kind === "compaction") for (const call of entry.calls) pay(call);
    if (entry.kind === "notice" && entry.spent) pay(entry.spent);
    if (entry.kind === "notice") for (const call of [...(entry.compaction ?? []), ...(entry.approval ?? [])]) pay(call);
    if (entry.kind === "tool") for (const call of entry.spent ?? []) pay(call);
    if (entry.kind === "tool") stats.toolCalls++;
    if (entry.kind === "tool" && entry.failed) stats.failedCalls++;
  }
  return stats;
}
