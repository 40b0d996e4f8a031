// Describes the evidence of a skill for a person: the verdict on each text, and each use with what it changed. Called by the API and by the
// ledger. Pure.
import type { JudgedText, SkillEvidence, SkillUsed } from "../../schemas/learning/evidence.ts";
import { toTurnId } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type Evidence, type Lineage, isUse, outranks } from "../../schemas/skill.ts";
import { toEstimate } from "./beta.ts";
import { type TracedUse, judgeTexts, traceTexts } from "./verdict.ts";

/** As many as a plot can show. */
const MAX_USES = 500;
/** How sure a range is that the rate lies in it. */
const PROBABILITY = 0.9;

export function describeEvidence(
  evidence: readonly Evidence[],
  lineage: Lineage,
  rules: Settings["learning"],
): Omit<SkillEvidence, "name"> {
  const traced = traceTexts(evidence, lineage, rules);
  const records = Map.groupBy(evidence, ({ turn, text }) => `${turn} ${text}`);
  return {
    text: lineage.text,
    texts: describeTexts(evidence, lineage, rules),
    uses: traced.slice(-MAX_USES).map((one) => describeUse(one, records)),
    seen: traced.length,
  };
}

/** The present text first, then the most recently used. */
export function describeTexts(
  evidence: readonly Evidence[],
  lineage: Lineage,
  rules: Settings["learning"],
): JudgedText[] {
  const texts = Object.entries(judgeTexts(evidence, lineage, rules)).map(([text, verdict]) => {
    const ofText = evidence.filter((record) => record.text === text);
    const used = ofText.filter(isUse);
    const usedAt = (used.length > 0 ? used : ofText).map(timeOf);
    return {
      text,
      present: text === lineage.text,
      ...verdict,
      firstUsedAt: Math.min(...usedAt),
      lastUsedAt: Math.max(...usedAt),
    };
  });
  return texts.toSorted((a, b) => Number(b.present) - Number(a.present) || b.lastUsedAt - a.lastUsedAt);
}

/** When the turn ended. Older evidence has only the day. */
export function timeOf({ at, day }: Pick<Evidence, "at" | "day">): number {
  return at > 0 ? at : Date.parse(`${day}T00:00:00Z`);
}

function describeUse({ text, use, standing }: TracedUse, records: Map<string, Evidence[]>): SkillUsed {
  const turn = toTurnId(use.session, use.n);
  const [strongest, ...others] = records.get(`${turn} ${text}`)!.toSorted((a, b) => (outranks(a, b) ? -1 : 1));
  const { judge, outcome, toolCalls, failedCalls, tokens } = strongest!;
  return {
    ...{ turn, text, at: use.at, outcome, judge, contradicted: use.contradicted, toolCalls, failedCalls, tokens },
    judgements: [strongest!, ...others].map((record) => ({ judge: record.judge, outcome: record.outcome })),
    failedWords: use.failedWords,
    standing: standing && {
      verdict: standing.verdict,
      success: toEstimate(standing.success, PROBABILITY),
      without: standing.without && toEstimate(standing.without, PROBABILITY),
    },
  };
}
