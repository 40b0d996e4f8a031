// Says whether a run did what the person wanted. The order: the text's own checks; words of the text with which a call failed; the answer that
// the person accepted, by its values and then by a model; what the exits of calls say. Called by carry-run.ts and pump.ts. Pure.
import type { RunJudge, RunVerdict, ReplayReport } from "../schemas/learning/experiment.ts";
import type { Outcome } from "../schemas/skill.ts";
import { compareAnswers, compareWithRefused } from "./compare-answers.ts";
import type { RecordedTurn } from "./ports.ts";

export interface RunJudgement {
  verdict: RunVerdict;
  judge: RunJudge;
}

export interface RunFacts {
  report: ReplayReport;
  request: string;
  /** The answer that the person accepted; `null`: nobody has said. */
  accepted: string | null;
  /** The answer that the person refused, where they accepted none, and what they said. */
  refused?: { answer: string; correction: string };
  /** Words of the arm's text that the text it is compared with has too: they cannot tell the two apart. */
  shared?: ReadonlySet<string>;
  /** The arm's text passes its own checks. Absent: it has none, or they cannot run here. */
  passesChecks?: boolean;
  /** What a model said of the two answers. Absent: it was not asked, or did not decide. */
  model?: RunVerdict;
}

export function judgeRun(facts: RunFacts): RunJudgement {
  const { report, request, accepted, refused, passesChecks, model } = facts;
  if (passesChecks === false) return { verdict: "wrong", judge: "checks" };
  if (hasFailedWord(facts)) return { verdict: "wrong", judge: "words" };
  if (report.end !== "answered") return { verdict: "unknown", judge: "none" };
  if (accepted !== null) {
    const compared = compareAnswers(accepted, report.answer ?? "", request);
    if (compared === "right" || compared === "wrong") return { verdict: compared, judge: "answer" };
    if (model !== undefined && model !== "unknown") return { verdict: model, judge: "model" };
    if (compared === "crowded") return { verdict: "unknown", judge: "none" };
  }
  if (accepted === null && refused) {
    const compared = compareWithRefused(refused, report.answer ?? "", request);
    if (compared === "right" || compared === "wrong") return { verdict: compared, judge: "answer" };
    if (compared === "crowded") return { verdict: "unknown", judge: "none" };
  }
  return judgeExit(report.exit);
}

/** Whether a model would be heard: everything before it leaves the run open. */
export function needsModel(facts: Omit<RunFacts, "model">): boolean {
  const { report, request, accepted, passesChecks } = facts;
  if (passesChecks === false || hasFailedWord(facts)) return false;
  if (report.end !== "answered" || accepted === null) return false;
  return ["undecided", "crowded"].includes(compareAnswers(accepted, report.answer ?? "", request));
}

/** A success with another value than the text gives shows that the text was not followed, so it is judged as any run without it. */
function hasFailedWord({ report, shared }: Pick<RunFacts, "report" | "shared">): boolean {
  return report.failedWords.some((word) => !shared?.has(word));
}

/** The recorded turn as a run. A person's word on it outranks everything that can be read from it. */
export function judgeRecorded(
  turn: Pick<RecordedTurn, "outcome" | "judge" | "exit" | "accepted" | "answer" | "request">,
) {
  const { outcome, judge, exit, accepted, answer, request } = turn;
  const isPersons = judge !== "exit" && judge !== "goal";
  if (accepted?.isOwn) return { verdict: "right", judge: "answer" } satisfies RunJudgement;
  if (isPersons && outcome !== "unknown") {
    return { verdict: outcome === "success" ? "right" : "wrong", judge: "answer" } satisfies RunJudgement;
  }
  if (accepted) {
    const compared = compareAnswers(accepted.text, answer, request);
    if (compared === "right" || compared === "wrong")
      return { verdict: compared, judge: "answer" } satisfies RunJudgement;
  }
  return judgeExit(outcome === "unknown" ? exit : outcome);
}

function judgeExit(outcome: Outcome): RunJudgement {
  if (outcome === "unknown") return { verdict: "unknown", judge: "none" };
  return { verdict: outcome === "success" ? "right" : "wrong", judge: "exit" };
}
