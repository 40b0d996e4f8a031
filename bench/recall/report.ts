// The readable report of bench:recall, and its one line of JSON. Pure except for console output.
import { roundToHundredths } from "../support/figures.ts";
import type { Conversation } from "./conversations.ts";
import type { Recall, Shares } from "./measure.ts";
import type { SizeTiming } from "./search-time.ts";

export function printRecall(conversations: Conversation[], recall: Recall, timings: SizeTiming[]): void {
  const messages = conversations.flatMap(({ sessions }) => sessions.flatMap((session) => session.messages)).length;
  const questions = conversations.flatMap((one) => one.questions).length;
  console.log(`${conversations.length} conversations, ${messages} messages, ${questions} questions with evidence\n`);
  console.log("share of the evidence among the first ten             message  in a window  session");
  printShares("an archive for each conversation", recall.own);
  printShares("the same with plain FTS5", recall.plain);
  printShares("all in one archive, with other messages", recall.pooled);
  for (const { category, questions: count, shares } of recall.byCategory) {
    printShares(`category ${category ?? "unknown"} (questions: ${count})`, shares);
  }
  console.log("");
  for (const timing of timings) console.log(`search in ${timing.size} messages: ${describeTiming(timing)}`);
}

function printShares(name: string, { turn, turnWindow, session }: Shares): void {
  const [first, second, third] = [turn, turnWindow, session].map((share) => toShare(share).toFixed(4));
  console.log(`${name.padEnd(52)}  ${first}       ${second}   ${third}`);
}

function describeTiming(timing: SizeTiming): string {
  if ("skipped" in timing) return `not measured, because ${timing.skipped}`;
  return `${roundToHundredths(timing.p50Ms)} ms p50, ${roundToHundredths(timing.p95Ms)} ms p95`;
}

export function toRecallLine({ own, pooled }: Recall, timings: SizeTiming[]): string {
  return JSON.stringify({
    turnAt10: toShare(own.turn),
    turnWindowAt10: toShare(own.turnWindow),
    sessionAt10: toShare(own.session),
    pooled: { turnAt10: toShare(pooled.turn), sessionAt10: toShare(pooled.session) },
    p50Ms: Object.fromEntries(
      timings.map((timing) => [timing.size, "skipped" in timing ? null : roundToHundredths(timing.p50Ms)]),
    ),
  });
}

function toShare(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
