// Writes what one judged turn says of the texts of skills that it used, and settles verdicts that are due. Called by
// observe-job.ts. Idempotent: the turn, the judge and `nth` identify the evidence.
import { messageOf } from "../../errors.ts";
import { isAnswered } from "../../learning/observe/observe.ts";
import { taskOf } from "../../learning/requests.ts";
import { isShared } from "../../library/offer.ts";
import { type SkillMove, settleSkill } from "../../learning/evidence/settle.ts";
import { type SkillName, dayOf } from "../../schemas/ids.ts";
import type { LoadedText, Neighbourhood, Observation, TriedWords } from "../../schemas/learning/learning.ts";
import type { Evidence, Outcome } from "../../schemas/skill.ts";
import { companionOf } from "../../skills/format/validate.ts";
import type { EngineContext, SessionHost } from "../context.ts";
import type { JobRow } from "../jobs.ts";
import type { JudgedTurn } from "./observations.ts";

/** After this many attempts the Archive is skipped, and verdicts are left to the curator's sweep. */
export const PATIENT_TRIES = 3;
/** Settling a skill lists all of its uses. Beyond this many, one more success waits for the curator's next sweep. */
const USES_COUNTED_AT_ONCE = 100;

/** Writes evidence for each text that the turn used, and settles due verdicts. Returns the skills whose state changed. */
export async function writeEvidence(
  context: EngineContext,
  job: JobRow,
  report: JudgedTurn & { neighbourhood: Neighbourhood },
): Promise<SkillMove[]> {
  const { host } = context;
  const { row, entries, observation, judgement, nth, neighbourhood } = report;
  const { judge, outcome } = judgement;
  if (observation.loaded.length === 0 || (judge === "exit" && !isAnswered(entries))) return [];
  const { modelCalls, toolCalls, failedCalls } = row.stats;
  const at = row.endedAt ?? 0;
  for (const { skill, text } of observation.loaded) {
    await host.evidence.put({
      v: 2,
      skill,
      text,
      turn: observation.turn,
      judge,
      nth,
      day: dayOf(at),
      at,
      outcome: decideCredit(skill, observation, outcome),
      modelCalls,
      toolCalls,
      failedCalls,
      tokens: observation.effort?.tokens ?? 0,
      task: taskOf(observation.request),
      contradicted: isContradicted(observation, { skill, text }),
      ...collectTriedWords(observation, { skill, text }),
      baseline: neighbourhood.skills[skill]?.without ?? null,
    });
  }
  try {
    return await settleTexts(host, report);
  } catch (error) {
    if (job.tries < PATIENT_TRIES) throw error;
    host.report("verdict", `left to the curator: ${messageOf(error)}`);
    return [];
  }
}

/**
 * The outcome of the turn for one text it used. A base that was read with its companion gets no credit or blame: the
 * companion exists because the base was not enough, so the outcome counts for the companion.
 */
function decideCredit(skill: SkillName, { loaded }: Observation, outcome: Outcome): Outcome {
  return loaded.some((other) => other.skill === companionOf(skill)) ? "unknown" : outcome;
}

/** A word of the text failed, or was avoided because it had failed before, or a call succeeded with another value than the text's. */
function isContradicted({ triedWords = [], unfollowed = [] }: Observation, used: LoadedText): boolean {
  const wrong = triedWords.filter(({ failed }) => failed.length > 0);
  return [...wrong, ...unfollowed].some(({ skill, text }) => skill === used.skill && text === used.text);
}

/** Whether the turn gives evidence about the text itself, independent of its outcome. */
function hasTextEvidence(observation: Observation, used: LoadedText): boolean {
  return isContradicted(observation, used) || ownTriedWords(observation, used).length > 0;
}

function ownTriedWords({ triedWords = [] }: Observation, used: LoadedText): TriedWords[] {
  return triedWords.filter(({ skill, text }) => skill === used.skill && text === used.text);
}

function collectTriedWords(observation: Observation, used: LoadedText) {
  const own = ownTriedWords(observation, used);
  const each = (words: (tried: TriedWords) => string[]) => [...new Set(own.flatMap(words))];
  return {
    failedWords: each(({ failed }) => failed),
    refusedWords: each(({ refused = [] }) => refused),
    workedWords: each(({ worked }) => worked),
  } satisfies Partial<Evidence>;
}

async function settleTexts(
  host: SessionHost,
  { observation, judgement: { judge, outcome }, nth }: JudgedTurn,
): Promise<SkillMove[]> {
  const moves: SkillMove[] = [];
  const telling = observation.loaded.filter((used) => outcome !== "unknown" || hasTextEvidence(observation, used));
  const index = telling.length > 0 ? await host.skills.index() : null;
  for (const { skill, text } of telling) {
    const line = Object.hasOwn(index!.skills, skill) ? index!.skills[skill] : undefined;
    // A success does not change an active skill. Uses of a replaced text are counted by the curator.
    const isOpen = line?.state === "trial" || line?.state === "stale";
    const isHarm = outcome === "failure" || hasTextEvidence(observation, { skill, text });
    const isDue = isHarm || (isOpen && (line.use?.uses ?? 0) < USES_COUNTED_AT_ONCE);
    if (line?.text !== text || line.state === "archived" || !isDue) continue;
    const op = `verdict:${observation.turn}.${judge}${nth > 1 ? `.${nth}` : ""}`;
    const { skills, evidence, settings } = host;
    const { moved } = await settleSkill({ skills, evidence, settings, skill, op });
    if (moved) moves.push(moved);
    if (moved?.withdrew && isShared(line)) await host.account.tellFollowers?.();
  }
  return moves;
}
