// The readable report of bench:skills, and its one line of JSON. Pure except for console output.
import { median, quantile, roundToHundredths } from "../support/figures.ts";
import type { BenchLibrary } from "./library.ts";
import type { Recall } from "./recall.ts";
import type { SessionStart } from "./session-start.ts";
import type { UnaskedShares } from "./unasked.ts";

export interface SkillsMeasured {
  library: BenchLibrary;
  start: SessionStart;
  /** The longest skill index that any of the questions gives. */
  indexTokens: number;
  recall: Recall;
  unasked: UnaskedShares | null;
}

/** How many missed skills the report names. The figures count all of them. */
const MOST_MISSED = 20;

export function printSkills({ library, start, indexTokens, recall, unasked }: SkillsMeasured): void {
  const { skills, queries, targets } = library;
  const { recallAt5, bm25At5, searchMs, missed } = recall;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  console.log(`library        ${skills.length} skills: ${targets} from the file, ${skills.length - targets} made up`);
  console.log(
    `session start  ${roundToHundredths(median(start.startMs))} ms p50, ${roundToHundredths(quantile(start.startMs, 0.95))} ms p95`,
  );
  console.log(`prompt index   ${indexTokens} tokens at most`);
  console.log(`questions      ${queries.length}, each a skill's own "when to use" section, removed from the skill`);
  if (queries.length === 0) return;
  console.log(`in first five  ${percent(recallAt5)}; plain FTS5 bm25() over the same rows ${percent(bm25At5)}`);
  console.log(
    `search         ${roundToHundredths(median(searchMs))} ms p50, ${roundToHundredths(quantile(searchMs, 0.95))} ms p95`,
  );
  if (unasked) {
    const { right, wrong, needless } = unasked;
    console.log(
      `recalled       ${percent(right)} the right skill, ${percent(wrong)} another one; if none fits ${percent(needless)}`,
    );
  }
  if (missed.length > 0) console.log(`not found      ${missed.slice(0, MOST_MISSED).join(", ")}`);
}

export function toSkillsLine({ library, start, indexTokens, recall }: SkillsMeasured): string {
  return JSON.stringify({
    sessionStartMs: { p50: roundToHundredths(median(start.startMs)) },
    indexTokens,
    recallAt5: toShare(recall.recallAt5),
    bm25At5: toShare(recall.bm25At5),
    queries: library.queries.length,
  });
}

function toShare(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
